package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/server"
)

// received is a message that arrived at a receiver.
type received struct {
	id, signature string
	at            time.Time
	body          []byte
	kind          string
	data          map[string]any
}

// receiver is an address that records messages. answer, if not nil, responds to each of them.
type receiver struct {
	r      *apptest.Rig
	path   string
	answer http.HandlerFunc

	mu  sync.Mutex
	all []received
}

func newReceiver(r *apptest.Rig, path string) *receiver {
	in := &receiver{r: r, path: path}
	r.Web("example.com"+path, in.ServeHTTP)
	return in
}

func (in *receiver) url() string { return "http://example.com" + in.path }

func (in *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	seconds, badTime := strconv.ParseInt(req.Header.Get("Webhook-Timestamp"), 10, 64)
	var m struct {
		Type string
		Data map[string]any
	}
	if err != nil || badTime != nil || json.Unmarshal(body, &m) != nil || req.Method != "POST" || req.Header.Get("Content-Type") != "application/json" {
		in.r.T.Errorf("a message that cannot be read: %s %v %q", req.Method, req.Header, body)
	}
	in.mu.Lock()
	in.all = append(in.all, received{req.Header.Get("Webhook-Id"), req.Header.Get("Webhook-Signature"), time.Unix(seconds, 0), body, m.Type, m.Data})
	answer := in.answer
	in.mu.Unlock()
	if answer != nil {
		answer(w, req)
	}
}

// respond sets the status of further responses.
func (in *receiver) respond(status int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// take returns the messages since the last call.
func (in *receiver) take() (all []received) {
	in.mu.Lock()
	defer in.mu.Unlock()
	all, in.all = in.all, nil
	return all
}

// kinds returns the types of the messages since the last call, each with the id of its thing.
func (in *receiver) kinds() (all []string) {
	for _, m := range in.take() {
		all = append(all, fmt.Sprint(m.kind, " ", m.data["id"]))
	}
	return all
}

func (in *receiver) want(what string, want ...string) {
	in.r.T.Helper()
	if got := in.kinds(); !slices.Equal(got, want) {
		in.r.T.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// verify checks a signature as a receiver does (https://www.standardwebhooks.com), without code of the server.
func verify(secret string, m received) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", m.id, m.at.Unix(), m.body)
	for signature := range strings.SplitSeq(m.signature, " ") {
		version, text, _ := strings.Cut(signature, ",")
		if sum, err := base64.StdEncoding.DecodeString(text); err == nil && version == "v1" && hmac.Equal(sum, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// addHook creates a webhook.
func addHook(r *apptest.Rig, as string, in *receiver, fields map[string]any) *apptest.Response {
	r.T.Helper()
	body := map[string]any{"url": in.url()}
	for name, v := range fields {
		body[name] = v
	}
	r.Person(as)
	awaitChanges(r) // a webhook also gets earlier changes that could not be read yet
	return r.Do(as, "POST", "/ext/v1/webhooks", body).Want(http.StatusCreated)
}

// settle waits until all changes can be read, and sends what is due.
func settle(r *apptest.Rig) {
	r.T.Helper()
	awaitChanges(r)
	if err := r.S.App.Webhooks.Settle(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

func pathOf(hook *apptest.Response) string { return fmt.Sprint("/ext/v1/webhooks/", hook.Int("id")) }

// states returns the states of the deliveries of a webhook, newest first.
func states(r *apptest.Rig, hook *apptest.Response) (all []string) {
	log := r.Get("ada", "%s/deliveries", pathOf(hook))
	for i := range log.Len("data") {
		all = append(all, log.Str(fmt.Sprintf("data.%d.state", i)))
	}
	return all
}

// Events are signed, say what changed, and reach those who may see them.
func TestWebhookEvents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("bob")
		other := r.Channel("ada", "Other", "private")
		channel := r.Channel("ada", "Attic", "private")
		awaitChanges(r)
		all, some, bobs := newReceiver(r, "/all"), newReceiver(r, "/some"), newReceiver(r, "/bob")
		hook := addHook(r, "ada", all, map[string]any{"payload": "full", "name": "Mirror"})
		addHook(r, "ada", some, map[string]any{"channel_id": channel, "events": []string{"connection.connected"}})
		addHook(r, "bob", bobs, nil)
		block := r.Block("ada", "Moss", channel, other)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": "Loft"}).Want(200)
		settle(r)
		got := all.take()
		var kinds []string
		for _, m := range got {
			kinds = append(kinds, m.kind)
			if !verify(hook.Str("secret"), m) {
				t.Errorf("the signature of %s is wrong", m.body)
			}
			if skew := r.Clock.Now().Sub(m.at); skew < 0 || skew > time.Minute {
				t.Errorf("the timestamp is %v", m.at)
			}
		}
		if want := []string{"block.created", "connection.connected", "connection.connected", "channel.updated"}; !slices.Equal(kinds, want) {
			t.Fatalf("got %q, want %q", kinds, want)
		}
		last := got[3].data
		changes, _ := last["changes"].(map[string]any)
		if change := fmt.Sprint(last["fields"], changes["title"]); change != "[title slug] map[after:Loft before:Attic]" {
			t.Errorf("the change is %s", change)
		}
		if object, _ := last["object"].(map[string]any); object["title"] != "Loft" || object["type"] != "Channel" {
			t.Errorf("the object is %v", object)
		}
		if object, _ := got[1].data["object"].(map[string]any); object["id"] != float64(block) {
			t.Errorf("the object of a connection is %v", object)
		}
		if m := some.take(); len(m) != 1 || m[0].data["channel_id"] != float64(channel) || m[0].data["object"] != nil {
			t.Errorf("the filtered webhook gets %+v", m)
		}
		bobs.want("bob, who sees nothing")
		r.Collaborate("ada", channel, "bob")
		settle(r)
		bobs.want("bob, who may see it now", fmt.Sprint("channel.created ", channel))
		all.want("ada", fmt.Sprint("channel.updated ", channel))
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"visibility": "public"}).Want(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": "Secret", "visibility": "private"}).Want(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"visibility": "public"}).Want(200)
		settle(r)
		for i, m := range all.take() {
			if i == 1 && m.data["changes"] != nil {
				t.Errorf("values that those who saw the channel could not see: %s", m.body)
			}
		}
	})
}

// Messages contain the values of changed fields, for those who saw the thing before.
func TestWebhookValues(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("bob")
		channel := r.Channel("ada", "Attic", "private")
		block := r.Block("ada", "Moss", channel)
		r.Web("example.com/fern", apptest.Serve("text/html", []byte("<title>Fern</title><p>A plant")))
		comment := r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "Soft"}).Want(201).Int("id")
		group := r.Group("moss", "ada")
		awaitChanges(r)
		mine, bobs := newReceiver(r, "/ada"), newReceiver(r, "/bob")
		addHook(r, "ada", mine, nil)
		addHook(r, "bob", bobs, nil)
		next := func(in *receiver, kind string) string {
			t.Helper()
			settle(r)
			var last string
			for _, m := range in.take() {
				if m.kind == kind {
					text, _ := json.Marshal([]any{m.data["fields"], m.data["changes"]})
					last = string(text)
				}
			}
			return last
		}
		want := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: got %s, want %s", what, got, want)
			}
		}
		at := fmt.Sprint("/v3/blocks/", block)
		r.Do("ada", "PUT", at, map[string]any{"title": "Old", "content": "*Moss*", "metadata": map[string]any{"k": 1}}).Want(200)
		want("a block", next(mine, "block.updated"), `[["title","metadata","content"],{"content":{"after":"*Moss*","before":"Moss"},"metadata":{"after":{"k":1},"before":null},"title":{"after":"Old","before":null}}]`)
		r.Do("ada", "PUT", at, map[string]any{"title": "New", "content": strings.Repeat("a", 4<<10)}).Want(200)
		want("a long text", next(mine, "block.updated"), `[["title","content"],{"title":{"after":"New","before":"Old"}}]`)
		r.Do("ada", "PATCH", fmt.Sprint("/ext/v1/comments/", comment), map[string]any{"body": "Wet"}).Want(200)
		want("a comment", next(mine, "comment.updated"), `[["body"],{"body":{"after":"Wet","before":"Soft"}}]`)
		want("bob, who sees none of it", strings.Join(bobs.kinds(), " "), "")

		r.Do("ada", "PUT", at, map[string]any{"title": "Public", "description": "Green"}).Want(200)
		r.Do("ada", "PATCH", fmt.Sprint("/ext/v1/comments/", comment), map[string]any{"body": "Cold"}).Want(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"visibility": "public"}).Want(200)
		settle(r)
		for _, m := range bobs.take() {
			if m.data["changes"] != nil || strings.Contains(string(m.body), "Wet") {
				t.Errorf("bob, who sees it only now, gets %s", m.body)
			}
		}
		want("ada, who saw it", next(mine, "comment.updated"), `[["body"],{"body":{"after":"Cold","before":"Wet"}}]`)
		r.Do("ada", "PUT", at, map[string]any{"title": "Both"}).Want(200)
		want("a public block", next(bobs, "block.updated"), `[["title"],{"title":{"after":"Both","before":"Public"}}]`)

		link := r.Block("ada", "https://example.com/fern", channel)
		r.WorkJobs()
		want(fmt.Sprint("the link ", link), next(bobs, "block.updated"), `[["type","state","title"],{"state":{"after":"available","before":"processing"},"title":{"after":"Fern","before":null},"type":{"after":"Link","before":"PendingBlock"}}]`)
		r.Do("ada", "PUT", fmt.Sprint("/v3/groups/", group), map[string]any{"name": "Lichens", "description": "Not moss"}).Want(200)
		want("a group", next(bobs, "group.updated"), `[["name","slug","description"],{"description":{"after":"Not moss","before":null},"name":{"after":"Lichens","before":"moss"},"slug":{"after":"lichens","before":"moss"}}]`)
		r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"bio": "Botanist"}).Want(200)
		want("a user", next(bobs, "user.updated"), `[["bio"],{"bio":{"after":"Botanist","before":null}}]`)
	})
}

// Nothing is sent that the owner may not see when it is sent, even if they could when it happened.
func TestWebhookVisibility(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Attic", "private")
		r.Collaborate("ada", channel, "bob")
		awaitChanges(r)
		in := newReceiver(r, "/bob")
		hook := addHook(r, "bob", in, map[string]any{"payload": "full"})
		in.respond(500)
		r.Block("ada", "Moss", channel)
		settle(r)
		if got := in.take(); len(got) == 0 || !strings.Contains(string(got[0].body), "Moss") {
			t.Fatalf("the first attempt sent %v", got)
		}
		in.respond(200)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/collaborators/User/%d", channel, r.Person("bob").ID), nil).Want(204)
		r.Clock.Advance(time.Hour)
		settle(r)
		in.want("bob after they lost access", fmt.Sprint("channel.deleted ", channel))
		path := pathOf(hook)
		log := r.Get("bob", "%s/deliveries", path)
		if got := fmt.Sprint(log.Str("data.1.state"), log.Str("data.2.state")); got != "skippedskipped" {
			t.Errorf("the log is %s", log.Body)
		}
		r.Do("bob", "POST", fmt.Sprintf("%s/deliveries/%d/redelivery", path, log.Int("data.2.id")), nil).Want(202)
		settle(r)
		in.want("a redelivery of something invisible")
		for _, as := range []string{"ada", ""} {
			r.Do(as, "GET", path, nil).Want(map[string]int{"ada": 404, "": 401}[as])
		}
		r.Do("bob/read", "POST", path+"/ping", nil).Want(403)
	})
}

// Deliveries of a channel keep their order while one fails; other channels are not held up.
func TestWebhookOrderAndRetries(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b := r.Channel("ada", "A", "private"), r.Channel("ada", "B", "private")
		awaitChanges(r)
		in := newReceiver(r, "/hook")
		hook := addHook(r, "ada", in, map[string]any{"events": []string{"channel.updated"}})
		fails := true
		in.answer = func(w http.ResponseWriter, _ *http.Request) {
			if m := in.all[len(in.all)-1]; fails && m.data["id"] == float64(a) {
				w.Header().Set("Retry-After", "600")
				w.WriteHeader(503)
			}
		}
		title := func(c int64, title string) {
			r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", c), map[string]any{"title": title}).Want(200)
		}
		title(a, "A1")
		title(a, "A2")
		title(b, "B1")
		settle(r)
		first := in.take()
		if len(first) != 1 || r.Get("ada", "%s/deliveries", pathOf(hook)).Int("data.2.status") != 503 {
			t.Fatalf("the first turn sent %d", len(first))
		}
		settle(r)
		in.want("before Retry-After is over")
		r.Clock.Advance(11 * time.Minute)
		settle(r)
		again := in.take()
		if len(again) != 2 || again[0].data["id"] != float64(b) {
			t.Fatalf("the other channel waits: %+v", again)
		}
		if second := again[1]; second.id != first[0].id || second.at.Equal(first[0].at) || string(second.body) != string(first[0].body) {
			t.Errorf("the second attempt is %+v after %+v", second, first)
		}
		fails = false
		r.Clock.Advance(24 * time.Hour)
		settle(r)
		in.want("once it works", fmt.Sprint("channel.updated ", a), fmt.Sprint("channel.updated ", a))
		if got := states(r, hook); !slices.Equal(got, []string{"delivered", "delivered", "delivered"}) {
			t.Errorf("%q", got)
		}
		if got := r.Get("ada", "%s", pathOf(hook)); got.Get("failing_since") != nil || got.Get("succeeded_at") == nil {
			t.Errorf("%s", got.Body)
		}
	})
}

// Receivers that misbehave fail, without redirects and within bounds.
func TestWebhookReceivers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		state   string
		problem string
	}{
		"redirect": {func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		}, "failed",
			"The receiver responded 307 Temporary Redirect, and redirects are not followed"},
		"silent": {func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }, "failed", "The server took too long"},
		"endless": {func(w http.ResponseWriter, req *http.Request) {
			for req.Context().Err() == nil {
				_, _ = w.Write([]byte(strings.Repeat("\x00\xffmore", 1000)))
			}
		}, "delivered", ""},
		"drip": {func(w http.ResponseWriter, req *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
		}, "delivered", ""},
		"hangup": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "failed", "The server's answer could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apptest.NewFetching(t, func(o *fetch.Options) { o.Timeout = 2 * time.Second })
			in := newReceiver(r, "/hook")
			r.Web("example.com/elsewhere", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
			hook := addHook(r, "ada", in, nil)
			in.answer = c.answer
			r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(202)
			settle(r)
			log := r.Get("ada", "%s/deliveries", pathOf(hook))
			problem, _ := log.Get("data.0.problem").(string)
			if log.Str("data.0.state") != c.state || problem != c.problem || len(log.Str("data.0.response")) > 4<<10 {
				t.Errorf("%s", log.Body)
			}
		})
	}
}

// A slow receiver does not delay others.
func TestWebhookSlowReceiver(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	slow, quick := newReceiver(r, "/slow"), newReceiver(r, "/quick")
	arrived, let := make(chan struct{}), make(chan struct{})
	slow.answer = func(http.ResponseWriter, *http.Request) { close(arrived); <-let }
	addHook(r, "ada", slow, nil)
	addHook(r, "ada", quick, nil)
	ctx, cancel := context.WithCancel(t.Context())
	if r.Channel("ada", "A", "private"); r.S.App.Webhooks.Work(ctx) != nil {
		t.Fatal("it does not work")
	}
	<-arrived
	for len(quick.take()) == 0 {
		if err := r.S.App.Webhooks.Work(ctx); err != nil {
			t.Fatal(err)
		}
	}
	close(let)
	r.S.App.Webhooks.Wait()
	cancel()
}

// A receiver that responds 410, or that fails for three days, gets nothing any more, and its owner a mail.
func TestWebhookTurnedOff(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		gone, failing := newReceiver(r, "/gone"), newReceiver(r, "/failing")
		awaitChanges(r)
		first, second := addHook(r, "ada", gone, map[string]any{"name": "Gone"}), addHook(r, "ada", failing, map[string]any{"name": "Failing"})
		gone.respond(410)
		failing.respond(500)
		channel := r.Channel("ada", "A", "private")
		settle(r)
		if got := r.Get("ada", "%s", pathOf(first)); got.Bool("active") || got.Str("stopped") != "gone" {
			t.Errorf("%s", got.Body)
		}
		attempts := 0
		for range 100 {
			settle(r)
			attempts += len(failing.take())
			if !r.Get("ada", "%s", pathOf(second)).Bool("active") {
				break
			}
			r.Clock.Advance(time.Hour)
		}
		got := r.Get("ada", "%s", pathOf(second))
		if got.Bool("active") || got.Str("stopped") != "failing" || attempts != 10 || !slices.Equal(states(r, second), []string{"failed"}) {
			t.Errorf("after %d attempts: %s", attempts, got.Body)
		}
		r.WorkJobs()
		mails := r.Outbox()
		if len(mails) != 2 || !strings.Contains(mails[0].Text, "Gone") || !strings.Contains(mails[1].Text, fmt.Sprint("/settings/webhooks/", second.Int("id"))) {
			t.Errorf("%+v", mails)
		}
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": "B"}).Want(200)
		settle(r)
		gone.take()
		gone.respond(200)
		r.Do("ada", "PATCH", pathOf(first), map[string]any{"active": true}).Want(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": "C"}).Want(200)
		settle(r)
		gone.want("after it was turned on", fmt.Sprint("channel.updated ", channel))
		log := r.Get("ada", "%s/deliveries", pathOf(first))
		r.Do("ada", "POST", fmt.Sprintf("%s/deliveries/%d/redelivery", pathOf(first), log.Int("data.1.id")), nil).Want(202)
		r.Do("ada", "POST", fmt.Sprintf("%s/deliveries/%d/redelivery", pathOf(first), log.Int("data.1.id")), nil).Want(422)
		settle(r)
		gone.want("a redelivery", fmt.Sprint("channel.created ", channel))
	})
}

// For a day after a rotation, both secrets sign.
func TestWebhookRotation(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	in := newReceiver(r, "/hook")
	hook := addHook(r, "ada", in, nil)
	fresh := r.Do("ada", "POST", pathOf(hook)+"/secret", nil).Want(200)
	for _, c := range []struct {
		after    time.Duration
		old, new bool
	}{{0, true, true}, {25 * time.Hour, false, true}} {
		r.Clock.Advance(c.after)
		r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(202)
		settle(r)
		got := in.take()
		if len(got) != 1 || verify(hook.Str("secret"), got[0]) != c.old || verify(fresh.Str("secret"), got[0]) != c.new {
			t.Errorf("after %v: %+v", c.after, got)
		}
		got[0].body = append(got[0].body, ' ')
		if verify(fresh.Str("secret"), got[0]) {
			t.Error("a changed body is valid")
		}
	}
	if got := r.Get("ada", "%s", pathOf(hook)); got.Get("secret") != nil {
		t.Error("the secret is shown again")
	}
}

// Servers that work at the same time, or are killed at any point, lose nothing, and send nothing twice as another message.
func TestWebhookServers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		in := newReceiver(r, "/hook")
		awaitChanges(r)
		hook := addHook(r, "ada", in, map[string]any{"events": []string{"channel.created"}})
		servers := []*server.Server{r.S}
		if r.DB().Dialect() != database.SQLite {
			servers = append(servers, r.Beside(func(*server.Options) {}))
		}
		var want []string
		for i := range 12 {
			want = append(want, fmt.Sprint("channel.created ", r.Channel("ada", fmt.Sprint("C", i), "private")))
		}
		awaitChanges(r)
		ctx, cancel := context.WithCancel(t.Context())
		end := r.Intercept(func(_ context.Context, query string) {
			if strings.HasPrefix(query, "UPDATE webhooks SET read_xid") {
				cancel()
			}
		})
		if err := r.S.App.Webhooks.Work(ctx); err == nil || len(states(r, hook)) > 0 {
			t.Errorf("an interrupted turn: %v, stored %d", err, len(states(r, hook)))
		}
		end()
		r.S.App.Webhooks.Wait()
		r.Exec("UPDATE webhooks SET lease = 'dead', leased_until = 99999999999") // as if a server was killed that sends
		settle(r)
		in.want("while another server sends")
		r.Exec("UPDATE webhooks SET leased_until = 1")
		var all sync.WaitGroup
		for _, s := range servers {
			all.Go(func() {
				for range 3 {
					if err := s.App.Webhooks.Settle(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		in.want("all servers", want...)

		// A server that is stopped while it sends leaves the message to the next one.
		ctx, cancel = context.WithCancel(t.Context())
		in.answer = func(_ http.ResponseWriter, req *http.Request) { cancel(); <-req.Context().Done() }
		r.Channel("ada", "Last", "private")
		awaitChanges(r)
		if err := r.S.App.Webhooks.Work(ctx); err != nil {
			t.Fatal(err)
		}
		r.S.App.Webhooks.Wait()
		in.respond(200)
		settle(r)
		if got := in.take(); len(got) != 2 || got[0].id != got[1].id {
			t.Errorf("%+v", got)
		}
	})
}

// Webhooks send only to public hosts and those that the operator allows, which is checked when they are created.
func TestWebhookHosts(t *testing.T) {
	t.Parallel()
	var got int
	local := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got++ }))
	defer local.Close()
	at := strings.Replace(local.URL, "127.0.0.1", "localhost", 1)
	direct := func(o *fetch.Options) { o.Route, o.Allow = nil, nil }
	r := apptest.NewFetching(t, direct, func(c *config.Config) { c.FetchAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for _, url := range []string{local.URL, at, "http://10.0.0.1/", "http://[::1]:8080/", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/", "http://nowhere.invalid/", "ftp://example.com/",
		"http://ada:secret@example.com/", "nonsense", "", "http://example.com/\x00"} {
		res := r.Do("ada", "POST", "/ext/v1/webhooks", map[string]any{"url": url}).Want(http.StatusBadRequest)
		if !strings.Contains(string(res.Body), `"url: `) {
			t.Errorf("%q: %s", url, res.Body)
		}
	}
	for _, allowed := range []config.PrivateHosts{{Names: []string{"localhost"}}, {Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}} {
		r := apptest.NewFetching(t, direct, func(c *config.Config) { c.WebhookHosts = allowed })
		hook := r.Do("ada", "POST", "/ext/v1/webhooks", map[string]any{"url": at}).Want(http.StatusCreated)
		r.Do("ada", "PATCH", pathOf(hook), map[string]any{"url": "http://10.0.0.1/"}).Want(400)
		r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(202)
		got = 0
		if settle(r); got != 1 {
			t.Errorf("%+v: the receiver got %d; %s", allowed, got, r.Get("ada", "%s/deliveries", pathOf(hook)).Body)
		}
	}
}

// Limits, and inputs that name the field.
func TestWebhookInputs(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	in := newReceiver(r, "/hook")
	private := r.Channel("bob", "Private", "private")
	for field, values := range map[string][]any{"channel_id": {private, 99999, -1, "x"}, "events": {[]string{"nonsense"}, []string{"block.created", "block.created"}, "all"},
		"payload": {"thick", 3}, "name": {strings.Repeat("x", 256), 5}, "active": {"yes"}} {
		for _, v := range values {
			res := r.Do("ada", "POST", "/ext/v1/webhooks", map[string]any{"url": in.url(), field: v}).Want(400)
			if !strings.Contains(string(res.Body), field) {
				t.Errorf("%s %v: %s", field, v, res.Body)
			}
		}
	}
	var hook *apptest.Response
	for range domain.MaxWebhooks {
		hook = addHook(r, "ada", in, map[string]any{"events": []string{}, "channel_id": nil, "name": nil})
	}
	r.Do("ada", "POST", "/ext/v1/webhooks", map[string]any{"url": in.url()}).Want(422)
	many := slices.Repeat([]string{"block.created"}, domain.MaxWebhookEvents+1)
	if res := r.Do("ada", "PATCH", pathOf(hook), map[string]any{"events": many}).Want(400); !strings.Contains(string(res.Body), "events") {
		t.Errorf("%s", res.Body)
	}
	for range domain.MaxWebhookTests {
		r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(202)
	}
	r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(429)
	settle(r)
	if n := len(in.take()); n != domain.MaxWebhookTests {
		t.Errorf("%d tests arrived", n)
	}
	if r.Get("ada", "/ext/v1/webhooks").Len("data") != domain.MaxWebhooks {
		t.Error("the list is not complete")
	}
	r.Do("ada", "DELETE", pathOf(hook), nil).Want(204)
	r.Do("ada", "DELETE", pathOf(hook), nil).Want(404)
	r.Do("ada", "GET", pathOf(hook)+"/deliveries", nil).Want(404)
}

// A webhook ends with its application's access, a restored backup and its account.
func TestWebhookEnds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		in := newReceiver(r, "/hook")
		ada := domain.Actor{UserID: r.Person("ada").ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		_, app, err := r.S.App.Accounts.CreateApplication(t.Context(), ada, accounts.ApplicationInput{Name: "Mirror", RedirectURIs: []string{"https://mirror.example/"}})
		if err != nil {
			t.Fatal(err)
		}
		awaitChanges(r)
		own := addHook(r, "ada", in, nil)
		as := ada
		as.ApplicationID = app.ID
		of, err := r.S.App.Webhooks.CreateWebhook(t.Context(), as, webhooks.Input{URL: new(in.url())})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := r.S.App.Webhooks.List(t.Context(), as); err != nil || len(all) != 1 || all[0].ID != of.ID {
			t.Errorf("the application sees %+v, %v", all, err)
		}
		if _, err := r.S.App.Webhooks.Ping(t.Context(), as, domain.WebhookID(own.Int("id"))); domain.KindOf(err) != domain.NotFound {
			t.Errorf("the application uses another webhook: %v", err)
		}
		channel := r.Channel("ada", "A", "private")
		settle(r) // the application was never granted access
		in.want("the other webhook", fmt.Sprint("channel.created ", channel))
		if got := r.Get("ada", "/ext/v1/webhooks/%d", of.ID).Str("stopped"); got != "no-grant" {
			t.Errorf("it is stopped by %s", got)
		}
		r.Exec("UPDATE change_epoch SET secret = 'another'")
		r.Channel("ada", "B", "private")
		settle(r)
		in.want("after a restore")
		if got := r.Get("ada", "%s", pathOf(own)).Str("stopped"); got != "restored" {
			t.Errorf("it is stopped by %s", got)
		}
		r.WorkJobs()
		if mails := r.Outbox(); len(mails) != 1 || !strings.Contains(mails[0].Text, "may no longer act for you") {
			t.Errorf("%+v", mails)
		}
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), ada, r.Proved(ada.UserID), "ada"); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"webhooks", "webhook_deliveries"} {
			if rows := r.Dump()[table]; len(rows) > 0 {
				t.Errorf("%s still has %q", table, rows)
			}
		}
	})
}
