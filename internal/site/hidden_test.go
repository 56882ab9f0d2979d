package site_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/present"
	"vitrine/internal/site"
)

// onlookers request hidden items: a guest; an uninvolved user; a follower of the author and of all
// its channels; and a user who has the item in their own channel, received a notification about it,
// and uses a read-only token.
var onlookers = []string{"", "stranger", "follower", "holder/read"}

// Nothing that an operator hides is visible to others in any response: not its words, its id, its
// file, or a difference from an item that never existed. An item that is shown again appears
// everywhere as before.
func TestHidingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := newScene(t, r)
		before := s.look()
		s.shown(before)

		var entries []moderation.HiddenID
		for _, h := range []domain.Subject{{Type: domain.SubjectComment, ID: s.said}, {Type: domain.SubjectBlock, ID: s.ids["quzqblock"]},
			{Type: domain.SubjectBlock, ID: s.ids["quzqpicture"]}, {Type: domain.SubjectChannel, ID: s.ids["quzqchannel"]}} {
			hidden, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(), moderation.HideInput{About: h})
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, hidden.ID)
		}
		r.WorkJobs()
		s.export()
		changed := s.traceless(before, s.onlookers)
		for _, id := range entries {
			if _, err := r.S.App.Moderation.Show(t.Context(), operating.CommandLine(), id, ""); err != nil {
				t.Fatal(err)
			}
		}
		r.WorkJobs()
		s.asBefore(before, changed)

		owner := domain.Ref{ID: int64(r.Person("owner").ID)}
		if _, err := r.S.App.Operating.SuspendAndHide(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		s.export()
		s.marks = append(s.marks, "quzr")
		changed = s.traceless(before, []string{"", "holder/read"})
		if _, err := r.S.App.Operating.Suspend(t.Context(), owner, false); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		s.asBefore(before, changed)
	}, people)
}

// scene is a server on which owner has created the items to be hidden. Their texts contain words
// that begin with quzq, and their ids are far from all others. Words that begin with quzr are in
// owner's other items.
type scene struct {
	*apptest.Rig
	t         *testing.T
	onlookers []string
	ids       map[string]int64 // of blocks and channels by their word
	slugs     map[string]string
	said      int64    // owner's comment on holder's block
	links     []int64  // connections of hidden items, and one other
	remarks   []int64  // comments on the hidden block and on another
	marks     []string // beginnings of words and ids that no response may contain while the items are hidden
	cookies   map[string]string
	feeds     map[string]string // prefixes of the paths of secret feeds
	exports   map[string]int64
	asks      int
}

func newScene(t *testing.T, r *apptest.Rig) *scene {
	s := &scene{Rig: r, t: t, ids: map[string]int64{}, slugs: map[string]string{}, cookies: map[string]string{}, feeds: map[string]string{},
		exports: map[string]int64{}, marks: []string{"quzq", "77000", "88000", "99000", "66000"}}
	if s.onlookers = onlookers; r.DB().Dialect() == database.Postgres {
		s.onlookers = []string{"", "holder/read"} // the rules are the same, and more would take longer
	}
	r.Operator("op")
	for _, as := range append([]string{"owner"}, onlookers[1:]...) {
		s.enter(as)
	}
	r.Web("example.org/quzqpicture.png", apptest.Serve("image/png", apptest.PNG(t, 40, 30)))
	crew := r.Group("Crew", "holder", "owner", "follower")
	firm := r.Group("Firm", "owner") // whose members would still see its private channels
	walks := s.channel("walks", "holder", nil)
	crews := s.channel("crews", "holder", map[string]any{"id": crew, "type": "Group"})
	s.channel("quzrdrawer", "owner", nil)
	s.channel("quzrfirm", "owner", map[string]any{"id": firm, "type": "Group"})
	s.block("plain", "holder", "Kiln text, plain", walks, crews)
	s.block("quzrblock", "owner", "Kiln text of quzrblock", s.ids["quzrdrawer"], s.ids["quzrfirm"])
	s.remarks = append(s.remarks, s.comment("follower", s.ids["plain"], "A remark on this"))
	for _, path := range []string{"/ext/v1/users/owner/follow", "/ext/v1/users/holder/follow", "/ext/v1/groups/crew/follow", fmt.Sprintf("/ext/v1/channels/%d/follow", walks)} {
		r.Do("follower", "PUT", path, nil).Want(200)
	}
	s.links = append(s.links, r.Get("holder", "/v3/channels/%d/contents", walks).Int("data.0.connection.id"))

	for table, id := range map[string]int64{"blocks": 7700000, "channels": 8800000, "comments": 9900000, "connections": 6600000} {
		s.from(table, id)
	}
	hidden := s.channel("quzqchannel", "owner", nil)
	r.Do("follower", "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", hidden), nil).Want(200)
	s.block("quzqinner", "owner", "Kiln text of quzqinner", hidden)
	block := s.block("quzqblock", "owner", "Kiln text of quzqblock", s.ids["quzrdrawer"])
	s.block("quzqpicture", "owner", "http://example.org/quzqpicture.png", s.ids["quzrdrawer"])
	r.WorkJobs()
	file := r.Get("owner", "/v3/blocks/%d", s.ids["quzqpicture"]).Str("image.src")
	s.marks = append(s.marks, regexp.MustCompile(`/files/([^/?]+)`).FindStringSubmatch(file)[1])
	for _, in := range []int64{walks, crews} {
		s.links = append(s.links, r.Connect("holder", "Block", block, in), r.Connect("holder", "Channel", hidden, in))
		r.Connect("holder", "Block", s.ids["quzqpicture"], in)
	}
	s.remarks = append(s.remarks, s.comment("follower", block, "Remark quzqremark @holder"))
	s.said = s.comment("owner", s.ids["plain"], "Remark quzqsaid @holder @follower")
	r.WorkJobs()
	s.export()
	return s
}

// enter signs a user in, and creates their secret feeds.
func (s *scene) enter(as string) {
	name, _, _ := strings.Cut(as, "/")
	id := s.Person(name).ID
	s.cookies[as] = "__Host-vitrine=" + session(s.t, s.Rig, name)
	feeds, err := s.S.App.People.FeedSecret(s.t.Context(), domain.Actor{UserID: id, Scope: domain.ScopeWrite})
	if err != nil {
		s.t.Fatal(err)
	}
	s.feeds[as] = strings.TrimSuffix((&present.Addresses{}).SecretFeeds(id, feeds).Home(present.Atom), "/feed.atom")
}

// from lets the ids of a table continue after id.
func (s *scene) from(table string, id int64) {
	if s.DB().Dialect() == database.Postgres {
		s.Exec("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", table, id)
		return
	}
	s.Exec("UPDATE sqlite_sequence SET seq = $2 WHERE name = $1", table, id)
}

func (s *scene) channel(word, as string, owner map[string]any) int64 {
	body := map[string]any{"title": "Kiln " + word, "description": "About " + word, "visibility": "public"}
	of := as
	if owner != nil {
		body["owner"] = owner
		of = map[string]string{"crews": "crew", "quzrfirm": "firm"}[word]
	}
	made := s.Do(as, "POST", "/v3/channels", body).Want(201)
	s.ids[word], s.slugs[word] = made.Int("id"), of+"/"+made.Str("slug")
	return s.ids[word]
}

func (s *scene) block(word, as, value string, channels ...int64) int64 {
	s.ids[word] = s.Do(as, "POST", "/v3/blocks", map[string]any{"value": value, "title": "Kiln " + word, "channel_ids": channels}).Want(201).Int("id")
	return s.ids[word]
}

func (s *scene) comment(as string, on int64, body string) int64 {
	return s.Do(as, "POST", fmt.Sprintf("/v3/blocks/%d/comments", on), map[string]any{"body": body}).Want(201).Int("id")
}

// export exports everything of holder and follower again.
func (s *scene) export() {
	s.t.Helper()
	for _, name := range []string{"holder", "follower"} {
		id := s.Do(name, "POST", "/ext/v1/exports", nil).Want(202).Int("id")
		s.exports[name], s.exports[name+"/read"] = id, id
	}
	s.WorkJobs()
}

// asked is a response to an onlooker.
type asked struct {
	status    int
	tag, body string
}

// ask sends a request as a user, with the authentication that the path requires.
func (s *scene) ask(as, path string, headers ...string) asked {
	s.t.Helper()
	s.asks++
	token := as
	if d := door(path); d == "site" || d == "feeds" {
		token = ""
		headers = append(headers, "Accept", "text/html", "Cookie", s.cookies[as])
	}
	req := s.Request(token, "GET", path, nil, headers...)
	req.RemoteAddr = fmt.Sprintf("192.0.%d.1:1", s.asks%200) // requests from one address are rate limited
	w := httptest.NewRecorder()
	s.S.Handler().ServeHTTP(w, req)
	if w.Code >= http.StatusInternalServerError || w.Code == http.StatusTooManyRequests {
		s.t.Errorf("%q: %s: %d", as, path, w.Code)
	}
	return asked{w.Code, w.Header().Get("ETag"), fleeting.ReplaceAllString(unpacked(s.t, w.Body.Bytes()), "")}
}

// fleeting matches the parts that differ between two identical responses: random values, and the
// versions of cards.
var fleeting = regexp.MustCompile(`name="once" value="[^"]*"|"challenge":"[^"]*"|\?v=\d+`)

// unpacked returns a readable body: for an archive the names and contents of its files.
func unpacked(t *testing.T, body []byte) string {
	t.Helper()
	if !bytes.HasPrefix(body, []byte("PK")) {
		return string(body)
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s\n%s\n", f.Name, content)
	}
	return all.String()
}

// door returns the name of the interface that serves a path.
func door(path string) string {
	for name, prefixes := range map[string][]string{"v3": {"/v3/"}, "v2": {"/v2/"}, "ext": {"/ext/v1/"},
		"feeds": {"/feeds/", "/cards/", "/oembed", "/sitemap", "/robots.txt"}} {
		for _, prefix := range prefixes {
			if strings.HasPrefix(path, prefix) {
				return name
			}
		}
	}
	if strings.Contains(path, "/feed.") {
		return "feeds"
	}
	return "site"
}

// look requests everything as every onlooker. State that reading changes, such as unread
// notifications, is changed before.
func (s *scene) look() map[string]map[string]asked {
	all := map[string]map[string]asked{}
	for _, as := range s.onlookers {
		all[as] = map[string]asked{}
		paths := s.addresses(as)
		for _, path := range paths {
			if strings.HasPrefix(path, "/notifications") {
				s.ask(as, path)
			}
		}
		for _, path := range paths {
			all[as][path] = s.ask(as, path)
		}
	}
	return all
}

// shown fails if no onlooker sees an item in an interface that shows items of its kind. Otherwise
// the test could not notice that it is hidden there.
func (s *scene) shown(seen map[string]map[string]asked) {
	marks := append([]string{"quzqchannel", "quzqblock", "quzqinner", "quzqpicture", "quzqsaid", "quzqremark", "quzrdrawer", "quzrblock", "quzrfirm"}, s.marks...)
	found := map[string]int{}
	for as, answers := range seen {
		for path, a := range answers {
			for _, mark := range marks {
				if strings.Contains(a.body, mark) {
					found[as+" "+mark]++
					found[door(path)+" "+mark]++
				}
			}
		}
	}
	lacks := map[string][]string{"66000": {"ext", "feeds"}, "99000": {"ext", "feeds"}, "quzqsaid": {"ext", "feeds"}, "quzqremark": {"ext", "feeds"},
		"quzrdrawer": {"ext"}, "quzrblock": {"ext"}, "quzrfirm": {"ext"}}
	for _, mark := range marks {
		for _, who := range append(slices.Clone(s.onlookers), "v3", "v2", "ext", "site", "feeds") {
			if found[who+" "+mark] == 0 && !slices.Contains(lacks[mark], who) {
				s.t.Errorf("%q has no %s before anything is hidden", who, mark)
			}
		}
	}
}

// traceless requests everything as some onlookers while items are hidden. It returns the paths
// whose responses changed.
func (s *scene) traceless(before map[string]map[string]asked, all []string) map[string][]string {
	var pairs []string
	for _, mark := range s.marks {
		pairs = append(pairs, mark, "x"+mark[1:])
		if digits := strings.TrimRight(mark, "0"); len(digits) < len(mark) {
			pairs[len(pairs)-1] = digits + "999"
		}
	}
	never := strings.NewReplacer(pairs...) // replaces the ids in an address with those of items that never existed
	changed := map[string][]string{}
	for _, as := range all {
		for _, path := range s.addresses(as) {
			is, was := s.ask(as, path), before[as][path]
			if twin := never.Replace(path); twin != path {
				if other := s.ask(as, twin); is.status != other.status || never.Replace(is.body) != other.body {
					s.t.Errorf("%q: %s: %d, and of what never was %d: %s", as, path, is.status, other.status, unlike(never.Replace(is.body), other.body))
				}
			} else if i := slices.IndexFunc(s.marks, func(mark string) bool { return strings.Contains(is.body, mark) }); i >= 0 {
				s.t.Errorf("%q: %s (%d) has %s: %s", as, path, is.status, s.marks[i], unlike(is.body, strings.ReplaceAll(is.body, s.marks[i], "")))
			}
			if is == was || was == (asked{}) || exported(path) {
				continue
			}
			changed[as] = append(changed[as], path)
			if was.tag != "" && is.body != was.body && s.ask(as, path, "If-None-Match", was.tag).status == http.StatusNotModified {
				s.t.Errorf("%q: %s: who saw it is told that nothing has changed", as, path)
			}
		}
	}
	return changed
}

// asBefore repeats the changed requests after the items are shown again.
func (s *scene) asBefore(before map[string]map[string]asked, changed map[string][]string) {
	for as, paths := range changed {
		for _, path := range paths {
			if is, was := s.ask(as, path), before[as][path]; is.status != was.status || is.body != was.body {
				s.t.Errorf("%q: %s: %d, and was %d: %s", as, path, is.status, was.status, unlike(is.body, was.body))
			}
		}
	}
}

// exported reports whether a path is about stored exports, which are new each time.
func exported(path string) bool {
	return strings.HasPrefix(path, "/ext/v1/exports") || strings.HasPrefix(path, "/settings/export")
}

// unlike returns where two texts begin to differ.
func unlike(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	part := func(s string) string { return s[max(0, at-80):min(len(s), at+120)] }
	return fmt.Sprintf("%q, not %q", part(a), part(b))
}

// addresses returns everything that a GET can be sent to: the paths of the descriptions and the
// pages, with each item in place of their parameters, and addresses derived from pages.
func (s *scene) addresses(as string) (all []string) {
	for _, d := range []*describe.Description{s.S.API.V3, s.S.API.V2, s.S.API.Ext} {
		for _, op := range d.Operations() {
			if op.Method == http.MethodGet && !strings.Contains(op.Path, "/openapi") &&
				!strings.HasPrefix(op.Path, "/ext/v1/changes") { // they lead on with each change, and have tests of their own
				all = append(all, s.fill(op.Path, as)...)
			}
		}
	}
	for _, set := range site.PageSets() {
		if slices.Contains([]string{"account", "signon", "operator"}, set.Name) {
			continue // unrelated to collections
		}
		for _, route := range set.Routes {
			if route.Get != nil && route.Path != "/feed/changes" { // like /ext/v1/changes
				all = append(all, s.fill(route.Path, as)...)
			}
		}
	}
	return append(all, s.fed(as)...)
}

// fed returns the addresses of feeds.
func (s *scene) fed(as string) (all []string) {
	pages := []string{"/owner", "/holder", "/group/crew", "/group/firm", "/" + s.slugs["quzqchannel"], "/" + s.slugs["walks"], "/" + s.slugs["crews"]}
	if as == "" { // feeds ignore cookies
		for _, page := range append(pages, "/explore") {
			all = append(all, page+"/feed.atom", page+"/feed.json")
		}
		all = append(all, "/robots.txt", "/sitemap.xml", "/sitemaps/channels-1.xml", "/sitemaps/users-1.xml", "/sitemaps/groups-1.xml")
		for word, id := range s.ids {
			kind, page := "block", fmt.Sprint("/block/", id)
			if slug := s.slugs[word]; slug != "" {
				kind, page = "channel", "/"+slug
			}
			all = append(all, fmt.Sprintf("/cards/%s/%d.png", kind, id), "/oembed?url="+url.QueryEscape(apptest.Base+page), "/oembed?format=xml&url="+url.QueryEscape(apptest.Base+page))
		}
		slices.Sort(all)
		return all
	}
	for _, page := range append(pages, "/feed") {
		all = append(all, s.feeds[as]+page+".atom", s.feeds[as]+page+".json")
	}
	for _, word := range []string{"quzqchannel", "walks"} {
		for _, form := range []exporting.Format{exporting.OPDS, exporting.EPUB} {
			all = append(all, fmt.Sprintf("%s/%s.%s", s.feeds[as], s.slugs[word], form))
		}
	}
	return all
}

// fill replaces the parameters of a path with items, and adds queries.
func (s *scene) fill(pattern, as string) (all []string) {
	paths := []string{pattern}
	if rest, ok := strings.CutPrefix(pattern, "/{owner}/{channel}"); ok {
		paths = []string{"/" + s.slugs["quzqchannel"] + rest, "/" + s.slugs["walks"] + rest, "/" + s.slugs["crews"] + rest}
	}
	for {
		var next []string
		for _, path := range paths {
			begin, rest, open := strings.Cut(path, "{")
			if !open {
				next = append(next, path)
				continue
			}
			name, end, _ := strings.Cut(rest, "}")
			for _, value := range s.values(begin, name, as) {
				next = append(next, begin+value+end)
			}
		}
		if slices.Equal(next, paths) {
			break
		}
		paths = next
	}
	for _, path := range paths {
		all = append(all, path)
		for _, query := range s.queries(pattern) {
			all = append(all, path+"?"+query)
		}
	}
	return all
}

// values returns the possible values of a parameter after a prefix of the path.
func (s *scene) values(begin, name, as string) (all []string) {
	ids := func(of ...int64) []string {
		for _, id := range of {
			all = append(all, fmt.Sprint(id))
		}
		return all
	}
	parts := strings.Split(strings.Trim(begin, "/"), "/")
	switch last := strings.ToLower(parts[len(parts)-1]); {
	case name == "token", name == "code":
		return []string{"x"}
	case name == "format":
		for _, f := range exporting.Formats() {
			all = append(all, string(f))
		}
		return all
	case name == "kind":
		return []string{"block", "channel", "comment"}
	case name == "user", last == "users":
		return []string{"owner", "holder", "follower"}
	case parts[0] == "group", last == "groups":
		return []string{"crew"}
	case name == "type":
		return []string{"Block", "Channel", "Comment"}
	case name == "comment", last == "comments", last == "comment":
		return ids(append(s.remarks, s.said)...)
	case last == "blocks", last == "block":
		return ids(s.ids["quzqblock"], s.ids["quzqinner"], s.ids["quzqpicture"], s.ids["plain"])
	case last == "channels", last == "channel":
		_, slug, _ := strings.Cut(s.slugs["quzqchannel"], "/")
		if last == "channels" {
			all = append(all, slug)
		}
		return ids(s.ids["quzqchannel"], s.ids["walks"], s.ids["crews"])
	case last == "connections", last == "connection":
		return ids(s.links...)
	case last == "notifications":
		return ids(1, 2, 3, 4, 5, 6, 7, 8)
	case last == "exports", begin == "/settings/export/":
		return ids(cmp.Or(s.exports[as], 1))
	case name == "batch_id":
		return []string{"00000000-0000-4000-8000-000000000000"}
	case name == "copy", name == "older", name == "number", last == "snapshots", last == "highlights", last == "saved": // searches
		return ids(1)
	case begin == "/ext/v1/admin/pages/", begin == "/ext/v1/admin/reports/", begin == "/ext/v1/admin/accounts/":
		return ids(int64(s.Person("owner").ID), 1) // onlookers may not operate the server
	case last == "imports", last == "import", last == "webhooks", parts[0] == "operator", parts[0] == "about":
		return ids(1) // unrelated to collections
	}
	s.t.Errorf("say what may stand for %s behind %s", name, begin)
	return nil
}

// queries returns the queries for a path.
func (s *scene) queries(pattern string) []string {
	search := []string{"kiln", "quzqblock", "quzq", "remark", "example.org"}
	with := func(name string, more ...string) (all []string) {
		for _, words := range search {
			all = append(all, name+"="+words)
		}
		return append(all, more...)
	}
	switch owner := int64(s.Person("owner").ID); pattern {
	case "/v3/search":
		return with("query", "scope=my", "scope=following", "type=Channel", "ext=png", "sort=created_at_desc", "sort=random&seed=1", "type=Comment",
			fmt.Sprint("user_id=", owner), fmt.Sprint("channel_id=", s.ids["walks"]), "group_id=1")
	case "/v2/search", "/v2/search/channels", "/v2/search/blocks":
		return with("q")
	case "/search":
		return with("q", "q=kiln&scope=my", "q=kiln&scope=following")
	case "/ext/v1/channels/{id}/contents":
		return []string{"query=kiln", "type=Image"}
	case "/ext/v1/channels/{id}/export":
		return []string{"format=markdown", "format=zip", "format=csv"}
	case "/v3/channels/{id}/contents":
		return []string{fmt.Sprint("user_id=", owner), "sort=updated_at_desc"}
	case "/v3/users/{id}/contents", "/v3/groups/{id}/contents":
		return []string{"type=Channel", "type=Image", "sort=updated_at_desc"}
	case "/v3/users/{id}/following":
		return []string{"type=Channel"}
	case "/v3/me/notifications":
		return []string{"unread=true"}
	case "/explore":
		return []string{"view=channels", "view=blocks", "view=people"}
	case "/{user}", "/group/{slug}":
		return []string{"view=blocks", "view=following"}
	case "/{owner}/{channel}":
		return []string{"view=list", "q=kiln", "sort=updated", "type=image"}
	case "/block/{id}":
		return []string{fmt.Sprint("in=", s.ids["walks"]), fmt.Sprint("in=", s.ids["quzqchannel"])}
	case "/channel/{id}/connect", "/block/{id}/connect":
		return []string{"q=kiln"}
	case "/comments/mentions":
		return []string{"q=o", fmt.Sprint("q=o&block=", s.ids["quzqblock"])}
	}
	return nil
}
