package core

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Named is a channel or group, whose slug follows its name.
type Named struct {
	Kind store.SlugKind
	ID   int64
	Name string
	Slug string
}

// Reslug returns the slug for a new name. The slug stays if both names have the same plain slug, and a thing gets back a
// slug that it had before.
func Reslug(ctx context.Context, tx *store.Tx, was Named, name string, now time.Time) (string, error) {
	plain := domain.Slugify(name)
	if plain == domain.Slugify(was.Name) {
		return was.Slug, nil
	}
	if had, err := tx.Slugs().SlugBelongs(ctx, was.Kind, plain, was.ID); err != nil || had {
		return plain, err
	}
	slug, err := tx.Slugs().SlugFor(ctx, was.Kind, name, now)
	if err != nil {
		return "", err
	}
	return slug, tx.Slugs().BindSlug(ctx, was.Kind, slug, was.ID)
}
