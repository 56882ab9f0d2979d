package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/search"
)

// SearchQuery selects a page of the results that the viewer may see.
type SearchQuery = search.Query

// Correction is a query with other words; see search.Correction.
type Correction = search.Correction

// SearchLimits determine when searches and lists use another plan.
type SearchLimits = search.Limits

// DefaultSearchLimits are the measured limits; see search.DefaultLimits.
var DefaultSearchLimits = search.DefaultLimits

// WithSearchLimits returns a copy of the store with other limits.
func (s *Store) WithSearchLimits(l SearchLimits) *Store {
	other := *s
	other.search, other.known = l, search.NewKnown()
	return &other
}

// FeedLimits determine when a process remembers a part of a feed.
type FeedLimits = activity.FeedLimits

// WithFeedLimits returns a copy of the store with other limits, which has not read any feeds yet.
func (s *Store) WithFeedLimits(l FeedLimits) *Store {
	other := *s
	other.feeds = activity.NewFeeds(l)
	return &other
}

// finder returns a Finder on the connection of q.
func (q Queries) finder() search.Finder {
	return search.Finder{Conn: q.db, Limits: q.search, Known: q.known}
}

// Search lists the results that the viewer may see.
func (v *Snapshot) Search(ctx context.Context, q SearchQuery) (domain.List[domain.Subject], error) {
	return v.finder().Search(ctx, q)
}

// SearchPlace is the place of a result in the order of creation.
type SearchPlace = search.Place

// PlaceOf returns the place of a thing that Search has found.
func (v *Snapshot) PlaceOf(ctx context.Context, found domain.Subject) (SearchPlace, error) {
	return v.finder().PlaceOf(ctx, found)
}

// NewResults lists the newest results of others, up to the page's size, among the documents with the numbers of q.New.
func (v *Snapshot) NewResults(ctx context.Context, q SearchQuery) (domain.List[domain.Subject], error) {
	return v.finder().NewResults(ctx, q)
}

// Correct returns a query with the closest words that the viewer sees instead of misspelled ones.
func (v *Snapshot) Correct(ctx context.Context, q SearchQuery) (Correction, error) {
	return v.finder().Correct(ctx, q)
}

// Named returns the thing of a kind with a name that the viewer sees, or 0.
func (v *Snapshot) Named(ctx context.Context, viewer domain.UserID, kind domain.SubjectType, name string) (id int64, err error) {
	return v.finder().Named(ctx, viewer, kind, name)
}

// SearchChannel lists the connections of a channel, from the top, whose items are results and
// visible to the viewer.
func (v *Snapshot) SearchChannel(ctx context.Context, q SearchQuery) (l domain.List[domain.Connection], err error) {
	found, err := v.finder().InChannel(ctx, q)
	if err != nil {
		return l, err
	}
	l.Total = found.Total
	l.Items, err = v.Contents().ConnectionsInOrder(ctx, found.Items)
	return l, err
}

// OwnerContentsQuery selects a page of the items of a user or a group.
type OwnerContentsQuery = search.OwnedQuery

// OwnerContents lists the items of a user or group that the viewer may see. The total is exact.
func (v *Snapshot) OwnerContents(ctx context.Context, q OwnerContentsQuery) (domain.List[domain.Subject], error) {
	return v.finder().Owned(ctx, q)
}
