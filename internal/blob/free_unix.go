//go:build linux || darwin || freebsd

package blob

import (
	"fmt"
	"syscall"
)

// FreeSpace returns how much space the file system of a folder has for who runs this
// process; ok is false where that cannot be known.
func FreeSpace(dir string) (s Space, ok bool, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return s, false, fmt.Errorf("blob: the free space of %s: %w", dir, err)
	}
	block := int64(fs.Bsize)
	return Space{Free: int64(fs.Bavail) * block, Total: int64(fs.Blocks) * block}, true, nil
}
