package content

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
)

// Reserve is how much of each disk stays free: bytes, or a part in percent of its size.
// The zero value keeps nothing free.
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

// errDiskLow is the cause of what is refused since a disk is nearly full.
var errDiskLow = errors.New("less space is free than the reserve")

// diskPause is how long what needs space waits until it asks again.
const diskPause = time.Minute

// DiskReady fails with what to do when a disk of this server has less free space than the
// reserve: bytes are then refused.
func (a *Content) DiskReady(context.Context) error { return a.spare(0) }

// Disk is a disk that this server writes to.
type Disk struct {
	Folder      string
	Total, Free int64
	Reserve     int64 // below which no files are accepted
}

// Used is how much of the disk is taken, by whatever it is.
func (d Disk) Used() int64 { return d.Total - d.Free }

// Disks tells of the disks that this server writes to, each once as far as their sizes tell.
// It leaves out those whose size is not known.
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

// spare is Unavailable unless each disk has room for so many bytes above the reserve.
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

// freeSpace is how tests tell the size of a disk.
type freeSpace func(folder string) (blob.Space, bool, error)
