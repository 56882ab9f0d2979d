package database_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/database"
)

// Network file systems are refused by their numbers, and those in user space by their type. The numbers are
// those of linux/magic.h and of the file systems' own sources.
func TestNetworkDisks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		number uint32
		kind   string
		want   string
	}{
		{"ext4", 0xEF53, "ext4", ""}, {"xfs", 0x58465342, "xfs", ""}, {"btrfs", 0x9123683E, "btrfs", ""},
		{"overlayfs", 0x794C7630, "overlay", ""}, {"tmpfs", 0x01021994, "tmpfs", ""}, {"zfs", 0x2FC12FC1, "zfs", ""},
		{"f2fs", 0xF2F52010, "f2fs", ""}, {"bcachefs", 0xCA451A4E, "bcachefs", ""},
		{"nfs", 0x6969, "nfs4", "NFS"}, {"smb", 0x517B, "smbfs", "SMB"}, {"cifs", 0xFF534D42, "cifs", "CIFS"}, {"smb3", 0xFE534D42, "smb3", "SMB"},
		{"9p", 0x01021997, "9p", "9p"}, {"ceph", 0x00C36400, "ceph", "Ceph"},
		{"sshfs", 0x65735546, "fuse.sshfs", "sshfs"}, {"rclone", 0x65735546, "fuse.rclone", "rclone"},
		{"mergerfs", 0x65735546, "fuse.mergerfs", ""}, {"ntfs", 0x65735546, "fuseblk", ""}, {"virtiofs", 0x65735546, "virtiofs", ""},
	} {
		if got := database.NetworkDisk(c.number, c.kind); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The disks of this machine work, also for folders that do not exist yet.
func TestLocalDisks(t *testing.T) {
	t.Parallel()
	places := []string{t.TempDir()}
	if shm, err := os.MkdirTemp("/dev/shm", "vitrine"); err == nil { // tmpfs
		t.Cleanup(func() { _ = os.RemoveAll(shm) })
		places = append(places, shm)
	}
	for _, place := range places {
		db := open(t, database.Options{URL: filepath.Join(place, "deep", "er", "v.db")})
		migrate(t, db, files(createItems))
	}
}

// A network disk is refused before anything is created there, unless that is allowed.
func TestOpenOnANetworkDisk(t *testing.T) { // not parallel: replaces the list
	dir := filepath.Join(t.TempDir(), "data")
	t.Cleanup(database.TreatAsNetworkDisk(filepath.Dir(dir)))
	if _, err := database.Open(t.Context(), database.Options{URL: filepath.Join(dir, "v.db")}); !errors.Is(err, database.ErrNetworkDisk) {
		t.Errorf("Open = %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("created %s: %v", dir, err)
	}
	db := open(t, database.Options{URL: filepath.Join(dir, "v.db"), AnyDisk: true})
	migrate(t, db, files(createItems))
}
