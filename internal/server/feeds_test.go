package server_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// feedRig is a channel with a feed that the test controls.
type feedRig struct {
	*apptest.Rig
	ctx     context.Context
	ada     domain.Actor
	channel domain.Ref

	mu       sync.Mutex
	body     string
	header   http.Header
	status   int
	requests []http.Header
}

// eachFeed runs f on each database with an empty feed at https://feed.example.com/feed.
func eachFeed(t *testing.T, f func(t *testing.T, r *feedRig), options ...apptest.Option) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, rig *apptest.Rig) {
		r := &feedRig{Rig: rig, ctx: t.Context(), header: http.Header{}, status: http.StatusOK}
		r.ada = domain.Actor{UserID: domain.UserID(rig.Person("ada").ID), Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		r.channel = domain.Ref{ID: rig.Channel("ada", "Reading", "closed")}
		r.Web("feed.example.com/feed", r.serve)
		r.Web("a.example.com/", apptest.Serve("text/html", []byte("<title>A page</title>")))
		f(t, r)
	}, options...)
}

func (r *feedRig) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req.Header)
	for name, values := range r.header {
		w.Header()[name] = values
	}
	if etag := r.header.Get("ETag"); etag != "" && req.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.body)
}

// set changes the feed to the given items, the newest first, and its headers.
func (r *feedRig) set(items []string, headers ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body, r.status, r.header = `<rss version="2.0"><channel><title>Moss news</title>`+strings.Join(items, "")+`</channel></rss>`, http.StatusOK, http.Header{}
	for i := 0; i < len(headers); i += 2 {
		r.header.Set(headers[i], headers[i+1])
	}
}

// item returns an item of RSS.
func item(id, link, title string) string {
	return fmt.Sprintf("<item><guid isPermaLink='false'>%s</guid><link>https://a.example.com/%s</link><title>%s</title></item>", id, link, title)
}

// items returns numbered items, the newest first.
func items(from, to int) (all []string) {
	for n := to; n >= from; n-- {
		all = append(all, item(fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint("Item ", n)))
	}
	return all
}

// add adds the feed and checks it.
func (r *feedRig) add() domain.ChannelFeed {
	r.T.Helper()
	_, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://feed.example.com/feed#x"})
	if err != nil {
		r.T.Fatal(err)
	}
	r.WorkJobs()
	return r.feed()
}

// feed returns the only feed of the channel.
func (r *feedRig) feed() domain.ChannelFeed {
	r.T.Helper()
	_, all, err := r.S.App.Collections.ChannelFeeds(r.ctx, r.ada, r.channel)
	if err != nil || len(all) != 1 {
		r.T.Fatalf("%d feeds, %v", len(all), err)
	}
	return all[0].ChannelFeed
}

// check waits until the next check and runs it.
func (r *feedRig) check() domain.ChannelFeed {
	r.T.Helper()
	f := r.feed()
	if f.NextAt == nil {
		r.T.Fatalf("the feed is stopped: %v", *f.Problem)
	}
	r.Clock.Advance(f.NextAt.Sub(r.Clock.Now()) + time.Second)
	if err := r.S.App.Collections.CheckFeeds(r.ctx); err != nil {
		r.T.Fatal(err)
	}
	r.WorkJobs()
	return r.feed()
}

// titles returns the titles of the blocks in the channel, from the top.
func (r *feedRig) titles() (all []string) {
	r.T.Helper()
	return fields(r.Get("ada", "/v3/channels/%d/contents?per=100&sort=position_desc", r.channel.ID), "title")
}

// fields returns a field of each item in a list.
func fields(list *apptest.Response, name string) (all []string) {
	for i := range list.Len("data") {
		all = append(all, list.Str(fmt.Sprintf("data.%d.%s", i, name)))
	}
	return all
}

func (r *feedRig) wantTitles(want ...string) {
	r.T.Helper()
	if got := r.titles(); !slices.Equal(got, want) {
		r.T.Errorf("the channel has %q, want %q", got, want)
	}
}

// problem returns the problem of a feed, or "".
func problem(f domain.ChannelFeed) string {
	if f.Problem == nil {
		return ""
	}
	return *f.Problem
}

func TestFeedAddsEntries(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		future := r.Clock.Now().AddDate(5, 0, 0).Format(time.RFC1123Z)
		r.set([]string{strings.Replace(item("2", "2?utm_source=feed", "B &lt;b>bold&lt;/b>"), "</item>", "<description>A &lt;i>summary&lt;/i> *x*</description><pubDate>"+future+"</pubDate></item>", 1),
			strings.Replace(item("1", "1", "A"), "</item>", "<pubDate>Tue, 06 Oct 2020 10:00:00 +0000</pubDate></item>", 1)})
		f := r.add()
		if f.Title != "Moss news" || f.Problem != nil || f.SucceededAt == nil || f.Address != "https://feed.example.com/feed" {
			t.Errorf("feed %+v", f)
		}
		r.wantTitles("B bold", "A")
		blocks := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", r.channel.ID)
		today := r.Clock.Now().Format(time.DateOnly)
		if got := fields(blocks, "metadata.published"); !slices.Equal(got, []string{today, "2020-10-06"}) {
			t.Errorf("published %q", got)
		}
		if got := blocks.Str("data.0.description.plain"); got != "A summary *x*" {
			t.Errorf("description %q", got)
		}
		if got := fields(blocks, "type"); !slices.Equal(got, []string{"Link", "Link"}) {
			t.Errorf("types %q", got)
		}
		r.set(append([]string{item("3", "3", "C")}, item("2", "2", "B renamed"), item("other", "1/", "A again")))
		r.check()
		r.wantTitles("C", "B bold", "A")
		id := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", r.channel.ID).Ints("data", "id")[0]
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/blocks/%d", id), nil).Want(http.StatusNoContent)
		r.check()
		r.wantTitles("B bold", "A")
		if n := r.Get("ada", "/v3/me/notifications").Ints("data", "id"); len(n) > 0 {
			t.Errorf("%d notifications", len(n))
		}
	})
}

// The first check takes the newest entries, later ones take all in several checks, the oldest first.
func TestFeedLimits(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		r.set(items(1, 30), "ETag", `"a"`)
		r.add()
		if got := r.titles(); len(got) != 20 || got[0] != "Item 30" || got[19] != "Item 11" {
			t.Errorf("first %q", got)
		}
		if f := r.check(); f.Problem != nil || f.Pause <= time.Hour-time.Minute || f.NextAt.Sub(*f.CheckedAt) < f.Pause {
			t.Errorf("unchanged: %+v", f)
		}
		if last := r.requests[len(r.requests)-1]; last.Get("If-None-Match") != `"a"` {
			t.Errorf("the request was not conditional: %v", last)
		}
		r.set(items(1, 100), "ETag", `"b"`)
		if f := r.check(); f.ETag != "" || f.Pause != time.Hour {
			t.Errorf("entries are left, but the next request is conditional: %+v", f)
		}
		if got := r.titles(); len(got) != 70 || got[0] != "Item 80" {
			t.Errorf("%d after the second document, on top %q", len(got), got[0])
		}
		r.check()
		if got := r.titles(); len(got) != 90 || got[0] != "Item 100" {
			t.Errorf("%d after the rest, on top %q", len(got), got[0])
		}
		for range 12 {
			r.check()
		}
		if f := r.feed(); f.Pause != 24*time.Hour || f.NextAt.Sub(*f.CheckedAt) > 27*time.Hour {
			t.Errorf("the pause is %v, and the next check in %v", f.Pause, f.NextAt.Sub(*f.CheckedAt))
		}
	})
}

// Feeds that use an id for several entries, and feeds that change all ids for each request.
func TestFeedIDs(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		r.set([]string{item("same", "2", "B"), item("same", "1", "A"), item("same", "1", "A twice"), item("", "0", "Z")})
		r.add()
		r.wantTitles("B", "A", "Z")
		r.set([]string{item("same", "3", "C"), item("same", "2", "B")})
		r.check()
		r.wantTitles("C", "B", "A", "Z")
		for n := range 3 {
			r.set([]string{item(fmt.Sprint("new", n), "3", "C"), item(fmt.Sprint("also", n), "2", "B")})
			r.check()
		}
		r.wantTitles("C", "B", "A", "Z")
		r.set([]string{item("stays", "4", "D")})
		r.check()
		r.set([]string{item("stays", "4-renamed", "D")})
		r.check()
		r.wantTitles("D", "C", "B", "A", "Z")
		// The feed is removed and added again, and another one has the same entries.
		if err := r.S.App.Collections.RemoveFeed(r.ctx, r.ada, r.channel, r.feed().ID); err != nil {
			t.Fatal(err)
		}
		r.set([]string{item("stays", "4", "D"), item("5", "5", "E")})
		r.add()
		r.wantTitles("E", "D", "C", "B", "A", "Z")
	})
}

// Two checks at once, and one that stops in the middle, create each block once.
func TestFeedAtOnce(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		r.set(items(1, 15))
		f, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://feed.example.com/feed"})
		if err != nil {
			t.Fatal(err)
		}
		stopped, stop := context.WithCancel(r.ctx)
		stop()
		_ = r.S.App.Collections.RunCheckFeed(stopped, collections.CheckFeed{Feed: f.ID})
		var checks sync.WaitGroup
		for range 3 {
			checks.Go(func() {
				if err := r.S.App.Collections.RunCheckFeed(r.ctx, collections.CheckFeed{Feed: f.ID}); err != nil {
					t.Error(err)
				}
			})
		}
		checks.Wait()
		r.WorkJobs()
		got := slices.Sorted(slices.Values(r.titles()))
		if len(got) != 15 || len(slices.Compact(got)) != 15 {
			t.Errorf("the channel has %q", got)
		}
	})
}

// A check may be killed before any of its statements. The next one adds what is missing, nothing twice, and in order.
func TestFeedKilledAnywhere(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		r.set(nil)
		job := collections.CheckFeed{Feed: r.add().ID}
		step := int64(1)
		if r.DB().Dialect() == database.Postgres {
			step = 4 // each one costs a connection
		}
		newest := 0
		for statement := int64(1); ; statement += step {
			newest += 2
			r.set(items(max(1, newest-9), newest))
			killed := r.killed(job, statement)
			if err := r.S.App.Collections.RunCheckFeed(r.ctx, job); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			var want []string
			for n := newest; n > max(0, newest-100); n-- {
				want = append(want, fmt.Sprint("Item ", n))
			}
			r.wantTitles(want...)
			if f := r.feed(); f.Problem != nil || f.Failures != 0 || f.NextAt == nil {
				t.Errorf("the feed is %+v", f)
			}
			if t.Failed() {
				t.Fatalf("killed at statement %d", statement)
			}
			if !killed {
				return
			}
			r.Clock.Advance(time.Minute)
		}
	})
}

// killed runs a check that ends before a statement. It reports whether the check got that far.
func (r *feedRig) killed(job collections.CheckFeed, statement int64) (killed bool) {
	r.T.Helper()
	var n atomic.Int64
	end := r.Intercept(func(context.Context, string) {
		if n.Add(1) == statement {
			panic("killed")
		}
	})
	defer end()
	defer func() { killed = recover() != nil }()
	if err := r.S.App.Collections.RunCheckFeed(r.ctx, job); err != nil {
		r.T.Error(err)
	}
	return false
}

func TestFeedFails(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		r.Web("feed.example.com/loop", func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/loop", http.StatusMovedPermanently)
		})
		r.Web("feed.example.com/page", apptest.Serve("text/html", []byte("<!doctype html><title>x")))
		r.Web("feed.example.com/bomb", apptest.Serve("text/xml", []byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><rss><channel><item><link>https://a.example.com/&b;</link></item></channel></rss>`)))
		r.Web("feed.example.com/gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, "<rss><channel><title>")
			zeros := make([]byte, 1<<20)
			for range 64 {
				_, _ = z.Write(zeros)
			}
			_ = z.Close()
		})
		for path, want := range map[string]string{
			"loop": "The address redirects too often", "page": "This is a web page, not a feed", "bomb": "The feed defines XML entities, which are not read",
			"gzip": "The feed is broken and cannot be read", "missing": "The server answered 404 Not Found",
		} {
			if _, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://feed.example.com/" + path}); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			f := r.feed()
			if problem(f) != want || f.Stopped() || f.Failures != 1 || f.NextAt.Sub(*f.CheckedAt) < 2*time.Hour {
				t.Errorf("%s: %q, %+v", path, problem(f), f)
			}
			if err := r.S.App.Collections.RemoveFeed(r.ctx, r.ada, r.channel, f.ID); err != nil {
				t.Fatal(err)
			}
		}
		r.set(nil)
		r.add()
		r.mu.Lock()
		r.status, r.header = http.StatusServiceUnavailable, http.Header{"Retry-After": {"36000"}}
		r.mu.Unlock()
		if f := r.check(); f.NextAt.Sub(*f.CheckedAt) < 10*time.Hour || f.Failures != 1 || problem(f) != "The server answered 503 Service Unavailable" {
			t.Errorf("503: %+v", f)
		}
		checks := 0
		for f := r.feed(); !f.Stopped(); f = r.check() {
			checks++
		}
		if checks < 20 || checks > 40 {
			t.Errorf("the feed stopped after %d failed checks", checks)
		}
		r.set(items(1, 1))
		if err := r.S.App.Collections.CheckFeedNow(r.ctx, r.ada, r.channel, r.feed().ID); domain.KindOf(err) != domain.TooMany {
			t.Errorf("checked twice in a moment: %v", err)
		}
		r.Clock.Advance(10 * time.Minute)
		if err := r.S.App.Collections.CheckFeedNow(r.ctx, r.ada, r.channel, r.feed().ID); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		r.wantTitles("Item 1")
		r.mu.Lock()
		r.status = http.StatusGone
		r.mu.Unlock()
		if f := r.check(); !f.Stopped() || problem(f) != "The server says that the feed is gone for good" {
			t.Errorf("410: %+v", f)
		}
	})
}

// Permanent redirects move a feed, temporary ones do not, and a page leads to its feed.
func TestFeedMoves(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		status := http.StatusFound
		r.set(items(1, 1), "Cache-Control", "max-age=18000")
		r.Web("old.example.com/", func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "https://feed.example.com/feed", status)
		})
		r.Web("blog.example.com/", apptest.Serve("text/html", []byte(`<!doctype html><link rel="alternate" type="application/rss+xml" href="https://old.example.com/x">`)))
		if _, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://blog.example.com/"}); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		if f := r.feed(); f.Address != "https://old.example.com/x" || f.Title != "Moss news" || f.NextAt.Sub(*f.CheckedAt) < 5*time.Hour {
			t.Errorf("from a page: %+v", f)
		}
		status = http.StatusMovedPermanently
		if f := r.check(); f.Address != "https://feed.example.com/feed" {
			t.Errorf("moved: %+v", f)
		}
		if _, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "http://feed.example.com/feed/"}); domain.KindOf(err) != domain.Invalid {
			t.Errorf("the same feed again: %v", err)
		}
	})
}

// A feed pauses while its subscriber may not add to the channel.
func TestFeedPauses(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		bob := domain.Actor{UserID: domain.UserID(r.Person("bob").ID), Scope: domain.ScopeWrite}
		add := func() error {
			_, err := r.S.App.Collections.AddFeed(r.ctx, bob, r.channel, collections.FeedInput{Address: "https://feed.example.com/feed"})
			return err
		}
		if err := add(); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("a stranger adds a feed: %v", err)
		}
		if _, _, err := r.S.App.Collections.ChannelFeeds(r.ctx, bob, r.channel); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("a stranger sees feeds: %v", err)
		}
		r.Collaborate("ada", r.channel.ID, "bob")
		r.set(items(1, 1))
		if err := add(); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		r.wantTitles("Item 1")
		if n := r.Get("ada", "/v3/me/notifications").Ints("data", "id"); len(n) > 0 {
			t.Errorf("%d notifications", len(n))
		}
		if err := r.S.App.Collections.RemoveCollaborators(r.ctx, r.ada, r.channel, domain.UserRef(bob.UserID)); err != nil {
			t.Fatal(err)
		}
		r.set(items(1, 2))
		if f := r.check(); problem(f) != "The account that added the feed may no longer add to this channel" || f.Failures != 0 || f.Stopped() {
			t.Errorf("without access: %+v", f)
		}
		r.wantTitles("Item 1")
		r.Collaborate("ada", r.channel.ID, "bob")
		if f := r.check(); f.Problem != nil {
			t.Errorf("with access again: %q", *f.Problem)
		}
		r.wantTitles("Item 2", "Item 1")
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			return tx.Feeds().ForgetFeeds(r.ctx, bob.UserID)
		})
		if own, err := r.S.App.Collections.OwnFeeds(r.ctx, bob); err != nil || len(own) != 0 {
			t.Errorf("%d feeds, %v", len(own), err)
		}
	})
}

// A feed waits while its subscriber has no space left, and adds the rest later.
func TestFeedQuota(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		long := strings.Repeat("A long title. ", 15)
		r.set([]string{item("3", "3", long), item("2", "2", long), item("1", "1", "First")})
		f := r.add()
		if !strings.HasPrefix(problem(f), "Your files and texts may have") || f.Stopped() || f.Failures != 0 {
			t.Errorf("over the quota: %q, %+v", problem(f), f)
		}
		n := len(r.titles())
		if n == 0 || n == 3 {
			t.Fatalf("%d blocks within the quota", n)
		}
		id := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", r.channel.ID).Ints("data", "id")[0]
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/blocks/%d", id), nil).Want(http.StatusNoContent)
		r.set([]string{item("3", "3", "Third"), item("2", "2", "Second"), item("1", "1", "First")})
		if f := r.check(); f.Problem != nil {
			t.Errorf("with space: %q", *f.Problem)
		}
		if got := r.titles(); len(got) == 0 || got[0] != "Third" {
			t.Errorf("the channel has %q", got)
		}
	}, func(c *config.Config) { c.Quota = map[string]int64{"supporter": 400} })
}

// A channel and a person have a limited number of feeds, also if several are added at once.
func TestFeedCounts(t *testing.T) {
	eachFeed(t, func(t *testing.T, r *feedRig) {
		var all []collections.FeedInput
		for n := range domain.MaxChannelFeeds + 2 {
			all = append(all, collections.FeedInput{Address: fmt.Sprintf("https://feed.example.com/%d", n)})
		}
		all = append(all, collections.FeedInput{Address: "ftp://a.example.com/"}, collections.FeedInput{Address: "http://127.0.0.2/"})
		var adding sync.WaitGroup
		for _, in := range all[:10] {
			adding.Go(func() {
				if _, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, r.channel, in); err != nil {
					t.Error(err)
				}
			})
		}
		adding.Wait()
		added, refused, err := r.S.App.Collections.AddFeeds(r.ctx, r.ada, r.channel, all)
		if added != domain.MaxChannelFeeds-10 || len(refused) < 12 || err != nil {
			t.Errorf("%d added, %d refused, %v", added, len(refused), err)
		}
		var reasons []string
		for _, one := range refused {
			reasons = append(reasons, one.Reason)
		}
		for _, want := range []string{"is already a feed of this channel", "a channel can have at most 20 feeds", "must be an absolute http or https URL"} {
			if !slices.Contains(reasons, want) {
				t.Errorf("no feed was refused because it %q: %q", want, reasons)
			}
		}
		other, third := r.Channel("ada", "Other", "closed"), domain.Ref{ID: r.Channel("ada", "Third", "closed")}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			for n := range domain.MaxOwnFeeds - domain.MaxChannelFeeds {
				now := r.Clock.Now()
				f := domain.ChannelFeed{Channel: domain.ChannelID(other), UserID: r.ada.UserID, Address: "https://feed.example.com/", NextAt: &now, CreatedAt: now}
				if _, err := tx.Feeds().AddFeed(r.ctx, f, int64(n)); err != nil {
					return err
				}
			}
			return nil
		})
		if _, err := r.S.App.Collections.AddFeed(r.ctx, r.ada, third, all[0]); err == nil || !strings.Contains(err.Error(), "you can add at most 200 feeds in all") {
			t.Errorf("feed 201: %v", err)
		}
		if err := r.S.App.Collections.DeleteChannel(r.ctx, r.ada, domain.Ref{ID: other}); err != nil {
			t.Fatal(err)
		}
		if err := r.S.App.Collections.DeleteChannel(r.ctx, r.ada, r.channel); err != nil {
			t.Fatal(err)
		}
		if own, err := r.S.App.Collections.OwnFeeds(r.ctx, r.ada); err != nil || len(own) != 0 {
			t.Errorf("%d feeds of a deleted channel, %v", len(own), err)
		}
	})
}
