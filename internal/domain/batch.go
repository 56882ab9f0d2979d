package domain

import "time"

// BatchState is how far a batch has come.
type BatchState string

// The states of batches.
const (
	BatchPending    BatchState = "pending"    // nothing was tried yet
	BatchProcessing BatchState = "processing" // some are still to be tried
	BatchCompleted  BatchState = "completed"  // every block was tried
	BatchFailed     BatchState = "failed"     // the rest could not be tried
)

// Batch is blocks that are made in the background, in order, each in the same channels
// (behaviour.md section 12).
type Batch struct {
	ID        string // UUID, in lower case
	By        Actor  // who asked for it, as they were then
	Total     int64
	Attempts  int64   // to make what is not made yet
	Error     *string // why the rest could not be tried, in words for its maker
	CreatedAt time.Time
	StartedAt *time.Time
	EndedAt   *time.Time
	Items     []BatchItem // those that were tried, in order
}

// BatchItem is a block of a batch that was tried.
type BatchItem struct {
	N       int64   // its place, from 0
	BlockID BlockID // 0 if it failed
	Error   *string // why it failed, in words for the batch's maker
}

// State returns how far the batch has come.
func (b Batch) State() BatchState {
	switch {
	case b.Error != nil:
		return BatchFailed
	case b.EndedAt != nil:
		return BatchCompleted
	case b.StartedAt != nil:
		return BatchProcessing
	}
	return BatchPending
}
