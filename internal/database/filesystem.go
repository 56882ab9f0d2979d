package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// networkDisks are the file systems on which SQLite is refused, by the number that statfs returns on Linux.
// WAL needs memory that all processes share and locks that all of them observe. Network file systems have
// neither, and a second machine could open the same file.
var networkDisks = map[uint32]string{
	0x6969:     "NFS",
	0x517B:     "SMB",
	0xFF534D42: "CIFS",
	0xFE534D42: "SMB",
	0x01021997: "9p",
	0x5346414F: "AFS",
	0x6B414653: "AFS", // of the Linux kernel
	0x73757245: "Coda",
	0x00C36400: "Ceph",
	0x0BD00BD0: "Lustre",
	0x47504653: "GPFS",
	0x7461636F: "OCFS2",
	0x01161970: "GFS2",
	0x013111A8: "IBRIX",
	0xAAD7AAEA: "PanFS",
	0x20030528: "OrangeFS",
	0x19830326: "BeeGFS",
}

// fuse is the number of all file systems in user space. Their type is in the list of mounts.
const fuse = 0x65735546

// networkFuse are the file systems in user space that store files elsewhere. Others, such as mergerfs or
// NTFS, are local.
var networkFuse = []string{"sshfs", "s3fs", "rclone", "gcsfuse", "glusterfs", "ceph-fuse", "curlftpfs", "davfs", "goofys", "juicefs", "mountpoint-s3", "smbnetfs", "moosefs", "seaweedfs"}

// networkDisk returns the name of a network file system, or "" for a local one. kind is its type in the list
// of mounts, such as "fuse.sshfs".
func networkDisk(number uint32, kind string) string {
	if number != fuse {
		return networkDisks[number]
	}
	if program, ok := strings.CutPrefix(kind, "fuse."); ok && slices.Contains(networkFuse, program) {
		return program
	}
	return ""
}

// ErrNetworkDisk reports that an SQLite file would be on a network file system.
var ErrNetworkDisk = errors.New("SQLite does not work reliably on a network file system")

// diskOf is replaced by tests.
var diskOf = networkDiskOf

// CheckFileSystem returns ErrNetworkDisk if a folder is on a network file system. If the folder is missing,
// it checks the one in which it would be created. It only knows file systems of Linux.
func CheckFileSystem(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	for {
		_, err := os.Stat(folder)
		if parent := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && parent != folder {
			folder = parent
			continue
		}
		break
	}
	name, err := diskOf(folder)
	if err != nil || name == "" { // a folder that cannot be used is reported when it is used
		return nil //nolint:nilerr
	}
	return fmt.Errorf("%w: %s is on %s, whose locks and shared memory can fail and damage the database", ErrNetworkDisk, folder, name)
}
