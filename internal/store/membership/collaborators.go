package membership

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Collaborators lists the collaborators of a channel in the order in which they were added.
func (r Reads) Collaborators(ctx context.Context, id domain.ChannelID) ([]domain.Principal, error) {
	all, _, err := r.collaborators(ctx, id)
	return all, err
}

// CollaboratorsOf lists the collaborators of a channel that was read before. It reports whether
// the channel is unchanged, so that both are from one state.
func (r Reads) CollaboratorsOf(ctx context.Context, c domain.Channel) (all []domain.Principal, same bool, err error) {
	all, version, err := r.collaborators(ctx, c.ID)
	return all, version == c.Version, err
}

// collaborators also returns the version of the channel, 0 if there are no collaborators.
func (r Reads) collaborators(ctx context.Context, id domain.ChannelID) (all []domain.Principal, version int64, err error) {
	rows, err := r.db.Query(ctx, `SELECT ch.version, co.member_type, co.member_id, COALESCE(u.name, g.name), COALESCE(u.slug, g.slug),
			COALESCE(u.avatar, g.avatar), COALESCE(u.face_version, g.face_version)
		FROM collaborators co JOIN channels ch ON ch.id = co.channel_id
		LEFT JOIN users u ON co.member_type = 'User' AND u.id = co.member_id
		LEFT JOIN groups g ON co.member_type = 'Group' AND g.id = co.member_id
		WHERE co.channel_id = $1 ORDER BY co.created_at, co.member_type, co.member_id`, id)
	all, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p domain.Principal, err error) {
		err = row.Scan(&version, &p.Type, &p.ID, &p.Name, &p.Slug, &p.Avatar, &p.Version)
		return p, err
	})
	return all, version, err
}

// AddCollaborator lets a user or group add to a locked channel and reports whether that is new.
func (w Writes) AddCollaborator(ctx context.Context, id domain.ChannelID, who domain.PrincipalRef, now time.Time) (bool, error) {
	n, err := w.db.ExecCount(ctx, `INSERT INTO collaborators (channel_id, member_type, member_id, created_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (channel_id, member_type, member_id) DO NOTHING`,
		id, who.Type, who.ID, sqlx.Micros(now))
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.bumpCollaborators(ctx, id, 1)
}

// RemoveCollaborator ends a collaboration on a locked channel and reports whether there was one.
func (w Writes) RemoveCollaborator(ctx context.Context, id domain.ChannelID, who domain.PrincipalRef) (bool, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM collaborators WHERE channel_id = $1 AND member_type = $2 AND member_id = $3`,
		id, who.Type, who.ID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.bumpCollaborators(ctx, id, -1)
}

func (w Writes) bumpCollaborators(ctx context.Context, id domain.ChannelID, by int64) error {
	return w.db.ExecOne(ctx, `UPDATE channels SET collaborators_count = collaborators_count + $2, version = version + 1
		WHERE id = $1`, id, by)
}
