package importing_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

// Links to a blocked site are left out with the reason, wherever they occur. Everything else is
// imported, and so are the links after the site is unblocked.
func TestBlockedSitesStayOut(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		elsewhere := apptest.New(t)
		all := elsewhere.Channel("ada", "Bundle", "public")
		elsewhere.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Its words are quoted", "original_source_url": "https://spam.invalid/3", "channel_ids": []any{all}}).Want(201)
		elsewhere.Block("ada", "A note", all)
		bundled := export(elsewhere, "https://elsewhere.test")
		r.Person("ada")
		blocked, added, err := r.S.App.Moderation.AddToBlocklist(t.Context(), operating.CommandLine(), moderation.BlockInput{Kind: "domain", Value: "spam.invalid"})
		if err != nil || !added {
			t.Fatal(err)
		}
		marks := func() source.Source {
			return files.Text(strings.NewReader(`<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Marks</H1><DL>
				<DT><A HREF="https://a.spam.invalid/1">One</A><DT><A HREF="https://good.invalid/1">Two</A></DL>`), files.Options{Title: "Marks"})
		}
		table := func() source.Source {
			return files.Text(strings.NewReader("url,title\nhttps://good.invalid/2,Three\nhttps://SPAM.invalid/2,Four\n"), files.Options{Title: "Table"})
		}
		text := func() source.Source {
			quoted := text("9", "Its words")
			quoted.Address = "https://spam.invalid/4"
			return script{channel("10", "Texts"), item("10", quoted), item("10", source.Item{ID: "8", Kind: source.Nested, Where: "https://spam.invalid/5"}), closed("10")}
		}
		checks := func(name string, report importing.Report, blocks int64, why ...string) {
			t.Helper()
			var left []string
			for _, l := range report.LeftOut {
				left = append(left, l.Why)
			}
			if report.Counts.Blocks != blocks || fmt.Sprint(left) != fmt.Sprint(why) {
				t.Errorf("%s: %+v, left out %v", name, report.Counts, report.LeftOut)
			}
		}
		const why = "It leads to a site that is blocked here"
		for _, dry := range []bool{true, false} {
			o := importing.Options{DryRun: dry, Visibility: domain.Public}
			report := run(t, r, marks(), o)
			checks("bookmarks", report, 1, why)
			if c := report.Counts; c.Seen != 2 || c.Connections != 1 || c.Unchanged != 0 {
				t.Errorf("dry is %t: %+v", dry, c)
			}
			checks("sheet", run(t, r, table(), o), 1, why)
			checks("text", run(t, r, text(), o), 0, why, "The channel is not among those that are imported")
			checks("bundle", bring(r, bundled, o), 1, why)
		}
		for slug, want := range map[string]string{"marks": "[Two]", "table": "[Three]"} {
			if got := titles(r, slug); fmt.Sprint(got) != want {
				t.Errorf("contents of %s: %v", slug, got)
			}
		}
		if _, err := r.S.App.Moderation.RemoveFromBlocklist(t.Context(), operating.CommandLine(), blocked.ID); err != nil {
			t.Fatal(err)
		}
		report := run(t, r, marks(), importing.Options{})
		if c := report.Counts; c.Blocks != 1 || c.Unchanged != 1 || c.LeftOut != 0 {
			t.Errorf("once it is allowed: %+v, left out %v", c, report.LeftOut)
		}
		if got := r.Do("ada", "POST", "/ext/v1/imports", map[string]any{"source": "arena", "address": "https://x.spam.invalid", "what": []any{"moss"}}); got.Status == 400 {
			t.Errorf("its address is refused: %s", got.Body)
		}
	})
}
