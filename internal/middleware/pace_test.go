package middleware

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// paced is a connection that records its deadlines and can stop accepting data.
type paced struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
	stuck     bool
}

func (p *paced) SetWriteDeadline(d time.Time) error {
	p.deadlines = append(p.deadlines, d)
	return nil
}

func (p *paced) Write(b []byte) (int, error) {
	if p.stuck {
		return 0, os.ErrDeadlineExceeded
	}
	return p.ResponseRecorder.Write(b)
}

// Every part of a large response gets its own deadline, as does the data that net/http sends after
// the handler.
func TestPaceMovesTheDeadline(t *testing.T) {
	t.Parallel()
	w := &paced{ResponseRecorder: httptest.NewRecorder()}
	body := bytes.Repeat([]byte("x"), 10*paceStep+1)
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
	if len(w.deadlines) != 1+11+1+1 {
		t.Errorf("%d deadlines", len(w.deadlines))
	}
	for i := 1; i < len(w.deadlines); i++ {
		if w.deadlines[i].Before(w.deadlines[i-1]) {
			t.Error("a deadline moves back")
		}
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
		p.extend(1 << 10)
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
	s.Config.Handler = Pace(1)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			defer func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(-time.Hour)) }()
		}
		_, _ = io.WriteString(w, "hello")
	}))
	s.Start()
	defer s.Close()
	for _, path := range []string{"/late", "/"} {
		res, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(text) != "hello" || err != nil {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
