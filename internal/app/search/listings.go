package search

import (
	"context"

	"vitrine/internal/domain"
)

// Listings lists the pages of channels, users or groups that guests see and search engines
// may keep, in the order of their ids; if closed, channels that are closed too.
func (a *Finder) Listings(ctx context.Context, kind domain.SubjectType, closed bool, in domain.ListingRange) ([]domain.Listing, error) {
	return a.Store.Listings(ctx, kind, closed, in)
}

// LastIDs gives the greatest ids of channels, users and groups.
func (a *Finder) LastIDs(ctx context.Context) (channels, users, groups int64, err error) {
	return a.Store.LastIDs(ctx)
}
