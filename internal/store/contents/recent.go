package contents

import (
	"context"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// maxHelped is how many of a user's collaborations, and how many of their groups, are examined.
const maxHelped = 500

// RecentChannels lists the channels that the viewer owns or may add to, including those of their
// groups and collaborations, with the viewer's role, most recently changed first. It reads at most
// `limit` channels for each kind of access, and for collaborations the newest channels.
func (r NearbyReads) RecentChannels(ctx context.Context, viewer domain.UserID, limit int) ([]domain.Channel, error) {
	if viewer == 0 {
		return nil, nil
	}
	part := func(query string) string { return "SELECT * FROM (" + query + ") AS part" }
	most := " LIMIT " + strconv.Itoa(maxHelped)
	groups := "(SELECT group_id FROM group_members WHERE user_id = $1 ORDER BY group_id DESC" + most + ") AS gm"
	mine := part(`SELECT d.item_id AS id FROM search_documents d WHERE d.kind = 'Channel' AND d.author_id = $1
			ORDER BY d.updated_at DESC`+sqlx.Limit("$2")) +
		" UNION " + part(`SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND user_id <> owner_id ORDER BY id DESC`+most) +
		" UNION SELECT gi.item_id FROM " + groups + r.db.JoinSome("group_items", "gi", "item_id",
		`s.group_id = gm.group_id AND s.kind = 'Channel' ORDER BY s.updated_at DESC`+sqlx.Limit("$2"), "gi.group_id = gm.group_id AND gi.kind = 'Channel'") +
		" UNION " + part(`SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1 ORDER BY channel_id DESC`+most) +
		" UNION " + part(`SELECT co.channel_id FROM `+groups+` JOIN collaborators co ON co.member_type = 'Group' AND co.member_id = gm.group_id
			ORDER BY co.channel_id DESC`+most)
	rows, err := r.db.Query(ctx, mine, viewer, limit)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	// Select by id: joined with the query above, PostgreSQL would read all channels.
	return r.channels(ctx, "", " AND "+r.db.In("ch.id", "$3")+" AND "+access.RoleOf+" > 0 ORDER BY ch.updated_at DESC, ch.id DESC"+sqlx.Limit("$2"),
		viewer, limit, sqlx.IDs(r.db.Dialect, ids))
}

// channels reads live channels with the role of the viewer $1.
func (r NearbyReads) channels(ctx context.Context, join, rest string, args ...any) ([]domain.Channel, error) {
	rows, err := r.db.Query(ctx, "SELECT "+rowmap.ChannelColumns+", "+access.RoleOf+" FROM channels ch "+join+" "+rowmap.ChannelOwner+
		" WHERE ch.state = 'available'"+rest, args...)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanChannelRole)
}

// ChannelsWithRole reads those of the channels that the viewer may see, with their role.
func (r NearbyReads) ChannelsWithRole(ctx context.Context, viewer domain.UserID, ids []domain.ChannelID) (map[domain.ChannelID]domain.Channel, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := r.channels(ctx, "", " AND "+r.db.In("ch.id", "$2")+" AND "+access.VisibleChannel, viewer, sqlx.IDs(r.db.Dialect, ids))
	return sqlx.ByID(all, func(c domain.Channel) domain.ChannelID { return c.ID }), err
}

// PinnedChannels lists the viewer's pinned channels that they may still see, with their role, in
// the order of pinning.
func (r NearbyReads) PinnedChannels(ctx context.Context, viewer domain.UserID) ([]domain.Channel, error) {
	return r.channels(ctx, "JOIN pins p ON p.user_id = $1 AND p.channel_id = ch.id", " AND "+access.VisibleChannel+
		" ORDER BY p.created_at, p.channel_id", viewer)
}

// Marks reports whether the viewer follows a channel that they see, and whether they pinned it.
func (r NearbyReads) Marks(ctx context.Context, viewer domain.UserID, channel domain.ChannelID) (follows, pinned bool, err error) {
	err = r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM follows WHERE follower_id = $1 AND followed_type = 'Channel' AND followed_id = $2),
		EXISTS (SELECT 1 FROM pins WHERE user_id = $1 AND channel_id = $2)`, viewer, channel).Scan(&follows, &pinned)
	return follows, pinned, err
}

// Pin pins a channel for a locked user. Doing so again changes nothing.
func (w Writes) Pin(ctx context.Context, user domain.UserID, channel domain.ChannelID, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO pins (user_id, channel_id, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, channel_id) DO NOTHING`, user, channel, sqlx.Micros(now))
}

// Unpin removes a pin.
func (w Writes) Unpin(ctx context.Context, user domain.UserID, channel domain.ChannelID) error {
	return w.db.Exec(ctx, `DELETE FROM pins WHERE user_id = $1 AND channel_id = $2`, user, channel)
}

// TrimPins removes the pins of channels that the user may not see any more and counts the others.
func (w Writes) TrimPins(ctx context.Context, user domain.UserID) (int64, error) {
	err := w.db.Exec(ctx, `DELETE FROM pins WHERE user_id = $1 AND NOT EXISTS (
		SELECT 1 FROM channels ch WHERE ch.id = pins.channel_id AND `+access.VisibleChannel+`)`, user)
	if err != nil {
		return 0, err
	}
	return sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT count(*) FROM pins WHERE user_id = $1`, user))
}
