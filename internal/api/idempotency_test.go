package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/server"
)

// keyedPosts contains a request for each POST operation of users. It first creates what they need: a channel 'open', a
// private one, a block with a file that cannot be fetched, and a group.
func keyedPosts(r *apptest.Rig) map[string][2]string {
	open, drafts := r.Channel("ada", "Open", "public"), r.Channel("ada", "Drafts", "private")
	block, group := r.Block("bob", "moss", r.Channel("bob", "Finds", "public")), r.Group("mossers", "ada")
	connection := r.Connect("ada", "Block", block, open)
	theirs := r.Group("ferners", "bob")
	code := r.Do("bob", "POST", fmt.Sprintf("/v3/groups/%d/invite", theirs), nil).Want(201).Str("code")
	failed := r.Block("ada", "https://gone.example/x", open)
	r.WorkJobs()
	r.Block("bob", "@ada", open)
	r.Do("bob", "PUT", fmt.Sprintf("/v3/channels/%d/follow", open), nil)
	notice := r.Get("ada", "/v3/me/notifications").Int("data.0.id")
	at := fmt.Sprintf
	hook := at("/ext/v1/webhooks/%d", r.Do("ada", "POST", "/ext/v1/webhooks", `{"url":"https://example.com/hook"}`).Want(201).Int("id"))
	r.Web("example.com/hook", func(http.ResponseWriter, *http.Request) {})
	delivery := r.Do("ada", "POST", hook+"/ping", nil).Want(202).Int("id")
	if err := r.S.App.Webhooks.Settle(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	r.Operator("ada")
	advertising := r.Block("bob", "buy this", open)
	r.Do("cyd", "POST", "/ext/v1/reports", at(`{"type":"Block","id":%d,"reason":"spam"}`, advertising)).Want(204)
	report := r.Get("ada/admin", "/ext/v1/admin/reports").Int("data.0.id")
	r.Block("bob", "https://gone.example/y", open)
	waiting := r.Get("ada/admin", "/ext/v1/admin/jobs?state=waiting").Int("data.0.id")
	return map[string][2]string{
		"v3 presignUpload":              {"/v3/uploads/presign", `{"files":[{"filename":"a.png","content_type":"image/png"}]}`},
		"v3 createBlock":                {"/v3/blocks", at(`{"value":"a fern","channel_ids":[%d]}`, open)},
		"v3 batchCreateBlocks":          {"/v3/blocks/batch", at(`{"channel_ids":[%d],"blocks":[{"value":"a fern"}]}`, drafts)},
		"v3 createChannel":              {"/v3/channels", `{"title":"Ferns"}`},
		"v3 createConnection":           {"/v3/connections", at(`{"connectable_id":%d,"connectable_type":"Block","channel_ids":[%d]}`, block, drafts)},
		"v3 moveConnection":             {at("/v3/connections/%d/move", connection), `{"movement":"move_to_bottom"}`},
		"v3 createBlockComment":         {at("/v3/blocks/%d/comments", block), `{"body":"Hello @bob"}`},
		"v3 markMyNotificationRead":     {at("/v3/me/notifications/%d/read", notice), ""},
		"v3 markAllMyNotificationsRead": {"/v3/me/notifications/read", ""},
		"v3 createGroup":                {"/v3/groups", `{"name":"Lichens"}`},
		"v3 joinGroup":                  {at("/v3/groups/%d/members", theirs), at(`{"invite_token":%q}`, code)},
		"v3 createGroupInvitation":      {at("/v3/groups/%d/invitations", group), `{"email":"eve@example.org"}`},
		"v3 createGroupInvite":          {at("/v3/groups/%d/invite", group), ""},
		"ext addCollaborator":           {at("/ext/v1/channels/%d/collaborators", open), at(`{"user_id":%d}`, r.Person("bob").ID)},
		"ext reprocessBlock":            {at("/ext/v1/blocks/%d/reprocess", failed), ""},
		"ext requestSnapshot":           {at("/ext/v1/blocks/%d/snapshot-request", failed), ""},
		"ext addChannelFeed":            {at("/ext/v1/channels/%d/feeds", open), `{"url":"https://moss.example/feed"}`},
		"ext createWebhook":             {"/ext/v1/webhooks", `{"url":"https://example.com/hook"}`},
		"ext rotateWebhookSecret":       {hook + "/secret", ""},
		"ext pingWebhook":               {hook + "/ping", ""},
		"ext redeliverWebhook":          {at("%s/deliveries/%d/redelivery", hook, delivery), ""},
		"ext runBulk":                   {"/ext/v1/bulk", at(`{"operations":[{"method":"POST","path":"/v3/blocks/%d/comments","body":{"body":"Hello"}}]}`, block)},
		"ext startImport":               {"/ext/v1/imports", `{"source":"arena","address":"https://example.com","what":["moss"]}`},
		"ext createReport":              {"/ext/v1/reports", at(`{"type":"Block","id":%d,"reason":"spam"}`, block)},
		"ext createHighlight":           {at("/ext/v1/blocks/%d/highlights", block), `{"target":{"selector":[{"type":"TextQuoteSelector","exact":"moss"}]}}`},
		"ext startExport":               {"/ext/v1/exports", ""},
		"ext adminCreateAccount":        {"/ext/v1/admin/accounts", `{"name":"Grace","email":"grace@example.org"}`},
		"ext adminResetPassword":        {"/ext/v1/admin/accounts/bob/password-reset", `{"mail":false}`},
		"ext adminSignOut":              {"/ext/v1/admin/accounts/bob/sign-out", `{"tokens":true}`},
		"ext adminInvite":               {"/ext/v1/admin/invitations", `{"email":"new@example.org","mail":false}`},
		"ext adminCreateSignUpLink":     {"/ext/v1/admin/sign-up-links", `{"places":2}`},
		"ext adminCreateApplication":    {"/ext/v1/admin/applications", `{"account":"bob","name":"Mirror","redirect_uris":["https://app.example/back"]}`},
		"ext adminDecideReport":         {at("/ext/v1/admin/reports/%d/decision", report), `{"outcome":"warned","text":"Advertising"}`},
		"ext adminHide":                 {"/ext/v1/admin/hidden", at(`{"type":"Block","id":%d}`, advertising)},
		"ext adminBlock":                {"/ext/v1/admin/blocklist", `{"kind":"domain","value":"spam.example"}`},
		"ext adminRetryJob":             {at("/ext/v1/admin/jobs/%d/retry", waiting), `{"force":false}`},
		"ext adminStartBackup":          {"/ext/v1/admin/backups", ""},
		"ext adminStartExport":          {"/ext/v1/admin/accounts/bob/exports", ""},
		"v2 createChannel":              {"/v2/channels", `{"title":"Mosses"}`},
		"v2 createConnection":           {at("/v2/channels/%d/connections", drafts), at(`{"connectable_type":"Channel","connectable_id":%d}`, open)},
		"v2 createBlock":                {at("/v2/channels/%d/blocks", open), `{"content":"two"}`},
		"v2 addCollaborators":           {at("/v2/channels/%d/collaborators", drafts), at(`{"ids":[%d]}`, r.Person("bob").ID)},
		"v2 followChannel":              {at("/v2/channels/%d/follow", open), ""},
		"v2 createComment":              {at("/v2/blocks/%d/comments", block), `{"body":"Hello"}`},
		"v2 followUser":                 {at("/v2/users/%d/follow", r.Person("bob").ID), ""},
		"v2 clearNotifications":         {"/v2/notifications/clear", ""},
		"compat addCollaborators":       {at("/v3/channels/%d/collaborators", open), at(`{"collaborator_ids":["%d"]}`, r.Person("bob").ID)},
	}
}

func keyedPost(r *apptest.Rig, as, path, body, key string, headers ...string) *apptest.Response {
	r.T.Helper()
	var sent any
	if body != "" {
		sent = body
	}
	return r.Do(as, "POST", path, sent, append([]string{"Idempotency-Key", key}, headers...)...)
}

// loseAnswers loses the answers of all requests, like a server that dies before storing them.
func loseAnswers(r *apptest.Rig) {
	r.T.Helper()
	r.Exec("UPDATE once_keys SET answer = NULL")
}

func sameAnswer(t *testing.T, first, again *apptest.Response) {
	t.Helper()
	if again.Status != first.Status || string(again.Body) != string(first.Body) {
		t.Errorf("first %d %s, then %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	for _, name := range []string{"Content-Type", "Location", "ETag"} {
		if first.Header.Get(name) != again.Header.Get(name) {
			t.Errorf("%s was %q and is %q", name, first.Header.Get(name), again.Header.Get(name))
		}
	}
	if first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("Idempotent-Replayed: first %q, then %q", first.Header.Get("Idempotent-Replayed"), again.Header.Get("Idempotent-Replayed"))
	}
}

// Every POST operation takes effect once and repeats its answer. If anything is lost in between, only the effect
// remains.
func TestIdempotencyOfEveryPost(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		posts := keyedPosts(r)
		for name, doc := range map[string][]string{"v3": keyedOperations(r, 0), "ext": keyedOperations(r, 1), "compat": keyedOperations(r, 2), "v2": v2Posts(r)} {
			for _, id := range doc {
				if _, ok := posts[name+" "+id]; !ok {
					t.Errorf("no request of %s %s", name, id)
				}
			}
		}
		for name, post := range posts {
			t.Run(name, func(t *testing.T) {
				key, as := strings.ReplaceAll(name, " ", "-"), "ada"
				if strings.HasPrefix(name, "ext admin") {
					as = "ada/admin"
				}
				first := keyedPost(r, as, post[0], post[1], key)
				if first.Status >= 300 {
					t.Fatalf("%d %s", first.Status, first.Body)
				}
				before := r.Dump()
				sameAnswer(t, first, keyedPost(r, as, post[0], post[1], key))
				loseAnswers(r)
				r.Clock.Advance(2 * time.Minute)
				keyRefused(t, keyedPost(r, as, post[0], post[1], key))
				after := r.Dump()
				before["once_keys"], after["once_keys"] = nil, nil
				for _, counted := range []string{"byte_usage", "text_additions"} { // they count the lost answers
					before[counted], after[counted] = nil, nil
				}
				if diff := before.Diff(after); len(diff) > 0 {
					t.Errorf("sent again it changed\n%s", strings.Join(diff, "\n"))
				}
			})
		}
	}, func(c *config.Config) { c.Backup.To = t.TempDir() })
}

// keyedOperations lists the POST operations of users in a description.
func keyedOperations(r *apptest.Rig, n int) (ids []string) {
	for _, op := range r.Descriptions()[n].Operations() {
		if op.Method == http.MethodPost && op.ID != "createOAuthToken" && !op.Streams() { // repeating a request with a stream has no effect
			ids = append(ids, op.ID)
		}
	}
	return ids
}

func v2Posts(r *apptest.Rig) (ids []string) {
	for _, op := range r.S.API.V2.Operations() {
		if op.Method == http.MethodPost {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

// keyRefused checks for a 422 that names the header, in the form of its API.
func keyRefused(t *testing.T, got *apptest.Response) {
	t.Helper()
	if got.Status != http.StatusUnprocessableEntity || !strings.Contains(string(got.Body), "Idempotency-Key: ") {
		t.Errorf("%d %s, want 422 that names the header", got.Status, got.Body)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const one, two = `{"title":"One"}`, `{"title":"Two"}`
		post := func(as, body, key string, headers ...string) *apptest.Response {
			t.Helper()
			return keyedPost(r, as, "/v3/channels", body, key, headers...)
		}
		first := post("ada", one, "k").Want(201)
		keyRefused(t, post("ada", two, "k"))
		keyRefused(t, keyedPost(r, "ada", "/v3/groups", `{"name":"One"}`, "k"))
		keyRefused(t, keyedPost(r, "ada", "/v2/channels", one, "k"))
		sameAnswer(t, first, post("ada", one, "k"))
		// Parameters that an operation ignores are compared, too.
		export := keyedPost(r, "ada", "/ext/v1/exports", one, "e").Want(202)
		keyRefused(t, keyedPost(r, "ada", "/ext/v1/exports", two, "e"))
		keyRefused(t, keyedPost(r, "ada", "/ext/v1/exports", "", "e"))
		sameAnswer(t, export, keyedPost(r, "ada", "/ext/v1/exports", one, "e"))
		keyedPost(r, "ada", "/ext/v1/exports", strings.Repeat("x", 2<<20), "large").Want(413)
		if post("bob", one, "k").Want(201).Int("id") == first.Int("id") {
			t.Error("another user has the same keys")
		}
		if post("ada", one, "other").Want(201).Int("id") == first.Int("id") {
			t.Error("another key is the same")
		}
		// Refusals by use cases are stored answers. Those by request validation come before.
		missing := `{"value":"x","channel_ids":[999999]}`
		sameAnswer(t, keyedPost(r, "ada", "/v3/blocks", missing, "m").Want(404), keyedPost(r, "ada", "/v3/blocks", missing, "m"))
		post("ada", `{"title":7}`, "shape").Want(400)
		post("ada", one, "shape").Want(201)
		post("ada/read", one, "scope").Want(403)
		post("", one, "k").Want(401)
		for _, key := range []string{"", "a b", "ä", "a\x7f", strings.Repeat("k", 256)} {
			if got := post("ada", one, key); got.Status != 400 || !strings.Contains(string(got.Body), "Idempotency-Key: ") {
				t.Errorf("%q: %d %s", key, got.Status, got.Body)
			}
		}
		twice := r.Request("ada", "POST", "/v3/channels", one, "Idempotency-Key", "k")
		twice.Header.Add("Idempotency-Key", "l")
		r.Send(twice).Want(400)
		longest := strings.Repeat("~", 255)
		sameAnswer(t, post("ada", one, longest).Want(201), post("ada", one, longest))
		// Other methods ignore the key.
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", first.Int("id")), `{"title":"Three"}`, "Idempotency-Key", "k").Want(200)
		if text := fmt.Sprint(r.Dump()["once_keys"]); strings.Contains(text, "One") {
			t.Errorf("answers are kept in the clear: %s", text)
		}
		// A day later the key counts as new, and expired ones are swept.
		r.Clock.Advance(core.OnceKept + time.Second)
		if post("ada", one, "k").Want(201).Int("id") == first.Int("id") {
			t.Error("a key is kept for more than a day")
		}
		r.Clock.Advance(core.OnceKept + time.Second)
		if err := r.S.App.Accounts.SweepAccounts(t.Context()); err != nil || len(r.Dump()["once_keys"]) != 0 {
			t.Errorf("%v: keys are left: %v", err, r.Dump()["once_keys"])
		}
	})
}

// An answer that is too large to store is sent completely. A repetition gets an error that says so.
func TestIdempotencyOfALargeAnswer(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	body := fmt.Sprintf(`{"value":%q,"channel_ids":[%d]}`, strings.Repeat("moss and fern ", 4000), r.Channel("ada", "Open", "public"))
	first := keyedPost(r, "ada", "/v3/blocks", body, "k").Want(201)
	if len(first.Body) < 64<<10 || !json.Valid(first.Body) {
		t.Fatalf("%d bytes", len(first.Body))
	}
	r.Clock.Advance(2 * time.Minute)
	keyRefused(t, keyedPost(r, "ada", "/v3/blocks", body, "k"))
}

// The keys of a user are limited. Requests that fail for that or temporarily may be repeated with their key.
func TestIdempotencyKeysAreBounded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id, until := r.Person("ada").ID, r.Clock.Now().Add(time.Hour).UnixMicro()
		hash := "CAST(CAST(n AS TEXT) AS BLOB)"
		if r.DB().Dialect() == database.Postgres {
			hash = "CAST(CAST(n AS TEXT) AS BYTEA)"
		}
		r.Exec(`WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 10000)
			INSERT INTO once_keys (hash, user_id, kind, made_id, created_at, expires_at) SELECT `+hash+`, $1, '', 0, 5, $2 FROM k`, id, until)
		got := keyedPost(r, "ada", "/v3/channels", `{"title":"One"}`, "k").Want(429)
		if got.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		keyedPost(r, "bob", "/v3/channels", `{"title":"One"}`, "k").Want(201)
		r.Exec("DELETE FROM once_keys")
		keyedPost(r, "ada", "/v3/channels", `{"title":"One"}`, "k").Want(201)
	})
}

// Sixteen concurrent requests with one key, on two servers with one database, create one thing and get the same answer.
func TestIdempotencyInParallel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Open", "public")
		r.Person("ada")
		handlers := []http.Handler{r.S.Handler()}
		if r.DB().Dialect() == database.Postgres {
			handlers = append(handlers, r.Beside(func(*server.Options) {}).Handler())
		}
		body := fmt.Sprintf(`{"value":"a fern","channel_ids":[%d]}`, channel)
		answers := make([]*apptest.Response, 16)
		requests := make([]*http.Request, len(answers))
		for i := range requests {
			requests[i] = r.Request("ada", "POST", "/v3/blocks", body, "Idempotency-Key", "k")
		}
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = r.SendTo(handlers[i%len(handlers)], requests[i]) })
		}
		all.Wait()
		replayed := 0
		for _, got := range answers {
			if got.Want(201); string(got.Body) != string(answers[0].Body) {
				t.Errorf("%s and %s", got.Body, answers[0].Body)
			}
			if got.Header.Get("Idempotent-Replayed") != "" {
				replayed++
			}
		}
		if replayed != len(answers)-1 {
			t.Errorf("%d of %d answers are given again", replayed, len(answers))
		}
		if n := r.Get("", "/v3/channels/%d", channel).Int("counts.contents"); n != 1 {
			t.Errorf("the channel has %d items", n)
		}
	})
}

// A repetition during the original request waits until its deadline is near, and then gets Retry-After.
func TestIdempotencyWaits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		keyedPost(r, "ada", "/v3/channels", `{"title":"One"}`, "k").Want(201)
		loseAnswers(r) // so that it seems to be in progress
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := r.Send(r.Request("ada", "POST", "/v3/channels", `{"title":"One"}`, "Idempotency-Key", "k").WithContext(ctx))
		if told := got.Status == 503 && got.Header.Get("Retry-After") == "1"; !told && got.Status != 408 { // 408 if the machine is too slow to answer in time
			t.Errorf("%d, Retry-After %q: %s", got.Status, got.Header.Get("Retry-After"), got.Body)
		}
		if n := r.Get("ada", "/v3/users/ada/contents?type=Channel").Int("meta.total_count"); n != 1 {
			t.Errorf("%d channels", n)
		}
	})
}

// Server errors leave the key unused, together with the failed write.
func TestIdempotencyOfFailures(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ctx, cancel := context.WithCancelCause(t.Context())
		end := r.Intercept(func(_ context.Context, query string) {
			if strings.Contains(query, "INTO once_keys") {
				cancel(errors.New("the client has gone"))
			}
		})
		r.Send(r.Request("ada", "POST", "/v3/channels", `{"title":"One"}`, "Idempotency-Key", "k").WithContext(ctx)).Want(408)
		end()
		if n := len(r.Dump()["once_keys"]) + len(r.Dump()["channels"]); n != 0 {
			t.Fatalf("%d keys and channels", n)
		}
		keyedPost(r, "ada", "/v3/channels", `{"title":"One"}`, "k").Want(201)
	})
}
