package content

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
)

// Reserve is the free space to keep on each disk: a number of bytes or a percentage of its size. The zero value reserves
// nothing.
type Reserve struct {
	Bytes   int64
	Percent float64
}

func (r Reserve) of(total int64) int64 {
	if r.Percent > 0 {
		return int64(r.Percent / 100 * float64(total))
	}
	return r.Bytes
}

// errDiskLow is the cause of refusals because a disk is nearly full.
var errDiskLow = errors.New("less space is free than the reserve")

// diskPause is the pause before work that needs disk space is tried again.
const diskPause = time.Minute

// DiskReady returns an error with the remedy if a disk of this server has less free space than the reserve. Uploads are
// then refused.
func (a *Content) DiskReady(context.Context) error { return a.spare(0) }

// Disk is a disk that this server writes to.
type Disk struct {
	Folder      string
	Total, Free int64
	Reserve     int64 // no files are accepted below it
}

// Used returns the used bytes of the disk, including those of other programs.
func (d Disk) Used() int64 { return d.Total - d.Free }

// Disks returns the disks that this server writes to. Disks of the same size and free space count as one. Disks of
// unknown size are omitted.
func (a *Content) Disks() (all []Disk, err error) {
	for _, folder := range a.folders {
		space, known, err := a.freeSpace(folder)
		if err != nil {
			return nil, err
		}
		same := func(d Disk) bool { return d.Total == space.Total && d.Free == space.Free }
		if known && !slices.ContainsFunc(all, same) {
			all = append(all, Disk{folder, space.Total, space.Free, a.diskReserve.of(space.Total)})
		}
	}
	return all, nil
}

// spare returns Unavailable if storing the bytes would leave less than the reserve free on a disk.
func (a *Content) spare(bytes int64) error {
	if a.diskReserve == (Reserve{}) {
		return nil
	}
	for _, folder := range a.folders {
		space, known, err := a.freeSpace(folder)
		if err != nil {
			return err
		}
		if known && space.Free-bytes < a.diskReserve.of(space.Total) {
			e := domain.Wrap(domain.Unavailable, "The server's disk is nearly full, so that it takes no files for now", errDiskLow)
			e.Wait = diskPause
			return e
		}
	}
	return nil
}

// freeSpace is the type of Options.FreeSpace, which tests replace.
type freeSpace func(folder string) (blob.Space, bool, error)
