package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// LockGroupWithChannels locks a group and every channel that it owns or collaborates
// on: channels first, and then those that came to it meanwhile. Nobody follows it, and
// nothing is recorded in it, until the transaction ends.
func (tx *Tx) LockGroupWithChannels(ctx context.Context, id domain.GroupID) error {
	before, err := tx.groupChannels(ctx, id)
	if err != nil {
		return err
	}
	if err := tx.LockChannels(ctx, before...); err != nil {
		return err
	}
	if err := tx.LockGroup(ctx, id); err != nil {
		return err
	}
	now, err := tx.groupChannels(ctx, id)
	if err != nil {
		return err
	}
	err = tx.LockChannels(ctx, slices.DeleteFunc(now, func(c domain.ChannelID) bool { return slices.Contains(before, c) })...)
	if err != nil {
		return err
	}
	_, err = tx.lockedSources(ctx, []domain.Subject{{Type: domain.SubjectGroup, ID: int64(id)}}, tx.d.lock("s"))
	return err
}

// groupChannels lists the channels that name a group, deleted ones too.
func (tx *Tx) groupChannels(ctx context.Context, id domain.GroupID) ([]domain.ChannelID, error) {
	rows, err := tx.q.Query(ctx, `SELECT id FROM channels WHERE owner_type = 'Group' AND owner_id = $1
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id = $1 ORDER BY 1`, id)
	return collect(ctx, rows, err, func(row scanner) (c domain.ChannelID, err error) {
		err = row.Scan(&c)
		return c, err
	})
}

// DeleteGroup removes a group that is locked with its channels. The channels become
// its owner's; memberships, collaborations, followings and invitations end, and what was
// told of the group itself is forgotten. Its slugs stay claimed.
func (tx *Tx) DeleteGroup(ctx context.Context, g domain.Group, now time.Time) error {
	if err := tx.endCollaborations(ctx, g.ID); err != nil {
		return err
	}
	if err := tx.inherit(ctx, g, now); err != nil {
		return err
	}
	for _, table := range []string{"invitations", "group_invites", "group_members"} {
		if err := tx.exec(ctx, "DELETE FROM "+table+" WHERE group_id = $1", g.ID); err != nil {
			return err
		}
	}
	if err := tx.EndFollows(ctx, domain.Subject{Type: domain.SubjectGroup, ID: int64(g.ID)}); err != nil {
		return err
	}
	if err := tx.execOne(ctx, `DELETE FROM groups WHERE id = $1`, g.ID); err != nil {
		return err
	}
	// What it had is forgotten as a whole, and needs not be taken from it.
	if err := tx.exec(ctx, `UPDATE pending_transitions SET group_id = 0 WHERE group_id = $1`, g.ID); err != nil {
		return err
	}
	if err := tx.EndGroupItems(ctx, g.ID); err != nil {
		return err
	}
	if err := tx.unindex(ctx, domain.SubjectGroup, int64(g.ID)); err != nil {
		return err
	}
	if err := tx.exec(ctx, `DELETE FROM avatar_wishes WHERE owner_type = 'Group' AND owner_id = $1`, g.ID); err != nil {
		return err
	}
	if err := tx.dropAvatar(ctx, g.Avatar); err != nil {
		return err
	}
	return tx.ForgetActivities(ctx, domain.SubjectGroup, int64(g.ID))
}

// endCollaborations takes a group off every channel that it collaborates on.
func (tx *Tx) endCollaborations(ctx context.Context, id domain.GroupID) error {
	err := tx.exec(ctx, `UPDATE channels SET collaborators_count = collaborators_count - 1, version = version + 1
		WHERE id IN (SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id = $1)`, id)
	if err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM collaborators WHERE member_type = 'Group' AND member_id = $1`, id)
}

// inherit gives the channels of a group, deleted ones too, to its owner, who is no
// collaborator on them any more.
func (tx *Tx) inherit(ctx context.Context, g domain.Group, now time.Time) error {
	const owned = `SELECT id FROM channels WHERE owner_type = 'Group' AND owner_id = $1`
	const alsoHelps = `member_type = 'User' AND member_id = $2`
	err := tx.exec(ctx, `UPDATE channels SET collaborators_count = collaborators_count - 1
		WHERE owner_type = 'Group' AND owner_id = $1 AND id IN (SELECT channel_id FROM collaborators WHERE `+alsoHelps+`)`,
		g.ID, g.Owner.ID)
	if err != nil {
		return err
	}
	err = tx.exec(ctx, `DELETE FROM collaborators WHERE `+alsoHelps+` AND channel_id IN (`+owned+`)`, g.ID, g.Owner.ID)
	if err != nil {
		return err
	}
	err = tx.exec(ctx, `UPDATE search_documents SET updated_at = `+later("updated_at", "$2")+` WHERE kind = 'Channel' AND item_id IN (`+owned+`)`,
		g.ID, micros(now))
	if err != nil {
		return err
	}
	err = tx.exec(ctx, `UPDATE channels SET owner_type = 'User', owner_id = $2, version = version + 1, updated_at = `+later("updated_at", "$3")+`
		WHERE owner_type = 'Group' AND owner_id = $1`, g.ID, g.Owner.ID, micros(now))
	if err != nil || g.OpenChannels+g.PrivateChannels == 0 {
		return err
	}
	// The version is what strangers could watch: private channels alone leave it.
	return tx.execOne(ctx, `UPDATE users SET open_channels = open_channels + $2, private_channels = private_channels + $3,
		version = version + CASE WHEN $2 > 0 THEN 1 ELSE 0 END WHERE id = $1`,
		g.Owner.ID, g.OpenChannels, g.PrivateChannels)
}
