package feeds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Every kind of address answers GET and HEAD alike, with headers that let caches keep what everybody may
// see, and refuses other methods.
func TestMethodsAndHeaders(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	moss := r.Channel("ada", "Moss", "public")
	r.Block("ada", "A fern", moss)
	r.Group("Engines", "ada")
	secret := secrets(r, "ada")
	for _, c := range []struct{ path, kind, caching, robots string }{
		{"/ada/moss/feed.atom", "application/atom+xml; charset=utf-8", "max-age=300, public", "noindex"},
		{"/ada/moss/feed.json", "application/feed+json; charset=utf-8", "max-age=300, public", "noindex"},
		{"/ada/feed.atom", "application/atom+xml; charset=utf-8", "max-age=300, public", "noindex"},
		{"/group/engines/feed.json", "application/feed+json; charset=utf-8", "max-age=300, public", "noindex"},
		{"/explore/feed.atom", "application/atom+xml; charset=utf-8", "max-age=300, public", "noindex"},
		{secret.Home(present.Atom), "application/atom+xml; charset=utf-8", "private, no-cache", "noindex"},
		{"/oembed?url=" + apptest.Base + "/ada/moss", "application/json; charset=utf-8", "max-age=300, public", ""},
		{"/robots.txt", "text/plain; charset=utf-8", "max-age=300, public", ""},
		{"/sitemap.xml", "application/xml; charset=utf-8", "max-age=300, public", ""},
		{"/sitemaps/users-1.xml", "application/xml; charset=utf-8", "max-age=300, public", ""},
		{fmt.Sprintf("/cards/channel/%d.png", moss), "image/png", "max-age=300, public", ""},
	} {
		whole := get(r, c.path).Want(200)
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			res := r.Do("", method, c.path, nil).Want(200)
			for name, want := range map[string]string{"Content-Type": c.kind, "Cache-Control": c.caching, "X-Robots-Tag": c.robots, "Set-Cookie": "",
				"X-Content-Type-Options": "nosniff", "ETag": whole.Header.Get("ETag")} {
				same(t, method+" "+c.path+" "+name, res.Header.Get(name), want)
			}
		}
		tag := whole.Header.Get("ETag")
		if tag == "" {
			t.Errorf("%s has no tag", c.path)
		}
		for _, match := range []string{tag, "W/" + strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
			if res := get(r, c.path, "If-None-Match", match); res.Status != 304 || len(res.Body) > 0 {
				t.Errorf("%s with If-None-Match %s: %d, %d bytes", c.path, match, res.Status, len(res.Body))
			}
		}
		get(r, c.path, "If-None-Match", `"other"`).Want(200)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
			res := r.Do("", method, c.path, nil).Want(405)
			has(t, method+" "+c.path, res.Header.Get("Allow"), "GET")
			same(t, method+" "+c.path, res.Header.Get("Content-Type")+" "+res.Header.Get("Cache-Control"), "text/plain; charset=utf-8 no-store")
		}
	}
}

// A feed of nothing is a feed, and texts of any length and form are cut or escaped in its head.
func TestHeadsOfFeeds(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, c := range []struct{ title, description, subtitle string }{
		{"Empty", "", ""},
		{"Markup <b>&amp;</b>", "*Strong* <script>alert(1)</script> & [link](https://x.example)", "Strong & link"},
		{"Lines", "one\n\ntwo\n- three", "one two - three"},
		{"Long", strings.Repeat("moss ", 400), strings.TrimSpace(strings.Repeat("moss ", 99))},
		{"Other scripts 苔 عدد 🌿", "苔", "苔"},
	} {
		made := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": c.title, "visibility": "public", "description": c.description}).Want(201)
		path := "/ada/" + made.Str("slug")
		doc, other := atom(r, path+"/feed.atom"), feedJSON(r, path+"/feed.json")
		same(t, c.title, doc.Title, c.title+" · Ada")
		same(t, c.title, other.Title, doc.Title)
		same(t, c.title+": entries", len(doc.Entries)+len(other.Items), 0)
		if got := strings.Join(strings.Fields(doc.Subtitle), " "); !strings.HasPrefix(got, c.subtitle) || len([]rune(got)) > 510 || c.subtitle == "" && got != "" {
			t.Errorf("%s: the subtitle is %q", c.title, got)
		}
		var list struct{ Items []any }
		if err := json.Unmarshal(get(r, path+"/feed.json").Body, &list); err != nil || list.Items == nil {
			t.Errorf("%s: the items are no list (%v)", c.title, err)
		}
	}
	for _, path := range []string{"/ben/feed.atom", "/explore/feed.atom"} {
		r.Person("ben")
		atom(r, path)
	}
}

// What an operator hides or a member deletes is no longer in any feed, card, frame or sitemap, and is again when it
// is shown.
func TestHiddenFromFeeds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, other := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Other", "public")
		fern := r.Block("ada", "Quzq fern", moss)
		r.Connect("ben", "Block", fern, other)
		r.Connect("ben", "Channel", moss, other)
		r.Block("ben", "Stays", other)
		follow(r, "eve", "ada")
		eve := secrets(r, "eve")
		block := []string{"/ada/moss/feed.atom", "/ada/feed.json", "/ben/other/feed.atom", "/explore/feed.atom", eve.Home(present.Atom),
			eve.Channel(&domain.Channel{Slug: "other", Owner: domain.Principal{Slug: "ben"}}, present.JSONFeed)}
		pages := []string{fmt.Sprintf("/cards/block/%d.png", fern), fmt.Sprintf("/oembed?url=%s/block/%d", apptest.Base, fern)}
		channel := []string{"/ada/moss/feed.atom", fmt.Sprintf("/cards/channel/%d.png", moss), "/oembed?url=" + apptest.Base + "/ada/moss"}
		look := func(when string, blockShown, channelShown bool) {
			t.Helper()
			for i, path := range block {
				inMoss := i == 0 || i == 4 // a story of Ada's is about the channel
				res := get(r, path)
				if shown := strings.Contains(string(res.Body), "Quzq"); shown != (blockShown && (channelShown || !inMoss)) {
					t.Errorf("%s: %s shows the block: %t", when, path, shown)
				}
			}
			for i, paths := range [][]string{pages, channel} {
				want := map[bool]int{true: 200, false: 404}[[]bool{blockShown, channelShown}[i]]
				for _, path := range paths {
					if res := get(r, path); res.Status != want {
						t.Errorf("%s: %s is %d, want %d", when, path, res.Status, want)
					}
				}
			}
			if listed := strings.Contains(strings.Join(listed(r), " "), "/ada/moss"); listed != channelShown {
				t.Errorf("%s: the sitemap lists the channel: %t", when, listed)
			}
			has(t, when, string(get(r, "/ben/other/feed.atom").Want(200).Body), "Stays")
		}
		hide := func(about domain.Subject) (show func()) {
			t.Helper()
			hidden, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(), moderation.HideInput{About: about})
			if err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			return func() {
				if _, err := r.S.App.Moderation.Show(t.Context(), operating.CommandLine(), hidden.ID, ""); err != nil {
					t.Fatal(err)
				}
				r.WorkJobs()
			}
		}
		look("at first", true, true)
		show := hide(domain.Subject{Type: domain.SubjectBlock, ID: fern})
		look("the block is hidden", false, true)
		show()
		look("the block is shown", true, true)
		show = hide(domain.Subject{Type: domain.SubjectChannel, ID: moss})
		look("the channel is hidden", true, false)
		show()
		look("the channel is shown", true, true)
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", moss), nil).Want(204)
		r.WorkJobs()
		look("the channel is deleted", true, false)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", fern), nil).Want(204)
		look("the block is deleted", false, false)
	})
}

// A secret address returns 404 if any part of it is wrong or its user is suspended, for every kind of
// feed.
func TestWrongSecrets(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Operator("olga")
	r.Block("ada", "A fern", r.Channel("ada", "Moss", "private"))
	ada := r.Person("ada").ID
	feeds := secrets(r, "ada")
	home := feeds.Home(present.Atom)
	key := strings.Split(home, "/")[2]
	_, secret, _ := strings.Cut(key, "-")
	other := strings.Split(secrets(r, "ben").Home(present.Atom), "/")[2]
	_, others, _ := strings.Cut(other, "-")
	get(r, home).Want(200)
	for name, wrong := range map[string]string{
		"no secret": fmt.Sprint(ada, "-"), "no number": "-" + secret, "only a number": fmt.Sprint(ada), "the secret of another": fmt.Sprint(ada, "-", others),
		"the number of another": fmt.Sprint(r.Person("ben").ID, "-", secret), "nobody": "999-" + secret, "zero": "0-" + secret,
		"a sign": fmt.Sprint("+", ada, "-", secret), "a large number": "99999999999999999999-" + secret, "shorter": key[:len(key)-1], "longer": key + "0",
		"another case": fmt.Sprint(ada, "-", swapped(secret)), "a slug": "ada-" + secret, "a space": key + "%20", "NUL": key + "%00",
	} {
		for _, tail := range []string{"/feed.atom", "/ada.json", "/ada/moss.atom", "/ada/moss.opds", "/ada/moss.epub", "/group/x.atom"} {
			if res := get(r, "/feeds/"+wrong+tail); res.Status != 404 {
				t.Errorf("%s: %s is %d", name, tail, res.Status)
			} else {
				hasNo(t, name, string(res.Body), secret, "fern")
			}
		}
	}
	for _, tail := range []string{"", "/", "/feed", "/feed.rss", "/feed.ATOM", "/ada/moss", "/ada/moss.pdf", "/ada/moss/more.atom", "/ada/none.atom", "/ada/none.epub", "/none.atom", "/group/none.atom"} {
		get(r, "/feeds/"+key+tail).Want(404)
	}
	ref := domain.Ref{ID: int64(ada)}
	if _, err := r.S.App.Operating.Suspend(t.Context(), ref, true); err != nil {
		t.Fatal(err)
	}
	r.Clock.Advance(time.Hour)
	for _, tail := range []string{"/feed.atom", "/ada/moss.atom", "/ada/moss.epub"} {
		get(r, "/feeds/"+key+tail).Want(404)
	}
	if _, err := r.S.App.Operating.Suspend(t.Context(), ref, false); err != nil {
		t.Fatal(err)
	}
	r.Clock.Advance(time.Hour)
	get(r, home).Want(200)
}

// swapped returns a text with capitals and small letters exchanged.
func swapped(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return c
	}, text)
}
