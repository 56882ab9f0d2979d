package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vitrine/internal/importing/source"
)

// Folder is a folder as a source. The caller closes it after reading.
type Folder struct {
	root   *os.Root
	name   string
	origin string
}

// NewFolder opens a folder. Links in it cannot lead to files outside it.
func NewFolder(dir string) (*Folder, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(whole)
	if name == string(filepath.Separator) {
		name = "Files"
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		whole = real
	}
	return &Folder{root: root, name: name, origin: source.IDOf("folder:" + folderText(whole))}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Origin returns the origin, which contains the path of the folder, since folders of the same name may
// differ. Files in it are recognized by their content, even if they have moved within the folder.
func (f *Folder) Origin() string { return f.origin }

// Former returns the origin that all folders had in earlier versions.
func (f *Folder) Former() string { return "folder" }

// Others implements source.Document.
func (f *Folder) Others() []string { return nil }

// About implements source.Document.
func (f *Folder) About() source.About { return source.About{Format: "Folder"} }

// sampledFiles is the number of files in a sample. They are read completely.
const sampledFiles = 10

// Sample returns the ids of the first files.
func (f *Folder) Sample(ctx context.Context) [][]string {
	s := source.Sample{Max: sampledFiles}
	s.Of(ctx, f)
	return s.Blocks
}

// Read hands over the files sorted by name, including those in subfolders.
func (f *Folder) Read(ctx context.Context, to source.Sink) error {
	r := &folderReader{Folder: f, to: to, tree: source.Tree{To: to, Title: f.name, Start: "/" + url.QueryEscape(f.name)}}
	top, err := r.tree.Root(ctx)
	if err != nil {
		return err
	}
	if err := r.folder(ctx, top, "."); err != nil {
		return err
	}
	return r.tree.End(ctx)
}

type folderReader struct {
	*Folder
	to   source.Sink
	tree source.Tree
}

// folder hands over the contents of a folder.
func (r *folderReader) folder(ctx context.Context, in *source.TreeFolder, dir string) error {
	entries, err := r.list(dir)
	if err != nil {
		r.leftOut(dir, unreadable(err))
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.entry(ctx, in, path.Join(dir, entry.Name()), entry); err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a folder without hidden ones.
func (r *folderReader) list(dir string) ([]fs.DirEntry, error) {
	d, err := r.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	entries, err := d.ReadDir(-1)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return hidden(e.Name()) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(compareNatural(a.Name(), b.Name()), cmp.Compare(a.Name(), b.Name()))
	})
	return entries, err
}

// hidden reports whether a file is hidden or created by systems and programs for themselves.
func hidden(name string) bool {
	switch strings.ToLower(name) {
	case "thumbs.db", "desktop.ini", "icon\r", "__macosx", "$recycle.bin":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// entry hands over one entry of a folder.
func (r *folderReader) entry(ctx context.Context, in *source.TreeFolder, at string, entry fs.DirEntry) error {
	if entry.IsDir() {
		return r.inner(ctx, in, at, entry)
	}
	if why := special(entry.Type()); why != "" {
		r.leftOut(at, why)
		return nil
	}
	it, why := r.item(at)
	if why != "" {
		r.leftOut(at, why)
		return nil
	}
	it.Where = at
	r.to.Expect(1)
	return r.to.Item(ctx, in.ID, it)
}

// inner hands over a subfolder.
func (r *folderReader) inner(ctx context.Context, in *source.TreeFolder, at string, entry fs.DirEntry) error {
	c := source.Channel{Title: folderText(entry.Name()), Where: at}
	channel, err := r.tree.Add(ctx, in, c)
	if err != nil {
		return err
	}
	if err := r.folder(ctx, channel, at); err != nil || channel == in {
		return err
	}
	return r.tree.Close(ctx, channel)
}

// special describes the type of an entry that is not a file.
func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "it is a link to another file"
	case !mode.IsRegular():
		return "it is no file, but a socket, pipe or device"
	}
	return ""
}

func (r *folderReader) leftOut(at, why string) {
	r.to.LeftOut(source.LeftOut{What: source.Shortened(folderText(path.Base(at))), Where: folderText(at), Why: why})
}

// open opens a file. It fails if the file was replaced by something else since the folder was
// listed.
func (f *Folder) open(at string) (*os.File, fs.FileInfo, error) {
	info, err := f.root.Lstat(at)
	if err != nil {
		return nil, nil, &source.Unusable{Why: unreadable(err), Cause: err}
	}
	if why := special(info.Mode()); why != "" {
		return nil, nil, &source.Unusable{Why: why}
	}
	file, err := f.root.Open(at)
	if err != nil {
		return nil, nil, &source.Unusable{Why: unreadable(err), Cause: err}
	}
	return file, info, nil
}

// unreadable returns why a file cannot be read, without its path.
func unreadable(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return "it cannot be read: " + err.Error()
}

// item returns the block for a file, or the reason for skipping it.
func (f *Folder) item(at string) (it source.Item, why string) {
	file, info, err := f.open(at)
	if err != nil {
		why, _ = source.ReasonOf(err)
		return it, why
	}
	defer func() { _ = file.Close() }()
	if info.Size() == 0 {
		return it, "it is empty"
	}
	name := path.Base(at)
	extension := path.Ext(name)
	it = source.Item{Title: folderText(strings.TrimSuffix(name, extension)), CreatedAt: info.ModTime(), ConnectedAt: info.ModTime()}
	if it.Title == "" {
		it.Title = folderText(name)
	}
	switch extension := strings.ToLower(extension); extension {
	case ".url", ".webloc":
		return it, shortcut(&it, extension, file)
	case ".md", ".markdown", ".txt":
		if read, why := written(&it, extension == ".txt", file, info.Size()); read || why != "" {
			if extension != ".txt" {
				frontMatter(&it)
			}
			return it, why
		}
	}
	it.Kind, it.Title = source.Attachment, folderText(name)
	if it.ID, err = sumOf(file); err != nil {
		return it, unreadable(err)
	}
	it.File = &source.File{Name: folderText(name), Size: info.Size(), Open: func(context.Context) (io.ReadCloser, error) {
		again, _, err := f.open(at)
		return again, err
	}}
	return it, ""
}

// sumOf returns the id of a file, which is a hash of its content.
func sumOf(file io.ReadSeeker) (string, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// folderText returns a file name as valid UTF-8, since names may contain any bytes.
func folderText(name string) string { return strings.ToValidUTF8(name, "�") }
