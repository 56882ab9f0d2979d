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
		return blockChanged(e)
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
		c := changed(domain.ChangeUpdated, domain.SubjectComment, int64(e.Is.ID)).on(e.Is.BlockID)
		c.Block = e.Is.BlockID
		return c.values(value{"body", e.Was.Body.Markdown, e.Is.Body.Markdown})
	case domain.CommentDeleted:
		c := changed(domain.ChangeDeleted, domain.SubjectComment, int64(e.Comment.ID)).on(e.Comment.BlockID)
		c.Block = e.Comment.BlockID
		return c
	case domain.UserCreated:
		return changed(domain.ChangeCreated, domain.SubjectUser, int64(e.User))
	case domain.UserChanged:
		return changed(domain.ChangeUpdated, domain.SubjectUser, int64(e.User)).public().values(
			value{"name", e.Was.Name, e.Is.Name}, value{"bio", markdownOf(e.Was.Bio), markdownOf(e.Is.Bio)})
	case domain.UserDeleted:
		return changed(domain.ChangeDeleted, domain.SubjectUser, int64(e.User)).public()
	case domain.GroupCreated:
		return changed(domain.ChangeCreated, domain.SubjectGroup, int64(e.Group)).by(d.by)
	case domain.GroupChanged:
		return changed(domain.ChangeUpdated, domain.SubjectGroup, int64(e.Group)).public().values(value{"name", e.Was.Name, e.Is.Name},
			value{"slug", e.Was.Slug, e.Is.Slug}, value{"description", markdownOf(e.Was.Description), markdownOf(e.Is.Description)})
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
	was, is := e.Was.Owner.PrincipalRef, e.Is.Owner.PrincipalRef
	if was != is {
		c.Audience += " -" + domain.AudienceOf(was) + " +" + domain.AudienceOf(is)
		c.Fields = append(c.Fields, "owner")
	}
	c = c.values(value{"title", e.Was.Title, e.Is.Title}, value{"slug", e.Was.Slug, e.Is.Slug},
		value{"description", markdownOf(e.Was.Description), markdownOf(e.Is.Description)},
		value{"visibility", e.Was.Visibility, e.Is.Visibility}, value{"metadata", metadataOf(e.Was.Metadata), metadataOf(e.Is.Metadata)})
	if becamePrivate := e.Was.Visibility != domain.Private && e.Is.Visibility == domain.Private; becamePrivate || was != is {
		c.Detail = ""
	}
	return c
}

// blockChanged returns the change of a block. Its audience decides only who gets the values. Only a Text shows its content.
func blockChanged(e domain.BlockChanged) entry {
	c := changed(domain.ChangeUpdated, domain.SubjectBlock, int64(e.Block)).values(
		value{"type", e.Was.Type, e.Is.Type}, value{"state", e.Was.State, e.Is.State}, value{"title", e.Was.Title, e.Is.Title},
		value{"description", markdownOf(e.Was.Description), markdownOf(e.Is.Description)}, value{"alt_text", e.Was.AltText, e.Is.AltText},
		value{"metadata", metadataOf(e.Was.Metadata), metadataOf(e.Is.Metadata)})
	if e.Is.Type == domain.TextBlock && e.Was.Type == domain.TextBlock {
		c = c.values(value{"content", markdownOf(e.Was.Content), markdownOf(e.Is.Content)})
	}
	switch {
	case c.Detail == "":
	case e.Is.OpenCount > 0:
		return c.public()
	default:
		c.Block = e.Block
	}
	return c
}

// value is the value of a field before and after a change.
type value struct {
	field   string
	was, is any
}

// difference is a value in the detail of a change.
type difference struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// maxDetail limits the values of one field, in bytes of JSON. The changes list longer ones only by name.
const maxDetail = 4 << 10

// values adds the fields whose values differ.
func (c entry) values(all ...value) entry {
	for _, v := range all {
		if reflect.DeepEqual(v.was, v.is) {
			continue
		}
		c.Fields = append(c.Fields, v.field)
		if length(v.was)+length(v.is) > maxDetail {
			continue
		}
		text, err := json.Marshal(map[string]difference{v.field: {v.was, v.is}})
		switch {
		case err != nil || len(text) > maxDetail+len(v.field):
		case c.Detail == "":
			c.Detail = string(text)
		default: // both are objects without a common field
			c.Detail = c.Detail[:len(c.Detail)-1] + "," + string(text[1:])
		}
	}
	return c
}

// length returns the length of a text, so that a long one need not be encoded, and 0 for other values.
func length(v any) int {
	switch text := v.(type) {
	case string:
		return len(text)
	case *string:
		if text != nil {
			return len(*text)
		}
	}
	return 0
}

// markdownOf returns the Markdown of a text, or nil.
func markdownOf(t *domain.Text) *string {
	if t == nil {
		return nil
	}
	return &t.Markdown
}

// metadataOf returns metadata as the API shows it.
func metadataOf(m domain.Metadata) json.RawMessage {
	if m == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(m)
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
