package people

import (
	"encoding/json"
	"errors"
	"strconv"

	"vitrine/internal/app/changes"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// streamChanges sends the changes that the reader may see to their open pages, and the number of their unread
// notifications.
func streamChanges(v *web.Visit) error {
	if from := v.R.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" {
		return domain.NewForbidden(v.T("web.error.other-site"))
	}
	in := changes.Input{Cursor: v.R.Header.Get("Last-Event-ID")}
	if in.Cursor == "" {
		in.Cursor = v.Query("cursor")
	}
	events := v.Events()
	if v.HeadOnly() {
		events.Begin()
		return nil
	}
	err := v.App().Changes.Follow(v.R.Context(), v.Actor(), in, changes.Client{Name: v.Client(), Session: v.Session.Hash}, changes.Stream{
		Short:  true, // pages show only the present state
		Send:   func(p changes.Page) error { return events.Send(pageEvents(p, !events.Started())) },
		Unread: func() error { return events.Send(unreadEvent(v)) },
	})
	return events.End(err, errors.Is(err, changes.ErrClosed))
}

// pageEvents returns the events of a page.
func pageEvents(p changes.Page, first bool) (events []byte) {
	if first {
		events = append(events, event("start", p.Start(), map[string]bool{"missed": p.Missed})...)
	}
	for _, c := range p.Changes {
		events = append(events, c.Event(changes.FormatSite, changeEvent)...)
	}
	return append(events, "id: "+p.Cursor+"\n\n"...)
}

// changeEvent encodes a change for live.js.
func changeEvent(c *changes.Shown) []byte {
	type item struct {
		Type domain.SubjectType `json:"type"`
		ID   int64              `json:"id"`
	}
	e := struct {
		Kind    domain.ChangeKind  `json:"kind"`
		Type    domain.SubjectType `json:"type"`
		ID      int64              `json:"id"`
		Channel domain.ChannelID   `json:"channel,omitempty"`
		Item    *item              `json:"item,omitempty"`
	}{Kind: c.Kind, Type: c.Type, ID: c.ID, Channel: c.Channel}
	if c.Item.ID != 0 {
		e.Item = &item{c.Item.Type, c.Item.ID}
	}
	return event("change", c.Cursor, e)
}

// unreadEvent is the number of unread notifications, as the navigation shows it.
func unreadEvent(v *web.Visit) []byte {
	n := v.CountUnreadAgain()
	shown, text := strconv.FormatInt(n, 10), v.T("web.nav.unread", n)
	if n > 99 {
		shown, text = "99+", v.T("web.nav.unread-many")
	}
	return event("unread", "", map[string]any{"unread": n, "shown": shown, "text": text})
}

func event(name, id string, data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // only numbers and texts
	}
	out := "event: " + name + "\n"
	if id != "" {
		out += "id: " + id + "\n"
	}
	return append(append([]byte(out+"data: "), text...), "\n\n"...)
}
