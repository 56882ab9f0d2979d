package core

import (
	"context"
	"encoding/json"
	"reflect"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/changes"
)

// recordChanges records what clients that follow the changes must know (docs/design/changes.md).
func recordChanges(_ context.Context, tx *store.Tx, d done, events []domain.Event) error {
	var left []domain.ChannelID // of the blocks that are deleted by the same events
	for _, event := range events {
		if e, ok := event.(domain.Disconnected); ok {
			left = append(left, e.Connection.ChannelID)
		}
	}
	all := make([]changes.Entry, 0, len(events))
	for _, event := range events {
		if e := d.change(event, left); e.Kind != "" {
			e.CreatedAt = d.at
			all = append(all, e.Entry)
		}
	}
	tx.RecordChanges(all...)
	return nil
}

// change returns the change of an event. The actor is recorded only where others see it.
func (d done) change(event domain.Event, left []domain.ChannelID) entry {
	switch e := event.(type) {
	case domain.ChannelCreated:
		return changed(domain.ChangeCreated, domain.SubjectChannel, int64(e.Channel.ID)).by(d.by)
	case domain.ChannelRestored:
		return changed(domain.ChangeCreated, domain.SubjectChannel, int64(e.Channel.ID))
	case domain.ChannelChanged:
		return channelChanged(e)
	case domain.ChannelDeleted:
		return changed(domain.ChangeDeleted, domain.SubjectChannel, int64(e.Channel.ID)).seenBy(e.Channel)
	case domain.CollaboratorAdded:
		c := changed(domain.ChangeUpdated, domain.SubjectChannel, int64(e.Channel.ID)).seenBy(e.Channel)
		c.Audience += " +" + domain.AudienceOf(e.Who)
		c.Fields = []string{"collaborators"}
		return c
	case domain.CollaboratorRemoved:
		c := changed(domain.ChangeUpdated, domain.SubjectChannel, int64(e.Channel.ID)).seenBy(e.Channel)
		c.Audience += " -" + domain.AudienceOf(e.Who)
		c.Fields = []string{"collaborators"}
		return c
	case domain.ContentsArranged:
		return changed(domain.ChangeMoved, domain.SubjectChannel, int64(e.Channel.ID)).seenBy(e.Channel)
	case domain.Connected:
		return changed(domain.ChangeConnected, domain.SubjectConnection, 0).between(e.Channel.ID, e.Item).by(d.by)
	case domain.Disconnected:
		c := changed(domain.ChangeDisconnected, domain.SubjectConnection, int64(e.Connection.ID)).between(e.Connection.ChannelID, e.Connection.Item)
		c.Channels = []domain.ChannelID{e.Connection.ChannelID}
		return c
	case domain.ConnectionChanged:
		kind := domain.ChangeUpdated
		if e.Moved {
			kind = domain.ChangeMoved
		}
		return changed(kind, domain.SubjectConnection, int64(e.Connection.ID)).between(e.Connection.ChannelID, e.Connection.Item)
	case domain.BlockCreated:
		return changed(domain.ChangeCreated, domain.SubjectBlock, int64(e.Block.ID)).by(domain.UserID(e.Block.Author.ID))
	case domain.BlockChanged:
		return changed(domain.ChangeUpdated, domain.SubjectBlock, int64(e.Block))
	case domain.BlockRestored:
		return changed(domain.ChangeCreated, domain.SubjectBlock, int64(e.Block))
	case domain.BlockDeleted:
		c := changed(domain.ChangeDeleted, domain.SubjectBlock, int64(e.Block))
		c.Audience, c.Channels = domain.AudienceOf(domain.UserRef(e.Author)), left
		return c
	}
	return d.changeOfPeople(event)
}

// changeOfPeople returns the change of an event about users, groups, follows or comments.
func (d done) changeOfPeople(event domain.Event) entry {
	switch e := event.(type) {
	case domain.CommentCreated:
		return changed(domain.ChangeCreated, domain.SubjectComment, int64(e.Comment)).on(e.Block.ID).by(d.by)
	case domain.CommentChanged:
		return changed(domain.ChangeUpdated, domain.SubjectComment, int64(e.Comment.ID)).on(e.Comment.BlockID)
	case domain.CommentDeleted:
		c := changed(domain.ChangeDeleted, domain.SubjectComment, int64(e.Comment.ID)).on(e.Comment.BlockID)
		c.Block = e.Comment.BlockID
		return c
	case domain.UserCreated:
		return changed(domain.ChangeCreated, domain.SubjectUser, int64(e.User))
	case domain.UserChanged:
		return changed(domain.ChangeUpdated, domain.SubjectUser, int64(e.User))
	case domain.UserDeleted:
		return changed(domain.ChangeDeleted, domain.SubjectUser, int64(e.User)).public()
	case domain.GroupCreated:
		return changed(domain.ChangeCreated, domain.SubjectGroup, int64(e.Group)).by(d.by)
	case domain.GroupChanged:
		return changed(domain.ChangeUpdated, domain.SubjectGroup, int64(e.Group))
	case domain.GroupDeleted:
		return changed(domain.ChangeDeleted, domain.SubjectGroup, int64(e.Group)).public()
	case domain.MemberAdded:
		return changed(domain.ChangeJoined, domain.SubjectGroup, int64(e.Group)).member(e.Group, e.User)
	case domain.MemberRemoved:
		return changed(domain.ChangeLeft, domain.SubjectGroup, int64(e.Group)).member(e.Group, e.User)
	case domain.Followed:
		return changed(domain.ChangeFollowed, e.What.Type, e.What.ID).by(d.by)
	case domain.Unfollowed:
		return changed(domain.ChangeUnfollowed, e.What.Type, e.What.ID).by(d.by)
	}
	return entry{}
}

// channelChanged returns the change of a channel, whose audience is that of its former state.
func channelChanged(e domain.ChannelChanged) entry {
	c := changed(domain.ChangeUpdated, domain.SubjectChannel, int64(e.Is.ID)).seenBy(e.Was)
	if was, is := e.Was.Owner.PrincipalRef, e.Is.Owner.PrincipalRef; was != is {
		c.Audience += " -" + domain.AudienceOf(was) + " +" + domain.AudienceOf(is)
		c.Fields = append(c.Fields, "owner")
	}
	detail := map[string]difference{}
	for _, field := range []struct {
		name    string
		was, is any
	}{{"title", e.Was.Title, e.Is.Title}, {"slug", e.Was.Slug, e.Is.Slug}, {"description", markdownOf(e.Was.Description), markdownOf(e.Is.Description)},
		{"visibility", e.Was.Visibility, e.Is.Visibility}, {"metadata", e.Was.Metadata, e.Is.Metadata}} {
		if !reflect.DeepEqual(field.was, field.is) {
			c.Fields = append(c.Fields, field.name)
			detail[field.name] = difference{field.was, field.is}
		}
	}
	if becamePrivate := e.Was.Visibility != domain.Private && e.Is.Visibility == domain.Private; !becamePrivate && e.Was.Owner.PrincipalRef == e.Is.Owner.PrincipalRef {
		c.Detail = detailOf(detail)
	}
	return c
}

// difference is the value of a field before and after a change.
type difference struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// maxDetail limits the values of one field, in bytes of JSON. The changes list longer ones only by name.
const maxDetail = 4 << 10

// detailOf returns the values of changed fields as JSON, or "" if there are none.
func detailOf(fields map[string]difference) string {
	known := map[string]json.RawMessage{}
	for name, d := range fields {
		if text, err := json.Marshal(d); err == nil && len(text) <= maxDetail {
			known[name] = text
		}
	}
	if len(known) == 0 {
		return ""
	}
	text, _ := json.Marshal(known) // valid JSON can always be encoded
	return string(text)
}

// markdownOf returns the Markdown of a text, or nil.
func markdownOf(t *domain.Text) *string {
	if t == nil {
		return nil
	}
	return &t.Markdown
}

// entry is a change that is being built.
type entry struct{ changes.Entry }

func changed(kind domain.ChangeKind, what domain.SubjectType, id int64) entry {
	return entry{changes.Entry{Change: domain.Change{Kind: kind, Type: what, ID: id}}}
}

// by records the actor.
func (c entry) by(actor domain.UserID) entry {
	c.Actor = actor
	return c
}

// between records the two sides of a connection.
func (c entry) between(channel domain.ChannelID, item domain.ItemRef) entry {
	c.Channel, c.Item = channel, domain.Subject{Type: domain.SubjectType(item.Type), ID: item.ID}
	return c
}

// on records the block of a comment.
func (c entry) on(block domain.BlockID) entry {
	c.Item = domain.Subject{Type: domain.SubjectBlock, ID: int64(block)}
	return c
}

// public records that everyone saw the thing.
func (c entry) public() entry {
	c.Audience = domain.Everyone
	return c
}

// member records who joined or left a group, which its members and they themselves see.
func (c entry) member(group domain.GroupID, user domain.UserID) entry {
	c.Item = SourceOf(domain.UserRef(user))
	c.Audience = domain.AudienceOf(domain.GroupRef(group)) + " " + domain.AudienceOf(domain.UserRef(user))
	return c
}

// seenBy records who saw a channel in a state.
func (c entry) seenBy(was domain.Channel) entry {
	if was.Visibility != domain.Private {
		return c.public()
	}
	c.Members = was.ID
	return c
}
