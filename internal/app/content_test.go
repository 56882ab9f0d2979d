package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// made creates a block of a value in a new private channel, and returns its id.
func (w *accountsRig) made(as domain.Actor, value string, fill ...func(in *collections.BlockInput)) domain.BlockID {
	w.t.Helper()
	home := storetest.Channel(w.t, w.S.Store, as.UserID, "Home", domain.Private)
	in := collections.BlockInput{Value: value}
	for _, f := range fill {
		f(&in)
	}
	b, err := w.a.Collections.CreateBlock(w.ctx(), as, collections.CreateBlockInput{BlockInput: in, Targets: []collections.Target{{Channel: domain.Ref{ID: int64(home)}}}})
	w.must(err)
	return b.ID
}

// block reads a block without checking access.
func (w *accountsRig) block(id domain.BlockID) domain.Block {
	w.t.Helper()
	b, err := w.S.Store.Blocks().AnyBlock(w.ctx(), id)
	w.must(err)
	return b
}

// progress reads how the content of a block is coming.
func (w *accountsRig) progress(id domain.BlockID) domain.ProcessingStatus {
	w.t.Helper()
	p, err := w.S.Store.Blobs().Processing(w.ctx(), id)
	w.must(err)
	return p
}

func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// file sends a file as a user, and returns the value to create a block from.
func (w *accountsRig) file(as domain.Actor, name, body string) string {
	w.t.Helper()
	f, err := w.a.Content.ReceiveFile(w.ctx(), as, content.FormFile{Name: name, Body: strings.NewReader(body)})
	w.must(err)
	return f.Value
}

// answer sends a status with headers, in pairs, and a body.
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header()[headers[i]] = []string{headers[i+1]}
			if headers[i+1] == "" {
				w.Header()[headers[i]] = nil
			}
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// What becomes of an address, by what its server answers.
func TestContentOfAddresses(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		picture := string(apptest.PNG(t, 40, 30))
		const html, large = "text/html; charset=utf-8", 200_000
		page := func(head string) string {
			return "<!doctype html><html><head>" + head + "</head><body><p>Words</p></body></html>"
		}
		w.Web("example.com/picture.png", answer(200, picture, "Content-Type", "image/png"))
		w.Web("example.com/dot.png", answer(200, string(apptest.PNG(t, 2, 2)), "Content-Type", "image/png"))
		w.Web("example.com/broken.png", answer(200, picture[:60], "Content-Type", "image/png"))
		type expected struct {
			kind     domain.BlockType
			state    domain.BlockState
			title    string
			image    int64 // width
			file     string
			reason   string
			progress domain.ProcessingState
		}
		link := func(title string) expected {
			return expected{kind: domain.LinkBlock, state: domain.Available, title: title, progress: domain.ProcessingDone}
		}
		pictured := func(title string, width int64) expected {
			e := link(title)
			e.image = width
			return e
		}
		image := func(title string) expected {
			return expected{kind: domain.ImageBlock, state: domain.Available, title: title, image: 40, progress: domain.ProcessingDone}
		}
		attachment := func(name, typ string) expected {
			return expected{kind: domain.AttachmentBlock, state: domain.Available, title: name, file: typ, progress: domain.ProcessingDone}
		}
		lasting := func(reason string) expected {
			return expected{kind: domain.LinkBlock, state: domain.Failed, reason: reason, progress: domain.ProcessingFailed}
		}
		passing := func(reason string) expected {
			return expected{kind: domain.LinkBlock, state: domain.Failed, reason: reason, progress: domain.ProcessingWaiting}
		}
		rows := []struct {
			name   string
			answer http.HandlerFunc
			want   expected
		}{
			{"a page", answer(200, page("<title>Page</title>"), "Content-Type", html), link("Page")},
			{"a page without a type", answer(200, page("<title>Page</title>"), "Content-Type", ""), link("Page")},
			{"a page as XHTML", answer(200, `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head></html>`, "Content-Type", "application/xhtml+xml"), link("Page")},
			{"a page as XML", answer(200, `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head></html>`, "Content-Type", "application/xml"), link("Page")},
			{"other XML", answer(200, `<?xml version="1.0"?><feed><title>Page</title></feed>`, "Content-Type", "application/xml"), attachment("other-xml", "application/xml")},
			{"a page to download", answer(200, page("<title>Page</title>"), "Content-Type", html, "Content-Disposition", `attachment; filename="saved.html"`), attachment("saved.html", "text/html")},
			{"an empty answer", answer(200, "", "Content-Type", "application/pdf"), link("example.com")},
			{"a long title", answer(200, page("<title>"+strings.Repeat("x", domain.MaxTitle+1)+"</title>"), "Content-Type", html), link(strings.Repeat("x", domain.MaxTitle-1) + "…")},
			{"a title of the longest length", answer(200, page("<title>"+strings.Repeat("x", domain.MaxTitle)+"</title>"), "Content-Type", html), link(strings.Repeat("x", domain.MaxTitle))},
			{"a page that was cut off", answer(200, page("<title>Page</title>"), "Content-Type", html, "Content-Length", "9999"), link("Page")},
			{"a page with control characters", answer(200, page("<title>Page</title>\x00\x01"), "Content-Type", html), link("Page")},
			{"binary bytes as a page", answer(200, "\x00\x01\x02\x03\x80", "Content-Type", html), attachment("binary-bytes-as-a-page", "application/octet-stream")},
			{"a picture", answer(200, picture, "Content-Type", "image/png"), image("a-picture")},
			{"a picture with a name", answer(200, picture, "Content-Type", "image/png", "Content-Disposition", `inline; filename="../Sea view.png"`), image("Sea view.png")},
			{"a picture as a page", answer(200, picture, "Content-Type", html), image("a-picture-as-a-page")},
			{"a picture as text", answer(200, picture, "Content-Type", "text/plain"), image("a-picture-as-text")},
			{"a broken picture", answer(200, picture[:60], "Content-Type", "image/png"), attachment("a-broken-picture", "image/png")},
			{"a picture that was cut off", answer(200, picture, "Content-Type", "image/png", "Content-Length", "9999"), passing("The server's answer could not be read")},
			{"plain text", answer(200, "Some words", "Content-Type", "text/plain"), attachment("plain-text", "text/plain")},
			{"a file of the largest size", answer(200, strings.Repeat("x", large), "Content-Type", "text/plain"), attachment("a-file-of-the-largest-size", "text/plain")},
			{"a file that is too large", answer(200, strings.Repeat("x", large+1), "Content-Type", "text/plain"), lasting("The answer is larger than 200000 bytes")},
			{"a declared picture", answer(200, page(`<title>Page</title><meta property="og:image" content="/picture.png">`), "Content-Type", html), pictured("Page", 40)},
			{"a small declared picture", answer(200, page(`<title>Page</title><meta property="og:image" content="/dot.png">`), "Content-Type", html), pictured("Page", 2)},
			{"a broken declared picture, then another", answer(200, page(`<title>Page</title><meta property="og:image" content="/broken.png"><meta property="og:image" content="/picture.png">`), "Content-Type", html), pictured("Page", 40)},
			{"declared pictures that are missing", answer(200, page(`<title>Page</title><meta property="og:image" content="/none.png">`), "Content-Type", html), link("Page")},
			{"the fourth declared picture", answer(200, page(`<title>Page</title>`+strings.Repeat(`<meta property="og:image" content="/none.png">`, 1)+
				`<meta property="og:image" content="/none2.png"><meta property="og:image" content="/none3.png"><meta property="og:image" content="/picture.png">`), "Content-Type", html), link("Page")},
			{"a small picture in the text", answer(200, `<title>Page</title><p>Words</p><img src="/picture.png" width="400" height="300">`, "Content-Type", html), link("Page")},
			{"a page as its own picture", answer(200, page(`<title>Page</title><meta property="og:image" content="/a-page">`), "Content-Type", html), link("Page")},
			{"missing", answer(404, "No"), lasting("The server answered 404 Not Found")},
			{"gone", answer(410, "No"), lasting("The server answered 410 Gone")},
			{"forbidden", answer(403, "No"), lasting("The server answered 403 Forbidden")},
			{"too many requests", answer(429, "Later", "Retry-After", "5"), passing("The server answered 429 Too Many Requests")},
			{"a failure", answer(500, "Oh"), passing("The server answered 500 Internal Server Error")},
			{"away", answer(503, "Later"), passing("The server answered 503 Service Unavailable")},
			{"redirected to a page", answer(302, "", "Location", "/a-page"), link("Page")},
			{"redirected to a picture", answer(301, "", "Location", "/picture.png"), image("picture.png")},
			{"redirected to itself", answer(302, "", "Location", "/redirected-to-itself"), lasting("The address redirects too often")},
			{"redirected to a password", answer(302, "", "Location", "https://a:b@example.com/"), lasting("The address holds a user name or a password")},
			{"redirected to another scheme", answer(302, "", "Location", "ftp://example.com/"), lasting("Only http and https addresses are fetched")},
			{"compressed too often", answer(200, "x", "Content-Type", html, "Content-Encoding", "gzip, gzip, gzip, gzip, gzip"), lasting("The answer is compressed too often")},
			{"badly compressed", answer(200, "x", "Content-Type", html, "Content-Encoding", "gzip"), passing("The answer is badly compressed")},
		}
		path := func(name string) string {
			return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), " ", "-"), ",", "")
		}
		var ids []domain.BlockID
		for _, row := range rows {
			w.Web("example.com/"+path(row.name), row.answer)
			ids = append(ids, w.made(ada, "https://example.com/"+path(row.name)))
		}
		w.WorkJobs()
		for i, row := range rows {
			b, p := w.block(ids[i]), w.progress(ids[i])
			got := expected{kind: b.Type, state: b.State, title: said(b.Title), reason: said(p.Reason), progress: p.State}
			if b.Image != nil {
				got.image = b.Image.Width
			}
			if b.File != nil {
				got.file = b.File.ContentType
			}
			if got != row.want || p.Attempts != 1 || said(b.SourceURL) != "https://example.com/"+path(row.name) {
				t.Errorf("%s: %+v, %d attempts; want %+v", row.name, got, p.Attempts, row.want)
			}
			if (b.Image != nil || b.File != nil) && domain.UserID(b.Author.ID) != ada.UserID {
				t.Errorf("%s: %+v", row.name, b.Author)
			}
		}
		if n := w.rows("byte_reservations"); n[0] != 0 {
			t.Errorf("%d reservations are left", n[0])
		}
	}, func(c *config.Config) { c.UploadLimit = 200_000 })
}

// A block keeps what its author wrote, and takes the rest from its page.
func TestContentKeepsWhatAuthorsWrote(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		w.Web("example.com/page", answer(200, `<!doctype html><title>Page</title><meta name="description" content="About the *page*"><meta property="og:image" content="/picture.png">
			<meta property="og:image:alt" content="A hill">`, "Content-Type", "text/html"))
		w.Web("example.com/picture.png", answer(200, string(apptest.PNG(t, 40, 30)), "Content-Type", "image/png"))
		text := func(s string) *string { return &s }
		type texts struct{ title, description, alt, sourceTitle string }
		found := texts{"Page", `About the \*page\*`, "A hill", "Page"}
		with := func(change func(x *texts)) texts {
			x := found
			change(&x)
			return x
		}
		var ids []domain.BlockID
		rows := []struct {
			name string
			fill func(in *collections.BlockInput)
			late func(id domain.BlockID) // between the creation and the job
			want texts
		}{
			{"nothing", func(*collections.BlockInput) {}, nil, found},
			{"a title", func(in *collections.BlockInput) { in.Title = text("Mine") }, nil, with(func(x *texts) { x.title = "Mine" })},
			{"a description", func(in *collections.BlockInput) { in.Description = text("My words") }, nil, with(func(x *texts) { x.description = "My words" })},
			{"an alternative text", func(in *collections.BlockInput) { in.AltText = text("My hill") }, nil, with(func(x *texts) { x.alt = "My hill" })},
			{"the title of its source", func(in *collections.BlockInput) { in.OriginalSourceTitle = text("My source") }, nil, with(func(x *texts) { x.sourceTitle = "My source" })},
			{"a title, later", func(*collections.BlockInput) {}, func(id domain.BlockID) {
				_, err := w.a.Collections.UpdateBlock(w.ctx(), ada, id, collections.UpdateBlockInput{Title: text("Late")})
				w.must(err)
			}, with(func(x *texts) { x.title = "Late" })},
			{"an empty title, later", func(in *collections.BlockInput) { in.Title = text("Mine") }, func(id domain.BlockID) {
				_, err := w.a.Collections.UpdateBlock(w.ctx(), ada, id, collections.UpdateBlockInput{Title: text("")})
				w.must(err)
			}, found},
		}
		for _, row := range rows {
			id := w.made(ada, "https://example.com/page", row.fill)
			if row.late != nil {
				row.late(id)
			}
			ids = append(ids, id)
		}
		w.WorkJobs()
		for i, row := range rows {
			b := w.block(ids[i])
			got := texts{said(b.Title), "", said(b.AltText), said(b.SourceTitle)}
			if b.Description != nil {
				got.description = b.Description.Markdown
			}
			if got != row.want || b.Type != domain.LinkBlock || b.State != domain.Available {
				t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
			}
		}
	})
}

// The canonical address of a page depends on its declaration and on redirects.
func TestCanonicalAddresses(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := w.first("op")
		ada := w.member("ada")
		_, _, err := w.a.Moderation.AddToBlocklist(w.ctx(), operating.OnSite(op, home), moderation.BlockInput{Kind: "domain", Value: "blocked.example.com"})
		w.must(err)
		declares := func(address string) http.HandlerFunc {
			return answer(200, `<title>Page</title><link rel="canonical" href="`+address+`">`, "Content-Type", "text/html")
		}
		rows := []struct {
			name, path string
			answer     http.HandlerFunc
			want       string
		}{
			{"nothing declared", "/plain", answer(200, "<title>Page</title>", "Content-Type", "text/html"), ""},
			{"itself", "/self", declares("/self"), ""},
			{"another path", "/long", declares("/short"), "https://example.com/short"},
			{"without its parameters for statistics", "/a?utm_source=x", declares("/b"), "https://example.com/b"},
			{"without a parameter that names the page", "/b2?id=7", declares("/c"), ""},
			{"with that parameter", "/c2?id=7", declares("/d?id=7"), "https://example.com/d?id=7"},
			{"the home page", "/e", declares("/"), ""},
			{"the home page with a parameter", "/f", declares("/?id=7"), "https://example.com/?id=7"},
			{"another site", "/g", declares("https://example.org/g"), ""},
			{"a blocked host of the site", "/h", declares("https://blocked.example.com/h"), ""},
			{"a route of a browser application", "/i#/route", declares("/j"), ""},
			{"moved for good", "/k", answer(301, "", "Location", "/moved"), "https://example.com/moved"},
			{"moved for now", "/l", answer(302, "", "Location", "/moved"), ""},
			{"an address that is too long", "/m", declares("/" + strings.Repeat("x", domain.MaxURL)), ""},
		}
		w.Web("example.com/moved", answer(200, "<title>Moved</title>", "Content-Type", "text/html"))
		ids := make([]domain.BlockID, len(rows))
		for i, row := range rows {
			path, _, _ := strings.Cut(row.path, "?")
			path, _, _ = strings.Cut(path, "#")
			w.Web("example.com"+path, row.answer)
			ids[i] = w.made(ada, "https://example.com"+row.path)
		}
		w.WorkJobs()
		for i, row := range rows {
			b, got := w.block(ids[i]), ""
			if b.Page != nil {
				got = b.Page.Canonical
			}
			if got != row.want || b.State != domain.Available {
				t.Errorf("%s: %q, %s, want %q", row.name, got, b.State, row.want)
			}
		}
	})
}

// An attempt to fetch content ends a round, continues it, or does not count.
func TestAttemptsAtContent(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada := w.member("ada")
		w.Web("example.com/page", answer(200, "<title>Page</title>", "Content-Type", "text/html"))
		w.Web("example.com/away", answer(503, ""))
		w.Web("example.com/missing", answer(404, ""))
		hang := make(chan struct{})
		t.Cleanup(func() { close(hang) })
		var stop atomic.Pointer[context.CancelFunc] // run by the slow page
		w.Web("example.com/slow", func(http.ResponseWriter, *http.Request) {
			(*stop.Load())()
			<-hang
		})
		attempts := func(n int64) func(domain.BlockID) {
			return func(id domain.BlockID) {
				storetest.In(t, w.S.Store, func(tx *store.Tx) error {
					p, err := tx.Blobs().Processing(ctx, id)
					for range n {
						err = errors.Join(err, tx.Blobs().BeginAttempt(ctx, id, p.Round, w.Clock.Now()))
					}
					return err
				})
			}
		}
		type outcome struct {
			permanent bool
			failed    bool // the job returns an error
			progress  domain.ProcessingState
			attempts  int64
			kind      domain.BlockType
			reason    string
		}
		for _, row := range []struct {
			name   string
			value  string
			before func(id domain.BlockID)
			round  int64 // added to that of the block
			how    string
			want   outcome
		}{
			{"a page", "https://example.com/page", nil, 0, "", outcome{false, false, domain.ProcessingDone, 1, domain.LinkBlock, ""}},
			{"in another round", "https://example.com/page", nil, 1, "", outcome{false, false, domain.ProcessingWaiting, 0, domain.PendingBlock, ""}},
			{"a server that is away", "https://example.com/away", nil, 0, "", outcome{false, true, domain.ProcessingWaiting, 1, domain.LinkBlock, "The server answered 503 Service Unavailable"}},
			{"the seventh attempt", "https://example.com/away", attempts(6), 0, "", outcome{false, true, domain.ProcessingWaiting, 7, domain.LinkBlock, "The server answered 503 Service Unavailable"}},
			{"the eighth attempt", "https://example.com/away", attempts(7), 0, "", outcome{true, true, domain.ProcessingFailed, 8, domain.LinkBlock, "The server answered 503 Service Unavailable"}},
			{"the eighth attempt succeeds", "https://example.com/page", attempts(7), 0, "", outcome{false, false, domain.ProcessingDone, 8, domain.LinkBlock, ""}},
			{"servers died in eight attempts", "https://example.com/page", attempts(8), 0, "", outcome{true, true, domain.ProcessingFailed, 9, domain.LinkBlock, "It could not be processed"}},
			{"the page is missing", "https://example.com/missing", nil, 0, "", outcome{true, true, domain.ProcessingFailed, 1, domain.LinkBlock, "The server answered 404 Not Found"}},
			{"the server stops", "https://example.com/slow", nil, 0, "stop", outcome{false, true, domain.ProcessingWaiting, 0, domain.PendingBlock, ""}},
			{"the time of the job is up", "https://example.com/slow", nil, 0, "deadline", outcome{false, true, domain.ProcessingWaiting, 1, domain.LinkBlock, "It took too long"}},
			{"an upload", "upload", nil, 0, "", outcome{false, false, domain.ProcessingDone, 1, domain.AttachmentBlock, ""}},
			{"an upload whose bytes are lost", "upload", func(domain.BlockID) {
				w.must(os.RemoveAll(filepath.Join(w.DataDir(), "files", "originals")))
			}, 0, "", outcome{true, true, domain.ProcessingFailed, 1, domain.LinkBlock, "The file is gone"}},
		} {
			value := row.value
			if value == "upload" {
				value = w.file(ada, "a.txt", row.name)
			}
			id := w.made(ada, value)
			if row.before != nil {
				row.before(id)
			}
			on, cancel := context.WithCancel(ctx)
			stop.Store(&cancel)
			if row.how == "deadline" {
				var end context.CancelFunc
				on, end = context.WithDeadline(ctx, time.Now().Add(200*time.Millisecond)) // the page never answers
				defer end()
				stop.Store(new(context.CancelFunc(func() {})))
			}
			round := w.progress(id).Round + row.round
			err := a.RunProcessBlock(on, content.ProcessBlock{Block: id, Round: round})
			cancel()
			b, p := w.block(id), w.progress(id)
			got := outcome{permanent(err), err != nil, p.State, p.Attempts, b.Type, said(p.Reason)}
			if got != row.want {
				t.Errorf("%s: %+v, %v; want %+v", row.name, got, err, row.want)
			}
			if p.State == domain.ProcessingWaiting {
				w.must(w.a.Collections.DeleteBlock(ctx, ada, id)) // its job has nothing to do
				w.must(a.RunProcessBlock(ctx, content.ProcessBlock{Block: id, Round: round}))
			} else if err := a.RunProcessBlock(ctx, content.ProcessBlock{Block: id, Round: round}); err != nil || w.progress(id) != p && said(w.progress(id).Reason) != said(p.Reason) {
				t.Errorf("%s: again %v, %+v", row.name, err, w.progress(id))
			}
		}
		w.must(a.RunProcessBlock(ctx, content.ProcessBlock{Block: 1 << 40}))
	})
}

// An author can have the content fetched again, unless it is about to be.
func TestFetchingContentAgain(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		reader := ada
		reader.Scope = domain.ScopeRead
		status := map[string]int{}
		w.Web("example.com/{name}", func(rw http.ResponseWriter, r *http.Request) {
			answer(status[r.PathValue("name")], "<title>Page</title>", "Content-Type", "text/html")(rw, r)
		})
		public := storetest.Channel(t, w.S.Store, ada.UserID, "Public", domain.Public)
		for i, row := range []struct {
			name   string
			first  int // the status of the first attempt; 0 if it is still to come
			before func(id domain.BlockID)
			as     domain.Actor
			want   byte
			round  bool // another round of attempts begins
			state  domain.BlockState
		}{
			{"before the first attempt", 0, nil, ada, '+', false, domain.Processing},
			{"after a failure that passes", 503, nil, ada, '+', true, domain.Processing},
			{"after one that lasts", 404, nil, ada, '+', true, domain.Processing},
			{"a page that was read", 200, nil, ada, '+', true, domain.Available},
			{"by somebody else", 404, nil, bob, 'f', false, domain.Failed},
			{"by a guest", 404, nil, domain.Actor{}, 'f', false, domain.Failed},
			{"with a token that reads", 404, nil, reader, 'f', false, domain.Failed},
			{"a link from before its progress was recorded", 200, func(id domain.BlockID) {
				w.Exec("DELETE FROM processings WHERE block_id = $1", id)
			}, ada, '+', true, domain.Available},
		} {
			name := fmt.Sprint("page-", i)
			id := w.made(ada, "https://example.com/"+name)
			_, err := w.a.Collections.Connect(ctx, ada, domain.BlockRef(id), []collections.Target{{Channel: domain.Ref{ID: int64(public)}}})
			w.must(err)
			if row.first != 0 {
				status[name] = row.first
				w.WorkJobs()
			}
			was := w.progress(id)
			if row.before != nil {
				row.before(id)
			}
			w.Clock.Advance(time.Second)
			p, err := a.Reprocess(ctx, row.as, id)
			if outcome(err) != row.want || (w.progress(id).Round != was.Round) != row.round || w.block(id).State != row.state {
				t.Errorf("%s: %+v, %v, the block is %s", row.name, p, err, w.block(id).State)
			}
			if err == nil && (p.State != domain.ProcessingWaiting || p.Attempts != 0 || p.Reason != nil || p != w.progress(id)) {
				t.Errorf("%s: %+v", row.name, p)
			}
			status[name] = 200
			w.HastenJobs()
			w.WorkJobs()
			if b := w.block(id); row.want == '+' && (b.Type != domain.LinkBlock || b.State != domain.Available || said(b.Title) != "Page") {
				t.Errorf("%s: then it is %+v", row.name, b)
			}
			for who, as := range map[string]domain.Actor{"the author": ada, "somebody else": bob} {
				if _, err := a.Processing(ctx, as, id); (err == nil) != (who == "the author") || err != nil && outcome(err) != 'n' {
					t.Errorf("%s: the progress for %s: %v", row.name, who, err)
				}
			}
		}
		text := storetest.Block(t, w.S.Store, ada.UserID, "text")
		_, err := a.Reprocess(ctx, ada, text)
		w.want(domain.Unprocessable, err)
		_, err = a.Reprocess(ctx, bob, text)
		w.want(domain.NotFound, err)
		_, err = a.Processing(ctx, ada, text)
		w.want(domain.NotFound, err)
		// The bytes of an upload are kept for a day after its block has failed.
		value := w.file(ada, "a.png", "no picture")
		id := w.made(ada, value)
		w.WorkJobs()
		_, err = a.Reprocess(ctx, ada, id)
		w.must(err)
		w.WorkJobs()
		w.Clock.Advance(content.KeptFor + time.Minute)
		w.must(a.SweepContent(ctx))
		before := w.Dump()
		_, err = a.Reprocess(ctx, ada, id)
		w.want(domain.Unprocessable, err)
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
	})
}

// objects lists the files of the storage below a folder.
func (w *accountsRig) objects(folder string) (names []string) {
	w.t.Helper()
	root := filepath.Join(w.DataDir(), "files", folder)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))))
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	w.must(err)
	slices.Sort(names)
	return names
}

// A sweep removes what nothing needs any more, when its time has come.
func TestSweepOfContent(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada := w.member("ada")
		picture := string(apptest.PNG(t, 40, 30))
		shown := w.made(ada, w.file(ada, "shown.png", picture))
		alike := w.made(ada, w.file(ada, "alike.png", picture))
		other := w.made(ada, w.file(ada, "other.png", string(apptest.PNG(t, 30, 40))))
		w.WorkJobs()
		unused := w.file(ada, "unused.txt", "unused")
		versions := len(w.objects("versions"))
		if n := len(w.objects("originals")); n != 3 || versions == 0 || versions%2 != 0 {
			t.Fatalf("%d originals, %d versions", n, versions)
		}
		used := func() int64 {
			u, _, err := a.ByteUsage(ctx, ada)
			w.must(err)
			return u.Total - u.Texts
		}
		both := used()
		for _, row := range []struct {
			name                string
			do                  func()
			wait                time.Duration
			originals, versions int
			uploads             int64
		}{
			{"at once", nil, 0, 3, versions, 4},
			{"one of two blocks with the same bytes is deleted", func() { w.must(w.a.Collections.DeleteBlock(ctx, ada, alike)) }, 3 * time.Hour, 3, versions, 3},
			{"a block is deleted, a moment ago", func() { w.must(w.a.Collections.DeleteBlock(ctx, ada, other)) }, 0, 2, versions / 2, 2},
			{"a day after the uploads", nil, 22 * time.Hour, 1, versions / 2, 0},
			{"the last block is deleted", func() { w.must(w.a.Collections.DeleteBlock(ctx, ada, shown)) }, 0, 0, 0, 0},
		} {
			if row.do != nil {
				row.do()
			}
			w.Clock.Advance(row.wait)
			for range 2 {
				w.must(a.SweepContent(ctx))
			}
			if o, v, u := len(w.objects("originals")), len(w.objects("versions")), w.rows("uploads")[0]; o != row.originals || v != row.versions || u != row.uploads {
				t.Errorf("%s: %d originals, %d versions, %d uploads", row.name, o, v, u)
			}
		}
		if n := used(); n != 0 || both == 0 {
			t.Errorf("%d bytes are used, %d were", n, both)
		}
		if n := w.rows("blobs", "files", "doomed_objects", "byte_reservations"); !slices.Equal(n, []int64{0, 0, 0, 0}) {
			t.Errorf("%v rows are left", n)
		}
		if _, named, err := a.UploadNamed(ctx, ada, "value", unused); !named || outcome(err) != 'i' {
			t.Errorf("an upload that was swept: %v, %v", named, err)
		}
	})
}

// The storage and the database are compared in both directions.
func TestCheckFiles(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada := w.member("ada")
		for n := range 3 {
			w.made(ada, w.file(ada, "a.png", string(apptest.PNG(t, 40+n, 30))))
		}
		w.file(ada, "unused.txt", "unused")
		w.WorkJobs()
		originals := w.objects("originals")
		object := "originals/" + originals[0]
		path := func(object string) string { return filepath.Join(w.DataDir(), "files", filepath.FromSlash(object)) }
		intact, err := os.ReadFile(path(object))
		w.must(err)
		other := slices.Clone(intact)
		other[len(other)-1] ^= 1
		write := func(object string, body []byte) {
			w.must(os.MkdirAll(filepath.Dir(path(object)), 0o700))
			w.must(os.WriteFile(path(object), body, 0o600))
		}
		version := "versions/" + w.objects("versions")[0]
		for _, row := range []struct {
			name   string
			before func()
			sizes  bool
			want   []string // how each fault begins
		}{
			{"nothing is wrong", func() {}, false, nil},
			{"the bytes differ", func() { write(object, other) }, false, []string{object + ": has other content"}},
			{"the bytes differ, only sizes are compared", func() {}, true, nil},
			{"the size differs", func() { write(object, other[:9]) }, true, []string{object + ": has 9 bytes"}},
			{"it is missing", func() { w.must(os.Remove(path(object))) }, true, []string{object + ": is missing"}},
			{"it is back", func() { write(object, intact) }, false, nil},
			{"an object of nothing", func() { write("originals/ab/stray", nil) }, true, []string{"originals/ab/stray: belongs to nothing"}},
			{"an object that is about to be removed", func() {
				w.Exec("INSERT INTO doomed_objects (object, created_at) VALUES ('originals/ab/stray', 1)")
			}, true, nil},
			{"a version of nothing", func() { write("versions/ab/stray/small.jpg", nil); write("versions/ab/gone/small.jpg", nil) }, true,
				[]string{"versions/ab/gone/small.jpg: belongs to nothing"}},
			{"a version that is missing can be rendered again", func() {
				w.must(os.Remove(path("versions/ab/gone/small.jpg")))
				w.must(os.Remove(path(version)))
			}, false, nil},
			{"an upload that is not known", func() { write("uploads/key/a.txt", nil) }, true, []string{"uploads/key/a.txt: belongs to nothing"}},
		} {
			row.before()
			var faults []string
			var last content.CheckingFiles
			err := a.CheckFiles(ctx, row.sizes, func(f content.FileFault) { faults = append(faults, f.String()) }, func(c content.CheckingFiles) { last = c })
			ok := len(faults) == len(row.want)
			for i := range min(len(faults), len(row.want)) {
				ok = ok && strings.HasPrefix(faults[i], row.want[i])
			}
			if err != nil || !ok || last.Files != 4 || last.Faults != int64(len(row.want)) || last.Objects < 4 {
				t.Errorf("%s: %q, %+v, %v", row.name, faults, last, err)
			}
		}
		w.must(os.Remove(path("uploads/key/a.txt")))
	})
}

// Sending a file to a signed address, and then again.
func TestSendingUploads(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada := w.member("ada")
		broken := io.MultiReader(strings.NewReader("so"), failing{})
		for _, row := range []struct {
			name   string
			before string // sent to the same address before
			change func(in *content.SentFile)
			wait   time.Duration
			want   domain.Kind // 0 for success
			stored bool
		}{
			{"some bytes", "", func(*content.SentFile) {}, 0, 0, true},
			{"an unknown length", "", func(in *content.SentFile) { in.Length = -1 }, 0, 0, true},
			{"no bytes", "", func(in *content.SentFile) { in.Body, in.Length = strings.NewReader(""), 0 }, 0, 0, true},
			{"the same bytes again", "some bytes", func(*content.SentFile) {}, 0, 0, true},
			{"other bytes of the same length", "SOME BYTES", func(*content.SentFile) {}, 0, domain.Conflict, true},
			{"more bytes", "some", func(*content.SentFile) {}, 0, domain.Conflict, true},
			{"more bytes of unknown length", "some", func(in *content.SentFile) { in.Length = -1 }, 0, domain.Conflict, true},
			{"fewer bytes", "some bytes and more", func(*content.SentFile) {}, 0, domain.Conflict, true},
			{"just before the address expires", "", func(*content.SentFile) {}, content.UploadTTL - time.Second, 0, true},
			{"when the address has expired", "", func(*content.SentFile) {}, content.UploadTTL, domain.Forbidden, false},
			{"another signature", "", func(in *content.SentFile) { in.Query.Set("signature", "x") }, 0, domain.Forbidden, false},
			{"a later time", "", func(in *content.SentFile) { in.Query.Set("expires", "99999999999") }, 0, domain.Forbidden, false},
			{"no time", "", func(in *content.SentFile) { in.Query.Del("expires") }, 0, domain.Forbidden, false},
			{"another key", "", func(in *content.SentFile) { in.Key += "x" }, 0, domain.Forbidden, false},
			{"another type in the address", "", func(in *content.SentFile) { in.Query.Set("type", "image/png") }, 0, domain.Forbidden, false},
			{"another type", "", func(in *content.SentFile) { in.ContentType = "image/png" }, 0, domain.Unsupported, false},
			{"more than the limit", "", func(in *content.SentFile) { in.Length = 1001 }, 0, domain.TooLarge, false},
			{"more than the limit, of unknown length", "", func(in *content.SentFile) {
				in.Body, in.Length = strings.NewReader(strings.Repeat("x", 1001)), -1
			}, 0, domain.TooLarge, false},
			{"exactly the limit", "", func(in *content.SentFile) { in.Body, in.Length = strings.NewReader(strings.Repeat("x", 1000)), -1 }, 0, 0, true},
			{"a body that breaks off", "", func(in *content.SentFile) { in.Body = broken }, 0, domain.Invalid, false},
		} {
			files, err := a.Presign(ctx, ada, []content.FileInput{{Name: "a file.txt", ContentType: "text/plain"}})
			w.must(err)
			request := func(body string) content.SentFile {
				req := w.Request("", "PUT", files[0].URL[len(apptest.Base):], nil)
				return content.SentFile{Key: files[0].Key, Query: req.URL.Query(), ContentType: "text/plain", Length: int64(len(body)), Body: strings.NewReader(body)}
			}
			if row.before != "" {
				w.must(a.ReceiveUpload(ctx, request(row.before)))
			}
			in := request("some bytes")
			row.change(&in)
			w.Clock.Advance(row.wait)
			err = a.ReceiveUpload(ctx, in)
			if (err == nil) != (row.want == 0) || err != nil && domain.KindOf(err) != row.want {
				t.Errorf("%s: %v", row.name, err)
			}
			u, err := w.S.Store.Blobs().Upload(ctx, files[0].Key)
			if err != nil || (u.BlobID != 0) != row.stored || !strings.HasSuffix(u.Key, "/a-file.txt") {
				t.Errorf("%s: %+v, %v", row.name, u, err)
			}
			head, err := a.HeadOfUpload(ctx, u.ID, 4)
			if row.stored != (err == nil) || len(head) > 4 {
				t.Errorf("%s: begins %q, %v", row.name, head, err)
			}
			sent, err := a.OpenUpload(ctx, u.ID)
			if row.stored != (err == nil) {
				t.Errorf("%s: opened: %v", row.name, err)
			}
			if err == nil {
				all, err := io.ReadAll(sent)
				if err != nil || int64(len(all)) != u.Size || sent.Size != u.Size || sent.Name != "a file.txt" || !bytes.HasPrefix(all, head) {
					t.Errorf("%s: %d bytes of %+v, %v", row.name, len(all), sent, err)
				}
				w.must(sent.Close())
			}
		}
		if n := w.rows("byte_reservations"); n[0] != 0 {
			t.Errorf("%d reservations are left", n[0])
		}
	}, func(c *config.Config) { c.UploadLimit = 1000 })
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the connection is reset") }

// A picture of a user or group replaces the one before once it has been fetched, and counts for its owner.
func TestPicturesOfPeople(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Content, w.ctx(), w.S.Store
		w.first("op")
		w.Web("example.com/picture.png", answer(200, string(apptest.PNG(t, 40, 30)), "Content-Type", "image/png"))
		w.Web("example.com/page", answer(200, "<title>Page</title>", "Content-Type", "text/html"))
		w.Web("example.com/missing", answer(404, ""))
		w.Web("example.com/away", answer(503, ""))
		for i, row := range []struct {
			name      string
			address   string
			before    func(owner domain.PrincipalRef)
			late      func(as domain.Actor, owner domain.PrincipalRef) // after the choice, before the job
			shown     bool
			failed    bool
			permanent bool
		}{
			{"an address", "https://example.com/picture.png", nil, nil, true, false, false},
			{"an upload", "upload:picture", nil, nil, true, false, false},
			{"an upload that is no picture", "upload:text", nil, nil, false, true, true},
			{"a page", "https://example.com/page", nil, nil, false, true, true},
			{"a missing picture", "https://example.com/missing", nil, nil, false, true, true},
			{"a server that is away", "https://example.com/away", nil, nil, false, true, false},
			{"another choice since", "https://example.com/picture.png", nil, func(as domain.Actor, owner domain.PrincipalRef) {
				storetest.In(t, s, func(tx *store.Tx) error {
					return content.RequestAvatar(ctx, tx, as.UserID, owner, store.AvatarRequest{URL: "https://example.com/missing"}, w.Clock.Now())
				})
			}, false, false, false},
			{"taken back since", "https://example.com/picture.png", nil, func(as domain.Actor, owner domain.PrincipalRef) {
				storetest.In(t, s, func(tx *store.Tx) error {
					return content.RequestAvatar(ctx, tx, as.UserID, owner, store.AvatarRequest{}, w.Clock.Now())
				})
			}, false, false, false},
		} {
			for _, kind := range []string{"user", "group"} {
				name := fmt.Sprintf("%s, of a %s", row.name, kind)
				as := w.member(fmt.Sprint(kind, "-", i))
				owner := domain.UserRef(as.UserID)
				if kind == "group" {
					owner = domain.GroupRef(storetest.Group(t, s, fmt.Sprint("Group ", i), as.UserID))
				}
				address := row.address
				switch address {
				case "upload:picture":
					address = w.file(as, "a.png", string(apptest.PNG(t, 20+i, 20)))
				case "upload:text":
					address = w.file(as, "a.png", "no picture")
				}
				wanted, err := a.AvatarWanted(ctx, as, &address, nil)
				w.must(err)
				storetest.In(t, s, func(tx *store.Tx) error {
					return content.RequestAvatar(ctx, tx, as.UserID, owner, wanted, w.Clock.Now())
				})
				if row.late != nil {
					row.late(as, owner)
				}
				for range 2 { // the job may run twice
					err = errors.Join(err, a.GrantAvatar(ctx, owner, 1))
				}
				principal, failed := s.Principals().Principal(ctx, owner)
				if w.must(failed); (err != nil) != row.failed || permanent(err) != row.permanent || (principal.Avatar != nil) != row.shown {
					t.Errorf("%s: %v, %+v", name, err, principal)
				}
				picture, failed := a.Picture(ctx, principal.Avatar)
				u, _, usage := a.ByteUsage(ctx, as)
				if w.must(errors.Join(failed, usage)); (picture != nil) != row.shown || picture != nil && (picture.Owner != as.UserID || u.Total-u.Unused-u.Texts != picture.Size) {
					t.Errorf("%s: %+v, %+v", name, picture, u)
				}
				if !row.shown && u.Total != u.Unused+u.Texts {
					t.Errorf("%s: %+v", name, u)
				}
			}
		}
		w.must(a.GrantAvatar(ctx, domain.UserRef(1<<40), 1))
		elsewhere := "https://example.org/a.png"
		for name, kept := range map[string]*string{"none": nil, "on another server": &elsewhere} {
			if f, err := a.Picture(ctx, kept); f != nil || err != nil {
				t.Errorf("%s: %+v, %v", name, f, err)
			}
		}
		w.Exec("DELETE FROM avatar_wishes")
	})
}

// A picture is checked at once, with the fault of the field that names it.
func TestCheckedPictures(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		picture := string(apptest.PNG(t, 40, 30))
		files := w.rows("files")
		for _, row := range []struct {
			name  string
			as    domain.Actor
			value string
			want  string // of the error; "" for success
		}{
			{"a picture", ada, w.file(ada, "a.png", picture), ""},
			{"a drawing", ada, w.file(ada, "a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`), ""},
			{"a picture of somebody else", bob, w.file(ada, "a.png", picture), "names no upload of yours"},
			{"text", ada, w.file(ada, "a.png", "words"), "must be an image"},
			{"a picture that was cut off", ada, w.file(ada, "a.png", picture[:60]), "image"},
			{"another address", ada, "https://example.com/a.png", "must be the address of an upload of yours"},
			{"an unknown upload", ada, w.file(ada, "a.png", picture) + "x", "names no upload of yours"},
		} {
			check := a.CheckPicture(ctx, row.as, "picture", row.value)
			shown := 0
			show := a.ShowUpload(ctx, row.as, "picture", row.value, func(tx *store.Tx, f *domain.File) error {
				shown++
				if f.ID == 0 || f.Owner != 0 || f.Width == 0 {
					t.Errorf("%s: shows %+v", row.name, f)
				}
				return errNotNow
			})
			if row.want == "" {
				if check != nil || shown != 1 || !errors.Is(show, errNotNow) {
					t.Errorf("%s: %v, %v, shown %d times", row.name, check, show, shown)
				}
				continue
			}
			for how, err := range map[string]error{"checked": check, "shown": show} {
				if outcome(err) != 'i' || !strings.Contains(fmt.Sprint(err), "picture: ") || !strings.Contains(err.Error(), row.want) && how == "checked" {
					t.Errorf("%s, %s: %v", row.name, how, err)
				}
			}
			if shown != 0 {
				t.Errorf("%s: it is shown", row.name)
			}
		}
		if !slices.Equal(files, w.rows("files")) {
			t.Error("files are left of pictures that were not shown")
		}
	})
}

var errNotNow = errors.New("not now")

// A file is opened without its metadata, except by its owner, or if the owner chose to show it.
func TestMetadataOfFiles(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		photo, err := os.ReadFile("../media/strip/testdata/gps.jpg")
		w.must(err)
		picture := string(apptest.PNG(t, 40, 30))
		keeps, hides := true, false
		for _, row := range []struct {
			name, file, body string
			before           func(id domain.BlockID)
			state            string
			others, whole    bool // others can open it, and get all bytes
		}{
			{"a photograph", "a.jpg", string(photo), nil, content.MetadataRemoved, true, false},
			{"a photograph whose metadata is kept", "a.jpg", string(photo), func(id domain.BlockID) {
				_, err := w.a.Collections.UpdateBlock(ctx, ada, id, collections.UpdateBlockInput{KeepFileMetadata: &keeps})
				w.must(err)
			}, content.MetadataKept, true, true},
			{"a photograph whose metadata was kept", "a.jpg", string(photo), func(id domain.BlockID) {
				for _, keep := range []*bool{&keeps, &hides} {
					_, err := w.a.Collections.UpdateBlock(ctx, ada, id, collections.UpdateBlockInput{KeepFileMetadata: keep})
					w.must(err)
				}
			}, content.MetadataRemoved, true, false},
			{"a picture without metadata", "a.png", picture, nil, content.MetadataNone, true, true},
			{"text", "a.txt", "words", nil, content.MetadataNone, true, true},
			{"a photograph that was not examined", "a.jpg", string(photo), func(domain.BlockID) {
				w.Exec("UPDATE blobs SET clean_size = NULL, clean_plan = NULL")
			}, content.MetadataPending, true, false},
			{"a photograph that cannot be cleaned", "a.jpg", string(photo), func(domain.BlockID) {
				w.Exec("UPDATE blobs SET clean_size = -1, clean_plan = NULL")
			}, content.MetadataIrremovable, false, false},
		} {
			id := w.made(ada, w.file(ada, row.file, row.body))
			w.WorkJobs()
			if row.before != nil {
				row.before(id)
			}
			b, err := a.FileMetadata(ctx, ada, id)
			if err != nil || a.MetadataState(b) != row.state {
				t.Errorf("%s: %q, %v", row.name, a.MetadataState(b), err)
			}
			_, err = a.FileMetadata(ctx, bob, id)
			w.want(domain.NotFound, err)
			f := b.File
			if f == nil {
				f = b.Image
			}
			size := func(as domain.UserID) (n int64, err error) {
				o, err := a.OpenFor(ctx, as, *f)
				if err != nil {
					return 0, err
				}
				n, err = io.Copy(io.Discard, io.NewSectionReader(o.Content, 0, o.Size))
				return n, errors.Join(err, o.Content.Close())
			}
			if n, err := size(ada.UserID); err != nil || n != int64(len(row.body)) {
				t.Errorf("%s: its owner gets %d bytes, %v", row.name, n, err)
			}
			for _, as := range []domain.UserID{bob.UserID, 0} {
				n, err := size(as)
				if row.others != (err == nil) || row.others && (n == int64(len(row.body))) != row.whole || err != nil && outcome(err) != 'n' {
					t.Errorf("%s: user %d gets %d bytes, %v", row.name, as, n, err)
				}
				if whole, err := a.IsWhole(ctx, as, *f); err != nil || whole != row.whole {
					t.Errorf("%s: whole %v, %v", row.name, whole, err)
				}
			}
			if whole, err := a.IsWhole(ctx, ada.UserID, *f); err != nil || !whole {
				t.Errorf("%s: whole for its owner %v, %v", row.name, whole, err)
			}
			hashes, err := a.Hashes(ctx, []*domain.File{f})
			if err != nil || len(hashes[f.BlobID]) != 64 {
				t.Errorf("%s: %v, %v", row.name, hashes, err)
			}
			w.must(w.a.Collections.DeleteBlock(ctx, ada, id))
			w.Clock.Advance(25 * time.Hour)
			w.must(a.SweepContent(ctx))
		}
		text := storetest.Block(t, w.S.Store, ada.UserID, "text")
		_, err = a.FileMetadata(ctx, ada, text)
		w.want(domain.NotFound, err)
		if got := a.MetadataState(w.block(text)); got != "" {
			t.Errorf("of a text: %q", got)
		}
	})
}
