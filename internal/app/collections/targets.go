package collections

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Target is a channel to connect to. Position 0 means the top.
type Target struct {
	Channel  domain.Ref
	Position int64
	Metadata []byte // JSON object of the connection, or nil
}

// target is a Target with checked metadata.
type target struct {
	Target
	metadata domain.Metadata
}

// place is a locked channel that the actor may add to, with the actor's public profile.
type place struct {
	channel domain.Channel
	target  target
	by      domain.Principal
}

// checked checks everything that does not need the database.
func checked(in []Target) ([]target, error) {
	var f domain.Faults
	if !f.Count("channels", len(in), domain.MaxTargets) {
		return nil, f.Err()
	}
	out := make([]target, len(in))
	for i, t := range in {
		m, err := newMetadata("metadata", t.Metadata)
		if err = f.IncludeItem("channels", i, domain.JoinFaults(err, t.Validate())); err != nil {
			return nil, err
		}
		out[i] = target{t, m}
	}
	return out, f.Err()
}

// Validate checks everything except the metadata, which is checked when it is parsed.
func (t Target) Validate() error {
	if t.Position < 0 {
		return domain.InvalidField("position", domain.FieldOutOfRange, "must be at least 1")
	}
	return nil
}

// openTargets locks the channels, and item if it is not 0, and returns those that the actor may add to, each once. It
// returns NotFound if one is missing or hidden, or else Forbidden if the actor may not add to one, without taking or
// waiting for a lock.
func openTargets(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target, item domain.ChannelID) ([]place, error) {
	if len(targets) == 1 && item == 0 && actor.MayWrite() {
		p, err := openTarget(ctx, tx, actor, targets[0])
		if domain.KindOf(err) != domain.NotFound {
			return []place{p}, err
		}
	}
	places, err := findPlaces(ctx, tx, actor, targets)
	if err != nil {
		return nil, err
	}
	lock := make([]domain.ChannelID, len(places), len(places)+1)
	for i, p := range places {
		lock[i] = p.channel.ID
	}
	if item != 0 && !slices.Contains(lock, item) {
		if _, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(item)}); err != nil {
			return nil, err
		}
		lock = append(lock, item)
	}
	if err := tx.Channels().LockChannels(ctx, lock...); err != nil {
		return nil, err
	}
	by, err := tx.Principals().Principal(ctx, domain.UserRef(actor.UserID))
	if err != nil {
		return nil, err
	}
	for i := range places {
		places[i].by = by
		if !tx.Channels().Locks() {
			continue
		}
		// The channels may have changed before they were locked.
		if places[i].channel, err = tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(places[i].channel.ID)}); err != nil {
			return nil, err
		}
	}
	return places, mayAddTo(actor, places)
}

// openTarget locks the channel of a target. It returns NotFound unless the actor may add to it.
func openTarget(ctx context.Context, tx *store.Tx, actor domain.Actor, t target) (p place, err error) {
	p.target = t
	p.channel, p.by, err = tx.Channels().LockToAdd(ctx, actor.UserID, t.Channel)
	if err != nil {
		return p, err
	}
	return p, mayAddTo(actor, []place{p})
}

// findPlaces returns the unlocked places of the targets, each channel once.
func findPlaces(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target) (places []place, err error) {
	seen := map[domain.ChannelID]bool{}
	for _, t := range targets {
		if t.Channel.Slug == "" && seen[domain.ChannelID(t.Channel.ID)] {
			continue
		}
		c, err := tx.Channels().Channel(ctx, actor.UserID, t.Channel)
		if err != nil {
			return nil, err
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			places = append(places, place{channel: c, target: t})
		}
	}
	return places, mayAddTo(actor, places)
}

// mayAddTo refuses the first place that the actor may not add to.
func mayAddTo(actor domain.Actor, places []place) error {
	for _, p := range places {
		if !domain.CanAddTo(actor, p.channel) {
			return core.Forbidden("add to channel " + p.channel.Slug)
		}
	}
	return nil
}

// connect returns the connection of an item at the place.
func (p place) connect(item domain.ItemRef, now time.Time) store.NewConnection {
	return store.NewConnection{Channel: p.channel, Item: item, UserID: domain.UserID(p.by.ID),
		Position: p.target.Position, Metadata: p.target.metadata, Now: now}
}
