package domain

import "time"

// Listing is an entry of the list of all pages for search engines: a channel, user or group. Owner
// is the slug of a channel's owner.
type Listing struct {
	ID        int64
	Owner     string
	Slug      string
	UpdatedAt time.Time
}

// ListingRange is a range of that list: the IDs after After and up to Upto, at most Limit entries.
type ListingRange struct {
	After, Upto int64
	Limit       int
}
