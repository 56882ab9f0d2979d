package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/domain"
)

// Disk stores files in a folder at the path of their name, accessible only to the owner of the process.
// Unfinished files are in the subfolder ".tmp". Symbolic links cannot lead to reads or writes outside of
// the folder.
type Disk struct {
	dir  string
	root *os.Root
}

var _ Store = (*Disk)(nil)

// OpenDisk opens a folder, which it creates if necessary.
func OpenDisk(dir string) (*Disk, error) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := root.Mkdir(temporaryFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(fmt.Errorf("blob: %w", err), root.Close())
	}
	return &Disk{dir: dir, root: root}, nil
}

// openFolder opens a folder, which it creates for the owner of the process if necessary.
func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return root, nil
}

// Close closes the folder. Open files remain open.
func (d *Disk) Close() error { return d.root.Close() }

// Open opens a file. See Store.
func (d *Disk) Open(_ context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	f, err := d.open(name)
	if err != nil {
		return nil, fmt.Errorf("blob: open: %w", absence(err))
	}
	return f, nil
}

func (d *Disk) open(name string) (*File, error) {
	if _, err := d.stat(name); err != nil { // opening a named pipe would block
		return nil, err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &File{Info: Info{Size: info.Size(), ModTime: info.ModTime()}, Content: f}, nil
}

// Stat returns the metadata of a file. See Store.
func (d *Disk) Stat(_ context.Context, name string) (Info, error) {
	if err := checkName(name); err != nil {
		return Info{}, err
	}
	info, err := d.stat(name)
	if err != nil {
		return Info{}, fmt.Errorf("blob: stat: %w", absence(err))
	}
	return info, nil
}

// stat ignores everything except regular files, such as folders and links.
func (d *Disk) stat(name string) (Info, error) {
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return Info{}, err
	}
	return Info{Size: info.Size(), ModTime: info.ModTime()}, nil
}

// List walks the folders. See Store.
func (d *Disk) List(ctx context.Context, folder string, visit func(name string, size int64) error) error {
	from := "."
	if folder != "" {
		from = strings.TrimSuffix(folder, "/")
	}
	return fs.WalkDir(d.root.FS(), from, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in the meantime, or an empty store
			return nil
		case err != nil:
			return fmt.Errorf("blob: list: %w", err)
		case name == temporaryFolder:
			return fs.SkipDir
		case ctx.Err() != nil:
			return ctx.Err()
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("blob: list: %w", err)
		}
		return visit(name, info.Size())
	})
}

// Delete removes a file, but not its folders. See Store.
func (d *Disk) Delete(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	_, err := d.stat(name) // Remove would also remove an empty folder
	if err == nil {
		err = d.root.Remove(name)
	}
	if err == nil {
		err = d.syncFolders(name)
	}
	if err = absence(err); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("blob: delete: %w", err)
	}
	return nil
}

// PresignPut is not supported. See Store.
func (d *Disk) PresignPut(_ context.Context, name, _ string, _ time.Duration) (string, bool, error) {
	return "", false, checkName(name)
}

// Check writes and removes a file. See Store.
func (d *Disk) Check(ctx context.Context) error {
	err := d.place(probe, func(unfinished string) error {
		return d.write(unfinished, newExact(ctx, strings.NewReader("ok"), 2))
	})
	if err == nil {
		err = d.root.Remove(probe)
		if errors.Is(err, fs.ErrNotExist) { // removed by a check in another process
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("blob: the folder %s cannot be used: %w", d.dir, diskError(err))
	}
	return nil
}

// Ready is the same as Check, which also detects a full disk. See Store.
func (d *Disk) Ready(ctx context.Context) error { return d.Check(ctx) }

// Sweep removes unfinished files. See Store.
func (d *Disk) Sweep(_ context.Context, olderThan time.Duration) error {
	return sweep(d.root, temporaryFolder, olderThan)
}

// sweep removes the files of a folder that were not written to for longer than olderThan.
func sweep(root *os.Root, folder string, olderThan time.Duration) error {
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return fmt.Errorf("blob: sweep: %w", err)
	}
	before := time.Now().Add(-olderThan)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && !info.ModTime().After(before) {
			err = root.Remove(filepath.Join(folder, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // not completed in the meantime
			return fmt.Errorf("blob: sweep: %w", err)
		}
	}
	return nil
}

// absence returns ErrNotFound for a missing file or folder, and otherwise diskError.
func absence(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return diskError(err)
}

// diskError marks errors that may be temporary, and errors of a failing disk.
func diskError(err error) error {
	for _, passing := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, passing) && !errors.Is(err, ErrSource) {
			return temporary(err)
		}
	}
	if (errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS)) && !errors.Is(err, ErrSource) {
		return domain.NewUnavailable(err)
	}
	return err
}
