package domain

import "time"

// BatchState is the state of a batch.
type BatchState string

const (
	BatchPending    BatchState = "pending"    // not started
	BatchProcessing BatchState = "processing" // some items are not done yet
	BatchCompleted  BatchState = "completed"  // every item was tried
	BatchFailed     BatchState = "failed"     // the remaining items could not be tried
)

// Batch is a list of blocks that are created in order in the background, each in the same channels
// (behaviour.md section 12).
type Batch struct {
	ID        string // UUID, in lower case
	By        Actor  // creator, with the permissions at the time
	Total     int64
	Attempts  int64   // at creating the remaining blocks
	Error     *string // why the remaining items could not be tried, for the creator
	CreatedAt time.Time
	StartedAt *time.Time
	EndedAt   *time.Time
	Items     []BatchItem // tried items, in order
}

// BatchItem is the result of one item of a batch.
type BatchItem struct {
	N       int64   // index, from 0
	BlockID BlockID // 0 if it failed
	Error   *string // why it failed, for the creator of the batch
}

// State returns the state of the batch.
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
