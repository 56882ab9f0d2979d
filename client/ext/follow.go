package ext

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/client/internal/rest"
)

// ErrStartAgain is the error of a cursor whose changes are no longer known: read everything again, and follow without a
// cursor.
var ErrStartAgain = errors.New("ext: the changes since the cursor are no longer known: read everything again, and start without a cursor")

// Limits of following.
const (
	waitSeconds  = 30              // of a request that waits for changes
	silence      = time.Minute     // after which a stream counts as broken; the server sends something every 15 seconds
	longestPause = time.Minute     // between attempts to reach the server
	shortRound   = 2 * time.Second // the least time from one request without any change to the next one
	maxLine      = 1 << 20         // bytes of a line of a stream
)

// FollowParams say what to follow.
type FollowParams struct {
	Cursor  string // of the last Batch that was applied; empty to start now
	Channel int64  // only this channel and its contents; 0: everything
	Stream  bool   // by server-sent events instead of requests that wait
	NoWait  bool   // end when there are no more changes
}

// Batch is some changes, and the cursor after them.
type Batch struct {
	Changes []Change
	Cursor  string
}

// errStop ends a round because the caller wants no more, or because there is no more.
var errStop = errors.New("stop")

// Follow returns what changes, in order, until the context ends. Store the cursor of each batch together with what you made
// of its changes, and continue with it later: then no change is lost or repeated. A batch may have no changes and only move the
// cursor. Without a cursor the first batch has none, and its cursor starts now: read everything then, before the next batch.
//
// If the server cannot be reached, it is tried again, at growing intervals. Other errors end the sequence, as the last item;
// ErrStartAgain means that the cursor is too old, or that a backup was restored.
func (c *Client) Follow(ctx context.Context, p FollowParams) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		round := c.poll
		if p.Stream && !p.NoWait {
			round = c.stream
		}
		failures := 0
		err := error(nil)
		for err == nil {
			began := time.Now()
			moved := false
			err = round(ctx, p, func(b Batch) error {
				moved, p.Cursor = true, b.Cursor
				if !yield(b, nil) {
					return errStop
				}
				return nil
			})
			if moved {
				failures = 0
			}
			pause := time.Duration(0)
			if err == nil && !moved {
				pause = shortRound - time.Since(began)
			}
			if err != nil && passing(err) {
				pause, err = backoff(failures, err), nil
				failures++
			}
			if err == nil {
				err = rest.Sleep(ctx, pause)
			}
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusGone {
			err = fmt.Errorf("%w (%s)", ErrStartAgain, e.Message)
		}
		if !errors.Is(err, errStop) {
			yield(Batch{}, err)
		}
	}
}

// poll requests the changes after the cursor, and waits if nothing has changed. Without a cursor it gets one.
func (c *Client) poll(ctx context.Context, p FollowParams, each func(Batch) error) error {
	params := &ListChangesParams{Cursor: p.Cursor, Channel: p.Channel}
	if p.Cursor != "" && !p.NoWait {
		params.Wait = waitSeconds
	}
	list, err := c.ListChanges(ctx, params)
	if err == nil && (len(list.Data) > 0 || list.Cursor != p.Cursor) {
		err = each(Batch{list.Data, list.Cursor})
	}
	if err == nil && p.NoWait && !list.More {
		return errStop
	}
	return err
}

// stream reads one stream to its end, which the server sets after five minutes.
func (c *Client) stream(ctx context.Context, p FollowParams, each func(Batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	query := url.Values{}
	if p.Channel != 0 {
		query.Set("channel", strconv.FormatInt(p.Channel, 10))
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if p.Cursor != "" {
		header.Set("Last-Event-ID", p.Cursor)
	}
	var body io.ReadCloser
	err := c.c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/ext/v1/changes/stream?" + query.Encode(), Header: header, Out: &body})
	if err != nil {
		return err
	}
	defer body.Close()
	silent := time.AfterFunc(silence, cancel)
	defer silent.Stop()
	at := p.Cursor
	err = events(body, func() { silent.Reset(silence) }, func(kind, id, data string) error {
		b := Batch{Cursor: id}
		if kind == "change" {
			var change Change
			if err := json.Unmarshal([]byte(data), &change); err != nil {
				return fmt.Errorf("ext: a change of the stream: %w", err)
			}
			b.Changes = []Change{change}
		}
		if id == "" || id == at && len(b.Changes) == 0 {
			return nil
		}
		at = id
		return each(b)
	})
	if isRead, ok := errors.AsType[*brokenStream](err); ok && isRead != nil {
		return nil // the next round continues after the last event
	}
	return err
}

// brokenStream is the error of a stream that ended too early.
type brokenStream struct{ error }

// events reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). each gets the type, the id and the data of
// an event; it is also called for events that have only an id. An event without its end is dropped.
func events(r io.Reader, alive func(), each func(kind, id, data string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	kind, id, data := "", "", []string(nil)
	for lines.Scan() {
		alive()
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "" {
			if err := each(kind, id, strings.Join(data, "\n")); err != nil {
				return err
			}
			kind, data = "", nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "id":
			id = value
		case "data":
			data = append(data, value)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("ext: a line of the stream has more than %d bytes", maxLine)
	} else if err != nil {
		return &brokenStream{err}
	}
	return nil
}

// passing reports whether an error may go away by itself.
func passing(err error) bool {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return e.Status == http.StatusTooManyRequests || e.Status >= 500
	}
	_, lost := errors.AsType[*url.Error](err)
	return lost
}

// backoff returns how long to wait after some failures.
func backoff(failures int, err error) time.Duration {
	pause := min(time.Second<<min(failures, 10), longestPause)
	pause = pause/2 + rand.N(pause/2)
	if e, ok := errors.AsType[*client.Error](err); ok {
		pause = max(pause, e.RetryAfter)
	}
	return pause
}
