package app_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

func given(s string) core.Patch { return core.Patch{Set: true, Value: &s} }

// sent uploads a file for a user and returns its address.
func (w *accountsRig) sent(as, contentType, body string) string {
	w.t.Helper()
	res := w.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []map[string]any{{"filename": "a", "content_type": contentType}}}).
		Want(http.StatusCreated)
	address := res.Str("files.0.upload_url")
	w.Do("", "PUT", address[len(apptest.Base):], body, "Content-Type", contentType).Want(http.StatusOK)
	return "https://s3.amazonaws.com/arena_images-temp/" + res.Str("files.0.key")
}

func TestSite(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		ada := domain.Actor{UserID: w.Person("ada").ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		_, err := a.Operating.SetOffice(ctx, domain.Ref{ID: int64(ada.UserID)}, domain.OfficeOperator)
		w.must(err)
		on := operating.OnSite(ada, home)
		announce := func(text string, severity domain.Severity) (domain.Site, error) {
			return a.Operating.Announce(ctx, on, operating.AnnouncementInput{Text: text, Severity: severity})
		}
		s, err := a.Operating.SiteSettings(ctx)
		if w.must(err); s.Name != domain.DefaultSiteName || s.About != nil || s.Picture != nil || s.Announcement != nil {
			t.Errorf("at first it is %+v", s)
		}
		name := " Kelp Forest "
		s, err = a.Operating.UpdateSite(ctx, ada, operating.SiteInput{Name: &name, About: given("*Moss*")})
		w.must(err)
		s, err = announce("Closed on Monday", "info")
		if w.must(err); s.Name != "Kelp Forest" || s.About.Plain != "Moss" || s.Announced != 1 {
			t.Errorf("got %+v", s)
		}
		_, err = announce("Closed on Monday", "")
		w.must(err)
		_, err = a.Operating.UpdateSite(ctx, ada, operating.SiteInput{Picture: given(w.sent("ada", "image/png", string(apptest.PNG(t, 30, 20))))})
		w.must(err)
		s, err = a.Operating.SiteSettings(ctx)
		if w.must(err); s.Name != "Kelp Forest" || s.Announced != 1 || s.Picture == nil || s.Picture.Width != 30 {
			t.Fatalf("got %+v", s)
		}
		shown := "/files/" + s.Picture.Key + "/" + s.Picture.Original()
		w.Do("", "GET", shown, nil).Want(http.StatusOK)
		for _, bad := range []string{"https://example.org/a.png", "x", w.sent("eve", "image/png", string(apptest.PNG(t, 3, 3))), w.sent("ada", "text/plain", "words")} {
			_, err = a.Operating.UpdateSite(ctx, ada, operating.SiteInput{Picture: given(bad)})
			if e := fields(err); len(e) != 1 || e[0] != "picture" {
				t.Errorf("%s: %v", bad, err)
			}
		}
		_, err = a.Operating.UpdateSite(ctx, ada, operating.SiteInput{Picture: core.Patch{Set: true}})
		w.must(err)
		_, err = a.Operating.EndAnnouncement(ctx, on, 0)
		w.must(err)
		if s, err = a.Operating.SiteSettings(ctx); err != nil || s.Picture != nil || s.Announcement != nil || s.About == nil {
			t.Errorf("%+v, %v", s, err)
		}
		w.Do("", "GET", shown, nil).Want(http.StatusNotFound)
		s, err = announce("Closed on Monday", "warning")
		if w.must(err); s.Announced != 2 || s.Severity != "warning" || s.Announcing(w.Clock.Now()) == nil {
			t.Errorf("announced again: %+v", s)
		}
		end := w.Clock.Now().Add(time.Hour)
		s, err = a.Operating.Announce(ctx, on, operating.AnnouncementInput{Text: "Closed on Monday", Severity: "warning", Until: &end})
		if w.must(err); s.Announced != 2 || s.Announcing(end) != nil || s.Announcing(end.Add(-time.Second)) == nil {
			t.Errorf("with an end: %+v", s)
		}
		past := w.Clock.Now()
		_, err = a.Operating.Announce(ctx, on, operating.AnnouncementInput{Text: "x", Until: &past})
		if e := fields(err); len(e) != 1 || e[0] != "until" {
			t.Errorf("with an end in the past: %v", err)
		}
		if _, err = announce("x", "loud"); len(fields(err)) != 1 || fields(err)[0] != "severity" {
			t.Errorf("with an unknown severity: %v", err)
		}
		for _, who := range []domain.Actor{{}, w.member("grace")} {
			_, err = a.Operating.Announce(ctx, operating.OnSite(who, home), operating.AnnouncementInput{Text: "x"})
			w.want(domain.Forbidden, err)
			_, err = a.Operating.EndAnnouncement(ctx, operating.OnSite(who, home), 0)
			w.want(domain.Forbidden, err)
		}
	})
}

func TestLegalPages(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, ada := w.a, w.ctx(), w.first("ada")
		for _, slug := range []string{"privacy", "imprint"} {
			_, err := a.Operating.SaveLegalPage(ctx, ada, operating.LegalPageInput{Slug: slug, Title: slug + "!", Body: "**We**"})
			w.must(err)
		}
		p, err := a.Operating.SaveLegalPage(ctx, ada, operating.LegalPageInput{Slug: "privacy", Title: "Your data", Body: "None"})
		if w.must(err); p.Title != "Your data" || p.Body.Plain != "None" || p.Version != 2 {
			t.Errorf("got %+v", p)
		}
		if p, err = a.Operating.LegalPage(ctx, "imprint"); err != nil || p.Body.HTML != "<p><strong>We</strong></p>\n" && p.Body.HTML != "<p><strong>We</strong></p>" {
			t.Errorf("%+v, %v", p, err)
		}
		all, err := a.Operating.LegalPages(ctx)
		if w.must(err); len(all) != 2 || all[0].Title != "Your data" || all[1].Slug != "imprint" {
			t.Errorf("got %+v", all)
		}
		w.must(a.Operating.DeleteLegalPage(ctx, ada, "privacy"))
		for _, slug := range []string{"privacy", "none", "", "\x00"} {
			w.want(domain.NotFound, a.Operating.DeleteLegalPage(ctx, ada, slug))
			_, err = a.Operating.LegalPage(ctx, slug)
			w.want(domain.NotFound, err)
		}
		if all, err = a.Operating.LegalPages(ctx); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		for _, actor := range []domain.Actor{{}, w.member("grace")} {
			_, err := a.Operating.UpdateSite(ctx, actor, operating.SiteInput{})
			w.want(domain.Forbidden, err)
			_, err = a.Operating.SaveLegalPage(ctx, actor, operating.LegalPageInput{Slug: "terms", Title: "Terms", Body: "x"})
			w.want(domain.Forbidden, err)
			w.want(domain.Forbidden, a.Operating.DeleteLegalPage(ctx, actor, "imprint"))
		}
	})
}

// A server checks for changes of the site at most every five seconds. A check that finds no change
// costs one statement. A server uses its own changes at once.
func TestSiteRemembered(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		statements := func() int {
			return len(w.Statements(func() { _, err := w.a.Operating.SiteSettings(w.ctx()); w.must(err) }))
		}
		for i, want := range []struct{ first, again int }{{4, 0}, {1, 0}} {
			if n, again := statements(), statements(); n != want.first || again != want.again {
				t.Errorf("look %d costs %d statements and then %d", i, n, again)
			}
			w.Clock.Advance(6 * time.Second)
		}
		_, err := w.a.Operating.SaveLegalPage(w.ctx(), ada, operating.LegalPageInput{Slug: "terms", Title: "Terms", Body: "x"})
		w.must(err)
		if s, err := w.a.Operating.SiteSettings(w.ctx()); err != nil || len(s.Legal) != 1 {
			t.Errorf("%+v, %v", s, err)
		}
		w.Exec("UPDATE site SET name = 'Of another server', version = version + 1")
		w.Clock.Advance(6 * time.Second)
		if s, err := w.a.Operating.SiteSettings(w.ctx()); err != nil || s.Name != "Of another server" {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestFeedSecrets(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, op, ada := w.a, w.ctx(), w.first("op"), w.member("ada")
		first, err := a.People.FeedSecret(ctx, ada)
		w.must(err)
		if again, err := a.People.FeedSecret(ctx, ada); err != nil || again != first || len(first) < 20 {
			t.Errorf("%q and then %q, %v", first, again, err)
		}
		got, err := a.People.FeedReader(ctx, ada.UserID, first)
		if w.must(err); got != (domain.Actor{UserID: ada.UserID, Tier: ada.Tier, Scope: domain.ScopeRead}) {
			t.Errorf("the reader is %+v", got)
		}
		second, err := a.People.RenewFeedSecret(ctx, ada)
		if w.must(err); second == first {
			t.Error("the same secret")
		}
		_, err = a.People.FeedReader(ctx, ada.UserID, second)
		w.must(err)
		_, err = a.Operating.SetAccount(ctx, op, ada.UserID, suspend(true))
		w.must(err)
		for _, c := range []struct {
			user   domain.UserID
			secret string
		}{{ada.UserID, first}, {ada.UserID, second}, {ada.UserID, ""}, {op.UserID, second}, {999, second}, {0, second}, {-1, "\xff"}} {
			if _, err := a.People.FeedReader(ctx, c.user, c.secret); domain.KindOf(err) != domain.NotFound {
				t.Errorf("user %d with %q: %v", c.user, c.secret, err)
			}
		}
		_, err = a.People.FeedSecret(ctx, domain.Actor{})
		w.want(domain.Unauthenticated, err)
		_, err = a.People.RenewFeedSecret(ctx, domain.Actor{})
		w.want(domain.Unauthenticated, err)
	})
}
