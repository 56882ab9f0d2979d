package look

import (
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// picturesOf returns the pictures and PDFs in a list of copies that were taken with a copy of the page, by time.
func picturesOf(all []domain.Snapshot) map[time.Time][]copyView {
	pictures := map[time.Time][]copyView{}
	for _, s := range all {
		if s.Accompanies() {
			pictures[s.TakenAt] = append(pictures[s.TakenAt], copyView{Snapshot: s, Path: present.SnapshotPath(s)})
		}
	}
	return pictures
}

// HasScreenshot reports whether a picture of the page was taken with a copy.
func (c copyView) HasScreenshot() bool {
	return slices.ContainsFunc(c.Pictures, func(p copyView) bool { return p.Kind == domain.SnapshotScreenshot })
}

// hasPage reports whether a list of copies contains the page that pictures of a time belong to.
func hasPage(all []domain.Snapshot, at time.Time) bool {
	return slices.ContainsFunc(all, func(s domain.Snapshot) bool {
		return s.HasCompany() && s.TakenAt.Equal(at)
	})
}
