package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/database/dbtest"
)

// The contents of the imported site: channels of notes and pictures, on several pages.
const (
	importedChannels = 3
	importedItems    = 120 // per channel
	importedPerPage  = 10
)

// site starts a server of version 3 with these contents, and calls asked for each request.
func site(t *testing.T, asked func()) string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	write := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	channel := func(id int) fields {
		return fields{"id": id, "type": "Channel", "slug": fmt.Sprintf("c%d", id), "title": fmt.Sprintf("Channel %d", id), "visibility": "public",
			"created_at": "2020-01-02T03:04:05Z", "owner": fields{"id": 1, "type": "User", "name": "Cy", "slug": "cy"}, "counts": fields{"contents": importedItems}}
	}
	mux := http.NewServeMux()
	var srv *httptest.Server
	mux.HandleFunc("/v3/users/cy/contents", func(w http.ResponseWriter, _ *http.Request) {
		var all []fields
		for id := 1; id <= importedChannels; id++ {
			all = append(all, channel(id))
		}
		write(w, fields{"data": all, "meta": fields{}})
	})
	mux.HandleFunc("/v3/channels/{id}/contents", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.PathValue("id"))
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		var items []fields
		for i := (page - 1) * importedPerPage; i < page*importedPerPage; i++ {
			it := fields{"id": 10_000*id + i, "type": "Text", "title": fmt.Sprintf("Item %d", i), "content": fields{"markdown": "words"},
				"created_at": "2020-01-02T03:04:05Z", "connection": fields{"connected_at": "2020-02-02T03:04:05Z"}}
			if i%10 == 5 {
				it["type"], it["image"] = "Image", fields{"src": fmt.Sprintf("%s/%d.png", srv.URL, i), "filename": "p.png"}
			}
			if i == 7 { // the same block in each channel
				it["id"] = 7
			}
			items = append(items, it)
		}
		write(w, fields{"data": items, "meta": fields{"has_more_pages": page*importedPerPage < importedItems}})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture.Bytes()) })
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// An import is killed ten times at random points while a server runs. The next one continues, and
// in the end everything exists once.
func TestKillImport(t *testing.T) {
	t.Parallel()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killImport(t, newProgram(t, path, ""))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killImport(t, newProgram(t, path, dbtest.PostgresURL(t)))
	})
}

func killImport(t *testing.T, p program) {
	var left atomic.Int64 // remaining requests before the kill
	var running atomic.Pointer[exec.Cmd]
	from := site(t, func() {
		if left.Add(-1) == 0 {
			_ = running.Load().Process.Kill()
		}
	})
	token := p.user("ada")
	s := p.serve()
	args := []string{"import", "arena", "--user", "ada", "--json", "--from", from, "@cy"}
	for round := range 10 {
		left.Store(1 + rand.Int64N(30))
		cmd := exec.CommandContext(t.Context(), p.path, args...)
		cmd.Env = p.env
		running.Store(cmd)
		err := cmd.Run()
		if _, killed := errors.AsType[*exec.ExitError](err); err != nil && !killed {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	left.Store(1 << 40)
	p.run(args...)
	last := p.run(args...)
	var report struct{ Blocks, Connections, Unchanged, Moved int }
	lines := strings.Split(last, "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &report); err != nil {
		t.Fatal(err)
	}
	if report.Blocks+report.Connections+report.Moved != 0 || report.Unchanged != importedChannels*importedItems {
		t.Errorf("once more: %+v", report)
	}
	c := client{token: token}
	c.to(s.url, nil)
	var made struct {
		Meta struct {
			Total int `json:"total_count"`
		}
	}
	if err := c.send("GET", "/v3/users/ada/contents?type=Block", nil, &made); err != nil {
		t.Fatal(err)
	}
	if want := importedChannels*importedItems - importedChannels + 1; made.Meta.Total != want {
		t.Errorf("%d blocks instead of %d", made.Meta.Total, want)
	}
	for id := 1; id <= importedChannels; id++ {
		at := 0
		for page := 1; page <= 2; page++ {
			var contents struct{ Data []struct{ Title string } }
			if err := c.send("GET", fmt.Sprintf("/v3/channels/channel-%d/contents?sort=position_asc&per=100&page=%d", id, page), nil, &contents); err != nil {
				t.Fatal(err)
			}
			for _, it := range contents.Data {
				if it.Title != fmt.Sprintf("Item %d", at) {
					t.Fatalf("channel %d: %q at %d", id, it.Title, at)
				}
				at++
			}
		}
		if at != importedItems {
			t.Errorf("channel %d has %d items", id, at)
		}
	}
	p.run("check", "--files")
}
