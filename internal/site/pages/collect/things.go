package collect

import (
	"cmp"
	"net/http"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// channelOf reads the channel that the address of a page names by its owner and its slug. moved
// is where the page is if that has another address.
func channelOf(v *web.Visit) (c present.Channel, moved string, err error) {
	full, err := v.App().Channel(v.R.Context(), v.Actor(), domain.Ref{Slug: v.Args[1]})
	if err != nil {
		return c, "", err
	}
	c = v.Addresses().Channel(&full.Channel)
	if here := "/" + v.Args[0] + "/" + v.Args[1]; here != c.Path() && v.R.Method != http.MethodPost {
		moved = c.Path() + strings.TrimPrefix(v.Here(), here)
	}
	return c, moved, nil
}

// channelByID reads the channel of an address /channel/{id}.
func channelByID(v *web.Visit) (c present.Channel, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return c, err
	}
	full, err := v.App().Channel(v.R.Context(), v.Actor(), domain.Ref{ID: id})
	return v.Addresses().Channel(&full.Channel), err
}

// blockByID reads the block of an address /block/{id}.
func blockByID(v *web.Visit) (b present.Block, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return b, err
	}
	block, err := v.App().Block(v.R.Context(), v.Actor(), domain.BlockID(id))
	return v.Addresses().Block(&block), err
}

// forbidden says that the viewer sees a thing and may not do this with it.
func forbidden(v *web.Visit, id string) error { return domain.NewForbidden(v.T(id)) }

// missing reports whether something is not there, or hidden.
func missing(err error) bool { return err != nil && domain.KindOf(err) == domain.NotFound }

// back is where a form leads that is done: where it was come from or else to a path.
func back(v *web.Visit, path string) string { return cmp.Or(v.Next(), path) }

// typed is what somebody typed into a field.
type typed struct{ Name, Label, Text string }

// gone tells who sent a form that what it was for is not there any more, and gives back what
// they typed. fields are names and the ids of their labels, in turns.
func gone(v *web.Visit, fields ...string) error {
	f := v.Form()
	var all []typed
	for i := 0; i+1 < len(fields); i += 2 {
		if text := f.Get(fields[i]); strings.TrimSpace(text) != "" {
			all = append(all, typed{fields[i], v.T(fields[i+1]), text})
		}
	}
	return v.Render(http.StatusNotFound, "gone", v.T("collect.gone"), nil, all)
}

// pointer gives a text of a form as an input takes it.
func pointer(s string) *string { return &s }

// optional is nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
