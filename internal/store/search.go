package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/search"
)

// SearchQuery asks for a page of what the viewer may see of what is asked for.
type SearchQuery = search.Query

// SearchLimits say when searches and lists choose another way.
type SearchLimits = search.Limits

// DefaultSearchLimits are measured; see there.
var DefaultSearchLimits = search.DefaultLimits

// WithSearchLimits is the store with other limits.
func (s *Store) WithSearchLimits(l SearchLimits) *Store {
	other := *s
	other.search = l
	return &other
}

// finder searches what the statements of q see.
func (q Queries) finder() search.Finder { return search.Finder{Conn: q.db, Limits: q.search} }

// Search lists what the viewer may see of what is asked for.
func (v *Snapshot) Search(ctx context.Context, q SearchQuery) (domain.List[domain.Subject], error) {
	return v.finder().Search(ctx, q)
}

// SearchChannel lists the connections of a channel that the viewer sees, from the top, whose
// items are what is asked for.
func (v *Snapshot) SearchChannel(ctx context.Context, q SearchQuery) (l domain.List[domain.Connection], err error) {
	found, err := v.finder().InChannel(ctx, q)
	if err != nil {
		return l, err
	}
	l.Total = found.Total
	l.Items, err = v.ConnectionsInOrder(ctx, found.Items)
	return l, err
}

// OwnerContentsQuery asks for a page of what a user made, or of what a group has.
type OwnerContentsQuery = search.OwnedQuery

// OwnerContents lists what a user made or a group has, as far as the viewer may see it; the
// total is exact.
func (v *Snapshot) OwnerContents(ctx context.Context, q OwnerContentsQuery) (domain.List[domain.Subject], error) {
	return v.finder().Owned(ctx, q)
}
