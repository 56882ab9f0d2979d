package people

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// maxScanned is the maximum number of activities that one request examines. Several requests are
// needed to skip a longer series of hidden activities.
const maxScanned = 10_000

// Feed reads a page of the actor's feed: activities of the users, channels and groups that they follow (behaviour.md
// section 7).
func (a *People) Feed(ctx context.Context, actor domain.Actor, in CursorInput) (CursorPage[domain.Story], error) {
	return activityPage(ctx, a, actor, "feed", in, func(v *store.Snapshot) reader[domain.Story] {
		return feedReader(ctx, v, actor, actor.UserID)
	})
}

// feedReader reads the feed of a user, as far as the actor may see it.
func feedReader(ctx context.Context, v *store.Snapshot, actor domain.Actor, user domain.UserID) reader[domain.Story] {
	return reader[domain.Story]{
		visible: func(w domain.Window) (seen chunk, err error) {
			ids, err := v.Activity().FeedIDs(ctx, user, w)
			if err != nil {
				return seen, err
			}
			seen, err = visible(ctx, v, actor, ids)
			seen.found = slices.DeleteFunc(seen.found, func(x domain.Activity) bool { return x.Actor == user })
			return seen, err
		},
		hydrate: func(found []domain.Activity) ([]domain.Story, error) { return hydrate(ctx, v, actor, found) },
	}
}

// reader reads one list of activities. visible reads a part of it in the window's direction; hydrate reads the things
// that the activities refer to.
type reader[T any] struct {
	visible func(domain.Window) (chunk, error)
	hydrate func([]domain.Activity) ([]T, error)
}

// chunk is a part of a list: the number of activities examined, the last of them, and those that the reader may see.
type chunk struct {
	scanned int
	last    domain.ActivityID
	found   []domain.Activity
}

// visible removes the activities from a part that the actor may not see.
func visible(ctx context.Context, v *store.Snapshot, actor domain.Actor, ids []domain.ActivityID) (s chunk, err error) {
	all, err := v.Activity().VisibleActivities(ctx, actor.UserID, ids)
	s.scanned = len(ids)
	for _, id := range ids {
		if a, ok := all[id]; ok {
			s.found = append(s.found, a)
		}
		s.last = id
	}
	return s, err
}

// activityPage reads a page of a list of activities.
func activityPage[T any](ctx context.Context, a *People, actor domain.Actor, list string, in CursorInput, open func(*store.Snapshot) reader[T]) (p CursorPage[T], err error) {
	c, err := a.cursors(ctx, list, actor.UserID)
	if err != nil {
		return p, err
	}
	w, err := c.window(in)
	if err != nil {
		return p, err
	}
	if in.Next == nil {
		// Everything behind a cursor of an earlier page is already stable.
		stable, err := a.Store.StableUpTo(ctx)
		if err != nil {
			return p, err
		}
		w.Before = stable + 1
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		p, err = readPage(c, w, in.Limit, open(v))
		return err
	})
	return p, err
}

func readPage[T any](c cursors, w domain.Window, limit int, r reader[T]) (p CursorPage[T], err error) {
	found, end, err := gather(r.visible, w, limit)
	if err != nil {
		return p, err
	}
	p.More = end != 0
	var newest, oldest domain.ActivityID
	if w.Rising {
		slices.Reverse(found)
	}
	if len(found) > 0 {
		newest, oldest = found[0].ID, found[len(found)-1].ID
	}
	if w.Rising {
		// If the limit was reached without a visible activity, polling continues from there.
		newest = max(newest, end)
		older := domain.Window{Before: oldest}
		if more, past, err := gather(r.visible, older, 1); err != nil {
			return p, err
		} else if oldest != 0 && (len(more) > 0 || past != 0) {
			end = oldest
		} else {
			end = 0
		}
	}
	p.Next, p.Prev = c.at(end), c.at(newest)
	p.Items, err = r.hydrate(found)
	return p, err
}

// gather collects the first `limit` visible activities of a window. If there are more, end is the last examined activity
// that does not belong to the next page.
func gather(visible func(domain.Window) (chunk, error), w domain.Window, limit int) (found []domain.Activity, end domain.ActivityID, err error) {
	if w.Before == 0 {
		return nil, 0, nil
	}
	w.Limit = limit + limit/4 + 2 // a few may be hidden, and one more shows whether there is a next page
	for scanned := 0; ; w.Limit *= 4 {
		w.Limit = min(w.Limit, maxScanned-scanned)
		s, err := visible(w)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, s.found...)
		scanned += s.scanned
		switch {
		case len(found) > limit:
			return found[:limit], found[limit-1].ID, nil
		case s.scanned < w.Limit:
			return found, 0, nil
		case scanned >= maxScanned:
			return found, s.last, nil
		}
		w = w.From(s.last)
	}
}
