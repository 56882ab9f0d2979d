package store

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// deletedName is the name of a deleted account where its remaining items are shown.
const deletedName = "Deleted account"

// AnonymizeAccount makes a locked account invisible. It removes personal data from its row and
// ends all access to it. ClearAccount jobs delete what it owns. Its slug is never reused and does
// not lead anywhere.
func (w UserWrites) AnonymizeAccount(ctx context.Context, u domain.User, now time.Time) error {
	slug, err := w.anonymousSlug(ctx, u.ID, now)
	if err != nil {
		return err
	}
	err = w.tx.db.ExecOne(ctx, `UPDATE users SET deleted_at = $2, name = $3, slug = $4, email = $5, password_hash = '',
			bio_markdown = NULL, bio_html = NULL, bio_plain = NULL, avatar = NULL, office = 'member', suspended_at = NULL,
			version = version + 1, face_version = face_version + 1, updated_at = $2
		WHERE id = $1`, u.ID, sqlx.Micros(now), deletedName, slug, fmt.Sprintf("deleted-%d", u.ID)) // no address has no "@"
	if err != nil {
		return err
	}
	if err := w.tx.documents().Remove(ctx, domain.SubjectUser, int64(u.ID)); err != nil {
		return err
	}
	if err := w.tx.Account().ForgetUser(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Moderation().ForgetNotices(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Saved().ForgetSearches(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Reading().ForgetReading(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Imports().ForgetImports(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Hiding().forgetHidden(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Feeds().ForgetFeeds(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Mailboxes().ForgetMailboxes(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Versions().ForgetVersions(ctx, u.ID); err != nil {
		return err
	}
	if err := w.tx.Webhooks().ForgetWebhooks(ctx, u.ID); err != nil {
		return err
	}
	exported, err := w.tx.Exports().ForgetExports(ctx, u.ID)
	if err != nil {
		return err
	}
	for _, object := range exported {
		if err := w.tx.Blobs().DoomObject(ctx, object, now); err != nil {
			return err
		}
	}
	if err := w.tx.db.Exec(ctx, `DELETE FROM avatar_wishes WHERE owner_type = 'User' AND owner_id = $1`, u.ID); err != nil {
		return err
	}
	if err := w.tx.Avatars().dropAvatar(ctx, u.Avatar); err != nil {
		return err
	}
	if err := w.tx.Account().EndAccess(ctx, u.ID, now); err != nil {
		return err
	}
	return w.tx.Account().ForgetSignups(ctx, u.Email)
}

// anonymousSlug claims the slug of a deleted account.
func (w UserWrites) anonymousSlug(ctx context.Context, id domain.UserID, now time.Time) (string, error) {
	slug := fmt.Sprintf("deleted-account-%d", id)
	free, err := w.tx.Slugs().ClaimSlug(ctx, UserSlug, slug, now)
	if err == nil && !free { // the slug is taken
		slug, err = w.tx.Slugs().SlugFor(ctx, UserSlug, deletedName, now)
	}
	if err != nil {
		return "", err
	}
	return slug, w.tx.Slugs().BindSlug(ctx, UserSlug, slug, int64(id))
}

// OtherAccounts reports whether anybody else has an account.
func (r UserReads) OtherAccounts(ctx context.Context, than domain.UserID) (some bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE deleted_at IS NULL AND id <> $1)`, than).Scan(&some)
	return some, err
}

// IsDeleted reports whether an account is deleted.
func (r UserReads) IsDeleted(ctx context.Context, id domain.UserID) (deleted bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND deleted_at IS NOT NULL)`, id).Scan(&deleted)
	return deleted, err
}

// Legacy counts what a user has that deleting the account would delete or leave behind.
type Legacy struct {
	Channels     int64
	Blocks       int64 // not in a channel of others
	SharedBlocks int64
	Comments     int64
	Groups       []domain.Group // the groups they own
}

// doomed selects the channels that would be deleted with the user $1: their own, and those of
// groups without other members.
const doomed = `(ch.owner_type = 'User' AND ch.owner_id = $1 OR ch.owner_type = 'Group' AND ch.owner_id IN (
	SELECT g.id FROM groups g WHERE g.owner_id = $1 AND g.users_count = 1))`

// Legacy counts what a user has.
func (r UserReads) Legacy(ctx context.Context, user domain.UserID) (l Legacy, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT (SELECT count(*) FROM channels ch WHERE ch.state = 'available' AND `+doomed+`),
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
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.GroupColumns+" FROM groups g "+rowmap.GroupOwner+" WHERE g.owner_id = $1 ORDER BY g.name_key, g.id", user)
	l.Groups, err = sqlx.Collect(ctx, rows, err, rowmap.ScanGroup)
	return l, err
}

// Remains is a kind of thing that a deleted account may still have.
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
	RemainingSnapshots      Remains = "saved copies of pages"
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
	RemainingSnapshots: `SELECT id FROM snapshots WHERE user_id = $1 AND id > $2`,
	RemainingBlocks:    `SELECT id FROM blocks WHERE user_id = $1 AND open_count = 0 AND private_count = 0 AND id > $2`,
}

// Remaining returns the ids of some things of a kind that a user has, above an id.
func (r UserReads) Remaining(ctx context.Context, what Remains, user domain.UserID, above int64, limit int) ([]int64, error) {
	rows, err := r.q.db.Query(ctx, remains[what]+" ORDER BY id"+sqlx.Limit("$3"), user, above, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
}

// HandGroupOver makes one of its members the owner of a locked group.
func (w UserWrites) HandGroupOver(ctx context.Context, g domain.GroupID, to domain.UserID) error {
	if err := w.tx.db.ExecOne(ctx, `UPDATE groups SET owner_id = $2, version = version + 1 WHERE id = $1`, g, to); err != nil {
		return err
	}
	return w.tx.db.Exec(ctx, `UPDATE search_documents SET author_id = $2 WHERE kind = 'Group' AND item_id = $1`, g, to)
}

// ChannelOf reads a live channel of a user without checking access. It returns NotFound for any
// other channel.
func (r UserReads) ChannelOf(ctx context.Context, user domain.UserID, id domain.ChannelID) (domain.Channel, error) {
	c, err := rowmap.ScanChannel(r.q.db.QueryRow(ctx, "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
		" WHERE ch.id = $1 AND ch.owner_type = 'User' AND ch.owner_id = $2 AND ch.state = 'available'", id, user))
	return c, sqlx.Found(err)
}

// IsOrphan reports whether a block of a user is in no live channel.
func (r UserReads) IsOrphan(ctx context.Context, user domain.UserID, id domain.BlockID) (is bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM blocks WHERE id = $1 AND user_id = $2
		AND open_count = 0 AND private_count = 0)`, id, user).Scan(&is)
	return is, err
}
