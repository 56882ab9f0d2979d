package domain

import "time"

// ExportID identifies an export.
type ExportID int64

// ExportState is the state of an export.
type ExportState string

// The states of exports. The last two are final.
const (
	ExportQueued  ExportState = "queued"
	ExportRunning ExportState = "running"
	ExportDone    ExportState = "done"
	ExportFailed  ExportState = "failed"
)

// Live reports whether the state is not final.
func (s ExportState) Live() bool { return s == ExportQueued || s == ExportRunning }

// Export is a file with everything that a user owns. A job makes it, and it is deleted after a
// while.
type Export struct {
	ID        ExportID
	UserID    UserID
	State     ExportState
	Attempts  int64
	Object    string // name in the storage; "" until a job has started
	Size      int64  // set when it is done
	Counts    ExportCounts
	CreatedAt time.Time
	EndedAt   *time.Time
	ExpiresAt time.Time // when it will be deleted
}

// ExportCounts counts the contents of an export so far.
type ExportCounts struct {
	Expected int64 // items of channels
	Done     int64
	Channels int64
	Blocks   int64
	Files    int64
	Bytes    int64 // of files
	LeftOut  int64 // skipped because it could not be read
}
