package database

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// networkDiskOf returns the name of the network file system of a folder, or "" if it is local.
func networkDiskOf(folder string) (string, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return "", err
	}
	number, kind := uint32(s.Type), ""
	if number == fuse {
		var err error
		if kind, err = mountKind(folder); err != nil {
			return "", err
		}
	}
	return networkDisk(number, kind), nil
}

// mountKind returns the type of the file system of a folder from the list of mounts.
func mountKind(folder string) (string, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(folder, &s); err != nil {
		return "", err
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer func() { _ = mounts.Close() }()
	dev := uint64(s.Dev)
	device := fmt.Sprintf("%d:%d", dev>>8&0xfff|dev>>32&^0xfff, dev&0xff|dev>>12&^0xff)
	lines := bufio.NewScanner(mounts)
	for lines.Scan() {
		// 36 35 98:0 /root /mount options… - type source options
		before, after, _ := strings.Cut(lines.Text(), " - ")
		if fields := strings.Fields(before); len(fields) > 2 && fields[2] == device {
			kind, _, _ := strings.Cut(after, " ")
			return kind, nil
		}
	}
	return "", lines.Err()
}
