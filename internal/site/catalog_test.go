package site_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/site/catalog"
)

// textID matches references to texts in templates, Go and scripts: {{t "web.skip"}},
// v.T("web.skip"), t("script.close").
var textID = regexp.MustCompile(`(?:\b(?:th?|hint) |\.T\(|\.Text\(|Text: |\bt\()"([a-z]+(?:\.[a-z0-9-]+)+)"`)

// Every text that pages use is in the catalogue in every language. Every text in the catalogue is
// used, or belongs to a family that is used by its prefix.
func TestCatalogIsWhole(t *testing.T) {
	t.Parallel()
	used := map[string]string{}
	all := ""
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, "_test.go") || !slices.Contains([]string{".go", ".html", ".js"}, filepath.Ext(path)) {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all += string(source)
		for _, m := range textID.FindAllStringSubmatch(string(source), -1) {
			used[m[1]] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := catalog.New()
	for _, lang := range texts.Languages {
		for id, path := range used {
			if !lang.Has(id) {
				t.Errorf("%s names the text %s, which is not there in %s", path, id, lang.Name)
			}
		}
		for _, id := range lang.IDs() {
			if !texts.Languages[0].Has(id) {
				t.Errorf("%s has the text %s, which English has not", lang.Name, id)
			}
		}
	}
	for _, id := range texts.Languages[0].IDs() {
		for _, lang := range texts.Languages[1:] {
			if !lang.Has(id) {
				t.Errorf("%s has no text %s", lang.Name, id)
			}
		}
		family, last := id[:strings.LastIndex(id, ".")+1], id[strings.LastIndex(id, ".")+1:]
		named := strings.Contains(all, `"`+id+`"`) || strings.Contains(all, `"`+family+`"`)
		if strings.HasSuffix(family, ".note.") {
			named = strings.Contains(all, `"`+last+`"`)
		}
		if !named {
			t.Errorf("no page names the text %s", id)
		}
	}
}

// A text takes the same arguments in every language.
func TestCatalogArguments(t *testing.T) {
	t.Parallel()
	texts := catalog.New()
	for _, lang := range texts.Languages[1:] {
		for _, id := range lang.IDs() {
			if want, got := texts.Languages[0].Verbs(id), lang.Verbs(id); !slices.Equal(want, got) {
				t.Errorf("%s: %s takes %v, in English %v", lang.Name, id, got, want)
			}
		}
	}
}

// All texts of pages come from the catalogue: templates contain no letters between their tags, nor
// in attributes that are read out. Names of technologies are marked up as code.
func TestTemplatesHoldNoProse(t *testing.T) {
	t.Parallel()
	action := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	attribute := regexp.MustCompile(`\s(?:[a-z-]+="[^"]*"|required\n|autofocus\n)`) // in a definition for tags
	quiet := regexp.MustCompile(`(?s)<code>.*?</code>|<!--.*?-->|<!DOCTYPE html>`)
	said := regexp.MustCompile(`\s(?:aria-label|title|placeholder|alt)="([^"]*)"`)
	tag := regexp.MustCompile(`(?s)<[^>]*>`)
	letters := regexp.MustCompile(`\pL{2,}`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") || prose[filepath.Dir(path)] {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bare := quiet.ReplaceAllString(action.ReplaceAllString(string(source), ""), "")
		for _, m := range said.FindAllStringSubmatch(bare, -1) {
			if letters.MatchString(m[1]) {
				t.Errorf("%s says %q, which no catalogue has", path, m[1])
			}
		}
		for _, word := range letters.FindAllString(attribute.ReplaceAllString(tag.ReplaceAllString(bare, ""), ""), -1) {
			t.Errorf("%s says %q, which no catalogue has", path, word)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prose are folders of templates that have not been moved to the catalogue.
var prose = map[string]bool{}

// A note has another key than those of other packages: a form may redirect to a page of another package.
func TestKeysOfNotesDiffer(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for _, id := range catalog.New().Languages[0].IDs() {
		if _, key, ok := strings.Cut(id, ".note."); ok {
			if other := of[key]; other != "" {
				t.Errorf("%s and %s are notes with the same key", other, id)
			}
			of[key] = id
		}
	}
	if len(of) == 0 {
		t.Error("there are no notes")
	}
}
