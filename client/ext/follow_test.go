package ext

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/client"
)

func follow(t *testing.T, p FollowParams, handler http.HandlerFunc, until func(seen []Batch) bool) (seen []Batch, err error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	c, err := client.New(server.URL, client.WithRetries(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range New(c).Follow(t.Context(), p) {
		if err != nil {
			return seen, err
		}
		if seen = append(seen, b); until(seen) {
			break
		}
	}
	return seen, nil
}

func short(all []Batch) string {
	var text strings.Builder
	for _, b := range all {
		fmt.Fprint(&text, b.Cursor)
		for _, c := range b.Changes {
			fmt.Fprint(&text, " ", c.ID)
		}
		text.WriteString(";")
	}
	return text.String()
}

// A stream continues after its last event, also if it breaks in the middle of one, and after failures.
func TestStream(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	seen, err := follow(t, FollowParams{Channel: 4, Stream: true}, func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-ID")
		if r.URL.Query().Get("channel") != "4" || r.URL.Path != "/ext/v1/changes/stream" {
			t.Error(r.URL)
		}
		switch n.Add(1) {
		case 1:
			if _, sent := r.Header["Last-Event-Id"]; sent {
				t.Error("the first request has a cursor")
			}
			_, _ = io.WriteString(w, ": hello\r\nevent: start\r\nid: a\r\ndata: {\"cursor\":\"a\"}\r\n\r\nevent: change\nid: b\ndata: {\"id\":\ndata: 1}\n\nid: b\n\nid: c\n\nevent: change\nid: d\ndata: {\"id\": 2}")
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		default:
			if last != "c" {
				t.Errorf("continued after %q", last)
			}
			_, _ = io.WriteString(w, "event: change\nid: d\ndata: {\"id\": 2}\n\n")
		}
	}, func(seen []Batch) bool { return seen[len(seen)-1].Cursor == "d" })
	if got := short(seen); err != nil || got != "a;b 1;c;d 2;" {
		t.Errorf("%s %v", got, err)
	}
}

// Requests wait only with a cursor, and continue with the last one.
func TestPoll(t *testing.T) {
	t.Parallel()
	var asked []string
	seen, err := follow(t, FollowParams{}, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		_, _ = io.WriteString(w, map[string]string{"": `{"data": [], "cursor": "a", "more": false}`,
			"a": `{"data": [{"id": 1}, {"id": 2}], "cursor": "b", "more": true}`, "b": `{"data": [], "cursor": "c", "more": true}`,
			"c": `{"data": [{"id": 3}], "cursor": "d", "more": false}`}[r.URL.Query().Get("cursor")])
	}, func(seen []Batch) bool { return len(seen) == 4 })
	if got := short(seen); err != nil || got != "a;b 1 2;c;d 3;" || strings.Join(asked, " ") != " cursor=a&wait=30 cursor=b&wait=30 cursor=c&wait=30" {
		t.Errorf("%s %q %v", got, asked, err)
	}
}

// Without waiting, following ends with the changes that there are.
func TestNoWait(t *testing.T) {
	t.Parallel()
	seen, err := follow(t, FollowParams{Cursor: "a", Stream: true, NoWait: true}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{"cursor=a": `{"data": [{"id": 1}], "cursor": "b", "more": true}`,
			"cursor=b": `{"data": [], "cursor": "b", "more": false}`}[r.URL.RawQuery])
	}, func([]Batch) bool { return false })
	if got := short(seen); err != nil || got != "b 1;" {
		t.Errorf("%s %v", got, err)
	}
}

// A cursor that is too old ends with ErrStartAgain, in both ways, and other refusals with the error of the server.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		for status, again := range map[int]bool{http.StatusGone: true, http.StatusUnauthorized: false, http.StatusBadRequest: false} {
			_, err := follow(t, FollowParams{Cursor: "old", Stream: stream}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) },
				func([]Batch) bool { return true })
			var refused *client.Error
			if errors.Is(err, ErrStartAgain) != again || errors.As(err, &refused) == again {
				t.Errorf("%d: %v", status, err)
			}
		}
		_, err := follow(t, FollowParams{Cursor: "a", Stream: true}, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: "+strings.Repeat("x", maxLine))
		}, func([]Batch) bool { return true })
		if err == nil || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("an endless line: %v", err)
		}
	}
}
