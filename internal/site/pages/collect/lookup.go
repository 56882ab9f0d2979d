package collect

import (
	"cmp"
	"net/http"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// channelOf returns the channel in the path, which has its owner and slug. If the channel has
// another address, moved is its path.
func channelOf(v *web.Visit) (c present.Channel, moved string, err error) {
	full, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{Slug: v.Args[1]})
	if err != nil {
		return c, "", err
	}
	c = v.Addresses().Channel(&full.Channel)
	if here := "/" + v.Args[0] + "/" + v.Args[1]; here != c.Path() && v.R.Method != http.MethodPost {
		moved = c.Path() + strings.TrimPrefix(v.Here(), here)
	}
	return c, moved, nil
}

// channelByID returns the channel of a path /channel/{id}.
func channelByID(v *web.Visit) (c present.Channel, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return c, err
	}
	full, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: id})
	return v.Addresses().Channel(&full.Channel), err
}

// blockByID returns the block of a path /block/{id}.
func blockByID(v *web.Visit) (b present.Block, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return b, err
	}
	block, err := v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(id))
	return v.Addresses().Block(&block), err
}

// forbidden returns an error for an action that the viewer may not do, though they see the item.
func forbidden(v *web.Visit, id string) error { return domain.NewForbidden(v.T(id)) }

// missing reports whether an item does not exist or is hidden.
func missing(err error) bool { return err != nil && domain.KindOf(err) == domain.NotFound }

// back returns where a completed form redirects to: the previous page, or else a path.
func back(v *web.Visit, path string) string { return cmp.Or(v.Next(), path) }

// typed is the text that a user entered into a field.
type typed struct{ Name, Label, Text string }

// gone shows that the target of a form no longer exists, and returns the typed texts to the user.
// fields alternates names and the ids of their labels.
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

// optional returns nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
