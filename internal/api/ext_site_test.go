package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// Everyone can read the site's texts and settings, even if guests see nothing else.
func TestExtSite(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{false, true} {
		r := apptest.New(t, func(c *config.Config) { c.GuestsClosed = closed })
		if got := r.Get("", "/ext/v1/site"); got.Str("name") != "Vitrine" || got.Get("description") != nil || got.Get("picture") != nil {
			t.Errorf("at first %s", got.Body)
		}
		ada := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}
		if _, err := r.S.App.Operating.SetOffice(t.Context(), domain.Ref{ID: int64(ada.UserID)}, domain.OfficeOperator); err != nil {
			t.Fatal(err)
		}
		name, about, picture := "Kelp", "A *quiet* place", sent(r, "ada", "a.png", "image/png", string(apptest.PNG(t, 9, 9)))
		_, err := r.S.App.Operating.UpdateSite(t.Context(), ada, operating.SiteInput{Name: &name,
			About: core.Patch{Set: true, Value: &about}, Picture: core.Patch{Set: true, Value: &picture}})
		if err != nil {
			t.Fatal(err)
		}
		guests := map[bool]string{false: "open", true: "closed"}[closed]
		got := r.Get("", "/ext/v1/site")
		if got.Str("name") != name || got.Str("description.plain") != "A quiet place" || got.Str("guests") != guests || got.Str("web_url") != apptest.Base {
			t.Errorf("got %s", got.Body)
		}
		download(r, got.Str("picture")).Want(200)
	}
}

// Resources of the extensions contain the URL of their page. Those of /v3 do not.
func TestExtWebURL(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	channel, inner := r.Channel("ada", "Finds", "public"), r.Channel("bob", "Inner", "public")
	block := r.Block("ada", "moss", channel)
	r.Connect("ada", "Channel", inner, channel)
	list := r.Get("", "/ext/v1/channels/%d/contents", channel)
	if got, want := list.Str("data.0.web_url"), apptest.Base+"/bob/inner"; got != want {
		t.Errorf("the channel is at %s, want %s", got, want)
	}
	page := fmt.Sprintf("%s/block/%d", apptest.Base, block)
	if got := list.Str("data.1.web_url"); got != page {
		t.Errorf("the block is at %s, want %s", got, page)
	}
	if got := r.Get("", "/v3/channels/%d/contents", channel); strings.Contains(string(got.Body), "web_url") {
		t.Errorf("/v3 has it too: %s", got.Body)
	}
	r.Collaborate("ada", channel, "bob")
	if got := r.Get("", "/ext/v1/channels/%d/collaborators", channel).Str("data.0.web_url"); got != apptest.Base+"/bob" {
		t.Errorf("the collaborator is at %s", got)
	}
	if got := r.Do("ada", "PATCH", "/ext/v1/me", `{"name":"Ada L."}`).Want(200).Str("web_url"); got != apptest.Base+"/ada" {
		t.Errorf("the profile is at %s", got)
	}
	id := r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), `{"body":"said"}`).Want(201).Int("id")
	if got := r.Do("ada", "PATCH", fmt.Sprintf("/ext/v1/comments/%d", id), `{"body":"said so"}`).Want(200).Str("web_url"); got != page {
		t.Errorf("the comment is at %s, want %s", got, page)
	}
}
