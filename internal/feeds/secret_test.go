package feeds_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// secrets returns the secret URLs of a user.
func secrets(r *apptest.Rig, who string) present.SecretFeeds {
	r.T.Helper()
	id := r.Person(who).ID
	secret, err := r.S.App.People.FeedSecret(r.T.Context(), domain.Actor{UserID: id, Scope: domain.ScopeWrite})
	if err != nil {
		r.T.Fatal(err)
	}
	return (&present.Addresses{Site: ""}).SecretFeeds(id, secret)
}

// A secret URL shows what its user may see, and only that.
func TestSecretFeeds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := secrets(r, "ada"), secrets(r, "eve")
		moss := r.Channel("ada", "Moss", "private")
		r.Block("ada", "A fern", moss)
		group := r.Group("Engines", "ada")
		held := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Wheels", "visibility": "private", "group_id": group}).
			Want(http.StatusCreated)
		owner := domain.Principal{Slug: "ada"}
		address := ada.Channel(&domain.Channel{Slug: "moss", Owner: owner}, present.Atom)
		doc := atom(r, address)
		same(t, "channel", doc.Title+", "+doc.Entries[0].Title, "Moss · Ada, A fern")
		same(t, "address of itself", link(doc.Links, "self").Href, "")
		same(t, "channel as JSON", feedJSON(r, ada.Channel(&domain.Channel{Slug: "moss", Owner: owner}, present.JSONFeed)).FeedURL, "")
		same(t, "user", len(atom(r, ada.User(&domain.User{Slug: "ada"}, present.Atom)).Entries), 3)
		same(t, "group", atom(r, ada.Group(&domain.Group{Slug: "engines"}, present.Atom)).Entries[0].Title, held.Str("title"))
		same(t, "what others see", len(atom(r, eve.User(&domain.User{Slug: "ada"}, present.Atom)).Entries), 0)
		same(t, "what others see", len(atom(r, eve.Group(&domain.Group{Slug: "engines"}, present.Atom)).Entries), 0)
		get(r, eve.Channel(&domain.Channel{Slug: "moss", Owner: owner}, present.Atom)).Want(http.StatusNotFound)
		get(r, "/ada/moss/feed.atom").Want(http.StatusNotFound)

		res := get(r, address)
		same(t, "caching", res.Header.Get("Cache-Control"), "private, no-cache")
		same(t, "robots", res.Header.Get("X-Robots-Tag"), "noindex")
		same(t, "referrer", res.Header.Get("Referrer-Policy"), "no-referrer")
		get(r, address, "If-None-Match", res.Header.Get("ETag")).Want(http.StatusNotModified)

		if _, err := r.S.App.People.RenewFeedSecret(t.Context(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}); err != nil {
			t.Fatal(err)
		}
		get(r, address, "If-None-Match", res.Header.Get("ETag")).Want(http.StatusNotFound)
		same(t, "renewed", atom(r, secrets(r, "ada").Channel(&domain.Channel{Slug: "moss", Owner: owner}, present.Atom)).ID, doc.ID)
	})
}

// The feed of highlights has the quotes and notes of its user, and only these.
func TestHighlightsFeed(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := secrets(r, "ada"), secrets(r, "eve")
		moss := r.Channel("ada", "Moss", "private")
		block := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Moss & <i>fern</i> on stone", "title": "Words", "channel_ids": []int64{moss}}).Want(http.StatusCreated).Int("id")
		same(t, "none yet", len(atom(r, ada.Highlights(present.Atom)).Entries), 0)
		made := r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/highlights", block),
			`{"target":{"selector":[{"type":"TextQuoteSelector","exact":"on stone"}]},"body":{"type":"TextualBody","value":"First <b>.\n\nSecond."}}`).Want(http.StatusCreated)
		doc := atom(r, ada.Highlights(present.Atom))
		same(t, "entry", doc.Entries[0].Title+", "+doc.Entries[0].Content.HTML,
			"Words, <blockquote dir=\"auto\">on stone</blockquote>\n<p dir=\"auto\">First &lt;b&gt;.</p>\n<p dir=\"auto\">Second.</p>")
		same(t, "page", strings.HasSuffix(link(doc.Entries[0].Links, "alternate").Href, fmt.Sprintf("/block/%d/read", block)), true)
		same(t, "as JSON", len(feedJSON(r, ada.Highlights(present.JSONFeed)).Items), 1)
		same(t, "of others", len(atom(r, eve.Highlights(present.Atom)).Entries), 0)
		get(r, strings.Replace(ada.Highlights(present.Atom), "highlights", "others", 1)).Want(http.StatusNotFound)
		r.Do("ada", "DELETE", strings.TrimPrefix(made.Header.Get("Location"), apptest.Base), nil).Want(http.StatusNoContent)
		same(t, "deleted", len(atom(r, ada.Highlights(present.Atom)).Entries), 0)
	})
}

// An e-reader, which sends no token, gets a private channel as a catalogue and as a book at its
// owner's secret URLs only.
func TestSecretBooks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := secrets(r, "ada"), secrets(r, "eve")
		r.Block("ada", "A fern", r.Channel("ada", "Moss", "private"))
		channel := &domain.Channel{Slug: "moss", Owner: domain.Principal{Slug: "ada"}}

		catalogue := get(r, ada.Export(channel, "opds")).Want(http.StatusOK)
		same(t, "type", strings.HasPrefix(catalogue.Header.Get("Content-Type"), "application/atom+xml;profile=opds-catalog"), true)
		same(t, "caching", catalogue.Header.Get("Cache-Control"), "private, no-store")
		book := regexp.MustCompile(`href="` + apptest.Base + `([^"]+\.epub)"`).FindSubmatch(catalogue.Body)
		if book == nil {
			t.Fatalf("the catalogue has no book: %s", catalogue.Body)
		}
		res := get(r, string(book[1])).Want(http.StatusOK)
		same(t, "type", res.Header.Get("Content-Type"), "application/epub+zip")
		same(t, "beginning", string(res.Body[30:58]), "mimetypeapplication/epub+zip")

		for _, form := range []string{"opds", "epub"} {
			get(r, eve.Export(channel, form)).Want(http.StatusNotFound)
		}
		if _, err := r.S.App.People.RenewFeedSecret(t.Context(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}); err != nil {
			t.Fatal(err)
		}
		get(r, string(book[1])).Want(http.StatusNotFound)
	})
}

func follow(r *apptest.Rig, who, whom string) {
	r.T.Helper()
	r.Person(whom)
	r.Do(who, "PUT", "/ext/v1/users/"+whom+"/follow", nil).Want(http.StatusOK)
}

// The home feed contains the activities of followed users.
func TestHomeFeed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	eve := secrets(r, "eve")
	moss := r.Channel("ada", "Moss", "public")
	follow(r, "eve", "ada")
	fern := r.Block("ada", "A **fern**", moss)
	r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", fern), map[string]any{"body": "It is <i>green</i>"}).Want(http.StatusCreated)
	follow(r, "ada", "ben")

	doc := atom(r, eve.Home(present.Atom))
	titles := ""
	for _, e := range doc.Entries {
		titles += e.Title + ", "
	}
	same(t, "titles", titles, "Ada followed Ben, Ada commented on A fern, Ada added A fern to Moss, Ada created Moss, ")
	same(t, "page", link(doc.Entries[1].Links, "alternate").Href, fmt.Sprintf("%s/block/%d", apptest.Base, fern))
	has(t, "comment", doc.Entries[1].Content.HTML, "It is <i>green</i>")
	has(t, "block", doc.Entries[2].Content.HTML, "A <strong>fern</strong>")
	same(t, "as JSON", len(feedJSON(r, eve.Home(present.JSONFeed)).Items), 4)
	if n := len(r.Statements(func() { atom(r, eve.Home(present.Atom)) })); n > 14 {
		t.Errorf("%d statements", n)
	}
}

// Secrets are not logged, even from invalid URLs.
func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	home := secrets(r, "ada").Home(present.Atom)
	key := strings.Split(home, "/")[2]
	_, secret, _ := strings.Cut(key, "-")
	for _, path := range []string{home, home + "/", "/feeds/" + key, "/feeds/" + key + "/", "/feeds/" + key + "/ada/moss", "/feeds/" + key + "/ada.rss",
		"/feeds//" + key + "/feed.atom", "/feeds/0-" + secret + "/feed.atom", "/feeds/99-" + secret + "/feed.atom", "/feeds/" + key + "x/feed.atom"} {
		res := get(r, path, "Accept", "text/html")
		want := map[string]int{home: http.StatusOK, home + "/": http.StatusMovedPermanently}[path]
		if want == 0 {
			want = http.StatusNotFound
		}
		if res.Status != want {
			t.Errorf("%s: %d, want %d", path, res.Status, want)
		}
		lines := strings.Join(r.Log(res.Header.Get("X-Request-Id")), "\n")
		has(t, "log", lines, "feeds")
		hasNo(t, "log", lines, secret)
		hasNo(t, path, string(res.Body), secret)
	}
}
