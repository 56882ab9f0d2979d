package main

import (
	"archive/zip"
	"crypto/sha1" // Firefox derives addresses from it
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/domain"
)

// extensionManifest contains the fields that tests read.
type extensionManifest struct {
	Version    string `json:"version"`
	Key        string `json:"key"`
	Background struct {
		Worker  string   `json:"service_worker"`
		Scripts []string `json:"scripts"`
	} `json:"background"`
	Settings struct {
		Gecko struct {
			ID string `json:"id"`
		} `json:"gecko"`
	} `json:"browser_specific_settings"`
}

// built reads the builds of the extension.
func built(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	all := map[string]map[string][]byte{}
	for _, browser := range extensionBrowsers {
		files, err := extensionFiles("../../extension", browser, "1.2.3.4")
		if err != nil {
			t.Fatal(err)
		}
		all[browser] = files
	}
	return all
}

func manifestOf(t *testing.T, files map[string][]byte) (m extensionManifest) {
	t.Helper()
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The server sends codes of the extension only to the addresses that browsers derive from the
// manifests.
func TestExtensionIDs(t *testing.T) {
	t.Parallel()
	all := built(t)
	key, err := base64.StdEncoding.DecodeString(manifestOf(t, all["chromium"]).Key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(key)
	chromium := strings.Map(func(r rune) rune { return 'a' + rune(strings.IndexRune("0123456789abcdef", r)) }, fmt.Sprintf("%x", sum[:16]))
	firefox := sha1.Sum([]byte(manifestOf(t, all["firefox"]).Settings.Gecko.ID))
	want := []string{"https://" + chromium + ".chromiumapp.org/", fmt.Sprintf("https://%x.extensions.allizom.org/", firefox)}
	if got := domain.ExtensionApplication().RedirectURIs; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestExtensionBuilds(t *testing.T) {
	t.Parallel()
	all := built(t)
	chromium, firefox := manifestOf(t, all["chromium"]), manifestOf(t, all["firefox"])
	if chromium.Background.Worker == "" || chromium.Background.Scripts != nil || chromium.Settings.Gecko.ID != "" || chromium.Version != "1.2.3.4" {
		t.Errorf("%+v", chromium)
	}
	if firefox.Background.Worker != "" || len(firefox.Background.Scripts) != 1 || firefox.Key != "" || firefox.Version != "1.2.3.4" {
		t.Errorf("%+v", firefox)
	}
	for _, name := range []string{"popup.html", "options.html", "background.js", "script/queue.js", "_locales/de/messages.json", "icons/16.png"} {
		if len(all["firefox"][name]) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	for name := range all["chromium"] {
		if slices.Contains(notPacked, name) {
			t.Errorf("%s is packed", name)
		}
	}
	for version, want := range map[string]string{"v1.2.3-0-gabc1234": "1.2.3", "v1.2.3-17-gabc1234": "1.2.3.17", "v1.2.3-rc.1-2-gabc1234": "1.2.3.2"} {
		if got, err := versionOf(version); got != want || err != nil {
			t.Errorf("%s: %s, %v", version, got, err)
		}
	}
	if _, err := versionOf("x"); err == nil {
		t.Error("a wrong version was accepted")
	}
}

// The same commit gives the same bytes, without a folder around the files.
func TestExtensionTwice(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	for _, out := range []string{first, second} {
		if err := writeExtension("../..", out, when); err != nil {
			t.Fatal(err)
		}
	}
	one, two := contents(t, first), contents(t, second)
	if len(one) != len(extensionBrowsers) {
		t.Errorf("%d files", len(one))
	}
	for name, text := range one {
		if two[name] != text {
			t.Errorf("%s differs", name)
		}
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "manifest.json" && f.Modified.Equal(when) }) {
			t.Errorf("%s has no manifest", name)
		}
	}
}

// namedText matches an id of a text in a script or a page.
var namedText = regexp.MustCompile(`\bt\("(\w+)"|\bdata-t(?:-label|-hint)?="(\w+)"|__MSG_(\w+)__|SignInError\("(\w+)"`)

// extensionTexts reads the texts of a language.
func extensionTexts(t *testing.T, language string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../extension/_locales", language, "messages.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct{ Message string }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for id, m := range all {
		texts[id] = m.Message
	}
	return texts
}

// Each text is there in both languages, with the same arguments, and is used.
func TestExtensionTexts(t *testing.T) {
	t.Parallel()
	english, german := extensionTexts(t, "en"), extensionTexts(t, "de")
	var sources strings.Builder
	for name, text := range built(t)["chromium"] {
		if strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".html") || name == "manifest.json" {
			sources.Write(text)
		}
	}
	for id, text := range english {
		if strings.Contains(text, "$1") != strings.Contains(german[id], "$1") || text == "" || german[id] == "" {
			t.Errorf("%s: %q and %q", id, text, german[id])
		}
		kind, _, _ := strings.Cut(id, "_")
		used := func(form string) bool { return strings.Contains(sources.String(), form) }
		if !used(`"`+id+`"`) && !used("__MSG_"+id+"__") && !used(`"`+kind+`"`) && !used("`"+kind+"_${") {
			t.Errorf("%s is not used", id)
		}
	}
	if len(english) != len(german) {
		t.Errorf("%d texts in English, %d in German", len(english), len(german))
	}
	for _, m := range namedText.FindAllStringSubmatch(sources.String(), -1) {
		if id := strings.Join(m[1:], ""); english[id] == "" {
			t.Errorf("%s is missing", id)
		}
	}
}
