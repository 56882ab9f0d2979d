package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

// importFileCmd imports a file. Its other names, bookmarks and csv, are those of earlier versions.
type importFileCmd struct {
	importFlags
	intoFlags
	Encoding string `placeholder:"NAME" help:"Character encoding of the file, such as shift_jis or windows-1251; by default it is detected."`
	File     string `arg:"" placeholder:"FILE" help:"Bookmarks in HTML, OPML, CSV with a line of headings, JSON of Pinboard, wallabag, Karakeep or Google Keep, addresses line by line, a ZIP file of Google Takeout or Pocket, or saved pages: WARC, WACZ, or HTML of SingleFile. The format is recognized by the content. - is standard input."`
}

// Run imports.
func (cmd *importFileCmd) Run(c *console) error {
	encoding, ok := domain.EncodingNamed(cmd.Encoding)
	if cmd.Encoding != "" && !ok {
		return usageError{fmt.Errorf("--encoding: there is no encoding called %q; known are %s, and other names that browsers accept", cmd.Encoding, strings.Join(domain.Encodings, ", "))}
	}
	in, err := openInput(cmd.File)
	if err != nil {
		return err
	}
	o := importing.Options{}
	cmd.into(&o)
	cmd.input = in
	from := files.Options{Title: untitled, Encoding: encoding}
	if cmd.File != "-" {
		from.Title, from.Archive, from.Size = importing.TitleOf(cmd.File), in.file, in.size
	}
	err = cmd.run(c, o, func(context.Context, config.Config) (source.Source, error) { return files.Open(in, from) })
	return errors.Join(err, in.Close())
}

// untitled is the title of a file that is read from standard input.
const untitled = "Bookmarks"

type importFolderCmd struct {
	importFlags
	intoFlags
	Folder string `arg:"" placeholder:"DIR" help:"Folder whose files become blocks, and whose folders become channels."`
}

// Run imports.
func (cmd *importFolderCmd) Run(c *console) error {
	from, err := files.NewFolder(cmd.Folder)
	if err != nil {
		return err
	}
	o := importing.Options{}
	cmd.into(&o)
	err = cmd.run(c, o, func(context.Context, config.Config) (source.Source, error) { return from, nil })
	return errors.Join(err, from.Close())
}

type importExportCmd struct {
	importFlags
	Channel string `placeholder:"SLUG" help:"Put all blocks into this channel. By default, each channel of the export becomes a channel."`
	File    string `arg:"" placeholder:"FILE.zip" help:"Account export from this or another Vitrine server."`
}

// Run imports.
func (cmd *importExportCmd) Run(c *console) error {
	if cmd.File == "-" {
		return usageError{errors.New("an export cannot be read from standard input: name its file")}
	}
	in, err := openInput(cmd.File)
	if err != nil {
		return err
	}
	o := importing.Options{}
	intoFlags{Channel: cmd.Channel, Visibility: string(domain.Private)}.into(&o)
	err = cmd.run(c, o, func(context.Context, config.Config) (source.Source, error) { return files.NewBundle(in.file, in.size) })
	return errors.Join(err, in.Close())
}

// input is a file that is read, and how much of it has been.
type input struct {
	file *os.File
	size int64 // 0: unknown
	read atomic.Int64
}

// openInput opens a file, or standard input for "-".
func openInput(name string) (*input, error) {
	if name == "-" {
		return &input{file: os.Stdin}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder, and no file", name)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &input{file: file, size: info.Size()}, nil
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.file.Read(p)
	i.read.Add(int64(n))
	return n, err
}

func (i *input) Close() error { return i.file.Close() }
