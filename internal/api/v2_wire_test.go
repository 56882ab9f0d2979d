package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// addressV2 fills the path of an operation of version 2 with ids of the world.
func (w *world) addressV2(path string) string {
	id := any("ada")
	switch strings.Split(path, "/")[2] {
	case "channels":
		id = w.closed
	case "blocks":
		id = w.block
	case "groups":
		id = "moss"
	case "connections":
		id = w.connection
	}
	return strings.NewReplacer("{id}", fmt.Sprint(id), "{block_id}", fmt.Sprint(w.block), "{connection_id}", fmt.Sprint(w.connection),
		"{comment_id}", "1").Replace(path)
}

// Reads of version 2 support revalidation and HEAD like those of version 3.
func TestV2ReadsRevalidate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Group("Moss", "ada")
		for _, op := range w.S.API.V2.Operations() {
			if op.Method == http.MethodGet && op.ID != "getUserChannel" {
				w.revalidates(t, "ada", w.addressV2(op.Path))
			}
		}
	})
}

// A path of version 2 lists its methods.
func TestV2WrongMethods(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	methods := map[string][]string{}
	for _, op := range r.S.API.V2.Operations() {
		methods[op.Path] = append(methods[op.Path], op.Method)
	}
	for path, taken := range methods {
		want := append(slices.Clone(taken), "OPTIONS")
		if slices.Contains(taken, "GET") {
			want = append(want, "HEAD")
		}
		slices.Sort(want)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "OPTIONS"} {
			if slices.Contains(taken, method) {
				continue
			}
			res := r.Do("", method, fillV2.Replace(path), nil)
			allow := strings.Split(res.Header.Get("Allow"), ", ")
			slices.Sort(allow)
			if !slices.Equal(allow, want) {
				t.Errorf("%s %s: Allow is %q, want %q", method, path, allow, want)
			}
			if method == "OPTIONS" {
				res.Want(http.StatusNoContent)
				continue
			}
			var body struct {
				Code    int
				Message string
			}
			if err := json.Unmarshal(res.Want(http.StatusMethodNotAllowed).Body, &body); err != nil || body.Code != 405 || body.Message != "Method Not Allowed" {
				t.Errorf("%s %s: %s", method, path, res.Body)
			}
		}
	}
}

// Every response contains the date of version 2's deprecation, and most of them an existing path of version 3 as the
// successor.
func TestV2IsDeprecated(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	w := newWorld(r)
	r.Group("Moss", "ada")
	successors := 0
	for _, op := range r.S.API.V2.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		res := r.Do("ada", "GET", w.addressV2(op.Path), nil)
		if got := res.Header.Get("Deprecation"); got != "@1735689600" {
			t.Errorf("%s: Deprecation is %q", op.ID, got)
		}
		link, ok := strings.CutSuffix(strings.TrimPrefix(res.Header.Get("Link"), "<"), `>; rel="successor-version"`)
		if !ok {
			continue
		}
		successors++
		address := strings.TrimPrefix(link, apptest.Base)
		if address == "/v3/search" {
			address += "?query=a" // required
		}
		if got := r.Do("ada", "GET", address, nil).Status; got != http.StatusOK {
			t.Errorf("%s: %s answers %d", op.ID, link, got)
		}
	}
	if successors < 20 {
		t.Errorf("only %d operations name their successor", successors)
	}
}
