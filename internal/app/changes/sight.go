package changes

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/changes"
)

// things are the ids of the things in some changes.
type things struct {
	channels []domain.ChannelID
	blocks   []domain.BlockID
	comments []domain.CommentID
	joins    []domain.ConnectionID
}

func thingsOf(rows []domain.Change) (t things) {
	for i := range rows {
		c := &rows[i]
		t.add(domain.Subject{Type: c.Type, ID: c.ID})
		if c.Channel != 0 {
			t.channels = append(t.channels, c.Channel)
		}
		if c.Type == domain.SubjectComment || c.Item.Type == domain.SubjectChannel {
			t.add(c.Item)
		}
	}
	return things{unique(t.channels), unique(t.blocks), unique(t.comments), unique(t.joins)}
}

func (t *things) add(what domain.Subject) {
	switch what.Type {
	case domain.SubjectChannel:
		t.channels = append(t.channels, domain.ChannelID(what.ID))
	case domain.SubjectBlock:
		t.blocks = append(t.blocks, domain.BlockID(what.ID))
	case domain.SubjectComment:
		t.comments = append(t.comments, domain.CommentID(what.ID))
	case domain.SubjectConnection:
		t.joins = append(t.joins, domain.ConnectionID(what.ID))
	}
}

func unique[T cmp.Ordered](all []T) []T {
	slices.Sort(all)
	return slices.Compact(all)
}

// sight is what a viewer may see now, of the things in some changes.
type sight struct {
	viewer   domain.UserID
	channel  domain.ChannelID // only changes that concern it, if it is not 0
	groups   map[domain.GroupID]time.Time
	channels map[domain.ChannelID]bool
	blocks   map[domain.BlockID]bool
	comments map[domain.CommentID]bool    // that exist
	joins    map[domain.ConnectionID]bool // that exist
	inside   map[domain.BlockID]bool      // the blocks in the channel
}

// lookAt returns what a viewer may see of some changes. The number of statements does not depend on the number of
// changes.
func lookAt(ctx context.Context, r changes.Reads, viewer domain.UserID, channel domain.ChannelID, rows []domain.Change) (s sight, err error) {
	t := thingsOf(rows)
	if s, err = exists(ctx, r, t); err != nil {
		return s, err
	}
	if s.channels, s.blocks, err = visible(ctx, r, viewer, t); err != nil {
		return s, err
	}
	return s.of(ctx, r, viewer, channel, t)
}

// Visible returns the changes that concern a viewer, and a channel unless it is 0. Only those who saw a thing before a change
// get the values of its fields.
func Visible(ctx context.Context, r changes.Reads, viewer domain.UserID, channel domain.ChannelID, rows []domain.Change) (shown []domain.Change, err error) {
	seen, err := lookAt(ctx, r, viewer, channel, rows)
	if err != nil {
		return nil, err
	}
	for _, c := range rows {
		kind := seen.kind(&c)
		if kind == "" {
			continue
		}
		if !seen.before(&c) {
			c.Detail = ""
		}
		c.Kind = kind
		shown = append(shown, c)
	}
	return shown, nil
}

// exists returns what is the same for all viewers.
func exists(ctx context.Context, r changes.Reads, t things) (s sight, err error) {
	if s.comments, err = r.Comments(ctx, t.comments); err != nil {
		return s, err
	}
	s.joins, err = r.Connections(ctx, t.joins)
	return s, err
}

// visible returns the channels and blocks that a viewer may see.
func visible(ctx context.Context, r changes.Reads, viewer domain.UserID, t things) (channels map[domain.ChannelID]bool, blocks map[domain.BlockID]bool, err error) {
	if channels, err = r.VisibleChannels(ctx, viewer, t.channels); err != nil {
		return nil, nil, err
	}
	blocks, err = r.VisibleBlocks(ctx, viewer, t.blocks)
	return channels, blocks, err
}

// of completes the sight for a viewer and a channel, which may be 0.
func (s sight) of(ctx context.Context, r changes.Reads, viewer domain.UserID, channel domain.ChannelID, t things) (_ sight, err error) {
	s.viewer, s.channel = viewer, channel
	if s.groups, err = r.Groups(ctx, viewer); err == nil && channel != 0 {
		s.inside, err = r.BlocksIn(ctx, channel, t.blocks)
	}
	return s, err
}

// kind returns the kind of a change for the viewer, "" if it does not concern them.
func (s *sight) kind(c *domain.Change) domain.ChangeKind {
	if s.channel != 0 && !s.concerns(c) {
		return ""
	}
	return c.For(s.before(c), s.sees(c))
}

// before reports whether the viewer saw the thing of a change before it.
func (s *sight) before(c *domain.Change) bool {
	return c.Audience.Includes(s.viewer, s.groups, c.CreatedAt) && s.item(c)
}

// sees reports whether the viewer can see the thing of a change now.
func (s *sight) sees(c *domain.Change) bool {
	switch c.Type {
	case domain.SubjectChannel:
		return s.channels[domain.ChannelID(c.ID)]
	case domain.SubjectBlock:
		return s.blocks[domain.BlockID(c.ID)]
	case domain.SubjectConnection:
		return s.joins[domain.ConnectionID(c.ID)] && s.channels[c.Channel] && s.item(c)
	case domain.SubjectComment:
		return s.comments[domain.CommentID(c.ID)] && s.blocks[domain.BlockID(c.Item.ID)]
	case domain.SubjectGroup:
		if c.Kind == domain.ChangeJoined || c.Kind == domain.ChangeLeft {
			return c.Audience.Includes(s.viewer, s.groups, c.CreatedAt)
		}
	}
	return true // users and groups are public
}

// item reports whether the viewer may learn which item a connection contains. Viewers who cannot see a channel got
// its deletion, or never knew it.
func (s *sight) item(c *domain.Change) bool {
	return c.Item.Type != domain.SubjectChannel || s.channels[domain.ChannelID(c.Item.ID)]
}

// concerns reports whether a change is about the channel or its contents, or may end that the viewer sees them: comments
// end with the account of their author, and rights with a membership or a group.
func (s *sight) concerns(c *domain.Change) bool {
	switch c.Type {
	case domain.SubjectChannel:
		return c.ID == int64(s.channel)
	case domain.SubjectConnection:
		return c.Channel == s.channel || c.Item == domain.Subject{Type: domain.SubjectChannel, ID: int64(s.channel)}
	case domain.SubjectBlock:
		return s.inside[domain.BlockID(c.ID)]
	case domain.SubjectComment:
		return s.inside[domain.BlockID(c.Item.ID)]
	case domain.SubjectUser:
		return c.Kind == domain.ChangeDeleted
	case domain.SubjectGroup:
		return c.Kind == domain.ChangeDeleted || c.Item == domain.Subject{Type: domain.SubjectUser, ID: int64(s.viewer)}
	}
	return false
}
