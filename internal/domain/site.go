package domain

import "time"

// DefaultSiteName is the name of a site until its operator changes it.
const DefaultSiteName = "Vitrine"

// Site holds the public settings of a site.
type Site struct {
	Name         string
	About        *Text
	Picture      *File
	Announcement *Text // shown on every page until AnnouncedUntil

	Severity       Severity   // of the announcement
	AnnouncedUntil *time.Time // nil: until an operator removes it

	// Announced identifies the announcement, so that a browser can remember that it was dismissed.
	Announced int64
	Legal     []LegalPage // without their bodies
	Featured  []ChannelID // channels on the start page, in order, whether readers may see them or not
	Version   int64       // increases with any change of the above
	UpdatedAt time.Time
}

// Severity is how urgent an announcement is.
type Severity string

// Severities lists all severities, the default first.
var Severities = []Severity{"info", "warning", "urgent"}

// Announcing returns the announcement to show, or nil.
func (s *Site) Announcing(now time.Time) *Text {
	if s.AnnouncedUntil != nil && !now.Before(*s.AnnouncedUntil) {
		return nil
	}
	return s.Announcement
}

// LegalPage is a page written by the operator, such as an imprint.
type LegalPage struct {
	Slug      string
	Title     string
	Body      *Text
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}
