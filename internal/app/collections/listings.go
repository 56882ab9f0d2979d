package collections

import (
	"context"

	"vitrine/internal/domain"
)

// Listings lists the pages of channels, users or groups that guests see and search engines may index, by id. If closed
// is set, it includes closed channels.
func (a *Finder) Listings(ctx context.Context, kind domain.SubjectType, closed bool, in domain.ListingRange) ([]domain.Listing, error) {
	return a.Store.Listings(ctx, kind, closed, in)
}

// LastIDs returns the highest ids of channels, users and groups.
func (a *Finder) LastIDs(ctx context.Context) (channels, users, groups int64, err error) {
	return a.Store.LastIDs(ctx)
}
