package store

import (
	"context"

	"vitrine/internal/domain"
)

// Remains lists what a deleted account still has, by kind of thing, some ids at a time.
type Remains string

// The kinds of things.
const (
	RemainingGroups         Remains = "groups that they own"
	RemainingMemberships    Remains = "groups that they are in"
	RemainingInvitations    Remains = "groups to which they have, or sent, invitations"
	RemainingChannels       Remains = "channels that they own"
	RemainingCollaborations Remains = "channels on which they collaborate"
	RemainingComments       Remains = "comments"
	RemainingTransitions    Remains = "channels whose end is pending"
	RemainingBlocks         Remains = "blocks that are in no channel"
)

var remains = map[Remains]string{
	RemainingGroups:      `SELECT id FROM groups WHERE owner_id = $1 AND id > $2`,
	RemainingMemberships: `SELECT group_id AS id FROM group_members WHERE user_id = $1 AND group_id > $2`,
	RemainingInvitations: `SELECT DISTINCT group_id AS id FROM invitations WHERE group_id > $2
		AND (invitee_id = $1 OR invited_by = $1 AND state = 'pending')`,
	RemainingChannels:       `SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND state = 'available' AND id > $2`,
	RemainingCollaborations: `SELECT channel_id AS id FROM collaborators WHERE member_type = 'User' AND member_id = $1 AND channel_id > $2`,
	RemainingComments:       `SELECT id FROM comments WHERE user_id = $1 AND id > $2`,
	RemainingTransitions: `SELECT DISTINCT p.channel_id AS id FROM pending_transitions p JOIN channels ch ON ch.id = p.channel_id
		WHERE ch.owner_type = 'User' AND ch.owner_id = $1 AND p.channel_id > $2`,
	RemainingBlocks: `SELECT id FROM blocks WHERE user_id = $1 AND open_count = 0 AND private_count = 0 AND id > $2`,
}

// Remaining gives the ids of some things of a kind that a user has, above one id.
func (q Queries) Remaining(ctx context.Context, what Remains, user domain.UserID, above int64, most int) ([]int64, error) {
	rows, err := q.q.Query(ctx, remains[what]+" ORDER BY id"+limit("$3"), user, above, most)
	return collect(ctx, rows, err, scanInt64)
}

// Heir gives the member of a group, but its owner, who is there longest and has an
// account; 0 if there is none.
func (q Queries) Heir(ctx context.Context, g domain.GroupID) (id domain.UserID, err error) {
	err = q.q.QueryRow(ctx, `SELECT COALESCE((SELECT gm.user_id FROM group_members gm JOIN groups g ON g.id = gm.group_id
		JOIN users u ON u.id = gm.user_id WHERE gm.group_id = $1 AND gm.user_id <> g.owner_id AND u.deleted_at IS NULL
		ORDER BY gm.created_at, gm.user_id LIMIT 1), 0)`, g).Scan(&id)
	return id, err
}

// HandGroupOver gives a locked group to one of its members.
func (tx *Tx) HandGroupOver(ctx context.Context, g domain.GroupID, to domain.UserID) error {
	if err := tx.execOne(ctx, `UPDATE groups SET owner_id = $2, version = version + 1 WHERE id = $1`, g, to); err != nil {
		return err
	}
	return tx.exec(ctx, `UPDATE search_documents SET author_id = $2 WHERE kind = 'Group' AND item_id = $1`, g, to)
}

// ForgetInvitations removes those to a locked group that are for a user, and revokes those
// that they sent.
func (tx *Tx) ForgetInvitations(ctx context.Context, g domain.GroupID, user domain.UserID) error {
	if err := tx.exec(ctx, `DELETE FROM invitations WHERE group_id = $1 AND invitee_id = $2`, g, user); err != nil {
		return err
	}
	return tx.exec(ctx, `UPDATE invitations SET state = 'revoked' WHERE group_id = $1 AND invited_by = $2
		AND state = 'pending'`, g, user)
}

// ChannelOf reads a live channel of a user, whoever looks; NotFound if it is none.
func (q Queries) ChannelOf(ctx context.Context, user domain.UserID, id domain.ChannelID) (domain.Channel, error) {
	c, err := scanChannel(q.q.QueryRow(ctx, "SELECT "+channelColumns+" FROM channels ch "+channelOwner+
		" WHERE ch.id = $1 AND ch.owner_type = 'User' AND ch.owner_id = $2 AND ch.state = 'available'", id, user))
	return c, found(err)
}

// IsOrphan reports whether a block of a user is in no live channel.
func (q Queries) IsOrphan(ctx context.Context, user domain.UserID, id domain.BlockID) (is bool, err error) {
	err = q.q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM blocks WHERE id = $1 AND user_id = $2
		AND open_count = 0 AND private_count = 0)`, id, user).Scan(&is)
	return is, err
}

// ForgetDeeds deletes at most n activities of a user, or that are about them, and tells
// how many there were.
func (tx *Tx) ForgetDeeds(ctx context.Context, user domain.UserID, n int) (int, error) {
	me := domain.Subject{Type: domain.SubjectUser, ID: int64(user)}
	if _, err := tx.lockedSources(ctx, []domain.Subject{me}, tx.d.lock("s")); err != nil {
		return 0, err
	}
	rows, err := tx.q.Query(ctx, `SELECT id FROM activities WHERE actor_id = $1
		UNION SELECT id FROM activities WHERE item_type = 'User' AND item_id = $1
		UNION SELECT id FROM activities WHERE target_type = 'User' AND target_id = $1 AND target_id IS NOT NULL
		ORDER BY id`+limit("$2"), user, n)
	deeds, err := collect(ctx, rows, err, scanActivityID)
	if err != nil {
		return 0, err
	}
	return len(deeds), tx.forget(ctx, deeds)
}

// EmptyInbox deletes at most n notifications of a user, and tells how many there were.
// With the last goes the inbox: nothing is told to a deleted account.
func (tx *Tx) EmptyInbox(ctx context.Context, user domain.UserID, n int) (int, error) {
	err := tx.exec(ctx, `UPDATE inboxes SET unread = 0, read_upto = (
		SELECT COALESCE(max(activity_id), 0) FROM notifications WHERE user_id = $1) WHERE user_id = $1`, user)
	if err != nil {
		return 0, err
	}
	res, err := tx.q.Exec(ctx, `DELETE FROM notifications WHERE user_id = $1 AND activity_id IN (
		SELECT activity_id FROM notifications WHERE user_id = $1 ORDER BY activity_id`+limit("$2")+`)`, user, n)
	if err != nil {
		return 0, err
	}
	gone, err := res.RowsAffected()
	if err == nil && gone < int64(n) {
		err = tx.exec(ctx, `DELETE FROM inboxes WHERE user_id = $1`, user)
	}
	return int(gone), err
}

// Followings lists some of what a user follows.
func (q Queries) Followings(ctx context.Context, user domain.UserID, n int) ([]domain.Subject, error) {
	rows, err := q.q.Query(ctx, `SELECT followed_type, followed_id FROM follows WHERE follower_id = $1 ORDER BY id`+limit("$2"), user, n)
	return collect(ctx, rows, err, func(row scanner) (s domain.Subject, err error) {
		err = row.Scan(&s.Type, &s.ID)
		return s, err
	})
}
