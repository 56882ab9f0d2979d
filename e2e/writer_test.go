package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// item is a block in a writer's own channel. Zero stands for an id that the writer
// was not told.
type item struct{ connection, block int64 }

// writer writes at random, and keeps what was acknowledged and what is in flight.
// Nobody else writes to its own channel, so it knows the order there; to the shared
// channel all writers write.
type writer struct {
	client
	t      *testing.T
	name   string
	random *rand.Rand
	own    int64
	shared int64

	items  []item           // of the own channel, from the bottom to the top
	texts  map[int64]string // of all blocks it made
	links  map[int64]bool   // its connections in the shared channel: whether they are there
	flight flight
	writes int
}

// flight is what the request in flight may or may not have changed; zero for nothing.
type flight struct {
	items []item // the own channel's items, if it was carried out; nil if it does not concern them
	block int64  // the block whose text may be text; zero for one that may be made
	text  string
	link  int64 // the connection that may be gone
}

func newWriter(t *testing.T, name, token string, random *rand.Rand) *writer {
	return &writer{client: client{token: token}, t: t, name: name, random: random,
		texts: map[int64]string{}, links: map[int64]bool{}}
}

// channel makes a channel, outside the stream of writes.
func (w *writer) channel(url, title, visibility string) int64 {
	w.t.Helper()
	w.to(url, http.DefaultTransport)
	var made struct{ ID int64 }
	if err := w.send(http.MethodPost, "/v3/channels", fields{"title": title, "visibility": visibility}, &made); err != nil {
		w.t.Fatal(err)
	}
	return made.ID
}

// write writes until a request fails, and gives its error.
func (w *writer) write(acknowledged func()) error {
	for {
		w.flight = flight{}
		acked, err := w.step()
		if err != nil {
			return fmt.Errorf("write %d: %w", w.writes, err)
		}
		if acked {
			w.writes++
			w.flight = flight{}
			acknowledged()
		}
	}
}

// step tries one write, more often one that adds. It reports whether there was anything
// to write.
func (w *writer) step() (bool, error) {
	switch n := w.random.IntN(100); {
	case n < 5:
		return false, w.refuse()
	case n < 30 || len(w.items) == 0:
		return true, w.create()
	case n < 40:
		return w.connect()
	case n < 65:
		return w.move()
	case n < 75:
		return w.disconnect()
	case n < 85:
		return true, w.edit()
	case n < 95:
		return true, w.link()
	default:
		return w.unlink()
	}
}
