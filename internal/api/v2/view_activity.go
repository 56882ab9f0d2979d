package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// action is a kind of activity in version 2: the verb, the word between item and target, and the class of a parent that
// is not shown.
type action struct{ done, connector, parent string }

var actions = map[domain.ActivityKind]action{
	domain.FollowedUser:       {done: "followed"},
	domain.FollowedChannel:    {done: "followed"},
	domain.FollowedGroup:      {done: "followed"},
	domain.AddedBlock:         {"added", "to", "Connection"},
	domain.AddedChannel:       {"added", "to", "Connection"},
	domain.CreatedChannel:     {done: "created"},
	domain.CollaboratingUser:  {"is collaborating with", "on", "Membership"},
	domain.CollaboratingGroup: {"is collaborating with", "on", "Membership"},
	domain.Commented:          {done: "commented on"},
	domain.Mentioned:          {done: "mentioned you"},
	domain.AddedToGroup:       {"added", "to", ""},
}

// any writes a thing of any kind for mixed lists, or null.
func (c *related) any(p jsonWriter, t domain.Entity) {
	switch {
	case t.Block != nil:
		c.block(p, t.Block, nil)
	case t.Channel != nil:
		c.listed(p, t.Channel, nil, nil)
	case t.User != nil:
		c.person(p, c.at.User(t.User), nil)
	case t.Group != nil:
		p.object(func() { groupFields(p, *t.Group) })
	case t.Principal != nil:
		c.embedded(p, *t.Principal)
	case t.Comment != nil:
		c.comment(p, *t.Comment, nil)
	default:
		p.e.Null()
	}
}

// subject returns the class and the id of a thing, or "" and 0.
func subject(t domain.Entity) (class string, id int64) {
	switch {
	case t.Block != nil:
		return "Block", int64(t.Block.ID)
	case t.Channel != nil:
		return "Channel", int64(t.Channel.ID)
	case t.User != nil:
		return "User", int64(t.User.ID)
	case t.Group != nil:
		return "Group", int64(t.Group.ID)
	case t.Principal != nil:
		return string(t.Principal.Type), t.Principal.ID
	case t.Comment != nil:
		return "Comment", int64(t.Comment.ID)
	}
	return "", 0
}

func (c *related) story(s domain.Story) {
	c.principal(s.Actor)
	c.entity(s.Item)
	c.entity(s.Target)
	c.entity(s.Parent)
}

// storyFields writes the fields of an activity.
func (c *related) storyFields(p jsonWriter, s domain.Story) {
	a := actions[s.Kind]
	if s.Kind == domain.Mentioned { // in a comment, on the block that version 3 calls its parent
		s.Target, s.Parent = s.Parent, domain.Entity{}
	}
	p.int("id", int64(s.ID))
	p.text("action", a.done)
	p.int("bulletin_id", int64(s.ID))
	p.orNull("connector", a.connector)
	p.time("created_at", s.CreatedAt)
	for _, part := range []struct {
		name  string
		thing domain.Entity
		class string // if there is no thing
	}{{"item", s.Item, ""}, {"target", s.Target, ""}, {"parent", s.Parent, a.parent}} {
		class, id := subject(part.thing)
		if class == "" {
			class = part.class
		}
		if id == 0 {
			p.null(part.name + "_id")
		} else {
			p.int(part.name+"_id", id)
		}
		p.orNull(part.name+"_type", class)
		p.field(part.name)
		c.any(p, part.thing)
	}
	p.field("user")
	c.embedded(p, s.Actor)
}

// comment writes a comment on a block, with its known mentions.
func (c *related) comment(p jsonWriter, of domain.Comment, mentions []collections.Mention) {
	p.object(func() {
		p.int("id", int64(of.ID))
		p.time("created_at", of.CreatedAt)
		p.time("updated_at", of.UpdatedAt)
		p.int("commentable_id", int64(of.BlockID))
		p.text("commentable_type", "Block")
		p.text("body", of.Body.Markdown)
		p.int("user_id", of.Author.ID)
		p.bool("deleted", false)
		p.list("entities", len(mentions), func(i int) {
			m := mentions[i]
			p.object(func() {
				p.text("type", "user")
				p.int("user_id", int64(m.User.ID))
				p.text("user_slug", m.User.Slug)
				p.text("user_name", m.User.Name)
				p.int("start", int64(m.Start))
				p.int("end", int64(m.End))
			})
		})
		p.text("base_class", "Comment")
		p.field("user")
		c.embedded(p, of.Author)
	})
}
