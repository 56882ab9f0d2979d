package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/site/catalog"
)

func TestImported(t *testing.T) {
	t.Parallel()
	languages := catalog.New().Languages
	skipped := func(n int) (all []domain.LeftOut) {
		for i := range n {
			all = append(all, domain.LeftOut{What: "B", Where: fmt.Sprintf("line %d", i+16), Why: "javascript: is not a web address"})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		in     catalog.ImportSummary
		en, de string
	}{
		{name: "links into channels", in: catalog.ImportSummary{Counts: domain.ImportCounts{Channels: 2, Blocks: 3, Connections: 4, LeftOut: 1}, File: domain.ImportFile{Links: 3}, Skipped: skipped(1)},
			en: "Imported 3 links into 2 new channels. 1 skipped: line 16: javascript: is not a web address.",
			de: "3 Links in 2 neue Kanäle importiert. 1 ausgelassen: Zeile 16: javascript: ist keine Webadresse."},
		{name: "one of each", in: catalog.ImportSummary{Counts: domain.ImportCounts{Channels: 1, Blocks: 3, Connections: 3}, File: domain.ImportFile{Links: 1, Texts: 1, Files: 1}},
			en: "Imported 1 link, 1 text and 1 file into 1 new channel.",
			de: "1 Link, 1 Text und 1 Datei in 1 neuen Kanal importiert."},
		{name: "from a server", in: catalog.ImportSummary{Counts: domain.ImportCounts{Blocks: 1, Connections: 2, Comments: 2, Unchanged: 1, Changed: 1, Moved: 1}},
			en: "Imported 1 block and 2 comments. Already there: 1 item. Updated: 1 item. Moved: 1 item.",
			de: "Importiert: 1 Block und 2 Kommentare. Schon da: 1 Eintrag. Aktualisiert: 1 Eintrag. Verschoben: 1 Eintrag."},
		{name: "again", in: catalog.ImportSummary{Counts: domain.ImportCounts{Unchanged: 3}},
			en: "Nothing new. Already there: 3 items.", de: "Nichts Neues. Schon da: 3 Einträge."},
		{name: "nothing", en: "Nothing was imported.", de: "Es wurde nichts importiert."},
		{name: "many skipped", in: catalog.ImportSummary{Counts: domain.ImportCounts{LeftOut: 17}, Skipped: skipped(6)},
			en: "Nothing was imported. 17 skipped: " + strings.Join([]string{reason(16), reason(17), reason(18), reason(19), reason(20)}, "; ") + "; and 12 more."},
		{name: "one more skipped", in: catalog.ImportSummary{Counts: domain.ImportCounts{LeftOut: 2}, Skipped: skipped(1)},
			en: "Nothing was imported. 2 skipped: " + reason(16) + "; and 1 more.",
			de: "Es wurde nichts importiert. 2 ausgelassen: Zeile 16: javascript: ist keine Webadresse; und 1 weiterer Eintrag."},
		{name: "only counted", in: catalog.ImportSummary{Counts: domain.ImportCounts{LeftOut: 2}}, en: "Nothing was imported. 2 skipped."},
		{name: "a trial", in: catalog.ImportSummary{DryRun: true, Counts: domain.ImportCounts{Channels: 1, Blocks: 2, Connections: 2}, File: domain.ImportFile{Links: 2}},
			en: "Would import 2 links into 1 new channel.", de: "2 Links wären in 1 neuen Kanal zu importieren."},
		{name: "a trial without channels", in: catalog.ImportSummary{DryRun: true, Counts: domain.ImportCounts{Blocks: 2, Connections: 2}, File: domain.ImportFile{Links: 2}},
			en: "Would import 2 links.", de: "Zu importieren: 2 Links."},
		{name: "channels alone", in: catalog.ImportSummary{Counts: domain.ImportCounts{Channels: 2, Connections: 1}}, en: "Imported 2 channels.", de: "Importiert: 2 Kanäle."},
		{name: "connections alone", in: catalog.ImportSummary{Counts: domain.ImportCounts{Connections: 2}}, en: "Imported 2 connections.", de: "Importiert: 2 Verbindungen."},
		{name: "large numbers", in: catalog.ImportSummary{Counts: domain.ImportCounts{Blocks: 12345, Connections: 12345}, File: domain.ImportFile{Links: 12345}},
			en: "Imported 12,345 links.", de: "Importiert: 12.345 Links."},
	} {
		if got := languages[0].Imported(c.in); got != c.en {
			t.Errorf("%s: %q, want %q", c.name, got, c.en)
		}
		if got := languages[1].Imported(c.in); c.de != "" && got != c.de {
			t.Errorf("%s: %q, want %q", c.name, got, c.de)
		}
	}
}

func reason(line int) string { return fmt.Sprintf("line %d: javascript: is not a web address", line) }

func TestReadAs(t *testing.T) {
	t.Parallel()
	const hint = " If letters look wrong, import the file again with another encoding."
	for want, f := range map[string]domain.ImportFile{
		"":                      {},
		"Recognized as Pocket.": {Format: "Pocket", Encoding: "utf-8"},
		"Recognized as Folder.": {Format: "Folder"},
		"Recognized as CSV, read as shift_jis." + hint: {Format: "CSV", Encoding: "shift_jis"},
		"Recognized as CSV, read as utf-8." + hint:     {Format: "CSV", Encoding: "utf-8", Asked: "utf-8"},
	} {
		if got := catalog.English().Read(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}
