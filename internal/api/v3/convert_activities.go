package v3

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// activity converts an activity of a feed.
func (h *handler) activity(who domain.Actor, s domain.Story) v3.Activity {
	return v3.Activity{ID: int64(s.ID), Type: v3.ActivityTypeActivity, Kind: v3.ActivityKind(s.Kind),
		CreatedAt: wire.Time{Time: s.CreatedAt}, Actor: embedded(h.at.Principal(&s.Actor)),
		Item: h.entity(who, s.Item), Target: h.entity(who, s.Target), Parent: h.entity(who, s.Parent)}
}

// notification converts a notification of its reader.
func (h *handler) notification(who domain.Actor, n domain.Notice) v3.Notification {
	a := h.activity(who, n.Story)
	return v3.Notification{ID: a.ID, Type: v3.NotificationTypeNotification, Kind: a.Kind, CreatedAt: a.CreatedAt,
		Actor: a.Actor, Item: a.Item, Target: a.Target, Parent: a.Parent, IsRead: n.Read}
}

// comment converts a comment on a block.
func (h *handler) comment(c present.Comment) *v3.Comment {
	return &v3.Comment{ID: int64(c.ID), Type: v3.CommentTypeComment, Body: markdown(&c.Body),
		CreatedAt: wire.Time{Time: c.CreatedAt}, UpdatedAt: wire.Time{Time: c.UpdatedAt}, User: embeddedUser(c.Author()),
		Links: h.links(c.Links())}
}

// entity converts an entry of a mixed list, or a subject of an activity.
func (h *handler) entity(who domain.Actor, t domain.Entity) wire.Item {
	switch {
	case t.Block != nil:
		return h.block(h.at.Block(t.Block), func(blockSetter) {})
	case t.Channel != nil:
		return wire.Item{Value: h.channel(h.at.Channel(t.Channel))}
	case t.User != nil:
		return wire.Item{Value: h.user(who, h.at.User(t.User))}
	case t.Group != nil:
		return wire.Item{Value: h.group(who, h.at.Group(t.Group))}
	case t.Principal != nil:
		return embedded(h.at.Principal(t.Principal))
	case t.Comment != nil:
		return wire.Item{Value: h.comment(h.at.Comment(t.Comment))}
	}
	return wire.Item{}
}

func (h *handler) entities(who domain.Actor, all []domain.Entity) []wire.Item {
	items := make([]wire.Item, len(all))
	for i, t := range all {
		items[i] = h.entity(who, t)
	}
	return items
}
