package collections

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/jobs"
	"vitrine/internal/markup"
	"vitrine/internal/page"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// When feeds are checked.
const (
	CheckFeedsInterval = 5 * time.Minute     // of the job that enqueues the checks
	minFeedPause       = time.Hour           // after a check that found something
	maxFeedPause       = 24 * time.Hour      // also after failures
	feedLease          = time.Hour           // for a check that is enqueued
	feedPatience       = 30 * 24 * time.Hour // failing for this long stops a feed
)

// Limits of the job that enqueues checks.
const (
	maxDueFeeds    = 500
	maxFeedsOfHost = 10
)

// Limits of a check.
const (
	maxFeedBytes    = 5 << 20
	maxFirstEntries = 20
	maxNewEntries   = 50
	keptFeedKeys    = 2000 // of entries, more than the two keys of each entry that one document can list
)

// acceptFeed is the Accept header. Some servers answer a feed reader with a page unless it prefers feeds.
const acceptFeed = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5"

// Why a feed is not read, for the people who may edit its channel.
const (
	feedSuspended = "The account that added the feed is suspended"
	feedNoAccess  = "The account that added the feed may no longer add to this channel"
	feedTwice     = "The feed has moved to the address of another feed of this channel"
	feedGone      = "The server says that the feed is gone for good"
)

// CheckFeeds is the job that enqueues the checks that are due.
type CheckFeeds struct{}

// Kind implements jobs.Args.
func (CheckFeeds) Kind() string { return "check_feeds" }

// CheckFeed is the job that checks a feed.
type CheckFeed struct {
	Feed domain.ChannelFeedID `json:"feed_id"`
}

// Kind implements jobs.Args.
func (CheckFeed) Kind() string { return "check_feed" }

// Class implements jobs.Classed.
func (CheckFeed) Class() jobs.Class { return jobs.Content }

// CheckFeeds enqueues the checks that are due, a few for each host. The others wait for a later run.
func (a *Collections) CheckFeeds(ctx context.Context) error {
	now := a.Now()
	due, err := a.Store.Feeds().DueFeeds(ctx, now, maxDueFeeds)
	if err != nil {
		return err
	}
	hosts := map[string]int{}
	for _, f := range due {
		at, err := url.Parse(f.Address)
		if err != nil {
			return err
		}
		hosts[at.Hostname()]++
		later := hosts[at.Hostname()] > maxFeedsOfHost
		err = a.Store.InTx(ctx, func(tx *store.Tx) error {
			if later {
				_, err := tx.Feeds().PostponeFeed(ctx, f, now.Add(CheckFeedsInterval+rand.N(2*CheckFeedsInterval)))
				return err
			}
			ok, err := tx.Feeds().PostponeFeed(ctx, f, now.Add(feedLease))
			if err != nil || !ok {
				return err
			}
			return enqueueCheck(ctx, tx, f)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// feedCheck is a check of a feed.
type feedCheck struct {
	app                *Collections
	domain.ChannelFeed // as it will be stored
	by                 domain.Actor
	now                time.Time
	first              bool // no check has succeeded before
}

// RunCheckFeed checks a feed. It counts the check as failed before it starts, so that a feed that kills the server waits
// longer each time. Each entry is stored in a transaction of its own, which also records it, so running the job again
// adds nothing twice.
func (a *Collections) RunCheckFeed(ctx context.Context, job CheckFeed) error {
	c := feedCheck{app: a, now: a.Now()}
	was, active, err := c.begin(ctx, job.Feed)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if !active {
		return c.pause(ctx, was, feedSuspended)
	}
	channel, err := a.Store.Channels().Channel(ctx, c.by.UserID, domain.Ref{ID: int64(c.Channel)})
	if domain.KindOf(err) == domain.NotFound || err == nil && !domain.CanAddTo(c.by, channel) {
		return c.pause(ctx, was, feedNoAccess)
	}
	if err != nil {
		return err
	}
	err = c.run(ctx)
	switch paused, isPaused := errors.AsType[*feedPaused](err); {
	case domain.KindOf(err) == domain.NotFound: // the feed was removed during the check, or its channel moved to Trash
		return c.save(ctx, was)
	case isPaused:
		return c.pause(ctx, was, paused.reason)
	case err != nil && (errors.Is(err, fetch.ErrBusy) || ctx.Err() != nil): // the site is busy with our requests, the server stops, or the job's time is up
		was.NextAt = new(c.now.Add(jobs.Around(CheckFeedsInterval)))
		return c.save(ctx, was)
	}
	return err
}

// begin stores the state of a failed check and returns the state before it. active is false if the subscriber is
// suspended. It returns NotFound if there is nothing to check.
func (c *feedCheck) begin(ctx context.Context, id domain.ChannelFeedID) (was domain.ChannelFeed, active bool, err error) {
	gone := false
	err = c.app.Store.InTx(ctx, func(tx *store.Tx) error {
		if was, err = tx.Feeds().LockFeed(ctx, id); err != nil {
			return err
		}
		if gone = was.Stopped() || was.InTrash; gone {
			return nil
		}
		users, err := tx.Users().UsersByID(ctx, []domain.UserID{was.UserID})
		if err != nil {
			return err
		}
		u, is := users[was.UserID]
		if gone = !is; gone { // added while the account was being deleted
			return tx.Feeds().DeleteFeed(ctx, id)
		}
		active = u.SuspendedAt == nil
		c.ChannelFeed, c.first = was, was.SucceededAt == nil
		c.by = domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
		c.Failures++
		c.CheckedAt = &c.now
		c.wait(0)
		return tx.Feeds().SaveFeed(ctx, c.ChannelFeed)
	})
	if err == nil && gone {
		err = domain.NewNotFound()
	}
	return was, active, err
}

// wait sets the time of the next check after failures, at least least from now.
func (c *feedCheck) wait(least time.Duration) {
	wait := maxFeedPause
	if c.Failures < 5 {
		wait = minFeedPause << c.Failures
	}
	c.NextAt = new(c.now.Add(later(max(wait, least))))
}

// later adds up to an eighth to a pause, so that feeds that were added together are not checked together.
func later(pause time.Duration) time.Duration { return pause + rand.N(pause/8) }

// save stores a state of the feed.
func (c *feedCheck) save(ctx context.Context, f domain.ChannelFeed) error {
	return c.app.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Feeds().LockFeed(ctx, c.ID)
		switch {
		case domain.KindOf(err) == domain.NotFound: // it was removed
			return nil
		case err != nil:
			return err
		}
		return tx.Feeds().SaveFeed(ctx, f)
	})
}

// pause stores why a feed is not read until the reason is gone, which is checked daily. It does not count as a failure.
func (c *feedCheck) pause(ctx context.Context, was domain.ChannelFeed, reason string) error {
	was.CheckedAt, was.Problem, was.NextAt = &c.now, &reason, new(c.now.Add(later(maxFeedPause)))
	return c.save(ctx, was)
}

// feedPaused is returned if entries cannot be added, for a reason that is not the feed's.
type feedPaused struct{ reason string }

// Error implements error.
func (e *feedPaused) Error() string { return e.reason }

// failed stores why the feed cannot be read. It stops the feed if stop is set or this has lasted too long.
func (c *feedCheck) failed(ctx context.Context, reason string, least time.Duration, stop bool) error {
	c.Problem = &reason
	c.wait(min(least, maxFeedPause))
	since := c.CreatedAt
	if c.SucceededAt != nil {
		since = *c.SucceededAt
	}
	if stop || c.now.Sub(since) > feedPatience {
		c.NextAt = nil
	}
	return c.save(ctx, c.ChannelFeed)
}

// run fetches the feed and adds its new entries.
func (c *feedCheck) run(ctx context.Context) error {
	answer, feed, err := c.read(ctx)
	if none, ok := errors.AsType[*page.NotFeedError](err); ok && c.first && len(none.Feeds) > 0 { // the address of a page was added
		found, failing := c.app.feedAddress(ctx, none.Feeds[0])
		if failing == nil {
			c.Address = found
			answer, feed, err = c.read(ctx)
		}
	}
	if known, ok := errors.AsType[*fetch.Error](err); ok && !errors.Is(err, fetch.ErrBusy) && !errors.Is(ctx.Err(), context.Canceled) {
		if known.Status == http.StatusGone {
			return c.failed(ctx, feedGone, 0, true)
		}
		return c.failed(ctx, known.Reason, known.RetryAfter, false)
	}
	if _, ok := errors.AsType[*page.NotFeedError](err); ok {
		return c.failed(ctx, err.Error(), 0, false)
	}
	if _, ok := errors.AsType[page.FeedError](err); ok {
		return c.failed(ctx, err.Error(), 0, false)
	}
	if err != nil {
		return err
	}
	if !answer.Moved { // all redirects were permanent
		to := *answer.URL
		to.Fragment, to.RawFragment = "", ""
		c.Address = to.String()
	}
	if answer.Status == http.StatusNotModified {
		return c.succeeded(ctx, answer, page.Feed{Title: c.Title}, nil, 0, 0)
	}
	return c.addEntries(ctx, answer, feed)
}

// read fetches and parses the feed. The feed is empty if it has not changed.
func (c *feedCheck) read(ctx context.Context) (*fetch.Response, page.Feed, error) {
	answer, body, err := c.app.content.ReadURL(ctx, fetch.Request{URL: c.Address, Accept: acceptFeed, MaxBytes: maxFeedBytes,
		ETag: c.ETag, LastModified: c.LastModified, MaxRetryAfter: maxFeedPause})
	if err != nil || answer.Status == http.StatusNotModified {
		return answer, page.Feed{}, err
	}
	feed, err := page.ReadFeed(answer.URL, answer.MediaType(), body)
	return answer, feed, err
}

// feedItem is an entry with the keys by which it is recognised: of its link, and of its id unless the feed uses it for
// entries with different links.
type feedItem struct {
	page.FeedEntry
	keys []int64
}

// feedItems returns the entries of a document, each link once.
func feedItems(entries []page.FeedEntry) (items []feedItem) {
	links := map[string]int64{} // by id; 0 for several
	for _, e := range entries {
		link := words.Source(e.Link)
		if known, is := links[e.ID]; is && known != link {
			link = 0
		}
		links[e.ID] = link
	}
	seen := map[int64]bool{}
	for _, e := range entries {
		link := words.Source(e.Link)
		if link == 0 || seen[link] {
			continue
		}
		seen[link] = true
		i := feedItem{e, []int64{link}}
		if e.ID != "" && links[e.ID] != 0 {
			sum := sha256.Sum256([]byte(e.ID))
			i.keys = append(i.keys, -1-int64(binary.BigEndian.Uint64(sum[:8])>>1)) // keys of links are positive
		}
		items = append(items, i)
	}
	return items
}

// addEntries adds the new entries of the feed, the oldest first, so that the channel shows them in the order of the feed.
func (c *feedCheck) addEntries(ctx context.Context, answer *fetch.Response, feed page.Feed) error {
	items := feedItems(feed.Entries)
	var keys []int64
	for _, i := range items {
		keys = append(keys, i.keys...)
	}
	seen, err := c.app.Store.Feeds().SeenEntries(ctx, c.ID, keys)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(items), func(i feedItem) bool {
		return slices.ContainsFunc(i.keys, func(key int64) bool { return seen[key] })
	})
	var left []feedItem // for the next check
	switch {
	case c.first:
		fresh = fresh[:min(len(fresh), maxFirstEntries)]
	case len(fresh) > maxNewEntries:
		left, fresh = fresh[:len(fresh)-maxNewEntries], fresh[len(fresh)-maxNewEntries:]
	}
	added := 0
	for _, i := range slices.Backward(fresh) {
		made, err := c.addEntry(ctx, i)
		if err != nil {
			return err
		}
		if made {
			added++
		}
	}
	for _, i := range left {
		keys = slices.DeleteFunc(keys, func(key int64) bool { return slices.Contains(i.keys, key) })
	}
	return c.succeeded(ctx, answer, feed, keys, added, len(left))
}

// addEntry creates the block of an entry. made is false if another check has created it, the channel contains its page,
// or it cannot be a block.
func (c *feedCheck) addEntry(ctx context.Context, i feedItem) (made bool, err error) {
	in := BlockInput{Value: i.Link, Title: core.NonEmpty(&i.Title)}
	if i.Summary != "" {
		in.Description = new(markup.Escape(i.Summary))
	}
	if !i.Date.IsZero() {
		date := i.Date
		if date.After(c.now) {
			date = c.now
		}
		in.Metadata, _ = json.Marshal(map[string]string{"published": date.Format(time.DateOnly)}) // strings can always be encoded
	}
	block, unusable := c.app.newBlock(ctx, c.by, in)
	if unusable != nil && domain.KindOf(unusable) != domain.Invalid {
		return false, unusable
	}
	block.quiet = true
	to := target{Target: Target{Channel: domain.Ref{ID: int64(c.Channel)}}}
	err = c.app.Store.InTxNear(ctx, to.Channel, func(tx *store.Tx) error {
		made = false
		places, err := openTargets(ctx, tx, c.by, []target{to}, 0)
		if kind := domain.KindOf(err); err != nil && (kind == domain.NotFound || kind == domain.Forbidden) {
			return &feedPaused{feedNoAccess}
		}
		if err != nil {
			return err
		}
		if _, err := tx.Feeds().LockFeed(ctx, c.ID); err != nil {
			return err
		}
		seen, err := tx.Feeds().SeenEntries(ctx, c.ID, i.keys)
		if err != nil {
			return err
		}
		saved, err := tx.Feeds().ChannelHasPage(ctx, c.Channel, words.Source(i.Link))
		if err != nil {
			return err
		}
		if err := tx.Feeds().SeeEntries(ctx, c.ID, i.keys, c.now); err != nil || len(seen) > 0 || saved || unusable != nil {
			return err
		}
		made = true
		_, err = c.app.createBlock(ctx, tx, c.by, block, places)
		return err
	})
	if known, ok := errors.AsType[*domain.Error](err); ok && (known.Kind == domain.Forbidden || known.Kind == domain.Unprocessable) {
		err = &feedPaused{known.Message} // such as the quota
	}
	return made, err
}

// succeeded stores the result of a check: the keys of the entries that were handled, and how many entries were added and
// how many are left.
func (c *feedCheck) succeeded(ctx context.Context, answer *fetch.Response, feed page.Feed, keys []int64, added, left int) error {
	c.Title = cmp.Or(feed.Title, c.Title)
	c.Failures, c.Problem, c.SucceededAt = 0, nil, &c.now
	if answer.Status != http.StatusNotModified {
		c.ETag, c.LastModified = header(answer, "ETag"), header(answer, "Last-Modified")
	}
	if left > 0 { // the next response must be complete
		c.ETag, c.LastModified = "", ""
	}
	c.Pause = max(min(c.Pause*3/2, maxFeedPause), minFeedPause)
	if added > 0 || left > 0 {
		c.Pause = minFeedPause
	}
	asked := max(maxAge(answer.Header), feed.TTL)
	c.NextAt = new(c.now.Add(later(min(max(c.Pause, asked), maxFeedPause))))
	return c.app.Store.InTx(ctx, func(tx *store.Tx) error {
		current, err := tx.Feeds().LockFeed(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.Address != current.Address {
			ok, err := tx.Feeds().MoveFeed(ctx, current, c.Address, words.Source(c.Address))
			if err != nil {
				return err
			}
			if !ok {
				c.NextAt, c.Problem = nil, new(feedTwice)
			}
		}
		if len(keys) > 0 {
			if err := tx.Feeds().SeeEntries(ctx, c.ID, keys, c.now); err != nil {
				return err
			}
			if err := tx.Feeds().PruneEntries(ctx, c.ID, keptFeedKeys); err != nil {
				return err
			}
		}
		return tx.Feeds().SaveFeed(ctx, c.ChannelFeed)
	})
}

// header returns a header to send back with the next request, or "" if it is unusually long or contains other
// characters than those of ASCII.
func header(answer *fetch.Response, name string) string {
	value := answer.Header.Get(name)
	if len(value) > 500 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return value
}

// maxAge returns for how long a response is fresh (RFC 9111 section 5.2.2.1), 0 if it does not say so.
func maxAge(h http.Header) time.Duration {
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(directive), "max-age="); ok {
			if seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				return time.Duration(seconds) * time.Second
			}
		}
	}
	return 0
}
