package app

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// maxNotified bounds how many are notified as members of one group, or as those who
// commented on a block before.
const maxNotified = 500

// The functions below say what an action is told as and to whom (behaviour.md section 7). A
// use case gives what they return to RecordAll, once, at the end of its transaction.

func sourceOf(p domain.PrincipalRef) domain.Subject {
	return domain.Subject{Type: domain.SubjectType(p.Type), ID: p.ID}
}

func channelSubject(id domain.ChannelID) domain.Subject {
	return domain.Subject{Type: domain.SubjectChannel, ID: int64(id)}
}

// inChannel is an activity in a channel, and in the group that owns it.
func inChannel(kind domain.ActivityKind, actor domain.Actor, c domain.Channel, now time.Time) domain.Activity {
	a := domain.Activity{Kind: kind, Actor: actor.UserID, Channel: c.ID, CreatedAt: now}
	if c.Owner.Type == domain.TypeGroup {
		a.Group = domain.GroupID(c.Owner.ID)
	}
	return a
}

// people are a user, or the members of a group.
func people(ctx context.Context, tx *store.Tx, p domain.PrincipalRef) ([]domain.UserID, error) {
	if p.Type == domain.TypeUser {
		return []domain.UserID{domain.UserID(p.ID)}, nil
	}
	return tx.EldestMembers(ctx, domain.GroupID(p.ID), maxNotified)
}

// newsOfConnection tells of a new connection, to the owners of the channel and of the
// item, as far as they see both.
func newsOfConnection(ctx context.Context, tx *store.Tx, actor domain.Actor, in domain.Channel, item opened, now time.Time) (n domain.News, err error) {
	n.Activity = inChannel(domain.AddedBlock, actor, in, now)
	n.Item, n.Target = domain.Subject{Type: domain.SubjectBlock, ID: item.ref.ID}, channelSubject(in.ID)
	if item.ref.Type == domain.ItemChannel {
		n.Kind, n.Item = domain.AddedChannel, channelSubject(domain.ChannelID(item.ref.ID))
	}
	owners, err := people(ctx, tx, in.Owner.PrincipalRef)
	if err != nil {
		return n, err
	}
	authors, err := people(ctx, tx, item.owner)
	if err != nil {
		return n, err
	}
	n.Notify = append(owners, authors...)
	if in.Visibility == domain.Private {
		if n.Notify, err = tx.WhoSeesChannel(ctx, in.ID, n.Notify); err != nil {
			return n, err
		}
	}
	if item.private {
		n.Notify, err = tx.WhoSeesChannel(ctx, domain.ChannelID(item.ref.ID), n.Notify)
	}
	return n, err
}

// newsOfChannel tells of a new channel, unless it is private.
func newsOfChannel(actor domain.Actor, c domain.Channel, now time.Time) []domain.News {
	if c.Visibility == domain.Private {
		return nil
	}
	n := domain.News{Activity: inChannel(domain.CreatedChannel, actor, c, now)}
	n.Item = channelSubject(c.ID)
	return []domain.News{n}
}

// newsOfCollaborator tells of a new collaborator, to them.
func newsOfCollaborator(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Channel, who domain.PrincipalRef, now time.Time) (n domain.News, err error) {
	n.Activity = inChannel(domain.CollaboratingUser, actor, c, now)
	n.Item, n.Target = sourceOf(who), channelSubject(c.ID)
	if who.Type == domain.TypeGroup {
		n.Kind = domain.CollaboratingGroup
	}
	n.Notify, err = people(ctx, tx, who)
	return n, err
}

// newsOfMember tells that a user has joined a group, to them when another added them.
func newsOfMember(by domain.UserID, group domain.GroupID, user domain.UserID, now time.Time) domain.News {
	return domain.News{Notify: []domain.UserID{user}, Activity: domain.Activity{
		Kind: domain.AddedToGroup, Actor: by, Group: group, CreatedAt: now,
		Item: sourceOf(domain.UserRef(user)), Target: sourceOf(domain.GroupRef(group))}}
}

// newsOfFollow tells that the actor follows a user, group or channel: to the user, or to
// the channel's owner.
func newsOfFollow(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (n domain.News, err error) {
	n.Activity = domain.Activity{Kind: domain.FollowedUser, Actor: actor.UserID, Item: what, CreatedAt: now}
	switch what.Type {
	case domain.SubjectUser:
		n.Notify = []domain.UserID{domain.UserID(what.ID)}
	case domain.SubjectGroup:
		n.Kind = domain.FollowedGroup
	default:
		n.Kind = domain.FollowedChannel
		c, err := tx.Channel(ctx, actor.UserID, domain.Ref{ID: what.ID})
		if err != nil {
			return n, err
		}
		if n.Notify, err = people(ctx, tx, c.Owner.PrincipalRef); err != nil {
			return n, err
		}
	}
	return n, nil
}

// newsOfComment tells of a comment, to the block's author and those who commented before,
// and of each mention, to the mentioned. They all see the block.
func newsOfComment(ctx context.Context, tx *store.Tx, actor domain.Actor, b domain.Block, c domain.CommentID, mentioned []domain.UserID, now time.Time) ([]domain.News, error) {
	before, err := tx.LatestCommenters(ctx, b.ID, maxNotified)
	if err != nil {
		return nil, err
	}
	notify := append(before, domain.UserID(b.Author.ID))
	if b.OpenCount == 0 {
		if notify, err = tx.WhoSeesBlock(ctx, b.ID, notify); err != nil {
			return nil, err
		}
	}
	if mentioned, err = tx.WhoSeesBlock(ctx, b.ID, mentioned); err != nil {
		return nil, err
	}
	comment := domain.Subject{Type: domain.SubjectComment, ID: int64(c)}
	news := []domain.News{{Notify: notify, Activity: domain.Activity{Kind: domain.Commented, Actor: actor.UserID,
		Item: comment, Target: domain.Subject{Type: domain.SubjectBlock, ID: int64(b.ID)}, CreatedAt: now}}}
	for _, u := range mentioned {
		if u == actor.UserID {
			continue
		}
		news = append(news, domain.News{Notify: []domain.UserID{u}, Activity: domain.Activity{Kind: domain.Mentioned,
			Actor: actor.UserID, Item: comment, Target: sourceOf(domain.UserRef(u)), CreatedAt: now}})
	}
	return news, nil
}
