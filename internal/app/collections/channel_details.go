package collections

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ChannelDetails are details of a channel in lists.
type ChannelDetails struct {
	AddedAt   time.Time // when the newest item visible to the actor was connected; zero if no item is visible
	Followers int64
	Private   int64 // number of private channels that the actor may see, among the 200 newest
}

// ChannelDetails reads the details of several channels, as far as the actor may see them. It takes one statement, whose
// time does not depend on the contents of the channels.
func (a *Collections) ChannelDetails(ctx context.Context, actor domain.Actor, ids []domain.ChannelID) (map[domain.ChannelID]ChannelDetails, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := a.Store.Nearby().ChannelDetails(ctx, actor.UserID, ids)
	all := make(map[domain.ChannelID]ChannelDetails, len(found))
	for id, facts := range found {
		all[id] = ChannelDetails(facts)
	}
	return all, err
}

// maxEnd is the maximum number of items per channel that are read for many channels at once.
const maxEnd = 9

// PreviewContents reads the highest or the lowest n items, at most 9, of each channel that the actor may see, from that
// end. It takes five statements for at most 100 channels.
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
		ends, err := v.Nearby().Ends(ctx, actor.UserID, ids, n, highest)
		if err != nil {
			return err
		}
		var all []domain.ConnectionID
		for _, c := range ids {
			all = append(all, ends[c]...)
			delete(ends, c) // each channel once
		}
		conns, err := v.Contents().ConnectionsInOrder(ctx, all)
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
