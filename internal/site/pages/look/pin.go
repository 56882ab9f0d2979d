package look

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// pin pins or unpins a channel, and redirects back.
func pin(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	change, note := v.App().Collections.Pin, "pinned"
	switch v.Form().Get("do") {
	case "pin":
	case "unpin":
		change, note = v.App().Collections.Unpin, "unpinned"
	default:
		return web.UnknownButton()
	}
	if err := change(v.R.Context(), v.Actor(), domain.Ref{ID: id}); err != nil {
		return err
	}
	return v.Done(v.Next(), note)
}
