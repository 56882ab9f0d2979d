package site

import (
	"vitrine/internal/app"
	"vitrine/internal/domain"
)

// storageView is what a user has stored, and may.
type storageView struct {
	Unused, Total share
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

func (v *visit) newStorage(u domain.ByteUsage) storageView {
	q := v.app().Quota(u.Tier)
	return storageView{
		Unused: share{"unused", u.Unused, q.Unused}, Total: share{"total", u.Total, q.Total},
		Open: u.Uploads, AtMost: app.MaxOpenUploads, Largest: domain.FormatBytes(v.app().UploadLimit()),
	}
}

// storagePage shows the account what it has stored.
func storagePage(v *visit) error {
	u, _, err := v.app().ByteUsage(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	return v.page("storage", "Storage", nil, v.newStorage(u))
}
