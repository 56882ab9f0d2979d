//go:build linux || darwin || freebsd

package blob

import (
	"fmt"
	"syscall"
)

// FreeSpace returns the space of the file system of a folder that is available to this process. ok is
// false if it is unknown.
func FreeSpace(dir string) (s Space, ok bool, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return s, false, fmt.Errorf("blob: the free space of %s: %w", dir, err)
	}
	block := int64(fs.Bsize)
	return Space{Free: int64(fs.Bavail) * block, Total: int64(fs.Blocks) * block}, true, nil
}
