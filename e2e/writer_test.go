package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// item is a block in a writer's own channel. An id is 0 if its response was lost.
type item struct{ connection, block int64 }

// writer writes at random, and records acknowledged writes and the one in flight. Nobody else
// writes to its own channel, so it knows the order there. All writers write to the shared channel.
type writer struct {
	client
	t      *testing.T
	name   string
	random *rand.Rand
	own    int64
	shared int64

	items  []item           // of the own channel, from the bottom
	texts  map[int64]string // of all blocks that it created
	links  map[int64]bool   // its connections in the shared channel; false if deleted
	flight flight
	writes int
}

// flight is the possible effect of the request in flight; zero for none.
type flight struct {
	items []item // the own channel if the request succeeded; nil if it does not change
	block int64  // the block whose text may be text; 0 for a new one
	text  string
	link  int64 // the connection that may be deleted
}

func newWriter(t *testing.T, name, token string, random *rand.Rand) *writer {
	return &writer{client: client{token: token}, t: t, name: name, random: random,
		texts: map[int64]string{}, links: map[int64]bool{}}
}

// channel creates a channel, apart from the random writes.
func (w *writer) channel(url, title, visibility string) int64 {
	w.t.Helper()
	w.to(url, http.DefaultTransport)
	var made struct{ ID int64 }
	if err := w.send(http.MethodPost, "/v3/channels", fields{"title": title, "visibility": visibility}, &made); err != nil {
		w.t.Fatal(err)
	}
	return made.ID
}

// write writes until a request fails, and returns its error.
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

// step tries one random write, more often one that adds. It returns false if there was nothing to
// write.
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
