package ext

import (
	"context"

	"vitrine/internal/oas/ext"
)

// GetSite implements getSite.
func (h *handler) GetSite(ctx context.Context) (*ext.Site, error) {
	s, err := h.app.Operating.SiteSettings(ctx)
	if err != nil {
		return nil, err
	}
	w := &ext.Site{Name: s.Name, Description: markdown(s.About), Announcement: markdown(s.Announcement), Picture: nonEmpty(""),
		Guests: ext.SiteGuestsOpen, WebURL: h.at.Site}
	if s.Picture != nil {
		w.Picture = nonEmpty(h.at.Image(s.Picture).Src())
	}
	if h.app.Exposure.GuestsClosed {
		w.Guests = ext.SiteGuestsClosed
	}
	return w, nil
}
