package syncing

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Limits of a directory.
const (
	maxFiles = 500_000
	maxNote  = 4 << 20 // bytes of a Markdown file
)

// dir is the directory. All paths are relative to it, with slashes, and symbolic links are not followed out of it.
type dir struct {
	root  *os.Root
	step  func(string)
	now   func() time.Time
	cache map[string]cached // hashes of files that did not change since
	known map[string]string // paths of entries by key, which count if the directory has several spellings
}

type cached struct {
	stat stat
	hash string
}

// stat is what changes when a file is written.
type stat struct {
	size int64
	at   time.Time
}

// tree is a scan of the directory. Keys are paths in the form of key.
type tree struct {
	files   map[string]*found
	dirs    map[string]string // the paths as they are
	others  map[string]string // the paths of everything that is ignored
	links   []string          // symbolic links, which are ignored
	closed  []string          // folders that cannot be read
	clashes []string          // files and folders whose names differ only in case from those of others
}

type found struct {
	path string
	stat stat
}

// scan lists the files and folders. It does not read files.
func (d *dir) scan() (*tree, error) {
	t := &tree{files: map[string]*found{}, dirs: map[string]string{}, others: map[string]string{}}
	err := fs.WalkDir(d.root.FS(), ".", func(name string, de fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name != "." {
			return nil // deleted in the meantime
		}
		if errors.Is(err, fs.ErrPermission) && name != "." && de != nil && de.IsDir() {
			t.closed = append(t.closed, name)
			return fs.SkipDir
		}
		if err != nil || name == "." {
			return err
		}
		k := key(name)
		clash := t.dirs[k] != "" || t.files[k] != nil || d.other(name)
		if clash {
			t.clashes = append(t.clashes, name)
		}
		if clash || ignored(path.Base(name)) {
			t.others[k] = name
			if de.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case de.IsDir():
			t.dirs[k] = name
		case de.Type()&fs.ModeSymlink != 0:
			t.links, t.others[k] = append(t.links, name), name
		case de.Type().IsRegular():
			info, err := de.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			t.files[k] = &found{path: name, stat: stat{info.Size(), info.ModTime()}}
		default:
			t.others[k] = name
		}
		if len(t.files) > maxFiles {
			return fmt.Errorf("more than %d files", maxFiles)
		}
		return nil
	})
	return t, err
}

// isClosed reports whether a path is in a folder that cannot be read, or is one.
func (t *tree) isClosed(name string) bool {
	return slices.ContainsFunc(t.closed, func(folder string) bool { return name == folder || below(name, folder) })
}

// other reports whether a path is not the one of an entry that differs only in case, and that exists too.
func (d *dir) other(name string) bool {
	known := d.known[key(name)]
	if known == "" || known == name {
		return false
	}
	a, err := d.root.Lstat(name)
	if err != nil {
		return false
	}
	b, err := d.root.Lstat(known)
	return err == nil && !os.SameFile(a, b)
}

// equal reports whether two scans found the same.
func (t *tree) equal(o *tree) bool {
	if o == nil || len(t.files) != len(o.files) || len(t.dirs) != len(o.dirs) {
		return false
	}
	for k, f := range t.files {
		if g := o.files[k]; g == nil || g.path != f.path || g.stat.size != f.stat.size || !g.stat.at.Equal(f.stat.at) {
			return false
		}
	}
	for k, name := range t.dirs {
		if o.dirs[k] != name {
			return false
		}
	}
	return true
}

// hash returns the hash of a file, or "" if there is none.
func (d *dir) hash(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errOne{errors.New("is not a regular file")}
	}
	now := stat{info.Size(), info.ModTime()}
	if c, ok := d.cache[name]; ok && c.stat.size == now.size && c.stat.at.Equal(now.at) {
		return c.hash, nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if d.now().Sub(now.at).Abs() > 2*time.Second { // a file can be written twice within the resolution of its time
		d.cache[name] = cached{now, sum}
	}
	return sum, nil
}

// read returns a Markdown file.
func (d *dir) read(name string) ([]byte, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxNote+1))
	if err == nil && len(text) > maxNote {
		err = errOne{fmt.Errorf("has more than %d bytes", maxNote)}
	}
	return text, err
}

// hashOf returns the hash of a text as hash does for a file.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// download writes a file that is not in place yet, and returns its path and hash.
func (d *dir) download(r io.Reader, limit int64) (temp, hash string, err error) {
	temp = ownFolder + "/tmp/" + hashOf([]byte(d.now().String()))[:16]
	f, err := d.root.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return "", "", err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("%w: the file has more than %d bytes", errFile, limit)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return "", "", errors.Join(err, d.root.Remove(temp))
	}
	return temp, hex.EncodeToString(h.Sum(nil)), nil
}

// replace writes a file so that it is complete or as before.
func (d *dir) replace(name string, text []byte) error {
	temp, _, err := d.download(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	return d.place(temp, name)
}

// place moves a downloaded file to its path.
func (d *dir) place(temp, name string) error {
	d.step("before " + name)
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := d.root.Rename(temp, name); err != nil {
		return err
	}
	delete(d.cache, name)
	d.step("after " + name)
	return d.sync(path.Dir(name))
}

// sync makes new names in a folder durable.
func (d *dir) sync(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if runtime.GOOS == "windows" {
		err = nil // folders cannot be synced on this system
	}
	return errors.Join(err, f.Close())
}

// trash moves a file or folder to the trash of the directory, unless it is gone.
func (d *dir) trash(name string) error {
	folder := ownFolder + "/trash/" + d.now().UTC().Format("2006-01-02")
	if err := d.root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	base, ext := stemOf(name), path.Ext(name)
	to, err := free(base, func(stem string) bool { _, err := d.root.Lstat(folder + "/" + stem + ext); return err == nil })
	if err != nil {
		return err
	}
	d.step("before trash " + name)
	if err := d.root.Rename(name, folder+"/"+to+ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.step("after trash " + name)
	return nil
}

// prepare creates the folder of the program, and removes unfinished files of an earlier run.
func (d *dir) prepare() error {
	for _, name := range []string{ownFolder + "/tmp", ownFolder + "/trash"} {
		if err := d.root.MkdirAll(name, 0o755); err != nil {
			return err
		}
	}
	if err := d.root.Chmod(ownFolder, 0o700); err != nil {
		return err
	}
	list, err := fs.ReadDir(d.root.FS(), ownFolder+"/tmp")
	for _, f := range list {
		err = errors.Join(err, d.root.Remove(ownFolder+"/tmp/"+f.Name()))
	}
	return err
}

// join joins a folder, which is empty for the directory itself, and a name.
func join(folder, name string) string { return strings.TrimPrefix(folder+"/"+name, "/") }

// parentOf returns the folder of a path, which is empty for the directory itself.
func parentOf(name string) string {
	if p := path.Dir(name); p != "." {
		return p
	}
	return ""
}
