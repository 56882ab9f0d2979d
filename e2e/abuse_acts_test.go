package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// prepare creates a public channel of a hundred long blocks, a private one and a group.
func (a *abuser) prepare(t *testing.T, url string) {
	t.Helper()
	a.to(url, &http.Transport{})
	made := struct{ ID int64 }{}
	for _, step := range []struct {
		path string
		body fields
		id   *int64
	}{
		{"/v3/channels", fields{"title": "Long", "visibility": "public"}, &a.public},
		{"/v3/channels", fields{"title": "Batches", "visibility": "private"}, &a.private},
		{"/v3/groups", fields{"name": "You won https://evil.example"}, &a.group},
	} {
		if err := a.send(http.MethodPost, step.path, step.body, &made); err != nil {
			t.Fatal(err)
		}
		*step.id = made.ID
	}
	for i := range 100 {
		value := fmt.Sprintf("%d %s", i, strings.Repeat("漢字 ", 66_000))
		if err := a.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": []int64{a.public}}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// tally counts the outcomes of an attack.
type tally struct {
	mu    sync.Mutex
	name  string
	times map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[string]int{}
	}
	c.times[what]++
}

// met adds the outcome of a request.
func (c *tally) met(err error) {
	switch e := err.(type) {
	case nil:
		c.add("done")
	case statusError:
		c.add(fmt.Sprint(e.status))
	default:
		c.add("broken off")
	}
}

func (c *tally) String() string { return fmt.Sprintf("%s: %v", c.name, c.times) }

// fresh returns a client for the same account with its own connections.
func (a *abuser) fresh(base string) *client {
	c := &client{token: a.token}
	c.to(base, &http.Transport{})
	return c
}

// sendPictures creates blocks of hostile pictures.
func (a *abuser) sendPictures(ctx context.Context, base string) string {
	met, c := &tally{name: "hostile pictures"}, a.fresh(base)
	for n := 0; pause(ctx, 200*time.Millisecond); n++ {
		value, err := c.upload("picture.png", "image/png", a.pictures[n%len(a.pictures)])
		if err == nil {
			err = c.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": []int64{a.private}}, nil)
		}
		met.met(err)
	}
	return met.String()
}

// leaveUploads uploads files that never become blocks.
func (a *abuser) leaveUploads(ctx context.Context, base string) string {
	met, c := &tally{name: "uploads left"}, a.fresh(base)
	file := make([]byte, 8<<20)
	for pause(ctx, 100*time.Millisecond) {
		for i := range 1024 { // different content each time
			file[rand.IntN(len(file))] = byte(i)
		}
		_, err := c.upload("left.bin", "application/octet-stream", file)
		met.met(err)
	}
	return met.String()
}

// readNothing requests the largest page on many sockets and reads none of it.
func (a *abuser) readNothing(ctx context.Context, base string) string {
	met := &tally{name: "sockets that read nothing"}
	at, err := url.Parse(base)
	if err != nil {
		return err.Error()
	}
	var all sync.WaitGroup
	for range abuseSockets {
		all.Go(func() {
			for pause(ctx, time.Second) {
				met.add(holdSocket(ctx, at.Host, fmt.Sprintf("/v3/channels/%d/contents?per=100", a.public), a.token))
			}
		})
	}
	all.Wait()
	return met.String()
}

// holdSocket sends a request and reads nothing until the server ends the connection.
func holdSocket(ctx context.Context, host, path, token string) string {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return "no connection"
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, token); err != nil {
		return "not sent"
	}
	for pause(ctx, time.Second) {
		// Writing fails when the connection is closed.
		if _, err := io.WriteString(conn, "\r\n"); err != nil {
			return "ended by the server"
		}
	}
	return "held to the end"
}

// beginBatches starts batches of addresses that drip.
func (a *abuser) beginBatches(ctx context.Context, base string) string {
	met, c := &tally{name: "batches that drip"}, a.fresh(base)
	for n := 0; ; n++ {
		blocks := make([]fields, 50)
		for i := range blocks {
			blocks[i] = fields{"value": fmt.Sprintf("%s/%d-%d", a.web, n, i)}
		}
		met.met(c.send(http.MethodPost, "/v3/blocks/batch", fields{"channel_ids": []int64{a.private}, "blocks": blocks}, nil))
		if !pause(ctx, 10*time.Second) {
			return met.String()
		}
	}
}

// invite invites strangers by mail.
func (a *abuser) invite(ctx context.Context, base string) string {
	met, c := &tally{name: "invitations"}, a.fresh(base)
	for n := 0; pause(ctx, 100*time.Millisecond); n++ {
		met.met(c.send(http.MethodPost, fmt.Sprintf("/v3/groups/%d/invitations", a.group), fields{"email": fmt.Sprintf("stranger%d@example.org", n)}, nil))
	}
	return met.String()
}

// guessTokens sends requests with invalid tokens on four connections.
func (a *abuser) guessTokens(ctx context.Context, base string) string {
	met := &tally{name: "guessed tokens"}
	var all sync.WaitGroup
	var n atomic.Int64
	for range 4 {
		all.Go(func() {
			c := &client{}
			c.to(base, &http.Transport{})
			for pause(ctx, 10*time.Millisecond) {
				c.token = fmt.Sprintf("guess-%d", n.Add(1))
				met.met(c.send(http.MethodGet, "/v3/me", nil, nil))
			}
		})
	}
	all.Wait()
	return met.String()
}
