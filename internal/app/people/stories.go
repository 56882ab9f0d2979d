package people

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// related contains everything that a page of activities shows. It is read with one statement per kind.
type related struct {
	comments   map[domain.CommentID]domain.Comment
	parents    map[domain.BlockID]domain.ChannelID
	blocks     map[domain.BlockID]*domain.Block
	channels   map[domain.ChannelID]domain.Channel
	principals map[domain.PrincipalRef]domain.Principal
}

// hydrate reads the things that activities refer to. The actor may see the activities.
func hydrate(ctx context.Context, v *store.Snapshot, actor domain.Actor, all []domain.Activity) ([]domain.Story, error) {
	r, err := load(ctx, v, actor, all)
	if err != nil {
		return nil, err
	}
	stories := make([]domain.Story, 0, len(all))
	for _, a := range all {
		s := domain.Story{Activity: a, Actor: r.principals[domain.UserRef(a.Actor)], Item: r.entity(a.Item), Target: r.entity(a.Target)}
		if s.Item == (domain.Entity{}) || a.Target.Type != "" && s.Target == (domain.Entity{}) { // skip activities whose things were deleted
			continue
		}
		switch a.Kind {
		case domain.Commented:
			if id, ok := r.parents[domain.BlockID(a.Target.ID)]; ok {
				s.Parent = r.entity(domain.Subject{Type: domain.SubjectChannel, ID: int64(id)})
			}
		case domain.Mentioned:
			s.Parent = r.entity(domain.Subject{Type: domain.SubjectBlock, ID: int64(s.Item.Comment.BlockID)})
		}
		stories = append(stories, s)
	}
	return stories, nil
}

// load reads the things that the activities refer to.
func load(ctx context.Context, v *store.Snapshot, actor domain.Actor, all []domain.Activity) (r related, err error) {
	var comments []domain.CommentID
	var commented, blocks []domain.BlockID
	var channels []domain.ChannelID
	var principals []domain.PrincipalRef
	for _, a := range all {
		principals = append(principals, domain.UserRef(a.Actor))
		if a.Kind == domain.Commented {
			commented = append(commented, domain.BlockID(a.Target.ID))
		}
		for _, s := range []domain.Subject{a.Item, a.Target} {
			switch s.Type {
			case domain.SubjectComment:
				comments = append(comments, domain.CommentID(s.ID))
			case domain.SubjectBlock:
				blocks = append(blocks, domain.BlockID(s.ID))
			case domain.SubjectChannel:
				channels = append(channels, domain.ChannelID(s.ID))
			case domain.SubjectUser, domain.SubjectGroup:
				principals = append(principals, principalOf(s))
			}
		}
	}
	if r.comments, err = v.Comments().CommentsByID(ctx, comments); err != nil {
		return r, err
	}
	for _, comment := range r.comments {
		blocks = append(blocks, comment.BlockID)
	}
	if r.parents, err = v.Contents().OldestChannels(ctx, actor.UserID, commented); err != nil {
		return r, err
	}
	for _, id := range r.parents {
		channels = append(channels, id)
	}
	if r.blocks, err = v.Blocks().BlocksByID(ctx, blocks); err != nil {
		return r, err
	}
	if r.channels, err = v.Channels().ChannelsByID(ctx, actor.UserID, channels); err != nil {
		return r, err
	}
	r.principals, err = v.Contents().PrincipalsByID(ctx, principals)
	return r, err
}

func principalOf(s domain.Subject) domain.PrincipalRef {
	return domain.PrincipalRef{Type: domain.PrincipalType(s.Type), ID: s.ID}
}

// entity returns a subject.
func (r related) entity(s domain.Subject) (t domain.Entity) {
	switch s.Type {
	case domain.SubjectComment:
		t.Comment = core.Found(r.comments, domain.CommentID(s.ID))
	case domain.SubjectBlock:
		t.Block = r.blocks[domain.BlockID(s.ID)]
	case domain.SubjectChannel:
		t.Channel = core.Found(r.channels, domain.ChannelID(s.ID))
	case domain.SubjectUser, domain.SubjectGroup:
		t.Principal = core.Found(r.principals, principalOf(s))
	}
	return t
}
