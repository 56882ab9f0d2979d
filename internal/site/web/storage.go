package web

import (
	"vitrine/internal/app/content"
	"vitrine/internal/domain"
)

// Storage is a user's storage and its limits.
type Storage struct {
	Unused, Total share
	Copies        share  // saved copies of pages; set by WithCopies
	Files, Texts  string // their shares of Total
	Open, AtMost  int64  // uploads
	Largest       string // file
}

// share is a used amount and its limit.
type share struct {
	Name         string // of the meter
	Bytes, Limit int64  // 0 means no limit
}

// Used formats the used amount.
func (s share) Used() string { return domain.FormatBytes(s.Bytes) }

// Allowed formats the limit.
func (s share) Allowed() string { return domain.FormatBytes(s.Limit) }

// Shown returns the value of the meter, which is capped at the limit.
func (s share) Shown() int64 { return min(s.Bytes, s.Limit) }

// NewStorage returns a user's storage with the quotas of their tier.
func NewStorage(v *Visit, u domain.ByteUsage) Storage {
	q := v.App().Content.Quota(u.Tier)
	return Storage{
		Unused: share{"unused", u.Unused, q.Unused}, Total: share{"total", u.Total, q.Total},
		Files: domain.FormatBytes(u.Files()), Texts: domain.FormatBytes(u.Texts),
		Open: u.Uploads, AtMost: content.MaxOpenUploads, Largest: domain.FormatBytes(v.App().Content.UploadLimit()),
	}
}

// WithCopies returns the storage with the bytes of the visitor's saved copies of pages.
func (s Storage) WithCopies(bytes, limit int64) Storage {
	s.Copies = share{"copies", bytes, limit}
	return s
}
