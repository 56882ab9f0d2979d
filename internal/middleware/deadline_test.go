package middleware

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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
