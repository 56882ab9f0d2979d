package importing_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/app/transfer"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/importing"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// world is a server, and another one to import from.
type world struct {
	*apptest.Rig
	t     *testing.T
	there *apptest.Rig
	asked atomic.Pointer[func(r *http.Request)] // called before each request to the other server
}

const there = "http://there.test"

func eachWorld(t *testing.T, f func(w *world), options ...apptest.Option) {
	t.Helper()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) { f(newWorld(t, apptest.Boot(t, o, options...))) })
}

func newWorld(t *testing.T, here *apptest.Rig) *world {
	w := &world{Rig: here, t: t}
	w.there = apptest.New(t, func(c *config.Config) { c.FilesURL = there })
	here.Web("there.test/", func(rw http.ResponseWriter, r *http.Request) {
		if asked := w.asked.Load(); asked != nil {
			(*asked)(r)
		}
		w.there.S.Handler().ServeHTTP(rw, r)
	})
	return w
}

// before sets a function that is called before each request to the other server, one at a time.
func (w *world) before(f func(r *http.Request)) {
	var turn sync.Mutex
	oneByOne := func(r *http.Request) {
		turn.Lock()
		defer turn.Unlock()
		f(r)
	}
	w.asked.Store(&oneByOne)
}

// notes creates a channel with texts on the other server.
func (w *world) notes(title, visibility string, n int) int64 {
	id := w.there.Channel("bob", title, visibility)
	for i := range n {
		w.there.Block("bob", fmt.Sprintf("%s, note %d", title, i), id)
	}
	return id
}

// start starts an import from the other server.
func (w *world) start(what ...string) string {
	w.t.Helper()
	if what == nil {
		what = []string{}
	}
	res := w.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": "arena", "address": there,
		"token": w.there.Person("bob").Token, "what": what}).Want(202)
	path := fmt.Sprintf("/ext/v1/imports/%d", res.Int("id"))
	if to := res.Header.Get("Location"); to != apptest.Base+path {
		w.t.Errorf("Location is %q", to)
	}
	return path
}

// texts returns the texts in a channel on this server, from the bottom.
func (w *world) texts(slug string) (all []string) {
	contents := w.Get("ada", "/v3/channels/%s/contents?sort=position_asc&per=100", slug).Want(200)
	for i := range contents.Len("data") {
		if text, ok := contents.Lookup(fmt.Sprintf("data.%d.content.plain", i)); ok {
			all = append(all, fmt.Sprint(text))
		}
	}
	return all
}

// slugs returns the slugs of ada's channels by title.
func (w *world) slugs() map[string]string {
	found := map[string]string{}
	all := w.Get("ada", "/v3/users/ada/contents?type=Channel&per=100").Want(200)
	for i := range all.Len("data") {
		found[all.Str(fmt.Sprintf("data.%d.title", i))] = all.Str(fmt.Sprintf("data.%d.slug", i))
	}
	return found
}

func want(n int, title string) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s, note %d", title, i))
	}
	return all
}

func movingSame(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }

func TestFromAnotherServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		moss := w.notes("Moss", "private", 5)
		stones := w.notes("Stones", "public", 3)
		w.there.Connect("bob", "Channel", moss, stones) // after it was created and before it is read itself
		w.there.Connect("bob", "Channel", stones, moss)
		token := w.there.Person("bob").Token
		path := w.start()
		if got := w.read("ada", path).Want(200); got.Str("state") != "queued" || got.Len("channels") != 0 {
			t.Errorf("it begins as %s", got.Body)
		}
		w.hides(token)
		w.WorkJobs()
		got := w.read("ada", path).Want(200)
		if got.Str("state") != "done" || got.Int("progress.channels") != 2 || got.Int("progress.channels_done") != 2 || got.Int("counts.channels") != 2 ||
			got.Int("counts.blocks") != 8 || got.Int("counts.connections") != 10 || got.Int("counts.left_out") != 0 || got.Int("progress.items_done") != 10 {
			t.Errorf("it ends as %s", got.Body)
		}
		slugs := w.slugs()
		if !movingSame(w.texts(slugs["Moss"]), want(5, "Moss")) || !movingSame(w.texts(slugs["Stones"]), want(3, "Stones")) {
			t.Errorf("brought %q and %q", w.texts(slugs["Moss"]), w.texts(slugs["Stones"]))
		}
		if visibility := w.Get("ada", "/v3/channels/%s", slugs["Moss"]).Want(200).Str("visibility"); visibility != "private" {
			t.Errorf("Moss is %s", visibility)
		}
		w.hides(token)

		w.there.Block("bob", "Moss, note 5", moss)
		again := w.start("@bob", "nothing-there")
		w.WorkJobs()
		got = w.read("ada", again).Want(200)
		if got.Str("state") != "done" || got.Int("counts.blocks") != 1 || got.Int("counts.channels") != 0 || got.Int("counts.unchanged") != 10 ||
			got.Int("counts.left_out") != 1 || got.Len("left_out") != 1 || got.Str("left_out.0.what") != "channel nothing-there" {
			t.Errorf("again it ends as %s", got.Body)
		}
		if all := w.Get("ada", "/ext/v1/imports?per=1").Want(200); all.Int("meta.total_count") != 2 || all.Str("data.0.state") != "done" || all.Len("data") != 1 {
			t.Errorf("they are listed as %s", all.Body)
		}
		w.Do("ada", "DELETE", path, nil).Want(204) // the import has ended
		if state := w.read("ada", path).Want(200).Str("state"); state != "done" {
			t.Errorf("an import that has ended is %s once it was stopped", state)
		}
		w.theirs(path)
		w.Clock.Advance(91 * 24 * 3600e9)
		if err := w.S.App.Transfer.SweepImports(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.read("ada", path).Want(404)
	})
}

// hides checks that the other server's token appears in no table, log or response.
func (w *world) hides(token string) {
	w.t.Helper()
	for table, rows := range w.Dump() {
		for _, row := range rows {
			if strings.Contains(row, token) || strings.Contains(row, fmt.Sprint([]byte(token[len(token)-8:]))[1:20]) {
				w.t.Errorf("the table %s holds the token: %s", table, row)
			}
		}
	}
	if lines := w.Log(token); len(lines) > 0 {
		w.t.Errorf("the log says the token: %s", lines)
	}
	for _, path := range []string{"/ext/v1/imports", "/ext/v1/imports/1"} {
		if body := string(w.read("ada", path).Want(200).Body); strings.Contains(body, token) {
			w.t.Errorf("%s says the token", path)
		}
	}
}

// theirs checks that an import is only visible to its owner.
func (w *world) theirs(path string) {
	w.t.Helper()
	for _, as := range []string{"eve", "ada/read"} {
		want := 404
		if as == "ada/read" {
			want = 403
		}
		w.Do(as, "DELETE", path, nil).Want(want)
	}
	w.read("eve", path).Want(404)
	w.read("", path).Want(401)
	w.read("ada/read", path).Want(200)
	w.Do("ada/read", "POST", "/ext/v1/imports", `{"source":"arena","what":["x"]}`).Want(403)
	if n := w.Get("eve", "/ext/v1/imports").Want(200).Int("meta.total_count"); n != 0 {
		w.t.Errorf("eve has %d imports", n)
	}
	w.Do("ada", "DELETE", "/ext/v1/imports/999", nil).Want(404)
}

// forgotten fails if an import still has its token.
func (w *world) forgotten() {
	w.t.Helper()
	n := -1
	err := w.DB().Reader().QueryRow(w.t.Context(), "SELECT count(*) FROM imports WHERE token IS NOT NULL").Scan(&n)
	if err != nil || n != 0 {
		w.t.Errorf("%d imports have their token: %v", n, err)
	}
}

// A stopped import ends in the middle of a channel.
func TestStopped(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		w.notes("Moss", "private", 120) // two pages
		w.notes("Stones", "private", 2)
		path := w.start()
		w.before(func(r *http.Request) {
			if r.URL.Query().Get("page") == "2" {
				w.Do("ada", "DELETE", path, nil).Want(204)
				w.Do("ada", "DELETE", path, nil).Want(204)
				w.forgotten()
			}
		})
		w.WorkJobs()
		got := w.read("ada", path).Want(200)
		if got.Str("state") != "stopped" || got.Get("ended_at") == nil {
			t.Errorf("it is %s", got.Body)
		}
		slugs := w.slugs()
		moss, stones := w.texts(slugs["Moss"]), w.texts(slugs["Stones"])
		if len(moss) != 100 || len(stones) != 0 {
			t.Errorf("%d and %d came", len(moss), len(stones))
		}
		w.before(func(*http.Request) {})
		w.start() // another import can be started
		w.WorkJobs()
		if n := w.Get("ada", "/v3/channels/%s", slugs["Moss"]).Want(200).Int("counts.blocks"); n != 120 {
			t.Errorf("%d have come in the end", n)
		}
	})
}

// The result of an attempt decides how the import continues.
func TestStepResults(t *testing.T) {
	t.Parallel()
	cause := errors.New("the cause")
	stopping, stop := context.WithCancel(t.Context())
	stop()
	const running, failed = "running", "failed"
	eachWorld(t, func(w *world) {
		for name, c := range map[string]struct {
			result    transfer.StepResult
			attempts  int64           // before; 0: as counted
			ctx       context.Context // nil: of the test
			fails     bool            // the error is the cause
			again     bool            // the error is that the job runs again, without the cause
			state     string
			reason    string
			uncounted bool // the attempt does not count
		}{
			"finished":           {state: "done"},
			"stopped":            {result: transfer.StepResult{End: transfer.StepStopped}, state: running},
			"refused":            {result: transfer.StepResult{End: transfer.StepRefused, Reason: "It is empty"}, state: failed, reason: "It is empty"},
			"interrupted":        {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause}, fails: true, state: running},
			"with progress":      {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause, Further: true}, again: true, state: running, uncounted: true},
			"server stops":       {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause}, ctx: stopping, fails: true, state: running, uncounted: true},
			"last attempt":       {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause}, attempts: 8, fails: true, state: failed, reason: "Something went wrong on the server, several times"},
			"last, for a reason": {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause, Reason: "It is away"}, attempts: 8, fails: true, state: failed, reason: "It is away"},
			"last, with progress": {result: transfer.StepResult{End: transfer.StepInterrupted, Err: cause, Further: true}, attempts: 8, again: true, state: running,
				uncounted: true},
		} {
			started := w.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": "file", "upload_key": w.send("links.txt", "https://example.org/")}).Want(202)
			id, path := domain.ImportID(started.Int("id")), fmt.Sprintf("/ext/v1/imports/%d", started.Int("id"))
			if err := importing.RunStep(t.Context(), w.S.App, transfer.RunImport{Import: id}); err != nil { // lists the step
				t.Fatal(err)
			}
			begin := func() transfer.ImportWork {
				work, ok, err := w.S.App.Transfer.BeginImport(t.Context(), id)
				if err != nil || !ok || !work.Listed {
					t.Fatalf("%s: %t, %v", name, ok, err)
				}
				return work
			}
			c.result.Work = begin()
			counted := c.result.Work.Attempts
			if c.attempts > 0 {
				c.result.Work.Attempts = c.attempts
			}
			ctx := c.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			err := w.S.App.Transfer.FinishImportStep(ctx, c.result)
			if errors.Is(err, cause) != c.fails || (err != nil) != (c.fails || c.again) {
				t.Errorf("%s: error %v", name, err)
			}
			if c.state == running {
				if got := begin().Attempts - counted; got == 0 != c.uncounted {
					t.Errorf("%s: the next attempt is %d later", name, got)
				}
			} else {
				w.WorkJobs()
			}
			got := w.Do("ada", "GET", path, nil).Want(200)
			if reason, _ := got.Lookup("reason"); got.Str("state") != c.state || c.reason != "" && reason != c.reason {
				t.Errorf("%s: %s", name, got.Body)
			}
			w.Do("ada", "DELETE", path, nil).Want(204)
		}
	})
}

// Interrupted jobs resume, and concurrent jobs of a step import each item once.
func TestCutOff(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		w.notes("Moss", "private", 30)
		w.notes("Stones", "private", 20)
		path := w.start()
		id := domain.ImportID(w.read("ada", path).Int("id"))
		for cut := 1; ; cut++ {
			ctx, kill := context.WithCancel(t.Context())
			n := 0
			w.before(func(*http.Request) {
				if n++; n == (cut+1)/2 {
					kill()
				}
			})
			err := importing.RunStep(ctx, w.S.App, transfer.RunImport{Import: id})
			kill()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			state := w.read("ada", path).Str("state")
			if state == "done" {
				break
			}
			if state != "running" && state != "queued" || cut > 30 {
				t.Fatalf("after %d it is %s", cut, state)
			}
		}
		w.before(func(*http.Request) {})
		w.WorkJobs() // jobs enqueued by each step
		got := w.read("ada", path).Want(200)
		if got.Str("state") != "done" || got.Int("counts.channels") != 2 || got.Int("counts.blocks") != 50 || got.Int("counts.unchanged") != 0 {
			t.Errorf("it ends as %s", got.Body)
		}
		slugs := w.slugs()
		if !movingSame(w.texts(slugs["Moss"]), want(30, "Moss")) || !movingSame(w.texts(slugs["Stones"]), want(20, "Stones")) || len(slugs) != 2 {
			t.Errorf("%d channels: %q", len(slugs), w.texts(slugs["Moss"]))
		}
	})
}

// A long channel whose job is interrupted resumes from a page, not from the beginning.
func TestLongChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, apptest.New(t))
	const n = 560
	w.notes("Moss", "private", n)
	path := w.start()
	id := domain.ImportID(w.read("ada", path).Int("id"))
	for range 2 { // the list, and the channels
		if err := importing.RunStep(t.Context(), w.S.App, transfer.RunImport{Import: id}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, kill := context.WithCancel(t.Context())
	w.before(func(r *http.Request) {
		if r.URL.Query().Get("page") == "5" {
			kill()
		}
	})
	if err := importing.RunStep(ctx, w.S.App, transfer.RunImport{Import: id}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var pages []string
	w.before(func(r *http.Request) {
		if page := r.URL.Query().Get("page"); page != "" {
			pages = append(pages, page)
		}
	})
	if got := w.read("ada", path).Want(200); got.Str("state") != "running" || got.Int("counts.blocks") == 0 || got.Int("progress.items_done") == n {
		t.Errorf("cut off, it is %s", got.Body)
	}
	w.WorkJobs()
	if len(pages) == 0 || pages[0] != "3" || pages[len(pages)-1] != "6" {
		t.Errorf("it went on with the pages %v", pages)
	}
	got := w.read("ada", path).Want(200)
	// The step was started outside of its job, so that the job may run it at the same time: each item is
	// imported once, and items that both were about to import are counted by neither.
	if made := got.Int("counts.blocks"); got.Str("state") != "done" || made > n || made < 100 || got.Int("progress.items_done") != n {
		t.Errorf("it ends as %s", got.Body)
	}
	slug := w.slugs()["Moss"]
	for page, i := 1, 0; i < n; page++ {
		contents := w.Get("ada", "/v3/channels/%s/contents?sort=position_asc&per=100&page=%d", slug, page).Want(200)
		for k := range contents.Len("data") {
			if text := contents.Str(fmt.Sprintf("data.%d.content.plain", k)); text != fmt.Sprintf("Moss, note %d", i) {
				t.Fatalf("%d is %s", i, text)
			}
			i++
		}
	}
}

func TestAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		w.notes("Moss", "private", 30)
		w.Person("ada") // created before the concurrent imports
		var begun, first atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				res := w.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": "arena", "address": there, "what": []string{"moss"}})
				switch res.Status {
				case 202:
					begun.Add(1)
					first.Store(int64(res.Int("id"))) // not always 1: PostgreSQL does not take back the number of a refused one
				case 422:
				default:
					t.Errorf("%d: %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		if begun.Load() != 1 {
			t.Errorf("%d began", begun.Load())
		}
		w.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/imports/%d", first.Load()), nil).Want(204)
		path := w.start("@bob")
		id := domain.ImportID(w.read("ada", path).Int("id"))
		for range 3 { // the list, the heads, the channel
			for range 3 {
				all.Go(func() {
					if err := importing.RunStep(t.Context(), w.S.App, transfer.RunImport{Import: id}); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		w.WorkJobs()
		if got := w.read("ada", path).Want(200); got.Str("state") != "done" {
			t.Errorf("it ends as %s", got.Body)
		}
		if slugs := w.slugs(); len(slugs) != 1 || !movingSame(w.texts(slugs["Moss"]), want(30, "Moss")) {
			t.Errorf("%d channels: %q", len(slugs), w.texts(slugs["Moss"]))
		}
	})
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	here := apptest.NewFetching(t, func(o *fetch.Options) { o.Allow = nil }) // makes this machine's addresses private
	w := newWorld(t, here)
	for address, why := range map[string]string{
		"http://127.0.0.1:8080": "address: ", "http://localhost": "address: ", "https://10.0.0.1": "address: ", "file:///etc/passwd": "address: ",
		"https://ada:secret@example.org": "address: ", "https://example.org/" + strings.Repeat("a", 1<<19): "address: ", "": "what: ",
	} {
		body := map[string]any{"source": "arena", "address": address, "what": []string{"moss"}}
		if address == "" {
			delete(body, "what")
		}
		res := w.Do("ada", "POST", "/ext/v1/imports", body).Want(400)
		if !strings.Contains(string(res.Body), why) || strings.Contains(string(res.Body), "secret") {
			t.Errorf("%.40s: %s", address, res.Body)
		}
	}
	path := w.start("moss") // a name that resolves to a private address
	w.WorkJobs()
	got := w.read("ada", path).Want(200)
	if got.Str("state") != "failed" || got.Str("reason") != "The host of the address does not exist or is not public" {
		t.Errorf("it ends as %s", got.Body)
	}
	w.forgotten()
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, apptest.New(t))
	w.notes("Moss", "private", 1)
	w.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": "arena", "address": there, "token": "wrong"}).Want(202)
	w.WorkJobs()
	got := w.Get("ada", "/ext/v1/imports/1").Want(200)
	if got.Str("state") != "failed" || got.Str("reason") != "The token is not valid there" {
		t.Errorf("with another token it ends as %s", got.Body)
	}
	w.forgotten()
	path := w.start() // its account is suspended in the meantime
	w.Operator("op")
	if _, err := w.S.App.Operating.Suspend(t.Context(), domain.Ref{ID: int64(w.Person("ada").ID)}, true); err != nil {
		t.Fatal(err)
	}
	w.WorkJobs()
	w.forgotten()
	if _, err := w.S.App.Operating.Suspend(t.Context(), domain.Ref{ID: int64(w.Person("ada").ID)}, false); err != nil {
		t.Fatal(err)
	}
	if got := w.read("ada", path).Want(200); got.Str("state") != "failed" || got.Str("reason") != "The account is suspended" {
		t.Errorf("of a suspended account it is %s", got.Body)
	}
}

// Items that exceed the quota are reported, and the rest is imported.
func TestQuota(t *testing.T) {
	t.Parallel()
	picture := apptest.PNG(t, 60, 60)
	w := newWorld(t, apptest.New(t, func(c *config.Config) {
		c.Quota = map[string]int64{"supporter": int64(len(picture)) * 3 / 2}
	}))
	id := w.notes("Pictures", "private", 1)
	for i := range 3 {
		w.there.Web(fmt.Sprintf("pictures.test/%d.png", i), apptest.Serve("image/png", append(picture, byte(i))))
		w.there.Block("bob", fmt.Sprintf("http://pictures.test/%d.png", i), id)
	}
	w.there.WorkJobs()
	path := w.start()
	w.WorkJobs()
	got := w.read("ada", path).Want(200)
	if got.Str("state") != "done" || got.Int("counts.blocks") != 2 || got.Int("counts.files") != 1 || got.Int("counts.left_out") != 2 || got.Len("left_out") != 2 ||
		!strings.Contains(got.Str("left_out.0.why"), "Your files and texts may have") || !strings.HasPrefix(got.Str("left_out.0.where"), there) {
		t.Errorf("it ends as %s", got.Body)
	}
}

// send uploads a file and returns its key.
func (w *world) send(name string, content string) string {
	w.t.Helper()
	got := w.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": "text/plain"}}}).Want(201)
	address := strings.TrimPrefix(got.Str("files.0.upload_url"), apptest.Base)
	req := w.Request("", "PUT", address, content)
	req.Header.Set("Content-Type", "text/plain")
	w.Send(req).Want(200)
	return got.Str("files.0.key")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		for _, tt := range []struct {
			source, name, content string
			state                 string
			blocks, leftOut       int64
			why                   string
		}{
			{"bookmarks", "marks.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Mosses</H3><DL><p><DT><A HREF=\"https://example.org/a\">A</A><DT><A HREF=\"javascript:x\">B</A></DL></DL>", "done", 1, 1, "javascript"},
			{"csv", "table.csv", "url,title\nhttps://example.org/c,C\nnowhere,D\n", "done", 1, 1, "address"},
			{"csv", "pinboard.json", `[{"href":"https://example.org/p","description":"P","extended":"","time":"2020-01-02T03:04:05Z","tags":"a b","shared":"no"}]`, "done", 1, 0, ""},
			{"export", "export.zip", "no archive", "failed", 0, 0, "no export"},
		} {
			key := w.send(tt.name, tt.content)
			w.Do("eve", "POST", "/ext/v1/imports", map[string]any{"source": tt.source, "upload_key": key}).Want(400)
			path := fmt.Sprintf("/ext/v1/imports/%d", w.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": tt.source, "upload_key": key}).Want(202).Int("id"))
			w.Clock.Advance(25 * 3600e9)
			if err := w.S.App.Content.SweepContent(t.Context()); err != nil { // keeps uploads of imports that have not been read yet
				t.Fatal(err)
			}
			w.WorkJobs()
			got := w.read("ada", path).Want(200)
			if got.Str("state") != tt.state || got.Int("counts.blocks") != tt.blocks || got.Int("counts.left_out") != tt.leftOut || got.Str("file") != tt.name ||
				tt.why != "" && !strings.Contains(string(got.Body), tt.why) {
				t.Errorf("%s ends as %s", tt.name, got.Body)
			}
		}
		var n int
		if err := w.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM uploads").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d uploads are left: %v", n, err)
		}
	})
}

// TestKindsOfJobs checks that earlier versions, which know run_import only, do not run imports of files that
// they would refuse.
func TestKindsOfJobs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		const marks = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF=\"https://example.org/a\">A</A></DL>"
		for _, tt := range []struct {
			body map[string]any
			kind string
		}{
			{map[string]any{"source": "file"}, "run_file_import"},
			{map[string]any{"source": "bookmarks", "encoding": "windows-1251"}, "run_file_import"},
			{map[string]any{"source": "export"}, "run_import"},
		} {
			tt.body["upload_key"] = w.send("marks.html", marks)
			id := w.Do("ada", "POST", "/ext/v1/imports", tt.body).Want(202).Int("id")
			if err := importing.RunStep(w.t.Context(), w.S.App, transfer.RunImport{Import: domain.ImportID(id)}); err != nil { // enqueues the next step
				w.t.Fatal(err)
			}
			list, err := w.S.App.Operating.Jobs(w.t.Context(), jobs.Waiting, 100)
			if err != nil {
				w.t.Fatal(err)
			}
			var kinds []string
			for _, job := range list {
				if strings.HasSuffix(job.Kind, "_import") {
					kinds = append(kinds, job.Kind)
				}
			}
			if !reflect.DeepEqual(kinds, []string{tt.kind, tt.kind}) {
				w.t.Errorf("%v: jobs %q", tt.body, kinds)
			}
			w.WorkJobs()
			if state := w.read("ada", fmt.Sprintf("/ext/v1/imports/%d", id)).Str("state"); (state == "done") != (tt.kind == "run_file_import") {
				w.t.Errorf("%v: it is %s", tt.body, state)
			}
		}
	})
}

func TestAccountsThatEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, apptest.New(t))
	w.notes("Moss", "private", 1)
	w.start()
	storetest.In(t, w.S.Store, func(tx *store.Tx) error {
		u, err := tx.Users().User(t.Context(), domain.Ref{Slug: "ada"})
		if err != nil {
			return err
		}
		return tx.Users().AnonymizeAccount(t.Context(), u, w.Clock.Now())
	})
	w.WorkJobs()
	if d := w.Dump(); len(d["imports"])+len(d["import_steps"]) != 0 {
		t.Errorf("what is left: %v", d["imports"])
	}
}

// read requests a URL as a user.
func (w *world) read(as, path string) *apptest.Response {
	w.t.Helper()
	return w.Do(as, "GET", path, nil)
}
