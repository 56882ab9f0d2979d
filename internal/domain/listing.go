package domain

import "time"

// Listing is what a list of all pages, as search engines read it, says of one: of a
// channel, a user or a group. Owner is the slug of a channel's owner.
type Listing struct {
	ID        int64
	Owner     string
	Slug      string
	UpdatedAt time.Time
}

// ListingRange is a stretch of such a list by ids: those after one and up to another, at
// most so many.
type ListingRange struct {
	After, Upto int64
	Limit       int
}
