package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// LockGroupWithChannels locks a group and every channel that it owns or collaborates on: first the
// channels, then the group, and then channels that were added in between. Until the transaction
// ends, nobody can follow the group or record activities in it.
func (w GroupWrites) LockGroupWithChannels(ctx context.Context, id domain.GroupID) error {
	before, err := w.groupChannels(ctx, id)
	if err != nil {
		return err
	}
	if err := w.tx.Channels().LockChannels(ctx, before...); err != nil {
		return err
	}
	if err := w.LockGroup(ctx, id); err != nil {
		return err
	}
	now, err := w.groupChannels(ctx, id)
	if err != nil {
		return err
	}
	err = w.tx.Channels().LockChannels(ctx, slices.DeleteFunc(now, func(c domain.ChannelID) bool { return slices.Contains(before, c) })...)
	if err != nil {
		return err
	}
	return w.tx.Activity().LockFollowed(ctx, domain.Subject{Type: domain.SubjectGroup, ID: int64(id)})
}

// groupChannels lists the channels that refer to a group, including deleted ones.
func (w GroupWrites) groupChannels(ctx context.Context, id domain.GroupID) ([]domain.ChannelID, error) {
	rows, err := w.tx.db.Query(ctx, `SELECT id FROM channels WHERE owner_type = 'Group' AND owner_id = $1
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id = $1 ORDER BY 1`, id)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c domain.ChannelID, err error) {
		err = row.Scan(&c)
		return c, err
	})
}

// DeleteGroup deletes a group that is locked with its channels. Its owner gets the channels.
// Memberships, collaborations, followings and invitations end, and activities about the group are
// deleted. Its slugs stay claimed.
func (w GroupWrites) DeleteGroup(ctx context.Context, g domain.Group, now time.Time) error {
	if err := w.endCollaborations(ctx, g.ID); err != nil {
		return err
	}
	if err := w.inherit(ctx, g, now); err != nil {
		return err
	}
	for _, table := range []string{"invitations", "group_invites", "group_members"} {
		if err := w.tx.db.Exec(ctx, "DELETE FROM "+table+" WHERE group_id = $1", g.ID); err != nil {
			return err
		}
	}
	if err := w.tx.Activity().EndFollows(ctx, domain.Subject{Type: domain.SubjectGroup, ID: int64(g.ID)}); err != nil {
		return err
	}
	if err := w.tx.db.ExecOne(ctx, `DELETE FROM groups WHERE id = $1`, g.ID); err != nil {
		return err
	}
	// All its items are deleted below, so pending transitions need not remove them one by one.
	if err := w.tx.db.Exec(ctx, `UPDATE pending_transitions SET group_id = 0 WHERE group_id = $1`, g.ID); err != nil {
		return err
	}
	if err := w.EndGroupItems(ctx, g.ID); err != nil {
		return err
	}
	if err := w.tx.documents().Remove(ctx, domain.SubjectGroup, int64(g.ID)); err != nil {
		return err
	}
	if err := w.tx.Versions().DropVersions(ctx, domain.Subject{Type: domain.SubjectGroup, ID: int64(g.ID)}); err != nil {
		return err
	}
	if err := w.tx.db.Exec(ctx, `DELETE FROM avatar_wishes WHERE owner_type = 'Group' AND owner_id = $1`, g.ID); err != nil {
		return err
	}
	if err := w.tx.Avatars().dropAvatar(ctx, g.Avatar); err != nil {
		return err
	}
	return w.tx.Activity().ForgetActivities(ctx, domain.SubjectGroup, int64(g.ID))
}

// endCollaborations removes a group from every channel that it collaborates on.
func (w GroupWrites) endCollaborations(ctx context.Context, id domain.GroupID) error {
	err := w.tx.db.Exec(ctx, `UPDATE channels SET collaborators_count = collaborators_count - 1, version = version + 1
		WHERE id IN (SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id = $1)`, id)
	if err != nil {
		return err
	}
	return w.tx.db.Exec(ctx, `DELETE FROM collaborators WHERE member_type = 'Group' AND member_id = $1`, id)
}

// inherit makes the owner of a group the owner of its channels, including deleted ones, and ends
// the owner's collaborations on them.
func (w GroupWrites) inherit(ctx context.Context, g domain.Group, now time.Time) error {
	const owned = `SELECT id FROM channels WHERE owner_type = 'Group' AND owner_id = $1`
	const alsoHelps = `member_type = 'User' AND member_id = $2`
	if err := w.tx.Trash().inherit(ctx, g.ID, domain.UserID(g.Owner.ID)); err != nil {
		return err
	}
	err := w.tx.db.Exec(ctx, `UPDATE channels SET collaborators_count = collaborators_count - 1
		WHERE owner_type = 'Group' AND owner_id = $1 AND id IN (SELECT channel_id FROM collaborators WHERE `+alsoHelps+`)`,
		g.ID, g.Owner.ID)
	if err != nil {
		return err
	}
	err = w.tx.db.Exec(ctx, `DELETE FROM collaborators WHERE `+alsoHelps+` AND channel_id IN (`+owned+`)`, g.ID, g.Owner.ID)
	if err != nil {
		return err
	}
	err = w.tx.db.Exec(ctx, `UPDATE search_documents SET updated_at = `+later("updated_at", "$2")+` WHERE kind = 'Channel' AND item_id IN (`+owned+`)`,
		g.ID, sqlx.Micros(now))
	if err != nil {
		return err
	}
	err = w.tx.db.Exec(ctx, `UPDATE channels SET owner_type = 'User', owner_id = $2, version = version + 1, updated_at = `+later("updated_at", "$3")+`
		WHERE owner_type = 'Group' AND owner_id = $1`, g.ID, g.Owner.ID, sqlx.Micros(now))
	if err != nil || g.OpenChannels+g.PrivateChannels == 0 {
		return err
	}
	// Strangers could watch the version, so private channels must not change it.
	return w.tx.db.ExecOne(ctx, `UPDATE users SET open_channels = open_channels + $2, private_channels = private_channels + $3,
		version = version + CASE WHEN $2 > 0 THEN 1 ELSE 0 END WHERE id = $1`,
		g.Owner.ID, g.OpenChannels, g.PrivateChannels)
}

// EndedGroup is the job that deletes the items of a deleted group.
type EndedGroup struct {
	ID domain.GroupID `json:"id"`
}

// Kind returns the name of the job.
func (EndedGroup) Kind() string { return "ended_group" }

// EndGroupItems deletes some of the items of a deleted group and leaves the rest to a job.
func (w GroupWrites) EndGroupItems(ctx context.Context, id domain.GroupID) error {
	more, err := w.tx.documents().EndGroup(ctx, id)
	if err != nil || !more {
		return err
	}
	return w.tx.Enqueue(ctx, EndedGroup{id})
}
