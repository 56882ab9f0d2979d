package domain

import "time"

// SnapshotRequest is a copy of a block's page that this server takes, or failed to take.
type SnapshotRequest struct {
	Block     BlockID
	User      UserID // who has it taken, and whose quota it counts towards
	Failed    bool
	Attempts  int64
	Reason    string // why the last attempt failed
	Round     int64  // names the job
	UpdatedAt time.Time
}
