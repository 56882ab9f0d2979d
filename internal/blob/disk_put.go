package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Put writes a temporary file and renames it. See Store.
func (d *Disk) Put(ctx context.Context, name string, r io.Reader, size int64, _ string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := d.place(name, func(unfinished string) error {
		return d.write(unfinished, newExact(ctx, r, size))
	})
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, diskError(err))
	}
	return nil
}

// PutStaged links the received file into this folder, if the file system supports it, to avoid a copy.
// See Store.
func (d *Disk) PutStaged(ctx context.Context, name string, staged *Staged, contentType string) error {
	if err := checkName(name); err != nil {
		return err
	}
	f, err := staged.Open()
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	if err := f.Sync(); err != nil {
		return fmt.Errorf("blob: put %s: %w", name, diskError(err))
	}
	linked := false
	err = d.place(name, func(unfinished string) error {
		info, err := d.root.Lstat(temporaryFolder)
		if err == nil && info.IsDir() { // os.Link would follow a symbolic link
			err = os.Link(staged.path, path.Join(d.dir, unfinished))
			linked = err == nil
		}
		return err
	})
	if !linked { // on another file system, or without support for links
		return d.Put(ctx, name, f, staged.Size, contentType)
	}
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, diskError(err))
	}
	return nil
}

// place calls finish to create an unfinished file, and renames it durably to name. It leaves no unfinished
// file behind.
func (d *Disk) place(name string, finish func(unfinished string) error) error {
	unfinished := path.Join(temporaryFolder, rand.Text())
	err := finish(unfinished)
	if err == nil {
		err = d.makeFolders(name)
	}
	if err == nil {
		err = d.root.Rename(unfinished, name)
	}
	// The unfinished file remains if name is a link to the same file, because rename(2) then does
	// nothing.
	if remove := d.root.Remove(unfinished); remove != nil && !errors.Is(remove, fs.ErrNotExist) {
		err = errors.Join(err, remove)
	}
	if err != nil {
		return err
	}
	return d.syncFolders(name)
}

// write creates a file and syncs it.
func (d *Disk) write(name string, r io.Reader) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeFolders creates the parent folders of a file.
func (d *Disk) makeFolders(name string) error {
	for i, char := range name {
		if char != '/' {
			continue
		}
		if err := d.root.Mkdir(name[:i], 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// syncFolders syncs all parent folders of a file. It includes existing folders, because a
// concurrent call may have created them without having synced them yet.
func (d *Disk) syncFolders(name string) error {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		f, err := d.root.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		if dir == "." {
			return nil
		}
	}
}
