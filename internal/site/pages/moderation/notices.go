package moderation

import (
	"vitrine/internal/app/moderation"
	"vitrine/internal/site/web"
)

// noticesView is what operators have told the reader.
type noticesView struct {
	Notices []moderation.Notice
	Unread  int64 // so many of the newest
}

// New reports whether the notice at a place of the list is unread.
func (n noticesView) New(at int) bool { return int64(at) < n.Unread }

// noticesPage shows it.
func noticesPage(v *web.Visit) error {
	all, err := v.App().Notices(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("notices", v.T("moderation.notices"), nil, noticesView{all, v.Account.Notices})
}

// readNotices notes that all were read.
func readNotices(v *web.Visit) error {
	if err := v.App().ReadNotices(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Done("/settings/notices", "read")
}
