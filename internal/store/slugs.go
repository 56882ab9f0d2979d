package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// SlugKind is a kind of item within which slugs are unique.
type SlugKind string

// The kinds of slugs.
const (
	UserSlug    SlugKind = "User"
	GroupSlug   SlugKind = "Group"
	ChannelSlug SlugKind = "Channel"
)

// ClaimSlug reserves a slug forever and reports whether it was free. The same transaction must
// bind it with BindSlug.
func (w SlugWrites) ClaimSlug(ctx context.Context, kind SlugKind, slug string, now time.Time) (bool, error) {
	n, err := w.tx.db.ExecCount(ctx, `INSERT INTO slugs (kind, slug, target_id, created_at) VALUES ($1, $2, 0, $3)
		ON CONFLICT (kind, slug) DO NOTHING`, kind, slug, sqlx.Micros(now))
	return n == 1, err
}

// BindSlug makes a claimed slug resolve to an item.
func (w SlugWrites) BindSlug(ctx context.Context, kind SlugKind, slug string, id int64) error {
	return w.tx.db.ExecOne(ctx, `UPDATE slugs SET target_id = $3 WHERE kind = $1 AND slug = $2`, kind, slug, id)
}

// SlugBelongs reports whether an item ever had a slug.
func (r SlugReads) SlugBelongs(ctx context.Context, kind SlugKind, slug string, id int64) (bool, error) {
	var n int
	err := r.q.db.QueryRow(ctx, `SELECT count(*) FROM slugs WHERE kind = $1 AND slug = $2 AND target_id = $3`,
		kind, slug, id).Scan(&n)
	return n > 0, err
}

// SlugTaken reports whether any item ever had a slug.
func (r SlugReads) SlugTaken(ctx context.Context, kind SlugKind, slug string) (taken bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM slugs WHERE kind = $1 AND slug = $2)`, kind, slug).Scan(&taken)
	return taken, err
}

// SlugFor claims a slug derived from a name: unchanged if that is free, otherwise with a random
// suffix (behaviour.md section 1). Users do not get reserved slugs.
func (w SlugWrites) SlugFor(ctx context.Context, kind SlugKind, name string, now time.Time) (string, error) {
	plain := kind != UserSlug || !domain.ReservedSlug(domain.Slugify(name))
	return w.claimSlugFor(ctx, kind, name, plain, now)
}

// SuffixedSlugFor claims a slug derived from a name that always has a random suffix, so that it
// does not reveal whether the plain slug is taken.
func (w SlugWrites) SuffixedSlugFor(ctx context.Context, kind SlugKind, name string, now time.Time) (string, error) {
	return w.claimSlugFor(ctx, kind, name, false, now)
}

func (w SlugWrites) claimSlugFor(ctx context.Context, kind SlugKind, name string, plain bool, now time.Time) (string, error) {
	for ; ; plain = false {
		slug := domain.SlugCandidate(name, string(kind), !plain)
		free, err := w.ClaimSlug(ctx, kind, slug, now)
		if err != nil || free {
			return slug, err
		}
	}
}

// leadsNowhere reports whether a slug is invalid, so that nothing has it. PostgreSQL would reject
// some of them as text.
func leadsNowhere(ref domain.Ref) bool { return ref.Slug != "" && !domain.ValidSlug(ref.Slug) }
