package store

import (
	"context"

	"vitrine/internal/domain"
)

// Legacy is what a user has that deleting the account would end or leave behind.
type Legacy struct {
	Channels     int64
	Blocks       int64 // in nobody else's channel
	SharedBlocks int64
	Comments     int64
	Groups       []domain.Group // owned
}

// doomed picks the channels that would go with the user $1: their own, and those of
// groups in which there is nobody else.
const doomed = `(ch.owner_type = 'User' AND ch.owner_id = $1 OR ch.owner_type = 'Group' AND ch.owner_id IN (
	SELECT g.id FROM groups g WHERE g.owner_id = $1 AND g.users_count = 1))`

// Legacy counts what a user has.
func (v *Snapshot) Legacy(ctx context.Context, user domain.UserID) (l Legacy, err error) {
	err = v.q.QueryRow(ctx, `SELECT (SELECT count(*) FROM channels ch WHERE ch.state = 'available' AND `+doomed+`),
		(SELECT count(*) FROM blocks b WHERE b.user_id = $1),
		(SELECT count(*) FROM blocks b WHERE b.user_id = $1 AND b.open_count + b.private_count > 0 AND EXISTS (
			SELECT 1 FROM connections c JOIN channels ch ON ch.id = c.channel_id WHERE c.item_type = 'Block'
				AND c.item_id = b.id AND ch.state = 'available' AND NOT `+doomed+`)),
		(SELECT count(*) FROM comments cm WHERE cm.user_id = $1)`, user).
		Scan(&l.Channels, &l.Blocks, &l.SharedBlocks, &l.Comments)
	if err != nil {
		return l, err
	}
	l.Blocks -= l.SharedBlocks
	rows, err := v.q.Query(ctx, "SELECT "+groupColumns+" FROM groups g "+groupOwner+" WHERE g.owner_id = $1 ORDER BY g.name_key, g.id", user)
	l.Groups, err = collect(ctx, rows, err, scanGroup)
	return l, err
}
