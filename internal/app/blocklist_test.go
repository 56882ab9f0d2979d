package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// Blocked content is refused from the next request on, and accepted again after it is removed from the list.
func TestBlocklist(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, op, ada := w.a, w.ctx(), w.first("op"), w.member("ada")
		by := operating.OnSite(op, home)
		channel := domain.Ref{ID: int64(storetest.Channel(t, w.S.Store, ada.UserID, "Finds", domain.Public))}
		block := func(value, source string) error {
			in := collections.BlockInput{Value: value}
			if source != "" {
				in.OriginalSourceURL = &source
			}
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: in, Targets: []collections.Target{{Channel: channel}}})
			return err
		}
		add := func(kind moderation.BlockKind, value string) moderation.Blocked {
			t.Helper()
			b, added, err := a.Moderation.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: kind, Value: value, Note: "Spam"})
			if w.must(err); !added {
				t.Fatalf("%s was there", value)
			}
			return b
		}
		site := add("domain", "Spam.Example.")
		if site.Value != "spam.example" {
			t.Errorf("kept as %q", site.Value)
		}
		if _, added, err := a.Moderation.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: "domain", Value: "spam.example"}); err != nil || added {
			t.Errorf("again: %t, %v", added, err)
		}
		before := w.Dump()
		for _, bad := range []string{"https://spam.example/x", "http://WWW.Spam.Example.:8080/", "https://a.b.spam.example"} {
			err := block(bad, "")
			if w.want(domain.Invalid, err); !strings.HasPrefix(err.Error(), "value: ") {
				t.Errorf("%s: %v", bad, err)
			}
			err = block("text", strings.ReplaceAll(bad, ".:", ":"))
			if w.want(domain.Invalid, err); !strings.HasPrefix(err.Error(), "original_source_url: ") {
				t.Errorf("%s: %v", bad, err)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused changed %v", d)
		}
		w.must(block("https://notspam.example/", ""))
		w.must(block("about spam.example", ""))

		add("mail", "@throwaway.example")
		in := wanted("cem")
		in.Email = "cem@mx.throwaway.example"
		_, err := a.Accounts.SignUp(ctx, elsewhere, in)
		w.want(domain.Invalid, err)
		w.want(domain.Invalid, a.Accounts.ChangeEmail(ctx, home, ada, w.Proved(ada.UserID), in.Email))

		net := add("network", elsewhere.Address.String()+"/24")
		_, err = a.Accounts.SignUp(ctx, elsewhere, wanted("dee"))
		w.want(domain.Forbidden, err)
		_, err = a.Accounts.SignIn(ctx, elsewhere, "ada@example.org", password)
		w.want(domain.Forbidden, err)
		w.signIn("ada") // from home
		_, _, err = a.Moderation.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: "network", Value: home.Address.String()})
		w.want(domain.Invalid, err)

		for _, bad := range []moderation.BlockInput{{}, {Kind: "person", Value: "eve"}, {Kind: "domain", Value: "com"}, {Kind: "domain", Value: "a b.example"},
			{Kind: "file", Value: "abc"}, {Kind: "file", Value: strings.Repeat("g", 64)}, {Kind: "network", Value: "0.0.0.0/0"}, {Kind: "network", Value: "::/0"},
			{Kind: "network", Value: "10.0.0.0/33"}, {Kind: "network", Value: "fe80::1%eth0"}, {Kind: "mail", Value: " "}} {
			_, _, err := a.Moderation.AddToBlocklist(ctx, by, bad)
			w.want(domain.Invalid, err)
		}
		for _, actor := range []domain.Actor{{}, ada} {
			_, _, err := a.Moderation.AddToBlocklist(ctx, operating.OnSite(actor, home), moderation.BlockInput{Kind: "domain", Value: "x.example"})
			w.want(domain.Forbidden, err)
			_, err = a.Moderation.RemoveFromBlocklist(ctx, operating.OnSite(actor, home), site.ID)
			w.want(domain.Forbidden, err)
			_, err = a.Moderation.Blocklist(ctx, operating.OnSite(actor, home), 0, 10)
			w.want(domain.Forbidden, err)
		}
		for _, b := range []moderation.Blocked{site, net} {
			_, err = a.Moderation.RemoveFromBlocklist(ctx, by, b.ID)
			w.must(err)
			_, err = a.Moderation.RemoveFromBlocklist(ctx, by, b.ID)
			w.want(domain.NotFound, err)
		}
		w.must(block("https://spam.example/x", ""))
		_, err = a.Accounts.SignIn(ctx, elsewhere, "ada@example.org", password)
		w.must(err)
		if all, err := a.Moderation.Blocklist(ctx, by, 0, 10); err != nil || len(all) != 1 || all[0].Value != "throwaway.example" {
			t.Errorf("%+v, %v", all, err)
		}
		if got := fmt.Sprint(w.acts(op, domain.AuditFilter{Act: domain.ActBlocked})); got != "[op blocklist.added domain spam.example op blocklist.added mail throwaway.example op blocklist.added network 198.51.100.0/24]" {
			t.Error(got)
		}
	}, open)
}

// A file that is blocked by its hash is neither stored from an upload nor from a URL.
func TestBlockedFile(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		by := operating.OnSite(w.first("op"), home)
		const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of "hello"
		_, _, err := w.a.Moderation.AddToBlocklist(w.ctx(), by, moderation.BlockInput{Kind: "file", Value: strings.ToUpper(sum)})
		w.must(err)
		address := w.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": "a.txt", "content_type": "text/plain"}}}).
			Want(201).Str("files.0.upload_url")
		if got := w.Do("", "PUT", address[len(apptest.Base):], "hello", "Content-Type", "text/plain"); got.Status != 422 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := w.Do("", "PUT", address[len(apptest.Base):], "hello, too", "Content-Type", "text/plain"); got.Status >= 300 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}, open)
}

// Nothing is fetched from a blocked site, not even through a redirect, as the picture of a page, as its canonical
// address, or from the queue.
func TestBlockedOnTheWay(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		by := operating.OnSite(w.first("op"), home)
		channel := w.Channel("ada", "Finds", "public")
		w.Web("spam.example/", func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked for", r.URL) })
		redirect := func(to string) http.HandlerFunc {
			return func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to, http.StatusFound) }
		}
		w.Web("example.com/twice", redirect("/once"))
		w.Web("example.com/once", redirect("http://spam.example/x"))
		w.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>A page</title><link rel="canonical" href="http://spam.example/page">
			<meta property="og:image" content="http://spam.example/p.png">`)))
		submit := func(value string) int64 {
			return w.Do("ada", "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []any{channel}}).Want(201).Int("id")
		}
		queued := submit("http://www.spam.example/before")
		_, _, err := w.a.Moderation.AddToBlocklist(w.ctx(), by, moderation.BlockInput{Kind: "domain", Value: "spam.example"})
		w.must(err)
		led, page := submit("http://example.com/twice"), submit("http://example.com/page")
		w.WorkJobs()
		for _, id := range []int64{queued, led} {
			if got := w.Get("ada", "/ext/v1/blocks/%d/processing", id).Want(200); got.Str("state") != "failed" || got.Str("reason") != "The address leads to a site that is blocked here" {
				t.Errorf("%d: %s", id, got.Body)
			}
		}
		got := w.Get("ada", "/v3/blocks/%d", page).Want(200)
		if got.Str("type") != "Link" || got.Str("title") != "A page" || got.Str("source.url") != "http://example.com/page" {
			t.Errorf("%s", got.Body)
		}
	}, open)
}
