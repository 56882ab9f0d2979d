package importing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
)

// marked returns the highlights of a user on the first block: the position, the words and the note.
func marked(r *apptest.Rig, as string) (all []string) {
	list := r.Do(as, "GET", "/ext/v1/blocks/1/highlights", nil).Want(200)
	for i := range list.Len("items") {
		at := fmt.Sprintf("items.%d.", i)
		note := ""
		if list.Str(at+"motivation") == "commenting" {
			note = list.Str(at + "body.value")
		}
		all = append(all, fmt.Sprintf("%d %s: %s", list.Int(at+"target.selector.1.start"), list.Str(at+"target.selector.0.exact"), note))
	}
	return all
}

// TestHighlightsOfServices imports the highlights of a file again and again. What its owner changed or deleted here stays,
// and later highlights are added.
func TestHighlightsOfServices(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/moss", apptest.Serve("text/html", []byte("<title>Moss</title><article><p>Moss is green. Moss grows on stone."+strings.Repeat(" It has no roots.", 40)+"</p></article>")))
		bring := func(annotations string) importing.Report {
			t.Helper()
			file := `[{"url":"https://example.com/moss","annotations":[` + annotations + `]}]`
			report := run(t, r, files.Text(strings.NewReader(file), files.Options{Title: "w"}), importing.Options{Visibility: domain.Public})
			r.WorkJobs() // the text arrives after the highlights
			return report
		}
		mark := func(quote, note string) string {
			return fmt.Sprintf(`{"quote":%q,"text":%q,"created_at":"2020-01-02T03:04:05+0000"}`, quote, note)
		}
		check := func(report importing.Report, changed int64, want ...string) {
			t.Helper()
			if report.Counts.LeftOut != 0 || report.Changed != changed {
				t.Errorf("%+v %v", report.Counts, report.LeftOut)
			}
			slices.Sort(want)
			if got := slices.Sorted(slices.Values(marked(r, "ada"))); !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		}
		first := mark("grows on", "How?") + "," + mark("Ferns", "Elsewhere")
		check(bring(first), 0, "20 grows on: How?", "0 Ferns: Elsewhere")
		check(bring(first), 0, "20 grows on: How?", "0 Ferns: Elsewhere")
		if got := marked(r, "bob"); len(got) != 0 {
			t.Errorf("others see %q", got)
		}
		check(bring(mark("grows on", "Slowly")+","+mark("Ferns", "Elsewhere")+","+mark("is  green", "")), 1, "20 grows on: Slowly", "0 Ferns: Elsewhere", "5 is green: ")

		// The same words twice are one highlight with both notes. A note that was changed here is kept.
		list := r.Do("ada", "GET", "/ext/v1/highlights", nil)
		for i := range list.Len("items") {
			at := fmt.Sprintf("items.%d.", i)
			own := strings.TrimPrefix(list.Str(at+"id"), apptest.Base)
			switch list.Str(at + "target.selector.0.exact") {
			case "grows on":
				r.Do("ada", "PUT", own, `{"body":{"value":"Mine"}}`).Want(200)
			case "Ferns":
				r.Do("ada", "DELETE", own, nil).Want(204)
			}
		}
		check(bring(mark("grows on", "Fast")+","+mark("Ferns", "Nowhere")+","+mark("is green", "")+","+mark("stone.", "One")+","+mark("stone.", "Two")), 1, "20 grows on: Mine", "5 is green: ", "29 stone.: One\n\nTwo")
	})
}

// TestHighlightsBeyondLimits reports highlights that are too many, and the parts of those that are too long.
func TestHighlightsBeyondLimits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var marks []string
		for i := range 203 {
			marks = append(marks, fmt.Sprintf(`{"quote":"words %d"}`, i))
		}
		file := func(marks ...string) string {
			return `[{"url":"https://gone.invalid/","title":"Moss","annotations":[` + strings.Join(marks, ",") + `]}]`
		}
		bring := func(text string) importing.Report {
			return run(t, r, files.Text(strings.NewReader(text), files.Options{Title: "w"}), importing.Options{Visibility: domain.Private})
		}
		long := bring(file(`{"quote":"`+strings.Repeat("é ", 1500)+`","text":"a\u0000`+strings.Repeat("b", 6000)+`"}`, `{"quote":"\u0000 "}`))
		if got := fmt.Sprint(long.LeftOut); long.Counts.LeftOut != 3 || !strings.Contains(got, "part of highlight “é é") || !strings.Contains(got, "part of the note on highlight") || !strings.Contains(got, "It has no words") {
			t.Errorf("%v", long.LeftOut)
		}
		got := marked(r, "ada")
		if len(got) != 1 || strings.Count(got[0], "é") != 1000 || strings.Count(got[0], "b") != 4999 {
			t.Errorf("%q", got)
		}
		many := bring(file(marks...))
		if got := fmt.Sprint(many.LeftOut); many.Counts.LeftOut != 2 || !strings.Contains(got, "3 highlights of link “Moss”") || !strings.Contains(got, "highlight “words 199”") {
			t.Errorf("%v", many.LeftOut)
		}
		if again := bring(file(marks[:199]...)); again.Counts.LeftOut != 0 || again.Changed != 0 {
			t.Errorf("%+v %v", again.Counts, again.LeftOut)
		}
	})
}
