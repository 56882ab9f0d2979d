package site_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// lines returns a text of n characters as a browser sends it: each line break, which is one
// character, as two.
func lines(n int) string { return strings.Repeat("ɤ\r\n", n/2-1) + strings.Repeat("ɤ", n-2*(n/2-1)) }

// Every text of several lines is shown again as it was sent, up to the limit of its field, if
// something else is wrong with the form.
func TestTextAreasKeepTheirTexts(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.BodyLimit = 8 << 20 }) // so that each form's own limit counts
	r.Operator("eve")
	ada, root := entered(t, r, "ada"), entered(t, r, "eve")
	channel := r.Channel("ada", "Moss", "public")
	block := r.Block("ada", "A text", channel)
	group := r.Group("Guild", "ada")
	r.Exec("UPDATE groups SET owner_id = $1, slug = 'guild' WHERE id = $2", r.Person("ada").ID, group)
	root.post("/operator/pages", "do", "save", "title", "About", "slug", "about", "body", "x").want(303)
	application := ada.post("/oauth/applications", "name", "App", "kind", "confidential").want(200).find(`/oauth/applications/(\d+)`)
	type form struct {
		by          *browser
		path        string
		wrong       []string // what makes it fail, or be shown as a preview
		room, field string
		most        int
	}
	redirects := domain.MaxRedirectURIs * (domain.MaxRedirectURI + 1)
	covered := map[string]bool{}
	for _, f := range []form{
		{root, "/operator/site", []string{"do", "save", "name", ""}, "operator", "about", domain.MaxDescription},
		{root, "/operator/site", []string{"do", "announce-preview"}, "operator", "announcement", domain.MaxAnnouncement},
		{root, "/operator/site", []string{"do", "feature"}, "operator", "featured", domain.MaxFeatured * 500},
		{root, "/operator/pages", []string{"do", "save", "title", "", "slug", "terms"}, "operator", "body", domain.MaxMarkdown},
		{root, "/operator/pages/about", []string{"do", "save", "title", "", "seen", "1"}, "operator", "body", domain.MaxMarkdown},
		{root, "/operator/invitations", []string{"do", "people"}, "operator", "emails", 50 * (domain.MaxEmail + 1)},
		{ada, "/settings/profile", []string{"name", ""}, "account", "bio", domain.MaxDescription},
		{ada, "/oauth/applications", []string{"name", "", "kind", "confidential"}, "account", "redirect_uris", redirects},
		{ada, "/oauth/applications/" + application, []string{"do", "save", "name", ""}, "account", "redirect_uris", redirects},
		{ada, "/settings/personal-access-tokens", []string{"name", "x", "scope", "read"}, "account", "channels", domain.MaxTokenChannels * 200},
		{ada, "/new", []string{"title", ""}, "collect", "description", domain.MaxDescription},
		{ada, "/ada/moss/add", []string{"title", strings.Repeat("t", domain.MaxTitle+1)}, "collect", "value", domain.MaxMarkdown},
		{ada, "/ada/moss/add", []string{"title", strings.Repeat("t", domain.MaxTitle+1), "value", "x"}, "collect", "description", domain.MaxDescription},
		{ada, "/save", nil, "collect", "value", domain.MaxMarkdown},
		{ada, "/save", []string{"value", "x"}, "collect", "description", domain.MaxDescription},
		{ada, "/ada/moss/edit", []string{"do", "save", "title", ""}, "collect", "description", domain.MaxDescription},
		{ada, fmt.Sprintf("/block/%d/edit", block), []string{"do", "save", "title", strings.Repeat("t", domain.MaxTitle+1)}, "collect", "content", domain.MaxMarkdown},
		{ada, fmt.Sprintf("/block/%d/edit", block), []string{"do", "save", "content", ""}, "collect", "description", domain.MaxDescription},
		{ada, "/settings/import", []string{"do", "server", "address", "nowhere"}, "transfer", "what", domain.MaxImportWhat * (domain.MaxImportName + 1)},
		{ada, "/groups/new", []string{"name", ""}, "people", "description", domain.MaxDescription},
		{ada, "/group/guild/edit", []string{"name", ""}, "people", "description", domain.MaxDescription},
	} {
		covered[f.room+" "+f.field] = true
		text := lines(f.most)
		p := f.by.post(f.path, append([]string{f.field, text}, f.wrong...)...)
		if shown := strings.ReplaceAll(text, "\r\n", "\n"); (p.status != 422 && p.status != 200) || !strings.Contains(p.body, shown) {
			t.Errorf("%s: status %d, and %s is not shown again", f.path, p.status, f.field)
		}
	}
	// These forms fail only because of the text itself.
	for _, field := range []string{"moderation text", "collect alt_text", "read exact", "read note"} {
		covered[field] = true
	}
	for _, field := range textAreas(t) {
		if !covered[field] {
			t.Errorf("the text area %q is in no form of this test", field)
		}
	}
}

var textArea = regexp.MustCompile(`input \S*[fF]orm "(\w+)"[^}]* "lines"|<textarea [^>]*name="(\w+)"`)

// textAreas lists the page group and name of every textarea in the templates.
func textAreas(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("pages/*/templates/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range textArea.FindAllStringSubmatch(string(text), -1) {
			all = append(all, strings.Split(file, "/")[1]+" "+m[1]+m[2])
		}
	}
	return all
}

// All channels of the largest import can be chosen at once.
func TestLargestImportIsChosen(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := entered(t, r, "ada")
	r.Exec(`INSERT INTO imports (user_id, source, address, what, visibility, choose, file_name, state, listed, created_at)
		VALUES ($1, 'arena', 'https://api.are.na', '[]', 'private', TRUE, '', 'choosing', TRUE, 1)`, r.Person("ada").ID)
	r.Exec(fmt.Sprintf(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)
		INSERT INTO import_steps (import_id, n, ref, title, head, state) SELECT 1, n, 'c' || n, 'C', '{}', 'waiting' FROM numbers`, domain.MaxImportChannels))
	form := url.Values{"do": {"begin"}}
	for n := range domain.MaxImportChannels {
		form.Add("channel", fmt.Sprint(n+1))
	}
	ada.send("POST", "/settings/import/1", form.Encode()).want(303)
}
