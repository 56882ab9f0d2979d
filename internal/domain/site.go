package domain

import "time"

// DefaultSiteName is what a site is called until its operator names it.
const DefaultSiteName = "Vitrine"

// Site is what a site says of itself.
type Site struct {
	Name         string
	About        *Text
	Picture      *File
	Announcement *Text // on every page

	// Announced tells announcements apart, so that a reader's browser can remember which
	// one it has put away.
	Announced int64
	Legal     []LegalPage // without their texts
	Version   int64       // grows with any change of the above
	UpdatedAt time.Time
}

// LegalPage is a page of the operator's own, such as an imprint.
type LegalPage struct {
	Slug      string
	Title     string
	Body      *Text
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}
