package account

import (
	"context"

	"vitrine/internal/domain"
)

// FeedVersion is which secret the addresses of a user's private feeds have.
func (r Reads) FeedVersion(ctx context.Context, user domain.UserID) (version int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT COALESCE((SELECT version FROM feed_versions WHERE user_id = $1), 1)`, user).Scan(&version)
	return version, err
}

// FeedReader reads who reads by the secret address of a user, if they may, and which secret
// it has to have; the Actor is the zero one of who is suspended, deleted or nobody.
func (r Reads) FeedReader(ctx context.Context, user domain.UserID) (a domain.Actor, version int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT COALESCE(u.id, 0), COALESCE(u.tier, ''), COALESCE(f.version, 1) FROM (SELECT CAST($1 AS BIGINT) AS id) AS asked
		LEFT JOIN users u ON u.id = asked.id AND u.suspended_at IS NULL AND u.deleted_at IS NULL
		LEFT JOIN feed_versions f ON f.user_id = u.id`, user).Scan(&a.UserID, &a.Tier, &version)
	a.Scope = domain.ScopeRead
	return a, version, err
}

// RenewFeeds gives a user's private feeds other addresses, and tells the new version.
func (w Writes) RenewFeeds(ctx context.Context, user domain.UserID) (version int64, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO feed_versions (user_id, version) VALUES ($1, 2)
		ON CONFLICT (user_id) DO UPDATE SET version = feed_versions.version + 1 RETURNING version`, user).Scan(&version)
	return version, err
}

// ForgetUser removes what a user alone has of these tables.
func (w Writes) ForgetUser(ctx context.Context, user domain.UserID) error {
	if err := w.db.Exec(ctx, `DELETE FROM feed_versions WHERE user_id = $1`, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM pins WHERE user_id = $1`, user)
}
