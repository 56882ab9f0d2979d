// Package arena reads channels from a server with version 3 of the API: Are.na or another Vitrine.
package arena

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/fetch"
	"vitrine/internal/importing/source"
	"vitrine/internal/weburl"
)

// DefaultFrom is the address of Are.na's API.
const DefaultFrom = "https://api.are.na"

// Limits of the reading.
const (
	perPage     = 100
	maxPages    = 10_000 // of one list: a channel has at most a million items
	maxChannels = 100_000
	atOnce      = 2 // channels
)

// Options configure a Source. Comments note the meaning of zero values.
type Options struct {
	From      string         // address of the API; "": DefaultFrom
	Token     string         // of the reader; "": read as a guest
	What      []string       // slugs, ids or addresses of channels, "@user", "group/slug"
	Deep      bool           // also read channels within these, recursively
	HeadsOnly bool           // read channels without their contents
	Page      int            // page of a channel's contents to start with; 0: 1
	Paged     func(page int) // called before each page of a channel's contents
	MaxFile   int64          // maximum bytes of a file; 0: unlimited

	// Client restricts the addresses of the API and of files that are connected to.
	Client *fetch.Client

	Sleep func(ctx context.Context, d time.Duration) error // for tests
	Now   func() time.Time                                 // for tests
}

// Source is another server. It can be read only once.
type Source struct {
	client
	o    Options
	self int64 // id of the token's user; 0 for a guest

	mu    sync.Mutex
	heads map[int64]bool // that were handed over
	queue []resource     // channels whose contents are still to be read
}

// New creates a source. It returns an error if the options are invalid.
func New(o Options) (*Source, error) {
	if o.From == "" {
		o.From = DefaultFrom
	}
	base, err := weburl.Parse(strings.TrimRight(strings.TrimSpace(o.From), "/"))
	if err != nil || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("must be the http or https address of an API, such as " + DefaultFrom)
	}
	base.Path = strings.TrimSuffix(base.Path, "/v3")
	base.Host, base.RawPath = strings.ToLower(base.Host), ""
	if o.MaxFile == 0 {
		o.MaxFile = math.MaxInt64
	}
	if o.Sleep == nil {
		o.Sleep = slept
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Source{o: o, heads: map[int64]bool{},
		client: client{base: base.String(), token: o.Token, http: o.Client, sleep: o.Sleep, now: o.Now}}, nil
}

// Origin implements source.Source.
func (s *Source) Origin() string { return s.base }

// Read implements source.Source.
func (s *Source) Read(ctx context.Context, to source.Sink) error {
	if err := s.who(ctx); err != nil {
		return err
	}
	for _, what := range s.o.What {
		if err := s.find(ctx, to, what); err != nil {
			return err
		}
	}
	if len(s.heads) == 0 {
		return &Error{Where: s.base, Why: "There is no channel to import"}
	}
	if s.o.HeadsOnly {
		return nil
	}
	return s.contents(ctx, to)
}

// Channels returns the ids of the channels that were handed over, so that the caller can read them
// one by one.
func (s *Source) Channels() (ids []string) {
	for _, t := range s.queue {
		ids = append(ids, fmt.Sprint(t.ID))
	}
	return ids
}

// who finds the user of the token.
func (s *Source) who(ctx context.Context) error {
	if s.token == "" {
		return nil
	}
	var me person
	err := s.get(ctx, "/v3/me", nil, &me)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusForbidden {
		return nil // a token of an application has no user
	}
	s.self = me.ID
	return err
}

// find hands over the channels that an argument names. It reports missing ones as left out, and
// returns only errors that would affect everything else too.
func (s *Source) find(ctx context.Context, to source.Sink, what string) error {
	var err error
	name := s.tidy(what)
	switch {
	case strings.HasPrefix(name, "@"):
		err = s.findAll(ctx, to, "/v3/users/"+url.PathEscape(name[1:])+"/contents", "those of "+name)
	case strings.HasPrefix(name, "group/"):
		err = s.findAll(ctx, to, "/v3/groups/"+url.PathEscape(strings.TrimPrefix(name, "group/"))+"/contents", "those of "+name)
	default:
		var text json.RawMessage
		if err = s.get(ctx, "/v3/channels/"+url.PathEscape(name), nil, &text); err == nil {
			t, why := read(text)
			if why == "" {
				return s.sendChannel(ctx, to, t)
			}
			to.LeftOut(source.LeftOut{What: "channel " + name, Where: s.base, Why: why})
		}
	}
	return s.pass(to, "channel "+name, err)
}

// tidy converts the address of a channel's page to the name of the channel.
func (s *Source) tidy(what string) string {
	what = strings.TrimSpace(what)
	u, err := weburl.Parse(what)
	if err != nil {
		return strings.Trim(what, "/")
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if parts[0] == "group" && len(parts) == 2 {
		return "group/" + parts[1]
	}
	return parts[len(parts)-1]
}

// pass reports an error that concerns a single item, and returns one that ends the reading.
func (s *Source) pass(to source.Sink, what string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Down || e.Status == http.StatusUnauthorized {
		return err
	}
	to.LeftOut(source.LeftOut{What: what, Where: e.Where, Why: e.Why})
	return nil
}

// findAll hands over the channels of a list.
func (s *Source) findAll(ctx context.Context, to source.Sink, path, what string) error {
	return s.pages(ctx, to, path, url.Values{"type": {"Channel"}, "sort": {"created_at_asc"}}, what, func(t resource) error {
		if t.Type != "Channel" {
			return nil
		}
		return s.sendChannel(ctx, to, t)
	})
}

// sendChannel hands over a channel once, and queues it so that its contents are read.
func (s *Source) sendChannel(ctx context.Context, to source.Sink, t resource) error {
	s.mu.Lock()
	known := s.heads[t.ID]
	full := len(s.heads) >= maxChannels
	if !full {
		s.heads[t.ID] = true
	}
	s.mu.Unlock()
	if known {
		return nil
	}
	c := s.channel(t)
	if full {
		to.LeftOut(source.LeftOut{What: "channel " + t.Title, Where: c.Where, Why: fmt.Sprintf("There are more than %d channels", maxChannels)})
		return nil
	}
	if !s.o.HeadsOnly {
		to.Expect(int(min(max(t.Counts.Contents, 0), maxPages*perPage)))
	}
	if err := to.Channel(ctx, c); err != nil {
		return err
	}
	s.mu.Lock()
	s.queue = append(s.queue, t)
	s.mu.Unlock()
	return nil
}

// contents reads the contents of the queued channels, a few concurrently.
func (s *Source) contents(ctx context.Context, to source.Sink) error {
	readers, within := errgroup.WithContext(ctx)
	ended := make(chan struct{}, atOnce)
	for running := 0; ; {
		next, ok := s.next()
		if ok = ok && within.Err() == nil; !ok && running == 0 {
			break
		}
		if !ok || running == atOnce { // wait until a reader ends, because it may have queued more
			<-ended
			running--
		}
		if !ok {
			continue
		}
		running++
		readers.Go(func() error {
			defer func() { ended <- struct{}{} }()
			return s.inside(within, to, next)
		})
	}
	return cmp.Or(readers.Wait(), ctx.Err())
}

// next removes a channel from the queue.
func (s *Source) next() (t resource, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return t, false
	}
	t, s.queue = s.queue[0], s.queue[1:]
	return t, true
}

// inside reads the contents of a channel. If it cannot be read to its end, the items read so far
// are kept.
func (s *Source) inside(ctx context.Context, to source.Sink, c resource) error {
	id := fmt.Sprint(c.ID)
	query := url.Values{"sort": {"position_asc"}}
	err := s.pagesFrom(ctx, to, s.o.Page, s.o.Paged, "/v3/channels/"+id+"/contents", query, "what is in channel "+c.Title, func(t resource) error {
		it, why := s.item(t)
		if why != "" {
			to.LeftOut(source.LeftOut{What: t.Type + " " + t.Title, Where: it.Where, Why: why})
			return nil
		}
		if s.o.Deep && it.Kind == source.Nested {
			if err := s.sendChannel(ctx, to, t); err != nil {
				return err
			}
		}
		if err := to.Item(ctx, id, it); err != nil || t.Comments <= 0 || it.Kind == source.Nested {
			return err
		}
		return s.comments(ctx, to, id, t)
	})
	if err = s.pass(to, "the rest of channel "+c.Title, err); err != nil {
		return err
	}
	return to.Close(ctx, id)
}

// comments reads the comments on a block.
func (s *Source) comments(ctx context.Context, to source.Sink, channel string, b resource) error {
	id := fmt.Sprint(b.ID)
	where := s.pageOf(b)
	err := s.pages(ctx, to, "/v3/blocks/"+id+"/comments", url.Values{"sort": {"created_at_asc"}}, "comments on block "+b.Title, func(t resource) error {
		return to.Comment(ctx, channel, id, source.Comment{ID: fmt.Sprint(t.ID), Body: t.Body.Markdown, Author: s.person(t.User),
			CreatedAt: t.CreatedAt, Where: where})
	})
	return s.pass(to, "comments on block "+b.Title, err)
}

// pages reads a list to its end or to the limit of pages, and calls each once per item.
func (s *Source) pages(ctx context.Context, to source.Sink, path string, query url.Values, what string, each func(t resource) error) error {
	return s.pagesFrom(ctx, to, 1, nil, path, query, what, each)
}

// pagesFrom is pages starting at a page number. It calls paged before each page.
func (s *Source) pagesFrom(ctx context.Context, to source.Sink, first int, paged func(page int), path string, query url.Values, what string,
	each func(t resource) error) error {
	type key struct {
		channel bool
		id      int64
	}
	seen := map[key]bool{}
	where := s.base + path
	query.Set("per", fmt.Sprint(perPage))
	for page := max(first, 1); ; page++ {
		if paged != nil {
			paged(page)
		}
		if page > maxPages {
			to.LeftOut(source.LeftOut{What: "the rest of " + what, Where: where, Why: fmt.Sprintf("There are more than %d", maxPages*perPage)})
			return nil
		}
		query.Set("page", fmt.Sprint(page))
		var l list
		if err := s.get(ctx, path, query, &l); err != nil {
			return err
		}
		fresh := 0
		for _, e := range l.Data {
			t := e.resource
			if e.why != "" {
				fresh++
				to.LeftOut(source.LeftOut{What: strings.TrimSpace(t.Type + " " + t.Title), Where: where, Why: e.why})
				continue
			}
			k := key{t.Type == "Channel", t.ID}
			if seen[k] {
				continue
			}
			seen[k] = true
			fresh++
			if err := each(t); err != nil {
				return err
			}
		}
		if len(l.Data) == 0 || !l.Meta.More {
			return nil
		}
		if fresh == 0 {
			to.LeftOut(source.LeftOut{What: "the rest of " + what, Where: where, Why: fmt.Sprintf("Page %d repeats what was on pages before", page)})
			return nil
		}
	}
}

// opening returns a function that opens the file at an address.
func (s *Source) opening(at string) func(ctx context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		body, err := s.open(ctx, at, s.o.MaxFile)
		if e, ok := errors.AsType[*fetch.Error](err); ok && ctx.Err() == nil {
			return nil, &source.Unusable{Why: e.Reason, Cause: err}
		}
		return body, err
	}
}
