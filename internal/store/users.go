package store

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/account"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// User reads a user by id or slug. It returns NotFound if the account is deleted.
func (r UserReads) User(ctx context.Context, ref domain.Ref) (domain.User, error) {
	if leadsNowhere(ref) {
		return domain.User{}, domain.NewNotFound()
	}
	where, arg := "u.id = $1", any(ref.ID)
	if ref.Slug != "" {
		where, arg = "u.id = (SELECT target_id FROM slugs WHERE kind = 'User' AND slug = $1)", ref.Slug
	}
	u, err := rowmap.ScanUser(r.q.db.QueryRow(database.Uninterruptible(ctx), "SELECT "+rowmap.UserColumns+" FROM users u WHERE u.deleted_at IS NULL AND "+where, arg))
	return u, sqlx.Found(err)
}

// hasEmail selects the account with the canonical address $1. Earlier versions stored a domain as
// it was typed, so the account may have the address with its domain in ASCII, $2.
const hasEmail = "u.email IN ($1, $2) ORDER BY u.email = $1 DESC LIMIT 1"

// UserByEmail reads a user by canonical address. Deleted accounts have none.
func (r UserReads) UserByEmail(ctx context.Context, email string) (domain.User, error) {
	u, err := rowmap.ScanUser(r.q.db.QueryRow(ctx, "SELECT "+rowmap.UserColumns+" FROM users u WHERE "+hasEmail, email, domain.EmailInASCII(email)))
	return u, sqlx.Found(err)
}

// Users lists users above an id, by id.
func (r UserReads) Users(ctx context.Context, after domain.UserID, limit int) ([]domain.User, error) {
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.UserColumns+" FROM users u WHERE u.deleted_at IS NULL AND u.id > $1 ORDER BY u.id LIMIT $2", after, limit)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanUser)
}

// NewUser contains the data of a new user.
type NewUser struct {
	Slug         string
	Name         string
	Email        string // canonical
	PasswordHash string
	Tier         domain.Tier
	Office       domain.Office // "" for a member
	Now          time.Time
}

var (
	insertUser    = rowmap.Users.Insert() + " RETURNING id"
	updateProfile = "UPDATE users SET " + rowmap.Users.Assign(sqlx.Update, 4) +
		", face_version = face_version + CASE WHEN name = $3 THEN 0 ELSE 1 END, version = version + 1, updated_at = $2 WHERE id = $1"
)

// CreateUser creates a user. The transaction must have claimed the slug. It returns a Conflict if
// the address is in use.
func (w UserWrites) CreateUser(ctx context.Context, n NewUser) (domain.UserID, error) {
	if n.Office == "" {
		n.Office = domain.OfficeMember
	}
	u := domain.User{Slug: n.Slug, Name: n.Name, Email: n.Email, Tier: n.Tier, Office: n.Office, CreatedAt: n.Now, UpdatedAt: n.Now}
	id, err := sqlx.ScanID[domain.UserID](w.tx.db.QueryRow(ctx, insertUser, rowmap.UserArgs(sqlx.Insert, &u, n.PasswordHash)...))
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The address is already in use", err)
	}
	if err != nil {
		return 0, err
	}
	w.tx.documents().Add(search.DocumentOf(domain.SubjectUser, int64(id), id, n.Name, n.Slug, sqlx.Micros(n.Now)))
	if w.tx.db.HasReplicas() { // so that a replica without the account does not report it as missing
		err = w.tx.Account().CountWrite(ctx, id)
	}
	return id, err
}

// SetTier changes the tier of a user.
func (w UserWrites) SetTier(ctx context.Context, id domain.UserID, tier domain.Tier, now time.Time) error {
	err := w.tx.db.ExecOne(ctx, `UPDATE users SET tier = $2, version = version + 1, updated_at = $3 WHERE id = $1`,
		id, tier, sqlx.Micros(now))
	if err != nil {
		return err
	}
	return w.tx.documents().Touch(ctx, domain.SubjectUser, int64(id), now)
}

// UpdateProfile writes the name and biography of a user. Name, slug and avatar are part of other
// resources, so face_version counts changes of the name.
func (w UserWrites) UpdateProfile(ctx context.Context, was, u domain.User, now time.Time) error {
	w.tx.grow(u.ID, textBytes(was.Bio), textBytes(u.Bio))
	err := w.tx.db.ExecOne(ctx, updateProfile, rowmap.UserArgs(sqlx.Update, &u, "", u.ID, sqlx.Micros(now), u.Name)...)
	w.tx.documents().Refresh(domain.SubjectUser, int64(u.ID))
	return err
}

// Credentials contains an account with the proof of its owner's identity.
type Credentials struct {
	User         domain.User
	PasswordHash string // empty if there is no password
}

// CredentialsByEmail reads the credentials of the account with a canonical address.
func (r UserReads) CredentialsByEmail(ctx context.Context, email string) (Credentials, error) {
	return r.credentials(ctx, hasEmail, email, domain.EmailInASCII(email))
}

// Credentials reads the credentials of a user.
func (r UserReads) Credentials(ctx context.Context, id domain.UserID) (Credentials, error) {
	return r.credentials(ctx, "u.id = $1", id)
}

func (r UserReads) credentials(ctx context.Context, where string, args ...any) (c Credentials, err error) {
	row := r.q.db.QueryRow(ctx, "SELECT u.password_hash, "+rowmap.UserColumns+" FROM users u WHERE u.deleted_at IS NULL AND "+where, args...)
	c.User, err = rowmap.ScanUser(scanFunc(func(user ...any) error { return row.Scan(append([]any{&c.PasswordHash}, user...)...) }))
	return c, sqlx.Found(err)
}

// scanFunc is a row that gives some of its columns to another scan.
type scanFunc func(dest ...any) error

func (f scanFunc) Scan(dest ...any) error { return f(dest...) }

var sessionWithUser = "SELECT " + account.SessionColumns + `, COALESCE((SELECT w.n FROM account_writes w WHERE w.user_id = s.user_id), 0),
	EXISTS (SELECT 1 FROM saved_search_finds f WHERE f.user_id = s.user_id AND f.notify AND f.read_at IS NULL), u.password_hash, ` +
	rowmap.UserColumns + ` FROM sessions s JOIN users u ON u.id = s.user_id
	WHERE s.hash = $1 AND s.expires_at > $2 AND u.suspended_at IS NULL AND u.deleted_at IS NULL`

// Session reads the session whose secret has this hash, with its user. It returns NotFound if the
// session has expired, or if its user is suspended or deleted.
func (r UserReads) Session(ctx context.Context, hash []byte, now time.Time) (s domain.Session, c Credentials, err error) {
	row := r.q.db.QueryRow(ctx, sessionWithUser, hash, sqlx.Micros(now))
	var writes int64
	var finds bool
	c.User, err = rowmap.ScanUser(scanFunc(func(user ...any) (err error) {
		s, err = account.ScanSession(row, append([]any{&writes, &finds, &c.PasswordHash}, user...)...)
		return err
	}))
	s.Writes, s.Finds, s.Hash = writes, finds, hash
	return s, c, sqlx.Found(err)
}

// LockUser locks an account and then reads it. Its password, address, sessions and links change
// only under this lock. It returns NotFound if the account is deleted.
func (w UserWrites) LockUser(ctx context.Context, id domain.UserID) (Credentials, error) {
	_, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, "SELECT u.id FROM users u WHERE u.id = $1"+w.tx.db.ForUpdate("u"), id))
	if err != nil {
		return Credentials{}, sqlx.Found(err)
	}
	return w.Credentials(ctx, id)
}

// SetPassword changes the password of a locked account.
func (w UserWrites) SetPassword(ctx context.Context, id domain.UserID, hash string) error {
	return w.tx.db.ExecOne(ctx, `UPDATE users SET password_hash = $2 WHERE id = $1`, id, hash)
}

// SetEmail changes the canonical address of a locked account. It returns a Conflict if the address
// is in use.
func (w UserWrites) SetEmail(ctx context.Context, id domain.UserID, email string) error {
	err := w.tx.db.ExecOne(ctx, `UPDATE users SET email = $2, version = version + 1 WHERE id = $1`, id, email)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The address is already in use", err)
	}
	return err
}

// LockOperators locks all operators in the order of their ids, so that changes of offices happen
// one after another. It returns the operators that are not suspended.
func (w UserWrites) LockOperators(ctx context.Context) ([]domain.UserID, error) {
	return w.operators(ctx, w.tx.db.ForUpdate("u"))
}

// Operators lists the operators that are not suspended.
func (r UserReads) Operators(ctx context.Context) ([]domain.UserID, error) {
	return r.operators(ctx, "")
}

func (r UserReads) operators(ctx context.Context, lock string) ([]domain.UserID, error) {
	rows, err := r.q.db.Query(ctx, `SELECT u.id FROM users u WHERE u.office = 'operator' AND u.deleted_at IS NULL
		AND u.suspended_at IS NULL ORDER BY u.id`+lock)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

// SetOffice changes the office of a locked account.
func (w UserWrites) SetOffice(ctx context.Context, id domain.UserID, office domain.Office) error {
	return w.tx.db.ExecOne(ctx, `UPDATE users SET office = $2 WHERE id = $1`, id, office)
}

// AccountSort is an order of accounts.
type AccountSort string

// The orders: newest first, oldest first, most stored bytes first, and by name.
const (
	SortNewest AccountSort = "newest"
	SortOldest AccountSort = "oldest"
	SortStored AccountSort = "stored"
	SortName   AccountSort = "name"
)

// AccountSorts lists the orders as a menu shows them.
var AccountSorts = []AccountSort{SortNewest, SortOldest, SortStored, SortName}

// keys returns the ORDER BY terms of an order over users u.
func (s AccountSort) keys() string {
	switch s {
	case SortOldest:
		return "u.id"
	case SortStored:
		return "COALESCE((SELECT " + counters.Stored + " FROM current_byte_usage bu WHERE bu.user_id = u.id), 0) DESC, u.id DESC"
	case SortName:
		return "lower(u.name), u.id"
	}
	return "u.id DESC"
}

// foundAccounts selects the accounts whose name, slug or address begins with a text: $1 in lower case, $2 as it is.
const foundAccounts = ` FROM users u WHERE u.deleted_at IS NULL AND (
		substr(lower(u.name), 1, length(CAST($1 AS TEXT))) = $1 OR substr(u.name, 1, length(CAST($1 AS TEXT))) = CAST($2 AS TEXT)
		OR substr(u.slug, 1, length(CAST($1 AS TEXT))) = $1 OR substr(u.email, 1, length(CAST($1 AS TEXT))) = $1)`

// FindAccountsAfter is FindAccounts by id, after the given one.
func (s UserLists) FindAccountsAfter(ctx context.Context, text string, after domain.UserID, limit int) ([]domain.User, error) {
	rows, err := s.v.db.Query(ctx, "SELECT "+rowmap.UserColumns+foundAccounts+" AND u.id > $3 ORDER BY u.id LIMIT $4",
		strings.ToLower(text), text, after, limit)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanUser)
}

// FindAccounts lists all accounts, or those whose name, slug or address begins with a text,
// ignoring case. It reads every account.
func (s UserLists) FindAccounts(ctx context.Context, text string, sort AccountSort, page domain.Page) (l domain.List[domain.User], err error) {
	lower := strings.ToLower(text)
	if l.Total, err = sqlx.ScanInt64(s.v.db.QueryRow(ctx, "SELECT count(*)"+foundAccounts, lower, text)); err != nil {
		return l, err
	}
	rows, err := s.v.db.Query(ctx, "SELECT "+rowmap.UserColumns+foundAccounts+" ORDER BY "+sort.keys()+" LIMIT $3 OFFSET $4",
		lower, text, page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, rowmap.ScanUser)
	return l, err
}

// Followers lists the followers of a subject in the order of following.
func (s UserLists) Followers(ctx context.Context, what domain.Subject, desc bool, page domain.Page) (l domain.List[domain.User], err error) {
	total, followers, args, err := s.v.Activity().FollowerPage(ctx, what, desc, page)
	l.Total = total
	if err != nil || followers == "" {
		return l, err
	}
	dir := sqlx.Direction(desc)
	rows, err := s.v.db.Query(ctx, "SELECT "+rowmap.UserColumns+" FROM ("+followers+`) AS page
		JOIN users u ON u.id = page.follower_id ORDER BY page.id `+dir, args...)
	l.Items, err = sqlx.Collect(ctx, rows, err, rowmap.ScanUser)
	return l, err
}

// FollowersAfter lists followers in the order of following. next is nil at the end.
func (s UserLists) FollowersAfter(ctx context.Context, what domain.Subject, q contents.AfterQuery) (page []domain.User, next *contents.Bookmark, err error) {
	var after *int64
	if q.After != nil {
		after = &q.After.ID
	}
	ids, last, err := s.v.Activity().FollowersAfter(ctx, what, after, q.Desc, q.N)
	if err != nil {
		return nil, nil, err
	}
	if last != 0 {
		next = &contents.Bookmark{ID: last}
	}
	byID, err := s.UsersByID(ctx, ids)
	for _, id := range ids {
		if u, ok := byID[id]; ok {
			page = append(page, u)
		}
	}
	return page, next, err
}

func (r UserReads) UsersByID(ctx context.Context, ids []domain.UserID) (map[domain.UserID]domain.User, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.UserColumns+" FROM users u WHERE "+r.q.db.In("u.id", "$1"), sqlx.IDs(r.q.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanUser)
	return sqlx.ByID(all, func(u domain.User) domain.UserID { return u.ID }), err
}

// UsersBySlug returns the ids of those of the slugs that belong to users.
func (r UserReads) UsersBySlug(ctx context.Context, slugs []string) (map[string]domain.UserID, error) {
	if len(slugs) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(ctx, `SELECT s.slug, u.id FROM slugs s JOIN users u ON u.id = s.target_id
		WHERE s.kind = 'User' AND u.deleted_at IS NULL AND `+r.q.db.InTexts("s.slug", "$1"), sqlx.Texts(r.q.db.Dialect, slugs))
	found := make(map[string]domain.UserID, len(slugs))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.UserID, err error) {
		var slug string
		err = row.Scan(&slug, &id)
		found[slug] = id
		return id, err
	})
	return found, err
}
