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

// Disk keeps files in a folder, each at the path of its name, for the owner of the
// process only. Unfinished files are in its folder ".tmp". Whatever symbolic links
// are in it, nothing outside is read or written.
type Disk struct {
	dir  string
	root *os.Root
}

var _ Store = (*Disk)(nil)

// OpenDisk makes the folder if it is missing.
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

// openFolder makes a folder for the owner of the process if it is missing, and opens
// it.
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

// Close lets go of the folder. Open files stay open.
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
	if _, err := d.stat(name); err != nil { // opening a named pipe would wait for its writer
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

// Stat describes a file. See Store.
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

// stat finds regular files only: folders and links are none of ours.
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

// Delete removes a file. The folders above it stay. See Store.
func (d *Disk) Delete(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	_, err := d.stat(name) // a folder that is empty would be removed, too
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

// PresignPut gives no URL: clients cannot write to the disk.
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
		if errors.Is(err, fs.ErrNotExist) { // another process checks, too
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("blob: the folder %s cannot be used: %w", d.dir, diskError(err))
	}
	return nil
}

// Ready is Check, which finds a full disk. See Store.
func (d *Disk) Ready(ctx context.Context) error { return d.Check(ctx) }

// Sweep removes unfinished files. See Store.
func (d *Disk) Sweep(_ context.Context, olderThan time.Duration) error {
	return sweep(d.root, temporaryFolder, olderThan)
}

// sweep removes the files of a folder that were last written to too long ago.
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
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // finished in the meantime
			return fmt.Errorf("blob: sweep: %w", err)
		}
	}
	return nil
}

// absence is diskError, and ErrNotFound for a file or a folder that is missing.
func absence(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return diskError(err)
}

// diskError marks errors of the file system that may pass, and those of a disk that
// fails.
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
