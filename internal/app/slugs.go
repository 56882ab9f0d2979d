package app

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// named is something whose slug follows its name: a channel or a group.
type named struct {
	kind store.SlugKind
	id   int64
	name string
	slug string
}

// reslug gives the slug of something that gets a new name. A name with the same slug
// keeps it, and a thing gets back a slug that it had before.
func reslug(ctx context.Context, tx *store.Tx, was named, name string, now time.Time) (string, error) {
	plain := domain.Slugify(name)
	if plain == domain.Slugify(was.name) {
		return was.slug, nil
	}
	if had, err := tx.SlugBelongs(ctx, was.kind, plain, was.id); err != nil || had {
		return plain, err
	}
	slug, err := tx.SlugFor(ctx, was.kind, name, now)
	if err != nil {
		return "", err
	}
	return slug, tx.BindSlug(ctx, was.kind, slug, was.id)
}
