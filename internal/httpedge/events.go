package httpedge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// Clients reconnect after a random time, so that those of a server that stops do not all come back at once.
const (
	retryFirst = time.Second
	retryLater = 5 * time.Second  // at most, after an error of the network
	retryStop  = 15 * time.Second // at most, after a shutdown
)

// Events writes server-sent events. The mount must not buffer or limit the response (Handler.Downloads).
type Events struct {
	w       http.ResponseWriter
	to      *http.ResponseController
	started bool
}

// NewEvents returns a stream. Begin, or else its first event, sends the header.
func NewEvents(w http.ResponseWriter) *Events {
	return &Events{w: w, to: http.NewResponseController(w)}
}

// Started reports whether the header was sent, after which no error can be shown.
func (s *Events) Started() bool { return s.started }

// Begin sends the header.
func (s *Events) Begin() {
	s.started = true
	header := s.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // for nginx
	s.w.WriteHeader(http.StatusOK)
}

// Send writes events. The first ones follow a hint when to reconnect.
func (s *Events) Send(events []byte) error {
	if !s.started {
		s.Begin()
		events = append(retry(retryLater), events...)
	}
	if _, err := s.w.Write(events); err != nil {
		return err
	}
	if err := s.to.Flush(); err != nil {
		return err
	}
	Unhurried(s.w)
	return nil
}

// End ends the stream with an error, which it returns if it can still be shown. Otherwise the client connects again and
// continues after the last event, later at a shutdown.
func (s *Events) End(err error, shutdown bool) error {
	if !s.started {
		return err
	}
	if shutdown {
		_ = s.Send(retry(retryStop)) // otherwise the client reconnects sooner
	}
	return nil
}

func retry(most time.Duration) []byte {
	return fmt.Appendf(nil, "retry: %d\n\n", (retryFirst + rand.N(most-retryFirst)).Milliseconds())
}
