package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// signedIn returns the browser of a member of the cast, signed in by a password reset.
func signedIn(t *testing.T, r *apptest.Rig, name string) *browser {
	t.Helper()
	r.Person(name)
	b := newBrowser(t, r)
	b.post("/forgot-password", "email", name+"@example.org")
	b.post(mailed(t, r, name+"@example.org"), "password", password).want(http.StatusSeeOther)
	return b
}

// wall is a channel of ada's with an item of every kind.
type wall struct {
	id, inside int64
	blocks     map[string]int64 // by kind
}

const cinema = `{"version":"1.0","type":"video","title":"Wheels","width":640,"height":360,
"html":"<script>alert(1)</script><iframe src='https://player.example.com/7?a=1&amp;b=2' onload='alert(1)'></iframe>"}`

func newWall(t *testing.T, r *apptest.Rig) wall {
	t.Helper()
	r.Web("example.com/wheel.png", apptest.Serve("image/png", apptest.PNG(t, 900, 500)))
	r.Web("example.com/engine", apptest.Serve("text/html", []byte(`<title>The engine</title><meta property="og:image" content="/wheel.png"><p>It weaves.</p><p>The mill stores what the engine has woven, and the engine weaves what the mill has asked for, day after day.</p><p><img src="/wheel.png" alt=""> In another room, cards with holes are punched for the patterns of the next week.</p>`)))
	r.Web("example.com/watch", apptest.Serve("text/html", []byte(`<title>Page</title><link rel="alternate" type="application/json+oembed" href="/oembed">`)))
	r.Web("example.com/oembed", apptest.Serve("application/json", []byte(cinema)))
	r.Web("example.com/notes.csv", apptest.Serve("text/csv", []byte("a,b\n1,2\n")))
	r.Web("example.com/song.mp3", apptest.Serve("audio/mpeg", []byte("ID3\x04\x00\x00\x00\x00\x00\x0a"+strings.Repeat("\x00", 10)+"\xff\xfb\x90\x00"+strings.Repeat("\x00", 400))))
	w := wall{id: r.Channel("ada", "Studio wall", "public"), blocks: map[string]int64{}}
	for kind, value := range map[string]string{"text": "A *short* text", "image": "https://example.com/wheel.png", "link": "https://example.com/engine",
		"embed": "https://example.com/watch", "file": "https://example.com/notes.csv", "audio": "https://example.com/song.mp3", "failed": "https://example.com/nothing"} {
		w.blocks[kind] = r.Block("ada", value, w.id)
	}
	r.WorkJobs()
	for range 8 {
		r.HastenJobs()
		r.WorkJobs()
	}
	w.blocks["pending"] = r.Block("ada", "https://example.com/later", w.id)
	w.inside = r.Channel("ada", "Closed drawer", "closed")
	r.Connect("ada", "Channel", w.inside, w.id)
	return w
}

// page returns the path of a block's page.
func (w wall) page(kind string) string { return fmt.Sprint("/block/", w.blocks[kind]) }
