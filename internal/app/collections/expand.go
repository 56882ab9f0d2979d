package collections

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Expanded is what was read in addition to some things.
type Expanded struct {
	want     []string
	people   map[domain.Subject]domain.Entity
	channels map[domain.Subject][]domain.Entity // nil if they were not requested, like contents
	contents map[domain.ChannelID][]Content
}

// author returns who created a block, a comment or a group.
func author(t domain.Entity) (p domain.PrincipalRef, ok bool) {
	switch {
	case t.Block != nil:
		return t.Block.Author.PrincipalRef, true
	case t.Comment != nil:
		return t.Comment.Author.PrincipalRef, true
	case t.Group != nil:
		return t.Group.Owner.PrincipalRef, true
	}
	return p, false
}

// User returns the author of a thing, if it has one and it was requested.
func (e Expanded) User(t domain.Entity) (domain.Entity, bool) {
	p, ok := author(t)
	if !ok || !slices.Contains(e.want, "user") {
		return domain.Entity{}, false
	}
	u, ok := e.people[core.SourceOf(p)]
	return u, ok
}

// Owner returns the owner of a channel, if it was requested.
func (e Expanded) Owner(t domain.Entity) (domain.Entity, bool) {
	if t.Channel == nil || !slices.Contains(e.want, "owner") {
		return domain.Entity{}, false
	}
	o, ok := e.people[core.SourceOf(t.Channel.Owner.PrincipalRef)]
	return o, ok
}

// Channels returns the channels of a block or channel, if they were requested.
func (e Expanded) Channels(t domain.Entity) ([]domain.Entity, bool) {
	return e.channels[subjectOf(t)], (t.Block != nil || t.Channel != nil) && e.channels != nil
}

// Contents returns the first items of a channel, if they were requested.
func (e Expanded) Contents(t domain.Entity) ([]Content, bool) {
	if t.Channel == nil || e.contents == nil {
		return nil, false
	}
	return e.contents[t.Channel.ID], true
}

// Expand reads what belongs to things: "user", "owner", "channels" or "contents", up to most of the latter two for each.
// The actor sees the same of it as in a direct read. The number of statements does not depend on the number of things.
func (a *Finder) Expand(ctx context.Context, actor domain.Actor, all []domain.Entity, want []string, most int) (Expanded, error) {
	e := Expanded{want: want}
	err := a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := e.readPeople(ctx, v, actor, all); err != nil {
			return err
		}
		if slices.Contains(want, "channels") {
			if err := e.readChannels(ctx, v, actor, all, most); err != nil {
				return err
			}
		}
		if slices.Contains(want, "contents") {
			return e.readContents(ctx, v, actor, all, most)
		}
		return nil
	})
	return e, err
}

// unique returns subjects, each once.
func unique(all []domain.Subject) (each []domain.Subject) {
	seen := map[domain.Subject]bool{}
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			each = append(each, s)
		}
	}
	return each
}

func byName(all []domain.Entity) map[domain.Subject]domain.Entity {
	by := make(map[domain.Subject]domain.Entity, len(all))
	for _, t := range all {
		by[subjectOf(t)] = t
	}
	return by
}

func (e *Expanded) readPeople(ctx context.Context, v *store.Snapshot, actor domain.Actor, all []domain.Entity) error {
	var refs []domain.Subject
	for _, t := range all {
		if p, ok := author(t); ok && slices.Contains(e.want, "user") {
			refs = append(refs, core.SourceOf(p))
		}
		if t.Channel != nil && slices.Contains(e.want, "owner") {
			refs = append(refs, core.SourceOf(t.Channel.Owner.PrincipalRef))
		}
	}
	found, err := core.ReadEntities(ctx, v, actor, unique(refs))
	e.people = byName(found)
	return err
}

func (e *Expanded) readChannels(ctx context.Context, v *store.Snapshot, actor domain.Actor, all []domain.Entity, most int) error {
	var blocks, channels []int64
	for _, t := range all {
		switch {
		case t.Block != nil:
			blocks = append(blocks, int64(t.Block.ID))
		case t.Channel != nil:
			channels = append(channels, int64(t.Channel.ID))
		}
	}
	in, err := v.Contents().NewestChannels(ctx, actor.UserID, blocks, channels, most)
	if err != nil {
		return err
	}
	byID, err := v.Channels().ChannelsByID(ctx, actor.UserID, slices.Concat(slices.Collect(maps.Values(in))...))
	e.channels = map[domain.Subject][]domain.Entity{}
	for item, ids := range in {
		for _, id := range ids {
			if c, ok := byID[id]; ok {
				e.channels[item.Subject()] = append(e.channels[item.Subject()], domain.Entity{Channel: &c})
			}
		}
	}
	return err
}

func (e *Expanded) readContents(ctx context.Context, v *store.Snapshot, actor domain.Actor, all []domain.Entity, most int) error {
	var channels []domain.ChannelID
	for _, t := range all {
		if t.Channel != nil {
			channels = append(channels, t.Channel.ID)
		}
	}
	slices.Sort(channels)
	ends, err := v.Nearby().Ends(ctx, actor.UserID, slices.Compact(channels), most, true)
	if err != nil {
		return err
	}
	var ids []domain.ConnectionID
	for _, in := range ends {
		ids = append(ids, in...)
	}
	conns, err := v.Contents().ConnectionsInOrder(ctx, ids)
	if err != nil {
		return err
	}
	items, err := Items(ctx, v.Queries, actor, conns)
	e.contents = map[domain.ChannelID][]Content{}
	for _, item := range items { // in the order of ids, which is that of positions in each channel
		e.contents[item.Connection.ChannelID] = append(e.contents[item.Connection.ChannelID], item)
	}
	return err
}
