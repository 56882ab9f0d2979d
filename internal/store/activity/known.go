package activity

import (
	"context"
	"math"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/domain"
)

// FeedLimits determine when a process remembers a part of a feed. Many is the number of followed
// sources from which it does, and Kept the number of activities that it then reads at once. Walked
// is the number of newer activities that are checked individually before the feed is merged again.
type FeedLimits struct {
	Many         int64
	Kept, Walked int
}

// DefaultFeedLimits are from measurements on SQLite: a source takes 1 µs to merge, and an activity
// 2 µs to check.
var DefaultFeedLimits = FeedLimits{Many: 1_000, Kept: 500, Walked: 1_000}

// maxKnownFeeds is the maximum number of feeds that a process remembers parts of.
const maxKnownFeeds = 1_000

// Feeds remembers parts of the feeds of users who follow many sources, because finding the newest
// activity of each source costs an index seek. Activities never change and get rising ids, so a
// part only becomes invalid if its user follows something else. Ids of deleted activities stay in
// it; VisibleActivities skips them. The zero value is not usable.
type Feeds struct {
	limits FeedLimits
	parts  *lru.Cache[domain.UserID, feedPart]
}

// NewFeeds returns an empty Feeds.
func NewFeeds(l FeedLimits) *Feeds {
	parts, _ := lru.New[domain.UserID, feedPart](maxKnownFeeds) // fails only for a size below 1
	return &Feeds{limits: l, parts: parts}
}

// feedPart contains the ids of a feed between two activities, newest first.
type feedPart struct {
	followed  followed
	low, high domain.ActivityID
	ids       []domain.ActivityID
}

// followed identifies the sources that a user follows: ids of follows are never assigned again.
type followed struct{ n, sum int64 }

// FeedIDs lists the activities of the subjects that a user follows, within a window, whether the
// user may see them or not. Fewer than the limit means that there are no more. All activities
// below the end of the window must be committed (StableUpTo), unless it is the greatest integer. The cost does
// not grow with the number of activities. It grows by one index seek for each followed subject,
// but not for a part of a feed that this process remembers.
func (v Lists) FeedIDs(ctx context.Context, user domain.UserID, w domain.Window) ([]domain.ActivityID, error) {
	limits := v.feeds.limits
	p, found := v.feeds.parts.Get(user)
	if !found || w.Limit > limits.Kept || w.Before == math.MaxInt64 && v.db.LocksRows() {
		ids, sources, err := v.mergedFeed(ctx, user, w)
		if err == nil && !found && sources >= limits.Many {
			v.feeds.parts.Add(user, feedPart{})
		}
		return ids, err
	}
	is, last, err := v.followed(ctx, user)
	if err != nil {
		return nil, err
	}
	if !v.db.LocksRows() { // ids are assigned in the order of commits
		w.Before = min(w.Before, last+1)
	}
	if is.n < limits.Many {
		v.feeds.parts.Remove(user)
	}
	if p.followed != is {
		p = feedPart{followed: is}
	}
	if p, err = v.newer(ctx, user, p, w); err != nil {
		return nil, err
	}
	if w.Rising && (w.After < p.low || w.Before > p.high) {
		ids, _, err := v.mergedFeed(ctx, user, w)
		return ids, err
	}
	if p, err = v.older(ctx, user, p, w); err != nil {
		return nil, err
	}
	if is.n >= limits.Many {
		v.feeds.parts.Add(user, p)
	}
	return p.window(w), nil
}

// newer adds the activities up to the end of a window, if they are few.
func (v Lists) newer(ctx context.Context, user domain.UserID, p feedPart, w domain.Window) (feedPart, error) {
	if p.high == 0 || w.Before <= p.high || w.Before-p.high > domain.ActivityID(v.feeds.limits.Walked) {
		return p, nil
	}
	ids, err := v.walkedFeed(ctx, user, p.high, w.Before)
	p.ids, p.high = append(ids, p.ids...), w.Before
	if most := 2 * v.feeds.limits.Kept; len(p.ids) > most {
		p.ids = p.ids[:most]
		p.low = p.ids[most-1] - 1
	}
	return p, err
}

// older adds activities that a falling window lacks, or begins another part at the window's end.
func (v Lists) older(ctx context.Context, user domain.UserID, p feedPart, w domain.Window) (feedPart, error) {
	kept := v.feeds.limits.Kept
	within := w.Before <= p.high && w.Before > p.low
	if within && (w.After >= p.low || len(p.window(w)) == w.Limit) {
		return p, nil
	}
	if !within || len(p.ids) > kept {
		p = feedPart{followed: p.followed, low: w.Before - 1, high: w.Before}
	}
	ids, _, err := v.mergedFeed(ctx, user, domain.Window{After: w.After, Before: p.low + 1, Limit: kept})
	p.ids, p.low = append(slices.Clip(p.ids), ids...), w.After
	if len(ids) == kept {
		p.low = ids[kept-1] - 1
	}
	return p, err
}

// window returns the ids within a window.
func (p feedPart) window(w domain.Window) (ids []domain.ActivityID) {
	for _, id := range p.ids {
		if id > w.After && id < w.Before {
			ids = append(ids, id)
		}
	}
	if w.Rising {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), w.Limit)]
}
