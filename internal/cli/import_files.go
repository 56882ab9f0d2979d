package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"vitrine/internal/cli/console"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/bookmarks"
	"vitrine/internal/importing/bundle"
	"vitrine/internal/importing/folder"
	"vitrine/internal/importing/sheet"
	"vitrine/internal/importing/source"
)

type importBookmarksCmd struct {
	importFlags
	intoFlags
	File string `arg:"" placeholder:"FILE.html" help:"Bookmarks as browsers, Pinboard, Raindrop and others export them; - is standard input."`
}

// Run imports.
func (cmd *importBookmarksCmd) Run(c *console.Console) error {
	return cmd.runFile(c, cmd.intoFlags, cmd.File, bookmarks.New)
}

type importCSVCmd struct {
	importFlags
	intoFlags
	File string `arg:"" placeholder:"FILE.csv" help:"CSV with a line of headings such as url, title, tags and channel, or Pinboard's JSON; - is standard input."`
}

// Run imports.
func (cmd *importCSVCmd) Run(c *console.Console) error {
	return cmd.runFile(c, cmd.intoFlags, cmd.File, sheet.New)
}

// untitled is the title of a file that is read from standard input.
const untitled = "Bookmarks"

// runFile imports a file that is read from its beginning to its end.
func (f importFlags) runFile(c *console.Console, into intoFlags, name string, read func(r io.Reader, title string) source.Document) error {
	in, err := openInput(name)
	if err != nil {
		return err
	}
	o := importing.Options{}
	into.into(&o)
	f.input = in
	title := untitled
	if name != "-" {
		title = importing.TitleOf(name)
	}
	err = f.run(c, o, func(context.Context, config.Config) (source.Source, error) { return read(in, title), nil })
	return errors.Join(err, in.Close())
}

type importFolderCmd struct {
	importFlags
	intoFlags
	Folder string `arg:"" placeholder:"DIR" help:"Folder whose files become blocks, and whose folders become channels."`
}

// Run imports.
func (cmd *importFolderCmd) Run(c *console.Console) error {
	from, err := folder.New(cmd.Folder)
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
	Channel string `placeholder:"SLUG" help:"Channel that gets all blocks; by default there is a channel for each in the export."`
	File    string `arg:"" placeholder:"FILE.zip" help:"Export of a person from this server or another Vitrine."`
}

// Run imports.
func (cmd *importExportCmd) Run(c *console.Console) error {
	if cmd.File == "-" {
		return console.UsageError{errors.New("an export cannot be read from standard input: name its file")}
	}
	in, err := openInput(cmd.File)
	if err != nil {
		return err
	}
	o := importing.Options{}
	intoFlags{Channel: cmd.Channel, Visibility: string(domain.Private)}.into(&o)
	err = cmd.run(c, o, func(context.Context, config.Config) (source.Source, error) { return bundle.New(in.file, in.size) })
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
