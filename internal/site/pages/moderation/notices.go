package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// noticesView is what operators have told the reader.
type noticesView struct {
	Notices []moderation.Notice
	Unread  int64 // so many of the newest
	Hidden  []moderation.HiddenThing
}

// Path is where the reader sees what is hidden of theirs; "" for a comment.
func (n noticesView) Path(h moderation.HiddenThing) string {
	switch domain.SubjectType(h.About.Kind) {
	case domain.SubjectBlock:
		return fmt.Sprintf("/block/%d", h.About.ID)
	case domain.SubjectChannel:
		return fmt.Sprintf("/%s/%d", h.Owner, h.About.ID)
	}
	return ""
}

// New reports whether the notice at a place of the list is unread.
func (n noticesView) New(at int) bool { return int64(at) < n.Unread }

// noticesPage shows it.
func noticesPage(v *web.Visit) error {
	all, err := v.App().Notices(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	hidden, err := v.App().MyHidden(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("notices", v.T("moderation.notices"), nil, noticesView{all, v.Account.Notices, hidden})
}

// readNotices notes that all were read.
func readNotices(v *web.Visit) error {
	if err := v.App().ReadNotices(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Done("/settings/notices", "read")
}
