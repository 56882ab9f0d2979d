package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// hiddenPer is how many hidden things are on a page.
const hiddenPer = 100

// hideable reports whether a kind of thing can be hidden.
func hideable(kind string) bool {
	switch domain.SubjectType(kind) {
	case domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment:
		return true
	}
	return false
}

// hiddenView is a page of what is hidden.
type hiddenView struct {
	Things []moderation.HiddenThing
	Older  string // address of the next page, "" for none
}

// Path is where operators look at a thing, and for a person their account.
func (hiddenView) Path(h moderation.HiddenThing) string {
	if h.About.Kind == string(domain.SubjectUser) {
		return fmt.Sprintf("/operator/accounts/%d", h.About.ID)
	}
	return lookPath(h.About)
}

// hiddenPage lists what is hidden.
func hiddenPage(v *web.Visit) error {
	below, err := numberFrom(v, "below")
	if err != nil {
		return err
	}
	var shown hiddenView
	shown.Things, err = v.App().HiddenThings(v.R.Context(), operatorOf(v), moderation.HiddenID(below), hiddenPer+1)
	if err != nil {
		return err
	}
	if len(shown.Things) > hiddenPer {
		shown.Things = shown.Things[:hiddenPer]
		shown.Older = fmt.Sprintf("/operator/hidden?below=%d", shown.Things[hiddenPer-1].ID)
	}
	return v.Page("hidden", v.T("moderation.hidden"), nil, shown)
}

// showHidden shows something again.
func showHidden(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("show"))
	if err != nil {
		return err
	}
	if _, err := v.App().Show(v.R.Context(), operatorOf(v), moderation.HiddenID(id), ""); err != nil {
		return err
	}
	return v.Done("/operator/hidden", "shown")
}

// hideView is a thing that is about to be hidden.
type hideView struct {
	moderation.Thing
	Kind string // as addresses name it
	Path string // of the thing
}

// toHide reads the thing that the address names.
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
	if h.Thing, err = v.App().ToHide(v.R.Context(), operatorOf(v), what); err == nil {
		h.Path = v.Addresses().Thing(h.What).Path()
	}
	return h, what, err
}

// hidePage asks for the reasons for hiding a thing.
func hidePage(v *web.Visit) error {
	h, _, err := toHide(v)
	if err != nil {
		return err
	}
	return v.Page("hide", v.T("moderation.hide."+h.Kind), nil, h)
}

// hide hides it.
func hide(v *web.Visit) error {
	h, what, err := toHide(v)
	if err != nil {
		return err
	}
	f := v.Form()
	if _, err := v.App().Hide(v.R.Context(), operatorOf(v), moderation.HideInput{About: what, Text: f.Trimmed("text")}); err != nil {
		if f.Refused(err, "text") {
			return v.Page("hide", v.T("moderation.hide."+h.Kind), f, h)
		}
		return err
	}
	return v.Done("/operator/hidden", "hidden")
}
