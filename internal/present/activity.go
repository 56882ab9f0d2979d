package present

import "vitrine/internal/domain"

// Comment is a view of a comment.
type Comment struct {
	*domain.Comment
	at *Addresses
}

// Comment returns a view of a comment.
func (a *Addresses) Comment(c *domain.Comment) Comment { return Comment{c, a} }

// Author returns a view of the comment's author.
func (c Comment) Author() Principal { return c.at.Principal(&c.Comment.Author) }

// Links returns the comment's relations. No address reads a single comment: self is the one that
// deletes it.
func (c Comment) Links() []Rel {
	return []Rel{{"self", apiPath("comments", int64(c.ID))}, {"user", apiPath("users", c.Comment.Author.ID)},
		{"block", apiPath("blocks", int64(c.BlockID))}}
}

// Entity is a view of an entry of a list of mixed kinds, with what all kinds have in common.
type Entity struct {
	domain.Entity
	at *Addresses
}

// Entity returns a view of an entry.
func (a *Addresses) Entity(t domain.Entity) Entity { return Entity{t, a} }

// Heading returns the name of the thing, "" if it has none.
func (t Entity) Heading() string {
	switch {
	case t.Block != nil:
		return t.at.Block(t.Block).Heading()
	case t.Channel != nil:
		return t.Channel.Title
	case t.User != nil:
		return t.User.Name
	case t.Group != nil:
		return t.Group.Name
	case t.Principal != nil:
		return t.Principal.Name
	case t.Comment != nil:
		return Excerpt(t.Comment.Body.Plain, headingLength)
	}
	return ""
}

// Path returns the path of the thing's page, or "" if it has no page. A comment is on the page of
// its block.
func (t Entity) Path() string {
	switch {
	case t.Block != nil:
		return blockPath(t.Block.ID)
	case t.Channel != nil:
		return t.at.Channel(t.Channel).Path()
	case t.User != nil:
		return userPath(t.User.Slug)
	case t.Group != nil:
		return groupPath(t.Group.Slug)
	case t.Principal != nil:
		return t.at.Principal(t.Principal).Path()
	case t.Comment != nil:
		return blockPath(t.Comment.BlockID)
	}
	return ""
}

// URL returns the address of that page, or "" if there is no page.
func (t Entity) URL() string {
	if path := t.Path(); path != "" {
		return t.at.Site + path
	}
	return ""
}

// Activity is a view of an activity.
type Activity struct {
	*domain.Story
	at *Addresses
}

// Activity returns a view of an activity.
func (a *Addresses) Activity(s *domain.Story) Activity { return Activity{s, a} }

// Actor returns a view of the actor.
func (a Activity) Actor() Principal { return a.at.Principal(&a.Story.Actor) }

// Item returns the item of the activity.
func (a Activity) Item() Entity { return a.at.Entity(a.Story.Item) }

// Target returns the target of the activity.
func (a Activity) Target() Entity { return a.at.Entity(a.Story.Target) }

// Action returns the words between the actor and the item; for a comment, between the actor and
// the target.
func (a Activity) Action() string {
	switch a.Kind {
	case domain.FollowedUser, domain.FollowedChannel, domain.FollowedGroup:
		return "followed"
	case domain.AddedBlock, domain.AddedChannel, domain.AddedToGroup:
		return "added"
	case domain.CreatedChannel:
		return "created"
	case domain.CollaboratingUser, domain.CollaboratingGroup:
		return "is collaborating with"
	case domain.Commented:
		return "commented on"
	case domain.Mentioned:
		return "mentioned you"
	}
	return ""
}

// Connector returns the word between item and target, or "" if the activity has no target.
func (a Activity) Connector() string {
	switch a.Kind {
	case domain.AddedBlock, domain.AddedChannel, domain.AddedToGroup:
		return "to"
	case domain.CollaboratingUser, domain.CollaboratingGroup:
		return "on"
	}
	return ""
}
