package syncing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"vitrine/client"
)

// Limits of a program that follows both sides.
const (
	waitSeconds = 25
	maxBackoff  = 5 * time.Minute
	maxPause    = time.Hour
	maxForeign  = 1_000 // changes of other things after which the cursor is stored
)

// Watch keeps both sides in step until ctx ends. It waits while the server cannot be reached.
func (s *Sync) Watch(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	backoff := time.Second
	for {
		err := s.Once(ctx)
		switch pause, again := s.pause(err, backoff); {
		case ctx.Err() != nil:
			return nil
		case !again:
			return err
		case pause > 0:
			s.say("waiting %s: %v", pause.Round(time.Second), err)
			backoff = min(2*backoff, maxBackoff)
			if sleep(ctx, pause) != nil {
				return nil
			}
			continue
		}
		backoff = time.Second
		following, stop := context.WithCancel(ctx)
		if s.o.Pull {
			f := follower{server: s.server, cursor: s.cursor, known: s.known()}
			go f.run(following, changed)
		}
		s.idle(ctx, changed)
		stop()
	}
}

// pause returns how long to wait after an error, and whether to go on.
func (s *Sync) pause(err error, backoff time.Duration) (pause time.Duration, again bool) {
	if err == nil || errors.Is(err, ErrPartly) {
		return 0, true
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		if refused(err) || e.Status == http.StatusUnauthorized {
			return 0, false
		}
		backoff = max(backoff, min(e.RetryAfter, maxPause))
	} else if !isOffline(err) && !isLocal(err) {
		return 0, false
	}
	return backoff + rand.N(backoff/2), true
}

// idle returns when one of the sides may have changed.
func (s *Sync) idle(ctx context.Context, changed <-chan struct{}) {
	ticks := time.NewTicker(s.o.Every)
	defer ticks.Stop()
	hashes := time.NewTimer(time.Hour)
	defer hashes.Stop()
	var failed <-chan time.Time
	if len(s.dirty) > 0 {
		failed = time.After(maxBackoff)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			return
		case <-failed:
			return
		case <-hashes.C: // reads every file again
			s.dir.cache = map[string]cached{}
			return
		case <-ticks.C:
			if now, err := s.dir.scan(); err != nil || !now.equal(s.last) {
				return
			}
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// follower waits for a change at the server, next to scans of the directory.
type follower struct {
	server server
	cursor string
	known  known
}

// run reports a change that concerns the directory, and then returns.
func (f *follower) run(ctx context.Context, changed chan<- struct{}) {
	for foreign := 0; foreign < maxForeign; {
		list, err := f.server.changes(ctx, f.cursor, waitSeconds)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // the next comparison reports it
			if sleep(ctx, 10*time.Second) != nil {
				return
			}
			break
		}
		if slices.ContainsFunc(list.Data, f.known.concerns) {
			break
		}
		foreign += len(list.Data)
		f.cursor = list.Cursor
		if sleep(ctx, time.Second) != nil { // bounds the rate
			return
		}
	}
	select {
	case changed <- struct{}{}:
	default:
	}
}

// isOffline reports whether an error is one of the network, such as a response that ends too early.
func isOffline(err error) bool {
	if isLocal(err) || errors.Is(err, errState) { // contain numbers of system calls, which are errors of the network too
		return false
	}
	_, cut := errors.AsType[*json.SyntaxError](err)
	if cut || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	_, dialled := errors.AsType[*url.Error](err)
	_, failed := errors.AsType[net.Error](err)
	return dialled || failed
}
