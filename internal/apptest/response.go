package apptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/domain"
)

// Want fails the test if the status is another.
func (r *Response) Want(status int) *Response {
	r.T.Helper()
	if r.Status != status {
		r.T.Fatalf("status %d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// Get returns the value at a path of the body such as "data.0.id": nil, bool, string, json.Number,
// []any or map[string]any. A missing path fails the test.
func (r *Response) Get(path string) any {
	r.T.Helper()
	v, ok := r.Lookup(path)
	if !ok {
		r.T.Fatalf("there is no %s in %s", path, r.Body)
	}
	return v
}

// Lookup is Get for values that may be missing.
func (r *Response) Lookup(path string) (any, bool) {
	r.T.Helper()
	d := json.NewDecoder(strings.NewReader(string(r.Body)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		r.T.Fatalf("%v in %q", err, r.Body)
	}
	if path == "" {
		return v, true
	}
	for _, key := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// Int returns a number in the body.
func (r *Response) Int(path string) int64 {
	r.T.Helper()
	n, err := strconv.ParseInt(fmt.Sprint(r.Get(path)), 10, 64)
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// Str returns a string in the body.
func (r *Response) Str(path string) string {
	r.T.Helper()
	s, ok := r.Get(path).(string)
	if !ok {
		r.T.Fatalf("%s is no string in %s", path, r.Body)
	}
	return s
}

// Bool returns a boolean in the body.
func (r *Response) Bool(path string) bool {
	r.T.Helper()
	b, ok := r.Get(path).(bool)
	if !ok {
		r.T.Fatalf("%s is no boolean in %s", path, r.Body)
	}
	return b
}

// Len returns the length of a list in the body.
func (r *Response) Len(path string) int {
	r.T.Helper()
	l, ok := r.Get(path).([]any)
	if !ok {
		r.T.Fatalf("%s is no list in %s", path, r.Body)
	}
	return len(l)
}

// Channel creates a channel and returns its id. A private one also gets the plain slug of its
// title, unless it is taken, as if it had been open before. So tests can name it.
func (r *Rig) Channel(as, title, visibility string) int64 {
	r.T.Helper()
	id := r.Do(as, http.MethodPost, "/v3/channels", map[string]any{"title": title, "visibility": visibility}).
		Want(http.StatusCreated).Int("id")
	if slug := domain.Slugify(title); visibility == string(domain.Private) && domain.ValidSlug(slug) {
		r.Exec(`INSERT INTO slugs (kind, slug, target_id, created_at) VALUES ('Channel', $1, $2, 0) ON CONFLICT DO NOTHING`, slug, id)
	}
	return id
}

// Block creates a Text block in channels and returns its id.
func (r *Rig) Block(as, value string, channels ...int64) int64 {
	r.T.Helper()
	return r.Do(as, http.MethodPost, "/v3/blocks", map[string]any{"value": value, "channel_ids": channels}).
		Want(http.StatusCreated).Int("id")
}
