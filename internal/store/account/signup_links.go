package account

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const linkColumns = `l.id, l.note, COALESCE(l.email, ''), l.name, l.slug, l.vouched, l.places, l.taken, l.created_at, l.expires_at,
	l.used_at, l.revoked_at, COALESCE(u.slug, ''), g.id, g.name, g.slug`

const linkTables = ` FROM signup_links l LEFT JOIN groups g ON g.id = l.group_id
	LEFT JOIN users u ON u.id = l.used_by AND u.deleted_at IS NULL `

func scanLink(row sqlx.Row) (l domain.SignUpLink, err error) {
	var created, expires int64
	var used, revoked, group *int64
	var groupName, groupSlug *string
	err = row.Scan(&l.ID, &l.Note, &l.Email, &l.Name, &l.Slug, &l.Vouched, &l.Places, &l.Taken, &created, &expires,
		&used, &revoked, &l.UsedBy, &group, &groupName, &groupSlug)
	l.CreatedAt, l.ExpiresAt = sqlx.Time(created), sqlx.Time(expires)
	l.UsedAt, l.RevokedAt = sqlx.TimePtr(used), sqlx.TimePtr(revoked)
	if err == nil && group != nil {
		l.Group = &domain.Principal{PrincipalRef: domain.GroupRef(domain.GroupID(*group)), Name: *groupName, Slug: *groupSlug}
	}
	return l, err
}

// live selects the links that can be used at the time $1.
const live = ` l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > $1 `

// CreateSignUpLink creates a link with the hash of its token. `by` is 0 for links created on the
// command line. A second link for the same address is a Conflict.
func (w Writes) CreateSignUpLink(ctx context.Context, by domain.UserID, l domain.SignUpLink, hash []byte) (id domain.SignUpLinkID, err error) {
	var email *string
	if l.Email != "" {
		email = &l.Email
	}
	var group domain.GroupID
	if l.Group != nil {
		group = domain.GroupID(l.Group.ID)
	}
	err = w.db.QueryRow(ctx, `INSERT INTO signup_links (hash, note, email, name, slug, group_id, vouched, places, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`, hash, l.Note, email, l.Name, l.Slug, sqlx.OrNull(group),
		l.Vouched, l.Places, sqlx.OrNull(by), sqlx.Micros(l.CreatedAt), sqlx.Micros(l.ExpiresAt)).Scan(&id)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The address has been invited already", err)
	}
	return id, err
}

// UsableSignUpLink reads the link whose token has this hash. It returns NotFound if the link is
// full, expired or revoked, or if its creator is suspended or not an operator any more.
func (r Reads) UsableSignUpLink(ctx context.Context, hash []byte, now time.Time) (domain.SignUpLink, error) {
	l, err := scanLink(r.db.QueryRow(ctx, "SELECT "+linkColumns+linkTables+`WHERE l.hash = $2 AND`+live+`
		AND (l.created_by IS NULL OR EXISTS (SELECT 1 FROM users o WHERE o.id = l.created_by AND o.office = 'operator'
			AND o.suspended_at IS NULL AND o.deleted_at IS NULL))`, sqlx.Micros(now), hash))
	return l, sqlx.Found(err)
}

// SignUpLink reads a link in any state.
func (r Reads) SignUpLink(ctx context.Context, id domain.SignUpLinkID) (domain.SignUpLink, error) {
	l, err := scanLink(r.db.QueryRow(ctx, "SELECT "+linkColumns+linkTables+"WHERE l.id = $1", id))
	return l, sqlx.Found(err)
}

// UseSignUpLink uses up one place of a link for a user and reports whether they have one. A user
// who already has one needs no other. Expiry is not checked, because a sign-up that started in
// time may finish later.
func (w Writes) UseSignUpLink(ctx context.Context, id domain.SignUpLinkID, by domain.UserID, now time.Time) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE signup_links SET taken = taken + 1,
			used_by = CASE WHEN taken + 1 = places THEN CAST($2 AS BIGINT) END,
			used_at = CASE WHEN taken + 1 = places THEN CAST($3 AS BIGINT) END
		WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL AND taken < places
			AND NOT EXISTS (SELECT 1 FROM signup_link_uses s WHERE s.link_id = $1 AND s.user_id = $2)`, id, by, sqlx.Micros(now))
	if err != nil {
		return false, err
	}
	if n == 0 {
		var has bool
		err := w.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM signup_link_uses WHERE link_id = $1 AND user_id = $2)`, id, by).Scan(&has)
		return has, err
	}
	return true, w.db.Exec(ctx, `INSERT INTO signup_link_uses (link_id, user_id, used_at) VALUES ($1, $2, $3)`, id, by, sqlx.Micros(now))
}

// SignUpLinks lists the links without an address that can be used, and those that were used or
// expired since a time, newest first.
func (r Reads) SignUpLinks(ctx context.Context, now, since time.Time) ([]domain.SignUpLink, error) {
	rows, err := r.db.Query(ctx, "SELECT "+linkColumns+linkTables+`WHERE l.email IS NULL
		AND (`+live+` OR l.used_at > $2 OR l.taken > 0 AND l.expires_at > $2) ORDER BY l.id DESC`, sqlx.Micros(now), sqlx.Micros(since))
	return sqlx.Collect(ctx, rows, err, scanLink)
}

// CameByLink lists the users who signed up with each of the links, in the order of their sign-ups,
// without deleted accounts.
func (r Reads) CameByLink(ctx context.Context, ids []domain.SignUpLinkID) (map[domain.SignUpLinkID][]domain.Principal, error) {
	came := map[domain.SignUpLinkID][]domain.Principal{}
	if len(ids) == 0 {
		return came, nil
	}
	rows, err := r.db.Query(ctx, `SELECT s.link_id, u.id, u.name, u.slug FROM signup_link_uses s JOIN users u ON u.id = s.user_id
		WHERE u.deleted_at IS NULL AND `+r.db.In("s.link_id", "$1")+` ORDER BY s.link_id, s.used_at, u.id`, sqlx.IDs(r.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.SignUpLinkID, err error) {
		p := domain.Principal{}
		p.Type = domain.TypeUser
		if err = row.Scan(&id, &p.ID, &p.Name, &p.Slug); err == nil {
			came[id] = append(came[id], p)
		}
		return id, err
	})
	return came, err
}

// CountSignUpLinks counts the links without an address that can be used. It locks the row of the
// site so that nobody else adds one before the transaction ends.
func (w Writes) CountSignUpLinks(ctx context.Context, now time.Time) (n int, err error) {
	if w.db.LocksRows() {
		if err := w.db.QueryRow(ctx, `SELECT s.id FROM site s WHERE s.id = 1`+w.db.ForUpdate("s")).Scan(&n); err != nil {
			return 0, err
		}
	}
	err = w.db.QueryRow(ctx, `SELECT count(*) FROM signup_links l WHERE l.email IS NULL AND`+live, sqlx.Micros(now)).Scan(&n)
	return n, err
}

// EndSignUpLink ends a usable link. It deletes the link if nobody has used it, and otherwise keeps
// it as revoked to record who did. It returns NotFound if there is no such link.
func (w Writes) EndSignUpLink(ctx context.Context, id domain.SignUpLinkID, now time.Time) error {
	n, err := w.db.ExecCount(ctx, `UPDATE signup_links SET revoked_at = $2, expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
		WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL AND taken > 0`, id, sqlx.Micros(now))
	if err != nil || n == 1 {
		return err
	}
	_, err = sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM signup_links WHERE id = $1 AND taken = 0 RETURNING id`, id))
	return sqlx.Found(err)
}

// SweepSignUpLinks deletes at most `limit` links that expired before a time and returns their
// number.
func (w Writes) SweepSignUpLinks(ctx context.Context, before time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "signup_links", "id", before, limit)
}

// LinkOfEmail reads the unused link for an address, even if it has expired. It returns NotFound if
// the address has no unused link.
func (r Reads) LinkOfEmail(ctx context.Context, email string) (domain.SignUpLink, error) {
	l, err := scanLink(r.db.QueryRow(ctx, "SELECT "+linkColumns+linkTables+"WHERE l.email = $1 AND l.used_at IS NULL", email))
	return l, sqlx.Found(err)
}

// InvitedByEmail lists the unused links for an address, including expired ones, newest first.
func (r Lists) InvitedByEmail(ctx context.Context, page domain.Page) (l domain.List[domain.SignUpLink], err error) {
	const open = "WHERE l.email IS NOT NULL AND l.used_at IS NULL"
	if l.Total, err = sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM signup_links l "+open)); err != nil {
		return l, err
	}
	rows, err := r.db.Query(ctx, "SELECT "+linkColumns+linkTables+open+" ORDER BY l.id DESC LIMIT $1 OFFSET $2", page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanLink)
	return l, err
}

// InvitedBelow is InvitedByEmail, starting below an id; 0 means from the beginning.
func (r Reads) InvitedBelow(ctx context.Context, below domain.SignUpLinkID, limit int) ([]domain.SignUpLink, error) {
	rows, err := r.db.Query(ctx, "SELECT "+linkColumns+linkTables+`WHERE l.email IS NOT NULL AND l.used_at IS NULL
		AND (CAST($1 AS BIGINT) = 0 OR l.id < $1) ORDER BY l.id DESC LIMIT $2`, int64(below), limit)
	return sqlx.Collect(ctx, rows, err, scanLink)
}

// RenewSignUpLink replaces the token of an unused link by its hash, and the time of its expiry. It
// returns NotFound if the link was used or deleted.
func (w Writes) RenewSignUpLink(ctx context.Context, id domain.SignUpLinkID, hash []byte, until time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE signup_links SET hash = $2, expires_at = $3
		WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL RETURNING id`, id, hash, sqlx.Micros(until)))
	return sqlx.Found(err)
}

// ForgetSignUpLinks deletes the unused links for an address that now has an account.
func (w Writes) ForgetSignUpLinks(ctx context.Context, email string) error {
	return w.db.Exec(ctx, `DELETE FROM signup_links WHERE email = $1 AND used_at IS NULL`, email)
}
