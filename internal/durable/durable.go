// Package durable makes file changes survive a loss of power. A file that must be complete or
// missing is written under another name, synced, and then renamed.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Unfinished is the suffix of incomplete files.
const Unfinished = ".unfinished"

// SyncDir makes new names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" {
		err = nil // folders cannot be synced on this system
	}
	return errors.Join(err, d.Close())
}

// SyncFile makes the content of a file durable.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Rename moves a synced file to its final path, durably.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}
