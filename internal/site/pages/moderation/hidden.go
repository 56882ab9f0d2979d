package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// hiddenPer is the number of hidden items per page.
const hiddenPer = 100

// hideable reports whether items of a kind can be hidden.
func hideable(kind string) bool {
	switch domain.SubjectType(kind) {
	case domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment:
		return true
	}
	return false
}

// hiddenView is a page of hidden items.
type hiddenView struct {
	Subjects []moderation.HiddenSubject
	Older    string // address of the next page, "" for none
}

// Path returns the page on which operators look at an item; for a user, the page of their account.
func (hiddenView) Path(h moderation.HiddenSubject) string {
	if h.About.Kind == string(domain.SubjectUser) {
		return fmt.Sprintf("/operator/accounts/%d", h.About.ID)
	}
	return lookPath(h.About)
}

// hiddenPage lists hidden items.
func hiddenPage(v *web.Visit) error {
	below, err := numberFrom(v, "below")
	if err != nil {
		return err
	}
	var shown hiddenView
	shown.Subjects, err = v.App().Moderation.HiddenSubjects(v.R.Context(), operatorOf(v), moderation.HiddenID(below), hiddenPer+1)
	if err != nil {
		return err
	}
	if len(shown.Subjects) > hiddenPer {
		shown.Subjects = shown.Subjects[:hiddenPer]
		shown.Older = fmt.Sprintf("/operator/hidden?below=%d", shown.Subjects[hiddenPer-1].ID)
	}
	return v.Page("hidden", v.T("moderation.hidden"), nil, shown)
}

// showHidden makes an item visible again.
func showHidden(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("show"))
	if err != nil {
		return err
	}
	if _, err := v.App().Moderation.Show(v.R.Context(), operatorOf(v), moderation.HiddenID(id), ""); err != nil {
		return err
	}
	return v.Done("/operator/hidden", "shown")
}

// hideView is an item that is about to be hidden.
type hideView struct {
	moderation.SubjectDetails
	Kind string // as in addresses
	Path string // of the item
}

// toHide returns the item in the path.
func toHide(v *web.Visit) (h hideView, what domain.Subject, err error) {
	kind := kinds[v.Args[0]]
	if !hideable(string(kind)) {
		return h, what, domain.NewNotFound()
	}
	id, err := web.ID(v.Args[1])
	if err != nil {
		return h, what, err
	}
	what = domain.Subject{Type: kind, ID: id}
	h.Kind = v.Args[0]
	if h.SubjectDetails, err = v.App().Moderation.ToHide(v.R.Context(), operatorOf(v), what); err == nil {
		h.Path = v.Addresses().Entity(h.What).Path()
	}
	return h, what, err
}

// hidePage shows a form for the reason for hiding an item.
func hidePage(v *web.Visit) error {
	h, _, err := toHide(v)
	if err != nil {
		return err
	}
	return v.Page("hide", v.T("moderation.hide."+h.Kind), nil, h)
}

// hide hides the item.
func hide(v *web.Visit) error {
	h, what, err := toHide(v)
	if err != nil {
		return err
	}
	f := v.Form()
	if _, err := v.App().Moderation.Hide(v.R.Context(), operatorOf(v), moderation.HideInput{About: what, Text: f.Trimmed("text")}); err != nil {
		if f.Refused(err, "text") {
			return v.Page("hide", v.T("moderation.hide."+h.Kind), f, h)
		}
		return err
	}
	return v.Done("/operator/hidden", "hidden")
}
