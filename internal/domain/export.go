package domain

import "time"

// ExportID names an export.
type ExportID int64

// ExportState is how far an export has come.
type ExportState string

// The states of exports. The last two have an end.
const (
	ExportQueued  ExportState = "queued"
	ExportRunning ExportState = "running"
	ExportDone    ExportState = "done"
	ExportFailed  ExportState = "failed"
)

// Live reports whether something is still to come of it.
func (s ExportState) Live() bool { return s == ExportQueued || s == ExportRunning }

// Export is a file of all that is somebody's, which a job makes and which is kept for a while.
type Export struct {
	ID        ExportID
	UserID    UserID
	State     ExportState
	Attempts  int64
	Object    string // in the storage; "" until a job has begun
	Size      int64  // once it is done
	Counts    ExportCounts
	CreatedAt time.Time
	EndedAt   *time.Time
	ExpiresAt time.Time // after which it is gone
}

// ExportCounts is what is in an export so far.
type ExportCounts struct {
	Expected int64 // items of channels
	Done     int64
	Channels int64
	Blocks   int64
	Files    int64
	Bytes    int64 // of files
	LeftOut  int64 // what could not be read
}
