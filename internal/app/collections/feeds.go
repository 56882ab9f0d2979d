package collections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
	"vitrine/internal/words"
)

// checkAgainAfter is the time after a check in which nobody can request another one.
const checkAgainAfter = 5 * time.Minute

// SubscribedFeed is a feed of a channel with its subscriber.
type SubscribedFeed struct {
	domain.ChannelFeed
	By domain.Principal
}

// ChannelFeeds lists the feeds of a channel for the people who may edit it.
func (a *Collections) ChannelFeeds(ctx context.Context, actor domain.Actor, ref domain.Ref) (c domain.Channel, all []SubscribedFeed, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if c, err = v.Channels().Channel(ctx, actor.UserID, ref); err != nil {
			return err
		}
		if c.Role < domain.RoleCollaborator {
			return core.Forbidden("see the feeds of this channel")
		}
		feeds, err := v.Feeds().FeedsOf(ctx, c.ID)
		if err != nil {
			return err
		}
		refs := make([]domain.PrincipalRef, len(feeds))
		for i, f := range feeds {
			refs[i] = domain.UserRef(f.UserID)
		}
		by, err := v.Contents().PrincipalsByID(ctx, refs)
		all = make([]SubscribedFeed, len(feeds))
		for i, f := range feeds {
			all[i] = SubscribedFeed{f, by[refs[i]]}
		}
		return err
	})
	return c, all, err
}

// OwnFeed is a feed of the actor with its channel.
type OwnFeed struct {
	domain.ChannelFeed
	In domain.Channel // without an id if the actor may no longer see it
}

// OwnFeeds lists the feeds to which the actor subscribed channels.
func (a *Collections) OwnFeeds(ctx context.Context, actor domain.Actor) (all []OwnFeed, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		feeds, err := v.Feeds().FeedsBy(ctx, actor.UserID)
		if err != nil {
			return err
		}
		ids := make([]domain.ChannelID, len(feeds))
		for i, f := range feeds {
			ids[i] = f.Channel
		}
		channels, err := v.Channels().ChannelsByID(ctx, actor.UserID, ids)
		all = make([]OwnFeed, len(feeds))
		for i, f := range feeds {
			all[i].ChannelFeed = f
			if c := core.Found(channels, f.Channel); c != nil {
				all[i].In = *c
			}
		}
		return err
	})
	return all, err
}

// FeedInput is a feed, or a page that names one, to add to a channel.
type FeedInput struct {
	Address string
	Title   string // until the feed is read
}

// feedAddress checks an address of a feed and returns its canonical form without a fragment. The field is `url`.
func (a *Collections) feedAddress(ctx context.Context, address string) (string, error) {
	var f domain.Faults
	address = strings.TrimSpace(address)
	if rest, ok := strings.CutPrefix(address, "feed:"); ok { // some sites link to feeds like this
		address = "https:" + rest
		if strings.Contains(rest, "://") {
			address = rest
		}
	}
	if f.RequiredText("url", address, domain.MaxURL) {
		address = core.CheckURL(&f, "url", address, domain.MaxURL)
	}
	if err := f.Err(); err != nil {
		return "", err
	}
	if at, err := weburl.Parse(address); err == nil {
		at.Fragment, at.RawFragment = "", ""
		address = at.String()
	}
	if err := a.content.CheckReachable("url", address); err != nil {
		return "", err
	}
	return address, a.CheckSites(ctx, core.Link{Field: "url", Address: address})
}

// AddFeed subscribes a channel that the actor may edit to a feed. Its entries become blocks of the actor. The first check
// runs at once. Errors name `url` or `title`.
func (a *Collections) AddFeed(ctx context.Context, actor domain.Actor, ref domain.Ref, in FeedInput) (f SubscribedFeed, err error) {
	var faults domain.Faults
	faults.AnyText("title", &in.Title, domain.MaxTitle)
	address, err := a.feedAddress(ctx, in.Address)
	if err := domain.JoinFaults(faults.Err(), err); err != nil {
		return f, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := channelToFeed(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if f.ChannelFeed, err = a.addFeed(ctx, tx, actor, c, address, in.Title); err != nil {
			return err
		}
		f.By, err = tx.Principals().Principal(ctx, domain.UserRef(actor.UserID))
		return err
	})
	return f, err
}

// channelToFeed locks a channel to which the actor may add feeds. It also locks the number of the actor's feeds.
func channelToFeed(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	c, err := core.LockedChannel(ctx, tx, actor, ref)
	if err != nil {
		return c, err
	}
	if !domain.CanUpdate(actor, c) {
		return c, core.Forbidden("change the feeds of this channel")
	}
	return c, tx.Activity().LockSource(ctx, core.SourceOf(domain.UserRef(actor.UserID)))
}

// addFeed adds a feed to a locked channel, and enqueues its first check.
func (a *Collections) addFeed(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Channel, address, title string) (f domain.ChannelFeed, err error) {
	all, err := tx.Feeds().FeedsOf(ctx, c.ID)
	if err != nil {
		return f, err
	}
	own, err := tx.Feeds().CountFeedsBy(ctx, actor.UserID)
	switch {
	case err != nil:
		return f, err
	case len(all) >= domain.MaxChannelFeeds:
		return f, domain.InvalidField("url", domain.FieldTooMany, fmt.Sprintf("a channel can have at most %d feeds", domain.MaxChannelFeeds))
	case own >= domain.MaxOwnFeeds:
		return f, domain.InvalidField("url", domain.FieldTooMany, fmt.Sprintf("you can add at most %d feeds in all, including those of channels in Trash", domain.MaxOwnFeeds))
	}
	now := a.Now()
	f = domain.ChannelFeed{Channel: c.ID, UserID: actor.UserID, Address: address, Title: title, CreatedAt: now, NextAt: new(now.Add(feedLease))}
	if f.ID, err = tx.Feeds().AddFeed(ctx, f, words.Source(address)); err != nil {
		return f, err
	}
	if f.ID == 0 {
		return f, domain.InvalidField("url", domain.FieldTaken, "is already a feed of this channel")
	}
	return f, enqueueCheck(ctx, tx, f)
}

// enqueueCheck enqueues a check, unless one is waiting or running.
func enqueueCheck(ctx context.Context, tx *store.Tx, f domain.ChannelFeed) error {
	return tx.Enqueue(ctx, CheckFeed{f.ID}, jobs.Unique(), jobs.Attempts(1), jobs.For(int64(f.UserID)))
}

// RefusedFeed is a feed that was not added, and why.
type RefusedFeed struct {
	FeedInput
	Reason string
}

// AddFeeds adds several feeds to a channel and returns those that were not added.
func (a *Collections) AddFeeds(ctx context.Context, actor domain.Actor, ref domain.Ref, all []FeedInput) (added int, refused []RefusedFeed, err error) {
	for _, in := range all {
		_, err := a.AddFeed(ctx, actor, ref, in)
		known, ok := errors.AsType[*domain.Error](err)
		switch {
		case err == nil:
			added++
		case ok && known.Kind == domain.Invalid && len(known.Fields) > 0:
			refused = append(refused, RefusedFeed{in, known.Fields[0].Text})
		default:
			return added, refused, err
		}
	}
	return added, refused, nil
}

// changeFeed locks a channel that the actor may edit and one of its feeds.
func (a *Collections) changeFeed(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.ChannelFeedID, change func(tx *store.Tx, f domain.ChannelFeed) error) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := channelToFeed(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		f, err := tx.Feeds().LockFeed(ctx, id)
		if err == nil && f.Channel != c.ID {
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		return change(tx, f)
	})
}

// RemoveFeed ends the subscription of a channel to a feed. The blocks stay.
func (a *Collections) RemoveFeed(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.ChannelFeedID) error {
	return a.changeFeed(ctx, actor, ref, id, func(tx *store.Tx, f domain.ChannelFeed) error { return tx.Feeds().DeleteFeed(ctx, f.ID) })
}

// CheckFeedNow checks a feed at once, also one that is stopped. It returns TooMany if the last check is only minutes ago.
func (a *Collections) CheckFeedNow(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.ChannelFeedID) error {
	return a.changeFeed(ctx, actor, ref, id, func(tx *store.Tx, f domain.ChannelFeed) error {
		now := a.Now()
		if f.CheckedAt != nil {
			if wait := f.CheckedAt.Add(checkAgainAfter).Sub(now); wait > 0 {
				return domain.NewTooMany("This feed was checked a moment ago: try again in a few minutes", 1, checkAgainAfter, wait)
			}
		}
		f.NextAt = new(now.Add(feedLease))
		if err := tx.Feeds().SaveFeed(ctx, f); err != nil {
			return err
		}
		return enqueueCheck(ctx, tx, f)
	})
}
