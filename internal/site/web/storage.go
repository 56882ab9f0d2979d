package web

import (
	"vitrine/internal/app/content"
	"vitrine/internal/domain"
)

// Storage is what a user has stored, and may.
type Storage struct {
	Unused, Total share
	Files, Texts  string // their shares of Total
	Open, AtMost  int64  // uploads
	Largest       string // file
}

// share is how much there is of what there may be.
type share struct {
	Name         string // of the meter
	Bytes, Limit int64  // no limit where it is 0
}

// Used and Allowed are the two in words.
func (s share) Used() string { return domain.FormatBytes(s.Bytes) }

// Allowed is the limit in words.
func (s share) Allowed() string { return domain.FormatBytes(s.Limit) }

// Shown is the value of the meter, which ends at its limit.
func (s share) Shown() int64 { return min(s.Bytes, s.Limit) }

// NewStorage is what a user has stored, beside the quotas of their tier.
func NewStorage(v *Visit, u domain.ByteUsage) Storage {
	q := v.App().Quota(u.Tier)
	return Storage{
		Unused: share{"unused", u.Unused, q.Unused}, Total: share{"total", u.Total, q.Total},
		Files: domain.FormatBytes(u.Files()), Texts: domain.FormatBytes(u.Texts),
		Open: u.Uploads, AtMost: content.MaxOpenUploads, Largest: domain.FormatBytes(v.App().UploadLimit()),
	}
}
