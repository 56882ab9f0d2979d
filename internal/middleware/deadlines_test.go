package middleware

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const late = "408 The request took longer than 15s"

// waits waits until its request is cancelled, then responds with the given status.
func waits(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		if code != 0 {
			w.Header().Set("ETag", `"stale"`)
			renderText(w, r, code, context.Cause(r.Context()).Error())
		}
	}
}

func TestDeadlineAnswers408(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.Handler
		want    string
	}{
		"in time":          {text("ok"), "ok"},
		"error in time":    {status(http.StatusNotFound), ""},
		"silent":           {waits(0), late},
		"error, too late":  {waits(http.StatusInternalServerError), late},
		"client error":     {waits(http.StatusBadRequest), late},
		"success, late":    {waits(http.StatusCreated), "201 context deadline exceeded"},
		"implicit success": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { waits(0)(w, r); _, _ = io.WriteString(w, "done") }), "done"},
		"begun in time": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begun")
			waits(0)(w, r)
		}), "begun"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := serve(Deadline(15*time.Second, renderText)(tt.handler), get())
				if got := w.Body.String(); got != tt.want {
					t.Errorf("body = %q, want %q", got, tt.want)
				}
				if tt.want == late {
					wantHeader(t, w.Header(), "ETag", "")
					if took := time.Since(start); w.Code != 408 || took != 15*time.Second {
						t.Errorf("status %d after %v, want 408 after 15s", w.Code, took)
					}
				}
			})
		})
	}
}

// The context of a handler behaves like one of package context, also before something waits for it.
func TestDeadlineContext(t *testing.T) {
	t.Parallel()
	const d = time.Minute
	for name, want := range map[string]struct {
		act func(cancel, end func())
		err error
	}{
		"in time":  {func(_, _ func()) { time.Sleep(d - 1) }, nil},
		"too late": {func(_, _ func()) { time.Sleep(d) }, context.DeadlineExceeded},
		"lost":     {func(cancel, _ func()) { cancel() }, context.Canceled},
		"ended":    {func(_, end func()) { end() }, context.Canceled},
	} {
		for _, waited := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				type key struct{}
				parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, name))
				defer cancel()
				c := &deadlineContext{Context: parent, deadline: time.Now().Add(d)}
				defer c.end()
				fired := false
				if waited {
					context.AfterFunc(c, func() { fired = true })
				}
				want.act(cancel, c.end)
				synctest.Wait()
				if c.Err() != want.err || fired != (waited && want.err != nil) {
					t.Errorf("%s, waited %v: error %v, fired %v", name, waited, c.Err(), fired)
				}
				select {
				case <-c.Done():
					if want.err == nil || context.Cause(c) != want.err {
						t.Errorf("%s, waited %v: done, cause %v", name, waited, context.Cause(c))
					}
				default:
					if want.err != nil {
						t.Errorf("%s, waited %v: not done", name, waited)
					}
				}
				if at, ok := c.Deadline(); !ok || at != c.deadline || c.Value(key{}) != name {
					t.Errorf("%s, waited %v: deadline %v, value %v", name, waited, at, c.Value(key{}))
				}
			})
		}
	}
}

// All callers of Done get the same channel, and nothing runs after the end.
func TestDeadlineContextOfManyWaiters(t *testing.T) {
	t.Parallel()
	for range 100 {
		c := &deadlineContext{Context: context.WithoutCancel(t.Context()), deadline: time.Now().Add(time.Hour)}
		var all [4]<-chan struct{}
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() { all[i] = c.Done() })
		}
		wg.Go(c.end)
		wg.Wait()
		for _, done := range all {
			if <-done; done != all[0] {
				t.Fatal("another channel")
			}
		}
	}
}

func TestDeadlineLostClientIsNot408(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := serve(Deadline(time.Hour, renderText)(waits(0)), get().WithContext(ctx))
	if w.Code == http.StatusRequestTimeout {
		t.Error("a cancelled request was answered as if it had been slow")
	}
}

// pipe serves h over in-memory connections, whose deadlines use the bubble's clock.
type pipe chan net.Conn

func (p pipe) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipe) Close() error   { return nil }
func (p pipe) Addr() net.Addr { return &net.TCPAddr{} }

func connect(t *testing.T, h http.Handler) (net.Conn, *bufio.Reader) {
	t.Helper()
	listener := make(pipe, 1)
	client, server := net.Pipe()
	listener <- server
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(listener) }()
	t.Cleanup(func() {
		_ = client.Close()
		close(listener)
		synctest.Wait()
	})
	return client, bufio.NewReader(client)
}

func readsBody(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		renderText(w, r, http.StatusBadRequest, err.Error())
		return
	}
	fmt.Fprintf(w, "got %s", body)
}

func roundTrip(t *testing.T, conn net.Conn, in *bufio.Reader, request string) (*http.Response, string) {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestDeadlineCoversSlowBodies(t *testing.T) {
	t.Parallel()
	handlers := map[string]http.HandlerFunc{
		"reading":     readsBody,
		"not reading": waits(0),
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := Chain(handler, Begin(time.Now), Compress, Deadline(15*time.Second, renderText), BodyLimit(1<<20))
				conn, in := connect(t, h)
				start := time.Now()
				resp, body := roundTrip(t, conn, in, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhal")
				if resp.StatusCode != 408 || body != late || !resp.Close {
					t.Errorf("answer = %d %q, close %v; want 408 and close", resp.StatusCode, body, resp.Close)
				}
				if took := time.Since(start); took != 15*time.Second {
					t.Errorf("answered after %v, want 15s", took)
				}
			})
		})
	}
}

func TestDeadlineIsLiftedForTheNextRequest(t *testing.T) {
	t.Parallel()
	requests := map[string]string{
		"with body":    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		"chunked":      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"without body": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	heedless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.Context().Err(); err != nil {
			t.Errorf("the request began as %v", err)
		}
		readsBody(w, r)
		time.Sleep(time.Minute) // the bubble's clock
	})
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, in := connect(t, Chain(heedless, Begin(time.Now), Deadline(15*time.Second, renderText)))
				for range 3 {
					if resp, body := roundTrip(t, conn, in, request); resp.StatusCode != 200 || resp.Close {
						t.Errorf("answer = %d %q, close %v; want 200, kept alive", resp.StatusCode, body, resp.Close)
					}
					time.Sleep(time.Minute) // idle, for longer than the deadline
				}
			})
		})
	}
}

func TestDeadlineHandlerSlowAfterTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			waits(0)(w, r)
		}), Begin(time.Now), Deadline(15*time.Second, renderText))
		conn, in := connect(t, h)
		for range 2 { // the body had arrived, so the connection can be kept
			resp, body := roundTrip(t, conn, in, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
			if resp.StatusCode != 408 || body != late || resp.Close {
				t.Errorf("answer = %d %q, close %v; want 408, kept alive", resp.StatusCode, body, resp.Close)
			}
		}
	})
}

// paced is a connection that records its deadlines and can stop accepting data.
type paced struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
	stuck     bool
	takes     time.Duration // of a write
}

func (p *paced) SetWriteDeadline(d time.Time) error {
	p.deadlines = append(p.deadlines, d)
	return nil
}

func (p *paced) Write(b []byte) (int, error) {
	if p.stuck {
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(p.takes)
	return p.ResponseRecorder.Write(b)
}

// Every part of a large response gets its own deadline, as does the data that net/http sends after
// the handler. Without a wait in between, they share one.
func TestPaceMovesTheDeadline(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 10*paceStep+1)
	for takes, want := range map[time.Duration]int{0: 1, paceSlack - 1: 7, paceSlack: 1 + 10 + 1 + 1} {
		synctest.Test(t, func(t *testing.T) {
			w := &paced{ResponseRecorder: httptest.NewRecorder(), takes: takes}
			Pace(1)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if n, err := w.Write(body); n != len(body) || err != nil {
					t.Errorf("wrote %d, %v", n, err)
				}
				if n, err := w.Write(nil); n != 0 || err != nil {
					t.Errorf("wrote nothing: %d, %v", n, err)
				}
			})).ServeHTTP(w, get())
			if !bytes.Equal(w.Body.Bytes(), body) {
				t.Errorf("%d bytes arrive", w.Body.Len())
			}
			if len(w.deadlines) != want {
				t.Errorf("writes of %v: %d deadlines, want %d", takes, len(w.deadlines), want)
			}
			for i := 1; i < len(w.deadlines); i++ {
				if w.deadlines[i].Before(w.deadlines[i-1]) {
					t.Error("a deadline moves back")
				}
			}
		})
	}
}

// The higher the minimum rate, the more is sent at once, up to a limit.
func TestPaceStep(t *testing.T) {
	t.Parallel()
	for rate, want := range map[int64]int{1: paceStep, 2 << 10: paceStep, 3 << 10: 45 << 10, 4 << 10: 60 << 10, 5 << 10: 64 << 10, 1 << 40: 64 << 10} {
		if got := stepAt(rate); got != want {
			t.Errorf("at %d bytes a second %d are sent at once, want %d", rate, got, want)
		}
	}
}

// A client that is too slow on average runs out of time, even if it keeps accepting data.
func TestPaceCountsTheWait(t *testing.T) {
	t.Parallel()
	p := &pacer{ResponseWriter: httptest.NewRecorder(), control: http.NewResponseController(&paced{}), rate: 1 << 10}
	left := func() time.Duration {
		c := &paced{ResponseRecorder: httptest.NewRecorder()}
		p.control = http.NewResponseController(c)
		p.extend(time.Now(), 1<<10)
		return time.Until(c.deadlines[0]).Round(time.Second)
	}
	p.sent, p.waited = 1<<20, 1000*time.Second
	if got := left(); got != stall {
		t.Errorf("one in time has %v", got)
	}
	p.waited = 1030 * time.Second
	if got := left(); got != 25*time.Second {
		t.Errorf("one that is late has %v", got)
	}
	p.waited = 2000 * time.Second
	if got := left(); got > 0 {
		t.Errorf("one that is slow has %v", got)
	}
}

// After a failed write, further writes fail, because they would continue the body after a gap.
func TestPaceEndsAfterAFailure(t *testing.T) {
	t.Parallel()
	w := &paced{ResponseRecorder: httptest.NewRecorder()}
	Pace(1)(http.HandlerFunc(func(h http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(h, "half")
		w.stuck = true
		if _, err := io.WriteString(h, "lost"); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		w.stuck = false
		if n, err := io.WriteString(h, "rest"); n != 0 || err == nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	})).ServeHTTP(w, get())
	if w.Body.String() != "half" {
		t.Errorf("body %q", w.Body)
	}
}

// A response on a reused connection is sent although the last deadline has passed.
func TestPaceOnAUsedConnection(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = Pace(1)(text("hello"))
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			_ = c.SetWriteDeadline(time.Now().Add(-time.Hour))
		}
	}
	s.Start()
	defer s.Close()
	for range 2 {
		res, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(text) != "hello" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}
