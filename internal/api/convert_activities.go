package api

import (
	"vitrine/internal/app"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// activity is something that somebody did, in the feed.
func (h *handler) activity(s app.Story) v3.Activity {
	return v3.Activity{ID: int64(s.ID), Type: v3.ActivityTypeActivity, Kind: v3.ActivityKind(s.Kind),
		CreatedAt: wire.Time{Time: s.CreatedAt}, Actor: h.embedded(s.Actor),
		Item: h.thing(s.Item), Target: h.thing(s.Target), Parent: h.thing(s.Parent)}
}

// notification is an activity that concerns its reader.
func (h *handler) notification(n app.Notice) v3.Notification {
	a := h.activity(n.Story)
	return v3.Notification{ID: a.ID, Type: v3.NotificationTypeNotification, Kind: a.Kind, CreatedAt: a.CreatedAt,
		Actor: a.Actor, Item: a.Item, Target: a.Target, Parent: a.Parent, IsRead: n.Read}
}

// thing is a subject of an activity, as in a list.
func (h *handler) thing(t app.Thing) wire.Item {
	switch {
	case t.Principal != nil:
		return h.embedded(*t.Principal)
	case t.Channel != nil:
		return wire.Item{Value: h.channel(*t.Channel)}
	case t.Block != nil:
		return h.block(*t.Block, func(blockSetter) {})
	case t.Comment != nil:
		return wire.Item{Value: h.comment(*t.Comment)}
	}
	return wire.Item{}
}
