package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// noticesView lists the operators' notices to the reader.
type noticesView struct {
	Notices []moderation.Notice
	Unread  int64 // how many of the newest are unread
	Hidden  []moderation.HiddenSubject
}

// Path returns the page of a hidden item for its owner; "" for a comment.
func (n noticesView) Path(h moderation.HiddenSubject) string {
	switch domain.SubjectType(h.About.Kind) {
	case domain.SubjectBlock:
		return fmt.Sprintf("/block/%d", h.About.ID)
	case domain.SubjectChannel:
		return fmt.Sprintf("/%s/%d", h.Owner, h.About.ID)
	}
	return ""
}

// New reports whether the notice at an index is unread.
func (n noticesView) New(at int) bool { return int64(at) < n.Unread }

func noticesPage(v *web.Visit) error {
	all, err := v.App().Moderation.Notices(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	hidden, err := v.App().Moderation.MyHidden(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("notices", v.T("moderation.notices"), nil, noticesView{all, v.Account.Notices, hidden})
}

// readNotices marks all notices as read.
func readNotices(v *web.Visit) error {
	if err := v.App().Moderation.ReadNotices(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Done("/settings/notices", "read")
}
