package core

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// subscribers handle events in their transaction, in this order. The search index is not among them: the store updates
// it with its own writes.
var subscribers = []func(ctx context.Context, tx *store.Tx, by done, events []domain.Event) error{recordActivities, auditMembers, recordChanges}

// done contains the actor and the time of an action.
type done struct {
	by domain.UserID
	at time.Time
}

// Publish publishes the events of a use case. Call it once, at the end of the transaction, because subscribers take
// locks that come after all others.
func Publish(ctx context.Context, tx *store.Tx, actor domain.UserID, at time.Time, events ...domain.Event) error {
	for _, subscriber := range subscribers {
		if err := subscriber(ctx, tx, done{actor, at}, events); err != nil {
			return err
		}
	}
	return nil
}

// recordActivities writes the activities of events and who is notified (behaviour.md section 7).
func recordActivities(ctx context.Context, tx *store.Tx, d done, events []domain.Event) error {
	var all []domain.News
	for _, event := range events {
		news, err := d.news(ctx, tx, event)
		if err != nil {
			return err
		}
		all = append(all, news...)
	}
	return tx.Activity().RecordAll(ctx, all...)
}

// news returns the activities of an event with their recipients.
func (d done) news(ctx context.Context, tx *store.Tx, event domain.Event) ([]domain.News, error) {
	switch e := event.(type) {
	case domain.ChannelCreated:
		if e.Brought {
			return nil, nil
		}
		return d.channelCreated(e), nil
	case domain.Connected:
		if e.Again || e.Brought {
			return nil, nil
		}
		return one(d.connected(ctx, tx, e))
	case domain.CollaboratorAdded:
		return one(d.collaboratorAdded(ctx, tx, e))
	case domain.MemberAdded:
		return one(d.memberAdded(e), nil)
	case domain.Followed:
		return one(d.followed(ctx, tx, e.What))
	case domain.CommentCreated:
		if e.Brought {
			return nil, nil
		}
		return d.commented(ctx, tx, e)
	}
	return nil, nil
}

func one(n domain.News, err error) ([]domain.News, error) { return []domain.News{n}, err }

// maxNotified limits the notified members of one group, and the notified earlier commenters on a block.
const maxNotified = 500

// SourceOf returns a user or group as a source of activities.
func SourceOf(p domain.PrincipalRef) domain.Subject {
	return domain.Subject{Type: domain.SubjectType(p.Type), ID: p.ID}
}

func channelSubject(id domain.ChannelID) domain.Subject {
	return domain.Subject{Type: domain.SubjectChannel, ID: int64(id)}
}

// inChannel returns an activity in a channel and in the group that owns it.
func (d done) inChannel(kind domain.ActivityKind, c domain.Channel) domain.Activity {
	a := domain.Activity{Kind: kind, Actor: d.by, Channel: c.ID, CreatedAt: d.at}
	if c.Owner.Type == domain.TypeGroup {
		a.Group = domain.GroupID(c.Owner.ID)
	}
	return a
}

// people returns a user, or the members of a group.
func people(ctx context.Context, tx *store.Tx, p domain.PrincipalRef) ([]domain.UserID, error) {
	if p.Type == domain.TypeUser {
		return []domain.UserID{domain.UserID(p.ID)}, nil
	}
	return tx.Membership().EldestMembers(ctx, domain.GroupID(p.ID), maxNotified)
}

// connected notifies the owners of the channel and of the item, if they see both, unless the event is quiet.
func (d done) connected(ctx context.Context, tx *store.Tx, e domain.Connected) (n domain.News, err error) {
	n.Activity = d.inChannel(domain.AddedBlock, e.Channel)
	n.Item, n.Target = domain.Subject{Type: domain.SubjectBlock, ID: e.Item.ID}, channelSubject(e.Channel.ID)
	if e.Item.Type == domain.ItemChannel {
		n.Kind, n.Item = domain.AddedChannel, channelSubject(domain.ChannelID(e.Item.ID))
	}
	if e.Quiet {
		return n, nil
	}
	owners, err := people(ctx, tx, e.Channel.Owner.PrincipalRef)
	if err != nil {
		return n, err
	}
	authors, err := people(ctx, tx, e.Owner)
	if err != nil {
		return n, err
	}
	n.Notify = slices.DeleteFunc(append(owners, authors...), func(u domain.UserID) bool { return u == d.by })
	if e.Channel.Visibility == domain.Private && len(n.Notify) > 0 {
		if n.Notify, err = tx.Contents().WhoSeesChannel(ctx, e.Channel.ID, n.Notify); err != nil {
			return n, err
		}
	}
	if e.ItemPrivate && len(n.Notify) > 0 {
		n.Notify, err = tx.Contents().WhoSeesChannel(ctx, domain.ChannelID(e.Item.ID), n.Notify)
	}
	return n, err
}

// channelCreated announces a new channel, unless it is private.
func (d done) channelCreated(e domain.ChannelCreated) []domain.News {
	if e.Channel.Visibility == domain.Private {
		return nil
	}
	n := domain.News{Activity: d.inChannel(domain.CreatedChannel, e.Channel)}
	n.Item = channelSubject(e.Channel.ID)
	return []domain.News{n}
}

// collaboratorAdded notifies the collaborator.
func (d done) collaboratorAdded(ctx context.Context, tx *store.Tx, e domain.CollaboratorAdded) (n domain.News, err error) {
	n.Activity = d.inChannel(domain.CollaboratingUser, e.Channel)
	n.Item, n.Target = SourceOf(e.Who), channelSubject(e.Channel.ID)
	if e.Who.Type == domain.TypeGroup {
		n.Kind = domain.CollaboratingGroup
	}
	n.Notify, err = people(ctx, tx, e.Who)
	return n, err
}

// memberAdded notifies the member if somebody else added them.
func (d done) memberAdded(e domain.MemberAdded) domain.News {
	return domain.News{Notify: []domain.UserID{e.User}, Activity: domain.Activity{
		Kind: domain.AddedToGroup, Actor: d.by, Group: e.Group, CreatedAt: d.at,
		Item: SourceOf(domain.UserRef(e.User)), Target: SourceOf(domain.GroupRef(e.Group))}}
}

// followed notifies the user, or the channel's owner.
func (d done) followed(ctx context.Context, tx *store.Tx, what domain.Subject) (n domain.News, err error) {
	n.Activity = domain.Activity{Kind: domain.FollowedUser, Actor: d.by, Item: what, CreatedAt: d.at}
	switch what.Type {
	case domain.SubjectUser:
		n.Notify = []domain.UserID{domain.UserID(what.ID)}
	case domain.SubjectGroup:
		n.Kind = domain.FollowedGroup
	default:
		n.Kind = domain.FollowedChannel
		c, err := tx.Channels().Channel(ctx, d.by, domain.Ref{ID: what.ID})
		if err != nil {
			return n, err
		}
		if n.Notify, err = people(ctx, tx, c.Owner.PrincipalRef); err != nil {
			return n, err
		}
	}
	return n, nil
}

// commented notifies the block's author and earlier commenters of a comment, and the mentioned users of the mention. All
// of them see the block.
func (d done) commented(ctx context.Context, tx *store.Tx, e domain.CommentCreated) ([]domain.News, error) {
	before, err := tx.Comments().LatestCommenters(ctx, e.Block.ID, maxNotified)
	if err != nil {
		return nil, err
	}
	notify := append(before, domain.UserID(e.Block.Author.ID))
	if e.Block.OpenCount == 0 {
		if notify, err = tx.Contents().WhoSeesBlock(ctx, e.Block.ID, notify); err != nil {
			return nil, err
		}
	}
	mentioned, err := tx.Contents().WhoSeesBlock(ctx, e.Block.ID, e.Mentioned)
	if err != nil {
		return nil, err
	}
	comment := domain.Subject{Type: domain.SubjectComment, ID: int64(e.Comment)}
	news := []domain.News{{Notify: notify, Activity: domain.Activity{Kind: domain.Commented, Actor: d.by,
		Item: comment, Target: domain.Subject{Type: domain.SubjectBlock, ID: int64(e.Block.ID)}, CreatedAt: d.at}}}
	for _, u := range mentioned {
		if u == d.by {
			continue
		}
		news = append(news, domain.News{Notify: []domain.UserID{u}, Activity: domain.Activity{Kind: domain.Mentioned,
			Actor: d.by, Item: comment, Target: SourceOf(domain.UserRef(u)), CreatedAt: d.at}})
	}
	return news, nil
}
