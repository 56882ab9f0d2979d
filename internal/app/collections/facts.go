package collections

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ChannelFacts are what lists say of a channel beyond itself.
type ChannelFacts struct {
	AddedAt   time.Time // when the newest item was connected that the actor may see; zero if there is none
	Followers int64
	Private   int64 // private channels in it that the actor may see, of the 200 newest
}

// ChannelFacts reads the facts of the channels that a page shows, as far as the actor may see
// them. It costs one statement, which takes the same whatever the channels hold.
func (a *Collections) ChannelFacts(ctx context.Context, actor domain.Actor, ids []domain.ChannelID) (map[domain.ChannelID]ChannelFacts, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := a.Store.ChannelFacts(ctx, actor.UserID, ids)
	all := make(map[domain.ChannelID]ChannelFacts, len(found))
	for id, facts := range found {
		all[id] = ChannelFacts(facts)
	}
	return all, err
}

// maxEnd is how many items of each of many channels are read at once.
const maxEnd = 9

// PreviewContents reads of each channel the highest or the lowest n items, 9 at most, that the
// actor may see, from that end. It costs five statements for all of at most 100 channels.
func (a *Collections) PreviewContents(ctx context.Context, actor domain.Actor, ids []domain.ChannelID, n int, highest bool) (shown map[domain.ChannelID][]Content, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var f domain.Faults
	f.Count("channels", len(ids), domain.MaxPerPage)
	f.Between("n", int64(n), 1, maxEnd)
	if f != nil {
		return nil, f.Err()
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		ends, err := v.Ends(ctx, actor.UserID, ids, n, highest)
		if err != nil {
			return err
		}
		var all []domain.ConnectionID
		for _, c := range ids {
			all = append(all, ends[c]...)
			delete(ends, c) // each once
		}
		conns, err := v.ConnectionsInOrder(ctx, all)
		if err != nil {
			return err
		}
		found, err := Items(ctx, v.Queries, actor, conns)
		shown = make(map[domain.ChannelID][]Content, len(ids))
		for _, c := range found {
			shown[c.Connection.ChannelID] = append(shown[c.Connection.ChannelID], c)
		}
		return err
	})
	return shown, err
}
