package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/database/dbtest"
	"vitrine/internal/heavy"
)

// oracleSeed is the variable that repeats the random choices of a run, as far as the timing allows.
const oracleSeed = "VITRINE_TEST_SEED"

// oracleTime is how long the writers of the heavy version write, ten minutes by default.
const oracleTime = "VITRINE_TEST_ORACLE"

// Writers change everything through all interfaces, while consumers keep copies by polling, streams, webhooks, the Go
// client and sync. Server and consumers are killed again and again. In the end each copy equals what its account may see.
func TestOracle(t *testing.T) {
	t.Parallel()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		keepsCopies(t, path, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		if os.Getenv(heavy.Env) == "" && os.Getenv(oracleTime) == "" {
			t.Skip("only the heavy version runs on PostgreSQL")
		}
		keepsCopies(t, path, dbtest.PostgresURL(t))
	})
}

func keepsCopies(t *testing.T, path, databaseURL string) {
	port := freePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	p := newProgram(t, path, databaseURL, "VITRINE_ADDR="+address, "VITRINE_BASE_URL=http://"+address, "VITRINE_SITE_URL=http://"+address,
		"VITRINE_FETCH_ALLOW=127.0.0.0/8", "VITRINE_WEBHOOK_HOSTS=127.0.0.1")
	span, kills, every := time.Duration(heavy.Count(7, 600))*time.Second, heavy.Count(2, 12), time.Duration(heavy.Count(80, 400))*time.Millisecond
	if text := os.Getenv(oracleTime); text != "" {
		var err error
		if span, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		kills, every = max(2, int(span/(30*time.Second))), 400*time.Millisecond
	}
	// A webhook waits for a minute after its server was killed, so in the short version another process sends them.
	workers := span < time.Minute
	if workers {
		p.env = append(p.env, "VITRINE_WORK=false")
	}
	s := p.serve()
	if workers {
		p.work()
	}
	o := newOracle(t, p, "http://"+address)
	o.long = !workers
	o.begin(every, max(span/8, 2*time.Second))
	for range kills {
		time.Sleep(span/time.Duration(2*kills) + time.Duration(o.random.Int64N(int64(span/time.Duration(kills)))))
		if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if code := s.ended(t); code != -1 {
			t.Fatalf("the server ended by itself, exit code %d\n%s", code, s.log)
		}
		s = p.serve()
	}
	time.Sleep(span / time.Duration(4*kills))
	o.settle(max(span/3, settleTime+time.Minute))
	p.run("check")
}

// oracle is a site with writers and consumers.
type oracle struct {
	t       *testing.T
	p       program
	url     string
	random  *rand.Rand
	world   *world
	pages   *web
	authors []*author
	keepers []*keeper
	synced  int64 // the channel of the sync
	kills   atomic.Bool
	long    bool // long enough for each kind of act to succeed

	writing, keeping         sync.WaitGroup
	stopWriting, stopKeeping context.CancelFunc
}

// newOracle creates the accounts, the first channels, a group and the consumers.
func newOracle(t *testing.T, p program, base string) *oracle {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(oracleSeed); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s=%d", oracleSeed, seed)
	o := &oracle{t: t, p: p, url: base, random: rand.New(rand.NewPCG(seed, 0)), pages: newWeb(t),
		world: &world{fixed: map[int64]bool{}, done: map[string]int{}, refused: map[string]int{}, samples: map[string]error{}}}
	for i, slug := range []string{"ada", "bea", "cem", "dan", "eve", "fay", "gus", "sam"} {
		a := &author{client: client{token: p.userOf(slug, "supporter")}, world: o.world, slug: slug, pages: o.pages.url, random: rand.New(rand.NewPCG(seed, uint64(i+1)))}
		a.to(base, patient())
		var me struct{ ID int64 }
		o.must(a.send(http.MethodGet, "/v3/me", nil, &me))
		a.user = me.ID
		o.must(a.signIn(p))
		o.authors = append(o.authors, a)
	}
	ada := o.authors[0]
	var group struct{ ID int64 }
	o.must(ada.send(http.MethodPost, "/v3/groups", fields{"name": "Group"}, &group))
	var invite struct{ Code string }
	o.must(ada.send(http.MethodPost, fmt.Sprintf("/v3/groups/%d/invite", group.ID), nil, &invite))
	o.world.group, o.world.invite = group.ID, invite.Code
	for _, title := range []string{"Limited", "Synced", "Pushed", "Seen"} {
		var made struct{ ID int64 }
		o.must(ada.send(http.MethodPost, "/v3/channels", fields{"title": title, "visibility": "public"}, &made))
		o.world.add(&o.world.channels, known{id: made.ID, owner: ada.user})
		o.world.fixed[made.ID] = title != "Seen"
	}
	o.consumers()
	return o
}

func (o *oracle) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// consumers creates the consumers.
func (o *oracle) consumers() {
	limited, synced, seen := o.world.channels[0].id, o.world.channels[1].id, o.world.channels[3].id
	o.synced = synced
	add := func(name, slug string, follow func(*keeper, context.Context) error) *keeper {
		k := &keeper{name: name + " of " + slug, follow: follow, folder: o.t.TempDir()}
		for _, a := range o.authors {
			if a.slug == slug {
				k.token, k.user = a.token, a.user
			}
		}
		k.to(o.url, &http.Transport{ResponseHeaderTimeout: time.Minute})
		k.reading.get = k.ask
		o.keepers = append(o.keepers, k)
		return k
	}
	hook := func(k *keeper) *keeper {
		k.hook = &receiver{port: freePort(o.t), inbox: filepath.Join(k.folder, "inbox"), broken: map[string]bool{}}
		o.must(os.Mkdir(k.hook.inbox, 0o700))
		return k
	}
	add("poll", "ada", (*keeper).poll)
	add("stream", "bea", (*keeper).stream)
	hook(add("webhook", "cem", (*keeper).hooked))
	add("Go client", "dan", (*keeper).poll).viaClient()
	add("stream", "sam", (*keeper).stream)
	add("poll", "guest", (*keeper).poll)
	k := add("poll with a limited token", "ada", (*keeper).poll)
	k.token, k.channel, k.limited = o.limitedToken(limited), limited, true
	add("poll of a channel", "sam", (*keeper).poll).channel = seen
	hook(add("webhook of a channel", "eve", (*keeper).hooked)).channel = seen
	k = add("sync", "ada", nil)
	k.follow = k.mirror(o.p, synced)
}

var tokenIn = regexp.MustCompile(`vitrine_pat_[0-9A-Za-z]+`)

// limitedToken creates a token of the first account that sees only one channel.
func (o *oracle) limitedToken(channel int64) string {
	a := o.authors[0]
	res, err := a.site.PostForm(o.url+"/settings/personal-access-tokens", url.Values{"name": {"Limited"}, "scope": {"read"}, "days": {""}, "channels": {fmt.Sprint(channel)}})
	o.must(err)
	defer res.Body.Close()
	var page strings.Builder
	o.must(res.Write(&page))
	token := tokenIn.FindString(page.String())
	if token == "" {
		o.t.Fatalf("no token: %s", page.String())
	}
	return token
}

// begin starts the writers, each with a pause of about `every` between two writes, and the consumers, which live for up to
// longest.
func (o *oracle) begin(every, longest time.Duration) {
	writing, stop := context.WithCancel(o.t.Context())
	o.stopWriting = stop
	keeping, stop := context.WithCancel(o.t.Context())
	o.stopKeeping = stop
	o.kills.Store(true)
	for i, k := range o.keepers {
		random := rand.New(rand.NewPCG(o.random.Uint64(), uint64(i)))
		o.keeping.Go(func() { k.live(keeping, random, longest, &o.kills) })
	}
	for i := range 14 {
		a := *o.authors[i%7] // the last account only reads
		a.random = rand.New(rand.NewPCG(o.random.Uint64(), uint64(i)))
		o.writing.Go(func() { a.write(writing, acts, every) })
	}
	operator, pusher := *o.authors[0], *o.authors[0]
	operator.random, pusher.random = rand.New(rand.NewPCG(o.random.Uint64(), 1)), rand.New(rand.NewPCG(o.random.Uint64(), 2))
	notes := filepath.Join(o.t.TempDir(), "notes")
	o.must(os.Mkdir(notes, 0o700))
	o.writing.Go(func() { operator.operate(writing, o.p, o.t.TempDir(), 5*every) })
	o.writing.Go(func() { pusher.push(writing, o.p, notes, o.world.channels[2].id, 5*every) })
}

// settle ends the writers, and waits until each copy equals what its account may see.
func (o *oracle) settle(most time.Duration) {
	t := o.t
	o.stopWriting()
	o.writing.Wait()
	o.kills.Store(false)
	o.idle()
	channels, blocks := o.newest()
	t.Logf("acts: %v\nrefused: %v\nup to channel %d and block %d", o.world.done, o.world.refused, channels, blocks)
	for _, fault := range o.world.faults[:min(len(o.world.faults), 10)] {
		t.Error(fault)
	}
	for name, err := range o.world.samples {
		if o.world.done[name] == 0 && o.long {
			t.Errorf("nobody did %q: %v", name, err)
		}
	}
	truths := map[*keeper]copied{}
	tried := time.Time{}
	for end := time.Now().Add(most); ; time.Sleep(300 * time.Millisecond) {
		if time.Since(tried) > retryTime {
			o.hasten()
			tried = time.Now()
		}
		different := 0
		for _, k := range o.keepers {
			if _, known := truths[k]; !known {
				truths[k] = o.truth(k, channels, blocks)
			}
			different += len(o.compare(k, truths[k]))
		}
		if different == 0 || time.Now().After(end) {
			break
		}
	}
	o.stopKeeping()
	o.keeping.Wait()
	for _, k := range o.keepers {
		o.report(k, o.truth(k, channels, blocks))
	}
}

// retryTime is how long a message that a killed receiver has missed waits in the end. Its next attempt would be minutes later.
const retryTime = 15 * time.Second

// hasten lets the webhooks send everything at once.
func (o *oracle) hasten() {
	for _, k := range o.keepers {
		if k.hook != nil {
			o.must(k.readdress())
		}
	}
}

// truth returns what the account of a consumer may see.
func (o *oracle) truth(k *keeper, channels, blocks int64) copied {
	r := reading{get: k.ask}
	c, err := r.everything(o.t.Context(), channels, blocks)
	o.must(err)
	if k.channel != 0 && !k.limited {
		return c.part(k.channel)
	}
	return c
}

// compare lists the differences between a consumer's copy and the truth.
func (o *oracle) compare(k *keeper, truth copied) []difference {
	if k.name == "sync of ada" {
		got, want, err := k.mirrored(truth, o.synced)
		o.must(err)
		var all []difference
		names := maps.Clone(got)
		maps.Copy(names, want)
		for _, id := range slices.Sorted(maps.Keys(names)) {
			if got[id] != want[id] {
				all = append(all, difference{"Block " + id, want[id], got[id]})
			}
		}
		return all
	}
	c, err := k.load()
	o.must(err)
	if k.channel != 0 && !k.limited {
		c = c.part(k.channel)
	}
	return differences(truth, c)
}

func (o *oracle) report(k *keeper, truth copied) {
	all := o.compare(k, truth)
	o.t.Logf("%s: %d channels, %d blocks, %d comments; %d changes, killed %d times, read everything %d times", k.name,
		len(truth.Channels), len(truth.Blocks), len(truth.Comments), k.got.Load(), k.kills, k.started)
	if k.fault != nil {
		o.t.Errorf("%s: %v", k.name, k.fault)
	}
	for i, d := range all {
		if i == 8 {
			o.t.Errorf("%s: %d more differences", k.name, len(all)-i)
			break
		}
		o.t.Errorf("%s: %s\n\twant %s\n\tgot  %s\n\tthe last changes:\n\t\t%s", k.name, d.thing, d.want, d.got, k.journaled(d.thing))
	}
}

// idle waits until no job waits or runs, other than what remains of a deleted account.
func (o *oracle) idle() {
	o.t.Helper()
	for end := time.Now().Add(settleTime); ; time.Sleep(300 * time.Millisecond) {
		var left []string
		for _, state := range []string{"waiting", "running"} {
			for line := range strings.Lines(o.p.run("jobs", "list", "--state", state)) {
				if !strings.HasPrefix(line, "ID ") && !strings.Contains(line, " delete_account ") {
					left = append(left, line)
				}
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			o.t.Fatalf("jobs remain:\n%s", left)
		}
	}
}

// newest returns ids of a new channel and block, which are the greatest.
func (o *oracle) newest() (channel, block int64) {
	o.t.Helper()
	var made struct{ ID int64 }
	a := o.authors[0]
	o.must(a.send(http.MethodPost, "/v3/channels", fields{"title": "Last", "visibility": "public"}, &made))
	channel = made.ID
	o.must(a.send(http.MethodPost, "/v3/blocks", fields{"value": "Last", "channel_ids": []int64{channel}}, &made))
	return channel, made.ID
}
