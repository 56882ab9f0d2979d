package collections

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// NewChannelSlug claims the slug of a new channel. The slug of a private channel always ends with random characters.
// Otherwise, anyone who requests the plain slug and does not get it would learn the title.
func NewChannelSlug(ctx context.Context, tx *store.Tx, title string, v domain.Visibility, now time.Time) (string, error) {
	if v == domain.Private {
		return tx.Slugs().SuffixedSlugFor(ctx, store.ChannelSlug, title, now)
	}
	return tx.Slugs().SlugFor(ctx, store.ChannelSlug, title, now)
}

// channelSlug returns the slug of a locked channel whose title or visibility changes. While it is private, its slug has
// a random suffix. When it is opened, it gets the plain slug if that is free or was its own before, and otherwise keeps
// its slug.
func channelSlug(ctx context.Context, tx *store.Tx, was, c domain.Channel, now time.Time) (string, error) {
	renamed := domain.Slugify(c.Title) != domain.Slugify(was.Title)
	opened := was.Visibility == domain.Private && c.Visibility != domain.Private
	if opened { // before a slug is claimed, in the same order as creating a channel of a group
		if err := tx.Principals().LockOwners(ctx, was.Owner.PrincipalRef, c.Owner.PrincipalRef); err != nil {
			return "", err
		}
	}
	switch {
	case c.Visibility == domain.Private:
		if !renamed && was.Slug != domain.Slugify(was.Title) {
			return was.Slug, nil // with a random suffix
		}
		slug, err := tx.Slugs().SuffixedSlugFor(ctx, store.ChannelSlug, c.Title, now)
		if err != nil {
			return "", err
		}
		return slug, tx.Slugs().BindSlug(ctx, store.ChannelSlug, slug, int64(was.ID))
	case opened && !renamed:
		return openedSlug(ctx, tx, was, now)
	}
	return core.Reslug(ctx, tx, core.Named{Kind: store.ChannelSlug, ID: int64(was.ID), Name: was.Title, Slug: was.Slug}, c.Title, now)
}

// openedSlug returns the slug of a channel that is no longer private.
func openedSlug(ctx context.Context, tx *store.Tx, was domain.Channel, now time.Time) (string, error) {
	plain := domain.Slugify(was.Title)
	if !domain.ValidSlug(plain) || plain == was.Slug {
		return was.Slug, nil
	}
	if had, err := tx.Slugs().SlugBelongs(ctx, store.ChannelSlug, plain, int64(was.ID)); err != nil || had {
		return plain, err
	}
	free, err := tx.Slugs().ClaimSlug(ctx, store.ChannelSlug, plain, now)
	if err != nil || !free {
		return was.Slug, err
	}
	return plain, tx.Slugs().BindSlug(ctx, store.ChannelSlug, plain, int64(was.ID))
}
