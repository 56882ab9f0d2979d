package membership

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const invitationColumns = `i.id, i.invitee_email, i.state, i.accepted_at, i.expires_at, i.created_at, i.updated_at,
	g.id, g.name, g.slug, g.avatar, g.face_version, ib.id, ib.name, ib.slug, ib.avatar, ib.face_version,
	iu.id, iu.name, iu.slug, iu.avatar, iu.face_version`

const invitationPeople = `JOIN groups g ON g.id = i.group_id JOIN users ib ON ib.id = i.invited_by
	LEFT JOIN users iu ON iu.id = i.invitee_id`

func scanInvitation(row sqlx.Row) (i domain.Invitation, err error) {
	var accepted, inviteeID, inviteeVersion *int64
	var expires, created, updated int64
	var inviteeName, inviteeSlug, inviteeAvatar *string
	i.Group.Type, i.InvitedBy.Type = domain.TypeGroup, domain.TypeUser
	err = row.Scan(&i.ID, &i.Email, &i.State, &accepted, &expires, &created, &updated,
		&i.Group.ID, &i.Group.Name, &i.Group.Slug, &i.Group.Avatar, &i.Group.Version,
		&i.InvitedBy.ID, &i.InvitedBy.Name, &i.InvitedBy.Slug, &i.InvitedBy.Avatar, &i.InvitedBy.Version,
		&inviteeID, &inviteeName, &inviteeSlug, &inviteeAvatar, &inviteeVersion)
	if err == nil && inviteeID != nil {
		i.Invitee = &domain.Principal{PrincipalRef: domain.UserRef(domain.UserID(*inviteeID)), Name: *inviteeName,
			Slug: *inviteeSlug, Avatar: inviteeAvatar, Version: *inviteeVersion}
	}
	i.AcceptedAt, i.ExpiresAt = sqlx.TimePtr(accepted), sqlx.Time(expires)
	i.CreatedAt, i.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return i, err
}

// Invitation reads an invitation of a group.
func (r Reads) Invitation(ctx context.Context, group domain.GroupID, id domain.InvitationID) (domain.Invitation, error) {
	i, err := scanInvitation(r.db.QueryRow(ctx, "SELECT "+invitationColumns+" FROM invitations i "+invitationPeople+
		" WHERE i.id = $1 AND i.group_id = $2", id, group))
	return i, sqlx.Found(err)
}

// InvitationByToken reads the invitation whose token has this hash, in any state. It returns
// NotFound if the account of its creator is deleted.
func (r Reads) InvitationByToken(ctx context.Context, hash []byte) (domain.Invitation, error) {
	i, err := scanInvitation(r.db.QueryRow(ctx, "SELECT "+invitationColumns+" FROM invitations i "+invitationPeople+
		" WHERE i.token_hash = $1 AND ib.deleted_at IS NULL", hash))
	return i, sqlx.Found(err)
}

// Invitations lists the open invitations of a group, newest first.
func (r Lists) Invitations(ctx context.Context, group domain.GroupID, now time.Time, page domain.Page) (l domain.List[domain.Invitation], err error) {
	const from = ` FROM invitations i `
	const open = ` WHERE i.group_id = $1 AND i.state = 'pending' AND i.expires_at > $2`
	err = r.db.QueryRow(ctx, "SELECT count(*)"+from+open, group, sqlx.Micros(now)).Scan(&l.Total)
	if err != nil || page.Offset() >= l.Total {
		return l, err
	}
	rows, err := r.db.Query(ctx, "SELECT "+invitationColumns+from+invitationPeople+open+
		" ORDER BY i.created_at DESC, i.id DESC LIMIT $3 OFFSET $4", group, sqlx.Micros(now), page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanInvitation)
	return l, err
}

// Invitee is the recipient of an invitation: an account with its address, or an address without an
// account (User 0).
type Invitee struct {
	User  domain.UserID
	Email string // lower case
}

// theirs selects the invitations for the invitee bound at $2 and $3. An address counts even if the
// invitation does not have its account, because the two may have been created at the same time.
const theirs = ` group_id = $1 AND state = 'pending' AND (invitee_id = $2 OR invitee_email = $3)`

// OpenInvitation reads the open invitation of an invitee to a group. It returns NotFound if there
// is no open invitation.
func (r Reads) OpenInvitation(ctx context.Context, group domain.GroupID, who Invitee, now time.Time) (domain.Invitation, error) {
	var id domain.InvitationID
	err := r.db.QueryRow(ctx, `SELECT id FROM invitations WHERE`+theirs+` AND expires_at > $4 ORDER BY id LIMIT 1`,
		group, who.User, who.Email, sqlx.Micros(now)).Scan(&id)
	if err != nil {
		return domain.Invitation{}, sqlx.Found(err)
	}
	return r.Invitation(ctx, group, id)
}

// NewInvitation contains the data of a new invitation. Email is nil if a user is invited by
// account.
type NewInvitation struct {
	Group     domain.GroupID
	Invitee   domain.UserID // 0 for an address without an account
	Email     *string
	InvitedBy domain.UserID
	TokenHash []byte
	ExpiresAt time.Time
	Now       time.Time
}

// CreateInvitation creates an invitation to a locked group for an invitee without a pending one.
func (w Writes) CreateInvitation(ctx context.Context, n NewInvitation) (domain.InvitationID, error) {
	var id domain.InvitationID
	err := w.db.QueryRow(ctx, `INSERT INTO invitations (group_id, invitee_id, invitee_email, invited_by, token_hash,
			expires_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id`,
		n.Group, sqlx.OrNull(n.Invitee), n.Email, n.InvitedBy, n.TokenHash, sqlx.Micros(n.ExpiresAt), sqlx.Micros(n.Now)).Scan(&id)
	return id, err
}

// EndInvitation sets the final state of a pending invitation to a locked group.
func (w Writes) EndInvitation(ctx context.Context, id domain.InvitationID, state domain.InvitationState, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE invitations SET state = $2, updated_at = $3 WHERE id = $1 AND state = 'pending'`,
		id, state, sqlx.Micros(now))
}

// ExpireInvitations marks an invitee's expired invitations to a locked group.
func (w Writes) ExpireInvitations(ctx context.Context, group domain.GroupID, who Invitee, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE invitations SET state = 'expired', updated_at = $4 WHERE`+theirs+` AND expires_at <= $4`,
		group, who.User, who.Email, sqlx.Micros(now))
}

// AcceptInvitations marks an invitee's open invitations to a locked group as accepted.
func (w Writes) AcceptInvitations(ctx context.Context, group domain.GroupID, who Invitee, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE invitations SET state = 'accepted', invitee_id = $2, accepted_at = $4, updated_at = $4
		WHERE`+theirs, group, who.User, who.Email, sqlx.Micros(now))
}

// AcceptInvitation marks a pending invitation to a locked group as accepted by a user.
func (w Writes) AcceptInvitation(ctx context.Context, id domain.InvitationID, by domain.UserID, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE invitations SET state = 'accepted', invitee_id = $2, accepted_at = $3, updated_at = $3
		WHERE id = $1 AND state = 'pending'`, id, by, sqlx.Micros(now))
}

// AdoptInvitations adds the account of an address to its pending invitations.
func (w Writes) AdoptInvitations(ctx context.Context, who Invitee) error {
	return w.db.Exec(ctx, `UPDATE invitations SET invitee_id = $1
		WHERE invitee_email = $2 AND state = 'pending' AND invitee_id IS NULL`, who.User, who.Email)
}

// GroupInvite reads the invite of a group, NotFound if it has none.
func (r Reads) GroupInvite(ctx context.Context, group domain.GroupID) (i domain.GroupInvite, err error) {
	var created, updated int64
	err = r.db.QueryRow(ctx, `SELECT id, code, created_at, updated_at FROM group_invites WHERE group_id = $1`, group).
		Scan(&i.ID, &i.Code, &created, &updated)
	i.CreatedAt, i.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return i, sqlx.Found(err)
}

// CreateGroupInvite creates the invite of a locked group that has none.
func (w Writes) CreateGroupInvite(ctx context.Context, group domain.GroupID, code string, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO group_invites (group_id, code, created_at, updated_at) VALUES ($1, $2, $3, $3)`,
		group, code, sqlx.Micros(now))
}

// DeleteGroupInvite deletes the invite of a group, if it has one.
func (w Writes) DeleteGroupInvite(ctx context.Context, group domain.GroupID) error {
	return w.db.Exec(ctx, `DELETE FROM group_invites WHERE group_id = $1`, group)
}

// ClaimInvitationMail records that the mail of an open invitation is being sent with the token of
// this hash, and reads the invitation. NotFound means that there is nothing to send: the mail was
// sent or claimed before, or the invitation is not open any more.
func (w Writes) ClaimInvitationMail(ctx context.Context, id domain.InvitationID, tokenHash []byte, now time.Time) (domain.Invitation, error) {
	var group domain.GroupID
	err := w.db.QueryRow(ctx, `UPDATE invitations SET mailed_at = $2, token_hash = $3
		WHERE id = $1 AND mailed_at IS NULL AND state = 'pending' AND expires_at > $2 RETURNING group_id`,
		id, sqlx.Micros(now), tokenHash).Scan(&group)
	if err != nil {
		return domain.Invitation{}, sqlx.Found(err)
	}
	return w.Invitation(ctx, group, id)
}

// ReleaseInvitationMail undoes the claim that set this hash.
func (w Writes) ReleaseInvitationMail(ctx context.Context, id domain.InvitationID, tokenHash []byte) error {
	return w.db.Exec(ctx, `UPDATE invitations SET mailed_at = NULL WHERE id = $1 AND token_hash = $2`, id, tokenHash)
}

// ForgetInvitations deletes the invitations of a user to a locked group and revokes those that
// they sent.
func (w Writes) ForgetInvitations(ctx context.Context, g domain.GroupID, user domain.UserID) error {
	if err := w.db.Exec(ctx, `DELETE FROM invitations WHERE group_id = $1 AND invitee_id = $2`, g, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE invitations SET state = 'revoked' WHERE group_id = $1 AND invited_by = $2
		AND state = 'pending'`, g, user)
}
