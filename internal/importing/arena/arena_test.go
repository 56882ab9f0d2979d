package arena

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/fetch"
	"vitrine/internal/importing/source"
)

// notes is a Sink that records its calls.
type notes struct {
	source.Sink // for methods that this source never calls

	mu       sync.Mutex
	channels []source.Channel
	items    map[string][]source.Item
	comments []source.Comment
	closed   []string
	left     []source.LeftOut
}

func (n *notes) do(f func()) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
	return nil
}
func (n *notes) Expect(int) {}
func (n *notes) Channel(_ context.Context, c source.Channel) error {
	return n.do(func() { n.channels = append(n.channels, c) })
}
func (n *notes) Item(_ context.Context, channel string, it source.Item) error {
	return n.do(func() { n.items[channel] = append(n.items[channel], it) })
}
func (n *notes) Comment(_ context.Context, _, _ string, c source.Comment) error {
	return n.do(func() { n.comments = append(n.comments, c) })
}
func (n *notes) Close(_ context.Context, channel string) error {
	return n.do(func() { n.closed = append(n.closed, channel) })
}
func (n *notes) LeftOut(l source.LeftOut) { _ = n.do(func() { n.left = append(n.left, l) }) }

// rig is a fake server, and a clock that only advances by sleeping.
type rig struct {
	mux   *http.ServeMux
	srv   *httptest.Server
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{mux: http.NewServeMux(), now: time.Unix(1_700_000_000, 0)}
	r.srv = httptest.NewServer(r.mux)
	t.Cleanup(r.srv.Close)
	return r
}

func (r *rig) sleep(ctx context.Context, d time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
	r.slept = append(r.slept, d)
	return ctx.Err()
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// total returns how long was slept.
func (r *rig) total() (d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slept {
		d += s
	}
	return d
}

func (r *rig) answer(path, body string) {
	r.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
}

func (r *rig) read(t *testing.T, o Options) (*notes, error) {
	t.Helper()
	o.From, o.Sleep, o.Now = r.srv.URL, r.sleep, r.clock
	o.Client = fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Wait: time.Minute, PerHost: 20})
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{items: map[string][]source.Item{}}
	return n, s.Read(t.Context(), n)
}

func channelJSON(id int64, more string) string {
	return fmt.Sprintf(`{"id":%d,"type":"Channel","slug":"c%d","title":"C%d","visibility":"public","created_at":"2020-01-02T03:04:05.678Z",
		"owner":{"id":5,"type":"User","name":"Cy","slug":"cy"},"counts":{"contents":3}%s}`, id, id, id, more)
}

func textJSON(id int64, more string) string {
	return fmt.Sprintf(`{"id":%d,"type":"Text","title":"T%d","content":{"markdown":"words"},"created_at":"2020-01-02T03:04:05Z"%s}`, id, id, more)
}

func listJSON(more bool, items ...string) string {
	return fmt.Sprintf(`{"data":[%s],"meta":{"has_more_pages":%t,"total_count":1000000000}}`, strings.Join(items, ","), more)
}

func TestALyingSourceIsTakenInPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages func(w http.ResponseWriter, page string)
		items int
		left  string // part of a report; "" if everything was imported
	}{
		"a page that repeats": {func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, listJSON(true, textJSON(1, ""), textJSON(2, "")))
		}, 2, "repeats"},
		"endless, of nothing": {func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, listJSON(true)) }, 0, ""},
		"wrong types": {func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, listJSON(false, textJSON(1, ""), `{"id":"two","type":"Text"}`, `7`, `null`, `{"id":-3,"type":"Text"}`, `{"id":4,"type":[]}`,
				textJSON(5, `,"connection":{"position":-7,"connected_at":null}`), textJSON(6, `,"created_at":"yesterday"`)))
		}, 2, "form"},
		"no list": {func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, `{"data":"none"}`) }, 0, "cannot be read"},
		"no JSON": {func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, `<html>`) }, 0, "cannot be read"},
		"a second page that fails": {func(w http.ResponseWriter, page string) {
			if page == "2" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_, _ = io.WriteString(w, listJSON(true, textJSON(1, "")))
		}, 1, "500"},
		"a body that is cut": {func(w http.ResponseWriter, page string) {
			text := listJSON(true, textJSON(1, ""))
			if page == "2" {
				text = text[:40]
			}
			_, _ = io.WriteString(w, text)
		}, 1, "cut off"},
		"too large": {func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, listJSON(false, textJSON(1, `,"x":"`+strings.Repeat("x", maxBody)+`"`)))
		}, 0, "larger"},
		"in a private network": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://10.0.0.1/v3/channels/1/contents")
			w.WriteHeader(http.StatusFound)
		}, 0, "not public"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.answer("/v3/channels/c1", channelJSON(1, ""))
			r.answer("/v3/channels/c2", channelJSON(2, ""))
			r.mux.HandleFunc("/v3/channels/1/contents", func(w http.ResponseWriter, q *http.Request) { c.pages(w, q.URL.Query().Get("page")) })
			r.answer("/v3/channels/2/contents", listJSON(false, textJSON(9, "")))
			n, err := r.read(t, Options{What: []string{"c1", "c2"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(n.items["1"]); got != c.items || len(n.items["2"]) != 1 || len(n.closed) != 2 {
				t.Errorf("%d items, %v closed, left out %v", got, n.closed, n.left)
			}
			if told := fmt.Sprint(n.left); (c.left == "") != (len(n.left) == 0) || !strings.Contains(told, c.left) {
				t.Errorf("left out %s", told)
			}
		})
	}
}

func TestCyclesOfChannelsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.answer("/v3/channels/c1", channelJSON(1, ""))
	for id := int64(1); id <= 3; id++ {
		r.answer(fmt.Sprintf("/v3/channels/%d/contents", id), listJSON(false, channelJSON(id%3+1, ""), channelJSON(id, ""), textJSON(id*10, "")))
	}
	n, err := r.read(t, Options{What: []string{"c1", "c1", "https://www.are.na/cy/c1"}, Deep: true})
	if err != nil || len(n.channels) != 3 || len(n.closed) != 3 || n.left != nil {
		t.Errorf("%v: %d channels, %v closed, left out %v", err, len(n.channels), n.closed, n.left)
	}
}

func TestLimitsAreObeyed(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]func(h http.Header, left, reset int64){
		"as Are.na tells them": func(h http.Header, _, _ int64) { h.Set("X-RateLimit-Limit", "5"); h.Set("X-RateLimit-Window", "60") },
		"with what is left": func(h http.Header, left, reset int64) {
			h.Set("X-RateLimit-Limit", "5")
			h.Set("X-RateLimit-Remaining", fmt.Sprint(left))
			h.Set("X-RateLimit-Reset", fmt.Sprint(reset))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			var mu sync.Mutex
			var began time.Time
			var sent, refused, pages int
			limited := func(answer func(w http.ResponseWriter, q *http.Request)) http.HandlerFunc {
				return func(w http.ResponseWriter, q *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					now := r.clock()
					if now.Sub(began) >= time.Minute {
						began, sent = now, 0
					}
					if sent++; sent > 5 {
						refused++
						w.Header().Set("Retry-After", "60")
						w.WriteHeader(http.StatusTooManyRequests)
						return
					}
					headers(w.Header(), int64(5-sent), began.Add(time.Minute).Unix())
					answer(w, q)
				}
			}
			r.mux.HandleFunc("/v3/channels/c1", limited(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, channelJSON(1, "")) }))
			r.mux.HandleFunc("/v3/channels/1/contents", limited(func(w http.ResponseWriter, _ *http.Request) {
				pages++
				_, _ = io.WriteString(w, listJSON(pages < 23, textJSON(int64(pages), "")))
			}))
			n, err := r.read(t, Options{What: []string{"c1"}})
			if err != nil || len(n.items["1"]) != 23 {
				t.Fatalf("%v, %d items, %v", err, len(n.items["1"]), n.left)
			}
			if refused > 0 {
				t.Errorf("%d requests were too many", refused)
			}
			if d := r.total(); d < 4*time.Minute || d > 5*time.Minute {
				t.Errorf("waited %s for 24 requests at 5 a minute", d)
			}
		})
	}
}

func TestFailuresThatPassAreRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var mu sync.Mutex
	asked := 0
	r.answer("/v3/channels/c1", channelJSON(1, ""))
	r.mux.HandleFunc("/v3/channels/1/contents", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch asked++; asked {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			w.Header().Set("Retry-After", "77")
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			panic(http.ErrAbortHandler)
		case 4:
			_, _ = io.WriteString(w, listJSON(false, textJSON(1, ""))[:30])
		default:
			_, _ = io.WriteString(w, listJSON(false, textJSON(1, "")))
		}
	})
	n, err := r.read(t, Options{What: []string{"c1"}})
	if err != nil || len(n.items["1"]) != 1 || n.left != nil || asked != 5 {
		t.Errorf("%v, %d items after %d requests, left out %v", err, len(n.items["1"]), asked, n.left)
	}
	if d := r.total(); d < 77*time.Second || d > 3*time.Minute {
		t.Errorf("waited %s", d)
	}
}

func TestASourceThatDiesEndsTheReading(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.answer("/v3/channels/c1", channelJSON(1, ""))
	r.answer("/v3/channels/c2", channelJSON(2, ""))
	for _, id := range []string{"1", "2"} {
		r.mux.HandleFunc("/v3/channels/"+id+"/contents", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	}
	_, err := r.read(t, Options{What: []string{"c1", "c2"}})
	if e, ok := errors.AsType[*Error](err); !ok || !e.Down {
		t.Errorf("%v", err)
	}
}

func TestTheTokenStaysWithItsServer(t *testing.T) {
	t.Parallel()
	const token = "secret-of-cy"
	other := newRig(t)
	leaked := make(chan string, 9)
	other.mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		leaked <- q.Header.Get("Authorization")
		_, _ = io.WriteString(w, listJSON(false, textJSON(1, "")))
	})
	r := newRig(t)
	told := 0
	r.mux.HandleFunc("/v3/me", func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") == "Bearer "+token {
			told++
		}
		_, _ = io.WriteString(w, `{"id":5,"name":"Cy","slug":"cy"}`)
	})
	r.answer("/v3/channels/c1", channelJSON(1, ""))
	r.mux.HandleFunc("/v3/channels/1/contents", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", other.srv.URL+"/contents")
		w.WriteHeader(http.StatusFound)
	})
	n, err := r.read(t, Options{What: []string{"c1", "nothing"}, Token: token})
	if err != nil || told != 1 || len(n.items["1"]) != 1 {
		t.Fatalf("%v, %d times, %v", err, told, n.items)
	}
	if got := <-leaked; got != "" {
		t.Errorf("another server was sent %q", got)
	}
	if !n.channels[0].Owner.Self {
		t.Error("the owner of the token is not known as who imports")
	}
	refused := newRig(t)
	refused.mux.HandleFunc("/v3/me", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	_, err = refused.read(t, Options{What: []string{"c1"}, Token: token})
	if err == nil || strings.Contains(fmt.Sprintf("%v %+v %v", err, err, n.left), token) {
		t.Errorf("refused: %v", err)
	}
}

func TestFilesComeFromPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.answer("/v3/channels/c1", channelJSON(1, ""))
	r.mux.HandleFunc("/inside.png", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Location", "http://[::1]:9/secret")
		w.WriteHeader(http.StatusFound)
	})
	r.answer("/here.png", "bytes")
	image := func(id int, at string) string {
		text, _ := json.Marshal(map[string]any{"id": id, "type": "Image", "image": map[string]any{"src": at, "filename": "a.png"}})
		return string(text)
	}
	r.answer("/v3/channels/1/contents", listJSON(false, image(1, r.srv.URL+"/here.png"), image(2, r.srv.URL+"/inside.png"),
		image(3, "http://192.168.0.1/x"), image(4, "file:///etc/passwd"), image(5, r.srv.URL+"/none")))
	n, err := r.read(t, Options{What: []string{"c1"}, MaxFile: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range n.items["1"] {
		body, err := it.File.Open(t.Context())
		if i == 0 {
			if text, _ := io.ReadAll(body); string(text) != "bytes" {
				t.Errorf("a file of the source: %q, %v", text, err)
			}
			_ = body.Close()
			continue
		}
		if _, ok := source.ReasonOf(err); !ok {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestOptionsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"ftp://x", "nonsense", "https://", "https://user:password@example.org", "https://example.org?x=1", "::"} {
		if _, err := New(Options{From: from}); err == nil {
			t.Errorf("%q is taken", from)
		}
	}
	s, err := New(Options{From: " https://API.are.na/v3/ "})
	if err != nil || s.Origin() != "https://api.are.na" {
		t.Errorf("%v %v", s, err)
	}
	n := &notes{items: map[string][]source.Item{}}
	if err := s.Read(t.Context(), n); err == nil {
		t.Error("nothing is something to import")
	}
}
