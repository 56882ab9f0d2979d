package account

import (
	"context"

	"vitrine/internal/domain"
)

// FeedVersion returns the version of the secret in the addresses of a user's private feeds.
func (r Reads) FeedVersion(ctx context.Context, user domain.UserID) (version int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT COALESCE((SELECT version FROM feed_versions WHERE user_id = $1), 1)`, user).Scan(&version)
	return version, err
}

// FeedReader returns the user of a secret feed address as an actor, with the version that the
// secret must have. The actor is zero if the user is suspended or deleted, or does not exist.
func (r Reads) FeedReader(ctx context.Context, user domain.UserID) (a domain.Actor, version int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT COALESCE(u.id, 0), COALESCE(u.tier, ''), COALESCE(f.version, 1) FROM (SELECT CAST($1 AS BIGINT) AS id) AS asked
		LEFT JOIN users u ON u.id = asked.id AND u.suspended_at IS NULL AND u.deleted_at IS NULL
		LEFT JOIN feed_versions f ON f.user_id = u.id`, user).Scan(&a.UserID, &a.Tier, &version)
	a.Scope = domain.ScopeRead
	return a, version, err
}

// RenewFeeds changes the secret of a user's private feed addresses and returns the new version.
func (w Writes) RenewFeeds(ctx context.Context, user domain.UserID) (version int64, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO feed_versions (user_id, version) VALUES ($1, 2)
		ON CONFLICT (user_id) DO UPDATE SET version = feed_versions.version + 1 RETURNING version`, user).Scan(&version)
	return version, err
}

// ForgetUser deletes a user's rows that nobody else uses: the feed version and the pins.
func (w Writes) ForgetUser(ctx context.Context, user domain.UserID) error {
	if err := w.db.Exec(ctx, `DELETE FROM feed_versions WHERE user_id = $1`, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM pins WHERE user_id = $1`, user)
}
