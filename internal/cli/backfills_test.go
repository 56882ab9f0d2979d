package cli_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// `vitrine migrate` and `vitrine jobs backfills` print the remaining rows of backfills.
func TestBackfills(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		apptest.Boot(t, p.database()).Channel("ada", "Links", "public")
		type left struct {
			Kind   string
			Rows   int64 `json:"rows_left"`
			AtMost bool  `json:"at_most"`
		}
		says := func(rows int64, text string) {
			t.Helper()
			var all []left
			p.run("jobs", "backfills", "--json").json(&all)
			if !slices.Equal(all, []left{{"index_words", rows, false}, {"examine_files", 0, false}, {"refresh_documents", 0, false}, {"find_animations", 0, false}, {"find_looks", 0, false}, {"count_texts", 0, false}}) {
				t.Errorf("%+v", all)
			}
			if out := p.run("jobs", "backfills").ok().out; out != text {
				t.Errorf("%q, not %q", out, text)
			}
		}
		says(0, "KIND               ROWS LEFT\nindex_words        0\nexamine_files      0\nrefresh_documents  0\nfind_animations    0\nfind_looks         0\ncount_texts        0\n")
		p.exec(`UPDATE search_documents SET digest = NULL WHERE kind = 'Channel'`)
		says(1, "KIND               ROWS LEFT\nindex_words        1\nexamine_files      0\nrefresh_documents  0\nfind_animations    0\nfind_looks         0\ncount_texts        0\n")
		if out := p.run("migrate").ok().out; !strings.Contains(out, "index_words, rows left: 1.\n") {
			t.Errorf("%q", out)
		}
	})
}
