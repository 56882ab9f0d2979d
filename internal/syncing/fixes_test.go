package syncing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// A name that changes only in case or normal form is the same item, with its new name.
func TestSpelling(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		b.Block("ada", fmt.Sprintf("caf\u00e9 %d", i), b.channel)
	}
	birds := b.Channel("ada", "Birds", "private")
	b.Connect("ada", "Channel", birds, b.channel)
	b.Block("ada", "heron", birds)
	b.sync()
	before := b.texts(b.channel)
	for i := range 3 {
		b.rename(fmt.Sprintf("caf\u00e9 %d.md", i), fmt.Sprintf("cafe\u0301 %d.md", i))
	}
	b.rename("Birds", "birds")
	b.rename("birds/heron.md", "birds/Heron.md")
	b.sync(func(o *Options) { o.Push = false })
	if got := b.files(); len(got) != 4 || got[0] != "birds/Heron.md" {
		t.Errorf("with --pull: %q", got)
	}
	b.sync()
	if after := b.texts(b.channel); strings.Join(after, "\n") != strings.Replace(strings.Join(before, "\n"), "Birds=", "birds=", 1) {
		t.Errorf("%q, before %q", after, before)
	}
	if got := b.texts(birds); fmt.Sprint(got) != "[Heron=heron]" {
		t.Errorf("%q", got)
	}
	// The server's turn.
	b.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", birds), map[string]any{"title": "BIRDS"}).Want(200)
	heron := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", birds), nil).Int("data.0.id")
	b.update(heron, map[string]any{"title": "HERON"})
	b.sync()
	if got := b.files(); len(got) != 4 || got[0] != "BIRDS/HERON.md" {
		t.Errorf("%q", got)
	}
	b.sync()
	if len(b.said) > 0 {
		t.Errorf("nothing changed, but %q", b.said)
	}
	// Two spellings next to each other: the one that was there stays.
	b.write("birds/HERON.md", "another")
	if err := b.try(); !errors.Is(err, ErrPartly) || fmt.Sprint(b.texts(birds)) != "[HERON=heron]" {
		t.Errorf("%v: %q", err, b.texts(birds))
	}
}

// Channels with titles that are no names, or names of temporary files, keep their folders.
func TestHostileChannels(t *testing.T) {
	b := newBench(t)
	titles := []string{"notes.bak", "draft.tmp", "Thumbs.db", "desktop.ini", "x.part", "CON.txt", "nul .a.b", "\u200d.vitrine", "GIT~1", "../up", "_index.md", "a", "A"}
	for _, title := range titles {
		id := b.Channel("ada", title, "private")
		b.Block("ada", "text", id)
		b.Connect("ada", "Channel", id, b.channel)
	}
	b.sync()
	got := b.files()
	if len(got) != len(titles) {
		t.Errorf("%d files: %q", len(got), got)
	}
	for _, name := range got {
		if dir := parentOf(name); devices.MatchString(dir) || ignored(dir) || strings.Contains(dir, "~1") || strings.HasPrefix(strings.TrimPrefix(dir, "\u200d"), ".") {
			t.Errorf("%q", name)
		}
	}
	b.sync()
	if n := len(b.texts(b.channel)); len(b.said) > 0 || n != len(titles) {
		t.Errorf("a second run says %q, and leaves %d channels", b.said, n)
	}
}

func TestServerMoved(t *testing.T) {
	b := newBench(t)
	b.sync()
	other := func(o *Options) { o.Server = "https://other.test" }
	if err := b.try(other); err == nil || !strings.Contains(err.Error(), "--server-moved") {
		t.Errorf("another server: %v", err)
	}
	b.sync(other, func(o *Options) { o.Moved = true })
	b.sync(other)
}

// A token that is limited to channels cannot show which channels an account has.
func TestLimitedToken(t *testing.T) {
	b := newBench(t)
	b.sync()
	b.options.Token = b.limited(b.channel)
	b.sync()
	b.options.Dir, b.options.Channel = t.TempDir(), ""
	if err := b.try(); err == nil || !strings.Contains(err.Error(), "--channel") {
		t.Errorf("%v", err)
	}
}

func (b *bench) limited(channel int64) string {
	b.T.Helper()
	in := accounts.TokenInput{Name: "limited", Scope: domain.ScopeWrite, Channels: []domain.ChannelID{domain.ChannelID(channel)}}
	secret, _, err := b.S.App.Accounts.CreateOwnToken(b.T.Context(), domain.Actor{UserID: b.Person("ada").ID}, in)
	if err != nil {
		b.T.Fatal(err)
	}
	return secret
}

// A channel of an account has one folder, and folders in it are reported.
func TestNestedInAccount(t *testing.T) {
	b := newBench(t)
	b.options.Channel = ""
	b.Block("ada", "text", b.channel)
	b.sync()
	b.write("Field notes/Nested/a.md", "a")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v", err)
	}
	b.want("Field notes/Nested/a.md", "Field notes/text.md")
	b.remove("Field notes/Nested")
	b.write("Other/b.md", "b")
	b.sync()
	b.rename("Other", "Field notes/Renamed")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v", err)
	}
	r := b.Do("ada", "GET", "/v3/users/ada/contents?type=Channel", nil).Want(200)
	if r.Len("data") != 2 || !strings.Contains(string(r.Body), `"title":"Other"`) {
		t.Errorf("%s", r.Body)
	}
}

// The guard counts what is in all folders that are gone, also if the name of one begins with that of another.
func TestGuardOfFolders(t *testing.T) {
	b := newBench(t)
	for _, title := range []string{"Notes", "Notes 2"} {
		id := b.Channel("ada", title, "private")
		for i := range 6 {
			b.Block("ada", fmt.Sprintf("text %d", i), id)
		}
		b.Connect("ada", "Channel", id, b.channel)
	}
	b.sync()
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", b.channel), nil).Want(200)
	for i := range 2 {
		b.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", r.Int(fmt.Sprintf("data.%d.connection.id", i))), nil).Want(204)
	}
	if err := b.try(); !errors.Is(err, ErrConfirm) || len(b.files()) != 12 {
		t.Errorf("%v: %q", err, b.files())
	}
	if _, err := os.Stat(filepath.Join(b.dir, "Notes 2")); err != nil {
		t.Error(err)
	}
}

// An index that the program has not written is a note like others.
func TestForeignIndex(t *testing.T) {
	b := newBench(t)
	b.write(indexFile, "---\ntitle: My garden\n---\nmoss")
	b.write("Sub/_index.md/x.md", "x")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v: %q", err, b.said)
	}
	if !strings.Contains(b.read("index.md"), "moss") || !strings.Contains(b.read(indexFile), keyChannel) {
		t.Errorf("%q: %s", b.files(), b.read(indexFile))
	}
	if got := b.texts(b.channel); len(got) != 2 || got[0] != "My garden=moss" {
		t.Errorf("%q", got)
	}
}

// What is missing for a moment is not deleted.
func TestSecondLook(t *testing.T) {
	b := newBench(t)
	b.Block("ada", "text", b.channel)
	b.sync()
	b.options.Settle = 50 * time.Millisecond
	b.rename("text.md", ".saving")
	s := b.open()
	again, err := s.pass(t.Context())
	if err != nil || !again || !s.unsettled || len(b.texts(b.channel)) != 1 {
		t.Fatalf("the first look: %v, %v, %q", again, err, b.said)
	}
	b.rename(".saving", "text.md")
	if err := s.Once(t.Context()); err != nil || len(b.texts(b.channel)) != 1 {
		t.Fatalf("%v: %q", err, b.said)
	}
	s.Close()
	b.remove("text.md")
	b.sync()
	b.wantTexts()
}

// A download does not replace a file of the user.
func TestDownloadBesideFile(t *testing.T) {
	b := newBench(t)
	b.write("Heron.png", string(apptest.PNG(t, 30, 20)))
	b.sync()
	b.WorkJobs()
	b.sync()
	b.remove(ownFolder)
	b.write("Heron.md", strings.Replace(b.read("Heron.md"), "![[Heron.png]]", "", 1))
	b.write("Heron.png", string(apptest.PNG(t, 8, 8)))
	b.sync()
	n, err := parse([]byte(b.read("Heron.md")))
	name, _ := n.embed()
	if err != nil || b.read("Heron.png") != string(apptest.PNG(t, 8, 8)) || name == "Heron.png" || b.read(name) != string(apptest.PNG(t, 30, 20)) {
		t.Errorf("%q: %q, %s", b.files(), b.said, b.read("Heron.md"))
	}
}

// The folder of a channel that is gone stays as long as it has work that was not sent.
func TestUnsent(t *testing.T) {
	b := newBench(t)
	birds := b.Channel("ada", "Birds", "private")
	b.Connect("ada", "Channel", birds, b.channel)
	b.Block("ada", "heron", birds)
	b.sync()
	b.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", birds), nil).Want(204)
	b.write("Birds/new.md", "new")
	for range 2 {
		if err := b.try(); !errors.Is(err, ErrPartly) || len(b.said) > 4 {
			t.Errorf("%v: %q", err, b.said)
		}
		b.want("Birds/heron.md", "Birds/new.md")
	}
	b.rename("Birds/new.md", "new.md")
	b.sync()
	b.want("new.md")
}

// raced does something right before the first request with a method.
type raced struct {
	http.RoundTripper
	method string
	do     func()
}

func (r *raced) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == r.method && r.do != nil {
		do := r.do
		r.do = nil
		do()
	}
	return r.RoundTripper.RoundTrip(req)
}

// A change at the server between reading a block and changing it is not lost.
func TestLostUpdate(t *testing.T) {
	b := newBench(t)
	id := b.Block("ada", "one", b.channel)
	b.sync()
	b.write("one.md", strings.Replace(b.read("one.md"), "\none\n", "\nmine\n", 1))
	race := &raced{b.options.HTTP.Transport, http.MethodPut, func() { b.update(id, map[string]any{"content": "theirs"}) }}
	b.sync(func(o *Options) { o.HTTP = &http.Client{Transport: race} })
	b.wantTexts("=theirs")
	if got := b.files(); len(got) != 2 || !conflicts.MatchString(got[0]) {
		t.Errorf("%q", got)
	}
}

// An error of one file does not end the run, and the next one tries it again.
func TestErrorOfOneFile(t *testing.T) {
	b := newBench(t)
	b.Block("ada", "stays", b.channel)
	id := b.Block("ada", "goes", b.channel)
	b.sync()
	trash := ownFolder + "/trash/" + time.Now().UTC().Format("2006-01-02")
	b.write(trash, "is no folder")
	b.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", id), nil).Want(204)
	b.write("new.md", "new")
	if err := b.try(); !errors.Is(err, ErrPartly) || len(b.texts(b.channel)) != 2 {
		t.Errorf("%v: %q", err, b.said)
	}
	b.want("goes.md", "new.md", "stays.md")
	b.remove(trash)
	b.sync()
	b.want("new.md", "stays.md")
}

// A program that follows both sides goes on after errors that pass.
func TestPause(t *testing.T) {
	s := &Sync{}
	for _, c := range []struct {
		err   error
		again bool
	}{
		{io.ErrUnexpectedEOF, true},
		{json.Unmarshal([]byte(`{"data":[`), &changeList{}), true},
		{&fs.PathError{Op: "open", Path: ".", Err: syscall.EACCES}, true},
		{fmt.Errorf("%w: %w", errState, &fs.PathError{Op: "write", Path: ".", Err: syscall.ENOSPC}), false},
		{&client.Error{Status: 401}, false},
		{errors.New("other"), false},
	} {
		if _, again := s.pause(c.err, time.Second); again != c.again {
			t.Errorf("%v: %v", c.err, again)
		}
	}
	for _, err := range []error{&os.LinkError{Op: "rename", Err: syscall.EXDEV}, &fs.PathError{Op: "open", Err: syscall.EACCES}} {
		if _, one := isOne(err); !one || isOffline(err) {
			t.Errorf("%v is no error of one item", err)
		}
	}
	d := newBench(t).open()
	defer d.Close()
	if _, _, err := d.dir.download(strings.NewReader("12345"), 4); !errors.Is(err, errFile) {
		t.Errorf("a large file: %v", err)
	}
}

// A response that stops is cancelled, as an error of the network.
func TestStall(t *testing.T) {
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("half"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	defer slow.Close()
	b := newBench(t)
	b.options.stall, b.options.HTTP = 50*time.Millisecond, &http.Client{}
	s := b.open()
	defer s.Close()
	_, _, err := server{http: s.o.HTTP}.fetch(t.Context(), s.dir, slow.URL, 100)
	if !isOffline(err) {
		t.Errorf("%v", err)
	}
	<-ended
}

func (b *bench) open(change ...func(*Options)) *Sync {
	b.T.Helper()
	o := b.options
	for _, c := range change {
		c(&o)
	}
	s, err := Open(b.T.Context(), o)
	if err != nil {
		b.T.Fatal(err)
	}
	return s
}

// The state is private, a dry run stores none, and --pull sends nothing that an earlier run stored.
func TestState(t *testing.T) {
	b := newBench(t)
	b.sync(func(o *Options) { o.DryRun = true })
	if _, err := os.Stat(filepath.Join(b.dir, ownFolder, "state.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dry run stores a state: %v", err)
	}
	b.sync(func(o *Options) { o.Channel = fmt.Sprint(b.Channel("ada", "Another", "private")) })
	for name, mode := range map[string]fs.FileMode{"": 0o700, "state.jsonl": 0o600} {
		if info, err := os.Stat(filepath.Join(b.dir, ownFolder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	s := b.open(func(o *Options) { o.Channel = "" })
	stored := s.state.write(record{Intent: &intent{Key: "key", Type: typeChannel, At: time.Now(), Path: "x", Body: []byte(`{"title":"x"}`)}})
	s.Close()
	pull := func(o *Options) { o.Channel, o.Push = "", false }
	if err := errors.Join(stored, b.try(pull)); err != nil {
		t.Error(err)
	}
	if r := b.Do("ada", "GET", "/v3/users/ada/contents?type=Channel", nil).Want(200); r.Len("data") != 2 {
		t.Errorf("%s", r.Body)
	}
}

// A note over the limit, changed on one side or on both, concerns only itself.
func TestLargeNotes(t *testing.T) {
	b := newBench(t)
	b.Block("ada", "one", b.channel)
	two := b.Block("ada", "two", b.channel)
	b.sync()
	large := strings.Repeat("x", maxNote)
	b.write("one.md", b.read("one.md")+large)
	b.write("two.md", b.read("two.md")+large)
	b.write("new large.md", "new"+large)
	b.write("new.md", "new")
	b.update(two, map[string]any{"content": "theirs"})
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Fatalf("%v: %q", err, b.said)
	}
	b.wantTexts("new=new", "=theirs", "=one")
	said := strings.Join(b.said, "\n")
	for _, name := range []string{"one.md", "two.md", "new large.md"} {
		if strings.Count(said, name+": has more than ") != 1 || len(b.read(name)) < len(large) {
			t.Errorf("%s: %q", name, b.said)
		}
	}
}

// Every request that is stored can be read again.
func TestLongStateLine(t *testing.T) {
	b := newBench(t)
	s := b.open()
	body, err := json.Marshal(strings.Repeat("<", maxNote))
	if err == nil {
		err = s.state.write(record{Intent: &intent{Key: "key", Type: typeBlock, At: time.Now(), Path: "x.md", Body: body}})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = b.open()
	defer s.Close()
	if i := s.state.intents["key"]; i == nil || !bytes.Equal(i.Body, body) {
		t.Error("the request is lost")
	}
}

// A channel that was created but not connected yet is only connected by a run that changes the server.
func TestJoin(t *testing.T) {
	b := newBench(t)
	b.write("Nested/a.md", "a")
	b.sync()
	s := b.open()
	for _, e := range s.state.in(b.channel) {
		b.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", e.Conn), nil).Want(204)
		now := *e
		now.Conn = 0
		if err := s.state.put(now); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	for range 2 { // as the server reports the change, and after it was read
		b.sync(func(o *Options) { o.DryRun = true })
		b.sync(func(o *Options) { o.Push = false })
		b.want("Nested/a.md")
		b.wantTexts()
	}
	b.sync()
	b.wantTexts("Nested=")
}
