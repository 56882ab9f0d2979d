package app

import (
	"context"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Target is a channel to connect to. Position 0 means the top.
type Target struct {
	Channel  domain.Ref
	Position int64
	Metadata []byte // JSON object of the connection, or nil
}

// target is a Target whose metadata has been checked.
type target struct {
	Target
	metadata domain.Metadata
}

// place is a locked channel that the actor may add to.
type place struct {
	channel domain.Channel
	target  target
}

// checked checks what does not need the database.
func checked(in []Target) ([]target, error) {
	if len(in) == 0 || len(in) > domain.MaxTargets {
		return nil, domain.NewInvalid("channels: must be 1 to " + strconv.Itoa(domain.MaxTargets))
	}
	out := make([]target, len(in))
	for i, t := range in {
		m, err := newMetadata("channels["+strconv.Itoa(i)+"].metadata", t.Metadata)
		if err != nil {
			return nil, err
		}
		out[i] = target{t, m}
	}
	return out, nil
}

// openTargets locks the channels, and item if it is not 0, and gives those that the
// actor may add to, each once. One that is missing or hidden is NotFound, else one
// that the actor may not add to is Forbidden.
func openTargets(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target, item domain.ChannelID) ([]place, error) {
	ids := make([]domain.ChannelID, 0, len(targets)+1)
	var first []target // of each channel
	seen := map[domain.ChannelID]bool{}
	for _, t := range targets {
		id, err := tx.ResolveChannel(ctx, t.Channel)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			ids, first = append(ids, id), append(first, t)
		}
	}
	lock := ids
	if item != 0 && !seen[item] {
		lock = append(ids[:len(ids):len(ids)], item)
	}
	if err := tx.LockChannels(ctx, lock...); err != nil {
		return nil, err
	}
	var refused error
	places := make([]place, len(ids))
	for i, id := range ids {
		c, err := tx.Channel(ctx, actor.UserID, domain.Ref{ID: int64(id)})
		if err != nil {
			return nil, err
		}
		if !domain.CanAddTo(actor, c) && refused == nil {
			refused = forbidden("add to channel " + c.Slug)
		}
		places[i] = place{c, first[i]}
	}
	return places, refused
}

// connect is the connection of an item at the place.
func (p place) connect(item domain.ItemRef, actor domain.Actor, now time.Time) store.NewConnection {
	return store.NewConnection{Channel: p.channel, Item: item, UserID: actor.UserID,
		Position: p.target.Position, Metadata: p.target.metadata, Now: now}
}
