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

// PutStaged gives the received file a second name, in this folder, where the file
// system can, so that nothing is copied. See Store.
func (d *Disk) PutStaged(ctx context.Context, name string, staged *Staged, contentType string) error {
	if err := checkName(name); err != nil {
		return err
	}
	f, err := staged.Open()
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // only read
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
	if !linked { // another file system, or one that has no links
		return d.Put(ctx, name, f, staged.Size, contentType)
	}
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, diskError(err))
	}
	return nil
}

// place lets finish make a file of the name it is given, moves that to name, and sees
// to it that it stays there if the machine stops. It leaves no unfinished file.
func (d *Disk) place(name string, finish func(unfinished string) error) error {
	unfinished := path.Join(temporaryFolder, rand.Text())
	err := finish(unfinished)
	if err == nil {
		err = d.makeFolders(name)
	}
	if err == nil {
		err = d.root.Rename(unfinished, name)
	}
	// It is also left when name is another link to the same file: rename(2) then does
	// nothing.
	if remove := d.root.Remove(unfinished); remove != nil && !errors.Is(remove, fs.ErrNotExist) {
		err = errors.Join(err, remove)
	}
	if err != nil {
		return err
	}
	return d.syncFolders(name)
}

// write makes a file and brings it to the disk.
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

// makeFolders makes the folders above a file.
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

// syncFolders brings all folders above a file to the disk. Those that were there
// before may have been made a moment ago, by a call that has yet to do this.
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
