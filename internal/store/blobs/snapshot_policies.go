package blobs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// SnapshotPolicies returns the policy of a block, and those of the channels that its author connected it to, without
// repetitions.
func (r Reads) SnapshotPolicies(ctx context.Context, block domain.BlockID, author domain.UserID) (own domain.SnapshotPolicy, channels []domain.SnapshotPolicy, err error) {
	rows, err := r.db.Query(ctx, `SELECT 'Block', snapshots FROM blocks WHERE id = $1
		UNION SELECT 'Channel', ch.snapshots FROM connections c JOIN channels ch ON ch.id = c.channel_id
		WHERE c.item_type = 'Block' AND c.item_id = $1 AND c.user_id = $2 AND ch.state = 'available' AND ch.snapshots <> ''`, block, author)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (struct{}, error) {
		var of string
		var p domain.SnapshotPolicy
		if err := row.Scan(&of, &p); err != nil {
			return struct{}{}, err
		}
		if of == "Block" {
			own = p
		} else {
			channels = append(channels, p)
		}
		return struct{}{}, nil
	})
	return own, channels, err
}

// blockPolicy is the policy of a block.
type blockPolicy struct {
	Block  domain.BlockID
	Policy domain.SnapshotPolicy
}

// BlockSnapshotPolicies returns the policies of those blocks that have their own.
func (r Reads) BlockSnapshotPolicies(ctx context.Context, blocks []domain.BlockID) (map[domain.BlockID]domain.SnapshotPolicy, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	rows, err := r.db.Query(ctx, "SELECT id, snapshots FROM blocks WHERE "+r.db.In("id", "$1")+" AND snapshots <> ''", sqlx.IDs(r.db.Dialect, blocks))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p blockPolicy, err error) {
		err = row.Scan(&p.Block, &p.Policy)
		return p, err
	})
	found := make(map[domain.BlockID]domain.SnapshotPolicy, len(all))
	for _, p := range all {
		found[p.Block] = p.Policy
	}
	return found, err
}

// SetSnapshotPolicy stores the policy of a locked block.
func (w Writes) SetSnapshotPolicy(ctx context.Context, block domain.BlockID, policy domain.SnapshotPolicy) error {
	return w.db.ExecOne(ctx, `UPDATE blocks SET snapshots = $2 WHERE id = $1`, block, policy)
}
