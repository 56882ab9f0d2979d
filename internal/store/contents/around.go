package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// CollaboratorsAround lists the collaborators of channels that contain a block and that the viewer
// may see, beginning with the channel to which it was added last. It examines at most `channels`
// channels, and private ones only among the newest connections.
func (r NearbyReads) CollaboratorsAround(ctx context.Context, viewer domain.UserID, block domain.BlockID, channels, limit int) ([]domain.UserID, error) {
	rows, err := r.db.Query(ctx, `SELECT co.member_id FROM (
			SELECT near.channel_id, near.created_at, near.id FROM (SELECT channel_id, created_at, id FROM connections
				WHERE item_type = 'Block' AND item_id = $2 ORDER BY created_at DESC, id DESC LIMIT `+nearPrivateText+`) AS near
			JOIN channels ch ON ch.id = near.channel_id WHERE `+access.For(viewer, access.VisibleChannel, access.GuestChannel)+`
			ORDER BY near.created_at DESC, near.id DESC`+sqlx.Limit("$3")+`) AS here
		JOIN collaborators co ON co.channel_id = here.channel_id AND co.member_type = 'User'
		ORDER BY here.created_at DESC, here.id DESC, co.member_id`+sqlx.Limit("$4"), viewer, block, channels, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}
