package store

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

const userColumns = `u.id, u.slug, u.name, u.email, u.bio_markdown, u.bio_html, u.bio_plain, u.avatar, u.tier, u.office,
	u.open_channels, u.private_channels, u.followers_count, u.following_count,
	COALESCE((SELECT n.unread FROM inboxes n WHERE n.user_id = u.id), 0),
	u.suspended_at, u.version, u.created_at, u.updated_at`

func scanUser(row scanner) (u domain.User, err error) {
	var bio text
	var suspended *int64
	var created, updated int64
	err = row.Scan(&u.ID, &u.Slug, &u.Name, &u.Email, &bio.markdown, &bio.html, &bio.plain, &u.Avatar, &u.Tier, &u.Office,
		&u.OpenChannels, &u.PrivateChannels, &u.Followers, &u.Following, &u.Unread,
		&suspended, &u.Version, &created, &updated)
	u.Bio, u.SuspendedAt = bio.value(), instantPtr(suspended)
	u.CreatedAt, u.UpdatedAt = instant(created), instant(updated)
	return u, err
}

// text scans the three columns of a rendered text that may be absent.
type text struct{ markdown, html, plain *string }

func (t text) value() *domain.Text {
	if t.markdown == nil {
		return nil
	}
	return &domain.Text{Markdown: *t.markdown, HTML: *t.html, Plain: *t.plain}
}

func textColumns(t *domain.Text) text {
	if t == nil {
		return text{}
	}
	return text{&t.Markdown, &t.HTML, &t.Plain}
}

// User reads a user by id or slug; NotFound if the account is deleted.
func (q Queries) User(ctx context.Context, ref domain.Ref) (domain.User, error) {
	if leadsNowhere(ref) {
		return domain.User{}, domain.NewNotFound()
	}
	where, arg := "u.id = $1", any(ref.ID)
	if ref.Slug != "" {
		where, arg = "u.id = (SELECT target_id FROM slugs WHERE kind = 'User' AND slug = $1)", ref.Slug
	}
	u, err := scanUser(q.q.QueryRow(database.Uninterruptible(ctx), "SELECT "+userColumns+" FROM users u WHERE u.deleted_at IS NULL AND "+where, arg))
	return u, found(err)
}

// UserByEmail reads a user by address in lower case. A deleted account has none.
func (q Queries) UserByEmail(ctx context.Context, email string) (domain.User, error) {
	u, err := scanUser(q.q.QueryRow(ctx, "SELECT "+userColumns+" FROM users u WHERE u.email = $1", email))
	return u, found(err)
}

// Users lists users by id, after the given one.
func (q Queries) Users(ctx context.Context, after domain.UserID, limit int) ([]domain.User, error) {
	rows, err := q.q.Query(ctx, "SELECT "+userColumns+" FROM users u WHERE u.deleted_at IS NULL AND u.id > $1 ORDER BY u.id LIMIT $2", after, limit)
	return collect(ctx, rows, err, scanUser)
}

// NewUser is what a user is made from.
type NewUser struct {
	Slug         string
	Name         string
	Email        string // lower case
	PasswordHash string
	Tier         domain.Tier
	Office       domain.Office // "" for a member
	Now          time.Time
}

// CreateUser makes a user. The slug must have been claimed in the transaction. An
// address that is in use is a Conflict.
func (tx *Tx) CreateUser(ctx context.Context, n NewUser) (domain.UserID, error) {
	if n.Office == "" {
		n.Office = domain.OfficeMember
	}
	var id domain.UserID
	err := tx.q.QueryRow(ctx, `INSERT INTO users (slug, name, email, password_hash, tier, office, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id`,
		n.Slug, n.Name, n.Email, n.PasswordHash, n.Tier, n.Office, micros(n.Now)).Scan(&id)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The address is already in use", err)
	}
	if err != nil {
		return 0, err
	}
	return id, tx.index(ctx, domain.SubjectUser, int64(id))
}

// SetTier changes the tier of a user.
func (tx *Tx) SetTier(ctx context.Context, id domain.UserID, tier domain.Tier, now time.Time) error {
	err := tx.execOne(ctx, `UPDATE users SET tier = $2, version = version + 1, updated_at = $3 WHERE id = $1`,
		id, tier, micros(now))
	if err != nil {
		return err
	}
	return tx.touchDocument(ctx, domain.SubjectUser, int64(id), now)
}

// SetSuspended suspends a user from the given time, or lifts the suspension (nil).
func (tx *Tx) SetSuspended(ctx context.Context, id domain.UserID, since *time.Time) error {
	var at *int64
	if since != nil {
		us := micros(*since)
		at = &us
	}
	return tx.execOne(ctx, `UPDATE users SET suspended_at = $2, version = version + 1 WHERE id = $1`, id, at)
}

// UpdateProfile writes what a user says of themself. Name, slug and avatar are shown
// inside other resources, so a new name is a new face.
func (tx *Tx) UpdateProfile(ctx context.Context, u domain.User, now time.Time) error {
	b := textColumns(u.Bio)
	err := tx.execOne(ctx, `UPDATE users SET face_version = face_version + CASE WHEN name = $2 THEN 0 ELSE 1 END,
			name = $2, bio_markdown = $3, bio_html = $4, bio_plain = $5, version = version + 1, updated_at = $6
		WHERE id = $1`, u.ID, u.Name, b.markdown, b.html, b.plain, micros(now))
	if err != nil {
		return err
	}
	return tx.index(ctx, domain.SubjectUser, int64(u.ID))
}
