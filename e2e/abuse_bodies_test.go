package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Request bodies that would take far more memory than their size if the server did not limit it.
const (
	hostileForms      = 50
	hostileFormBytes  = 1 << 20
	hostileFormsCost  = 100 << 20 // total bytes of memory
	hostileBodies     = 64        // concurrent
	hostileBodyBytes  = 1_000_000
	hostileBodiesCost = 100 << 20
	hostileItems      = 16 << 20 // on one page of an import
	hostileImportCost = 100 << 20
)

// hostileForm returns a form with a value that is five times as long when it is escaped for HTML.
func hostileForm() []byte {
	return []byte("email=" + strings.Repeat(`"`, hostileFormBytes))
}

// hostileBody returns a block with 110,000 objects instead of channel ids.
func hostileBody() []byte {
	return []byte(`{"value":"a","channel_ids":[` + strings.TrimSuffix(strings.Repeat(`{"a":{}},`, hostileBodyBytes/9), ",") + `]}`)
}

// newHostileSource starts an API server with a channel whose page has millions of items.
func newHostileSource(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/v3/channels/{id}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":1,"type":"Channel","slug":"c","title":"C","visibility":"public","counts":{"contents":3}}`)
	})
	zeros := bytes.Repeat([]byte("0,"), 1<<20)
	mux.HandleFunc("/v3/channels/{id}/contents", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		for range hostileItems / (1 << 20) {
			if _, err := w.Write(zeros); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `0]}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// post sends a body and returns the first line of the response. The rest of the response stays
// unread, and the connection open, until done is called.
func post(host, from, path, header string, body []byte) (line string, done func()) {
	dialer := net.Dialer{Timeout: time.Minute}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	conn, err := dialer.Dial("tcp", host)
	if err != nil {
		return "no connection", func() {}
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	go func() { // a server that refuses the body may not read it
		_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: %d\r\n\r\n", path, host, header, len(body))
		_, _ = conn.Write(body)
	}()
	answer := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, answer); err != nil {
		return "broken off", func() { _ = conn.Close() }
	}
	return string(answer[len("HTTP/1.1 "):]), func() { _ = conn.Close() }
}

// postAll sends n bodies at once and counts the status lines. It reads no response
// until all of them have started.
func postAll(times int, send func(i int) (string, func())) map[string]int {
	answers, ends := make([]string, times), make([]func(), times)
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { answers[i], ends[i] = send(i) })
	}
	all.Wait()
	met := map[string]int{}
	for i, answer := range answers {
		met[answer]++
		ends[i]()
	}
	return met
}

const formHeader = "Content-Type: application/x-www-form-urlencoded"

func jsonHeader(token string) string {
	return "Content-Type: application/json\r\nAuthorization: Bearer " + token
}

// guestAddress returns one of many loopback addresses for guests.
func guestAddress(i int) string { return fmt.Sprintf("127.0.%d.%d", 1+i/200, 1+i%200) }

// TestMemoryOfHostileBodies measures the memory that echoed forms, bodies that no operation
// accepts and a hostile import source cost, each on its own.
func TestMemoryOfHostileBodies(t *testing.T) {
	alone(t)
	p := newProgram(t, build(t), "", "VITRINE_FETCH_ALLOW=127.0.0.0/8")
	token, source := p.user("mallory"), newHostileSource(t)
	for _, step := range []struct {
		name string
		most int64
		act  func(s *process, c *client) string
	}{
		{"forms of guests", hostileFormsCost, func(s *process, _ *client) string {
			form := hostileForm()
			return fmt.Sprint(postAll(hostileForms, func(i int) (string, func()) {
				return post(strings.TrimPrefix(s.url, "http://"), guestAddress(i), "/forgot-password", formHeader, form)
			}))
		}},
		{"undecoded bodies", hostileBodiesCost, func(s *process, _ *client) string {
			body := hostileBody()
			return fmt.Sprint(postAll(hostileBodies, func(int) (string, func()) {
				return post(strings.TrimPrefix(s.url, "http://"), "", "/v3/blocks", jsonHeader(token), body)
			}))
		}},
		{"a hostile import source", hostileImportCost, func(_ *process, c *client) string {
			return importFrom(t.Context(), c, source, 5*time.Minute)
		}},
	} {
		s := p.serve() // a new process per step, since the peak never falls
		c := &client{token: token}
		c.to(s.url, &http.Transport{})
		for _, path := range []string{"/v3/me", "/forgot-password", "/v3/openapi.json"} {
			_ = c.send(http.MethodGet, path, nil, nil) // warm up, so that caches do not count as cost
		}
		_ = c.send(http.MethodPost, "/v3/blocks", fields{}, nil)
		idle := peak(t, s)
		met := step.act(s, c)
		cost := peak(t, s) - idle
		t.Logf("%s: idle %d MiB, cost %d MiB, %s", step.name, idle>>20, cost>>20, met)
		if cost > step.most {
			t.Errorf("%s cost %d MiB", step.name, cost>>20)
		}
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.ended(t)
	}
}

// importFrom starts an import from a server and waits for its end.
func importFrom(ctx context.Context, c *client, address string, patience time.Duration) string {
	var made struct {
		ID    int64
		State string
	}
	if err := c.send(http.MethodPost, "/ext/v1/imports", fields{"source": "arena", "address": address, "what": []string{"c"}}, &made); err != nil {
		return err.Error()
	}
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if err := c.send(http.MethodGet, fmt.Sprintf("/ext/v1/imports/%d", made.ID), nil, &made); err != nil {
			return err.Error()
		}
		if made.State != "waiting" && made.State != "running" && made.State != "queued" || !pause(ctx, 200*time.Millisecond) {
			break
		}
	}
	return made.State
}

// echoForms sends forms from one guest on 230 connections that never read the response. A page
// that shows such a form again is many times as long.
func (a *abuser) echoForms(ctx context.Context, base string) string {
	met, form := &tally{name: "forms that are echoed"}, hostileForm()
	host := strings.TrimPrefix(base, "http://")
	var all sync.WaitGroup
	for range 230 {
		all.Go(func() {
			for pause(ctx, time.Second) {
				answer, done := post(host, "127.0.0.2", "/forgot-password", formHeader, form)
				met.add(answer)
				pause(ctx, 5*time.Second)
				done()
			}
		})
	}
	all.Wait()
	return met.String()
}

// sendUndecoded sends bodies that no operation accepts, 64 at once.
func (a *abuser) sendUndecoded(ctx context.Context, base string) string {
	met, body := &tally{name: "undecoded bodies"}, hostileBody()
	host := strings.TrimPrefix(base, "http://")
	var all sync.WaitGroup
	for range hostileBodies {
		all.Go(func() {
			for pause(ctx, time.Second) {
				answer, done := post(host, "", "/v3/blocks", jsonHeader(a.token), body)
				met.add(answer)
				done()
			}
		})
	}
	all.Wait()
	return met.String()
}

// importHostile imports from a hostile server again and again.
func (a *abuser) importHostile(ctx context.Context, base string) string {
	met, c := &tally{name: "hostile imports"}, a.fresh(base)
	for pause(ctx, time.Second) {
		met.add(fmt.Sprintf("%.60s", importFrom(ctx, c, a.source, 30*time.Second)))
	}
	return met.String()
}

// prepareTexts creates the channel for long texts.
func (a *abuser) prepareTexts(t *testing.T, url string) {
	t.Helper()
	a.to(url, &http.Transport{})
	made := struct{ ID int64 }{}
	if err := a.send(http.MethodPost, "/v3/channels", fields{"title": "Texts", "visibility": "private"}, &made); err != nil {
		t.Fatal(err)
	}
	a.private = made.ID
}

// postLongTexts creates blocks with long texts until the quota refuses them.
func (a *abuser) postLongTexts(ctx context.Context, base string) string {
	met, c := &tally{name: "long texts"}, a.fresh(base)
	for n := 0; pause(ctx, 500*time.Millisecond); n++ {
		value := fmt.Sprintf("%d %s", n, strings.Repeat("漢字", 99_000))
		met.met(c.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": []int64{a.private}}, nil))
	}
	return met.String()
}
