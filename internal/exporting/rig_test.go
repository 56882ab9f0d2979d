package exporting_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// generous raises the rate limits for a test.
func generous(c *config.Config) {
	for tier, n := range c.RateLimits {
		_ = n
		c.RateLimits[tier] = 100_000
	}
}

// upload creates a block from a file.
func upload(r *apptest.Rig, as, name, contentType string, body []byte, more map[string]any, channels ...int64) int64 {
	r.T.Helper()
	got := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": contentType}}}).Want(201)
	address := strings.TrimPrefix(got.Str("files.0.upload_url"), apptest.Base)
	r.Do("", http.MethodPut, address, string(body), "Content-Type", contentType).Want(200)
	value, _, _ := strings.Cut(got.Str("files.0.upload_url"), "?")
	block := map[string]any{"value": value, "channel_ids": channels}
	for key, of := range more {
		block[key] = of
	}
	id := r.Do(as, "POST", "/v3/blocks", block).Want(201).Int("id")
	r.WorkJobs()
	return id
}

// unzip reads the entries of a ZIP. No two may have the same name, ignoring case.
func unzip(t testing.TB, body []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	all, folded := map[string]string{}, map[string]string{}
	for _, f := range z.File {
		if other, twice := folded[strings.ToLower(f.Name)]; twice {
			t.Errorf("%s and %s are the same to some file systems", f.Name, other)
		}
		folded[strings.ToLower(f.Name)] = f.Name
		checkName(t, f.Name)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		all[f.Name] = string(text)
	}
	return all
}

// checkName checks that a name is valid on all file systems.
func checkName(t testing.TB, name string) {
	t.Helper()
	for part := range strings.SplitSeq(name, "/") {
		base, _, _ := strings.Cut(strings.ToUpper(part), ".")
		reserved := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "COM1": true, "LPT1": true}[base]
		if part == "" || part == "." || part == ".." || len(part) > 200 || reserved || strings.ContainsAny(part, "\x00<>:\"\\|?*\n\r\t") ||
			strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			t.Errorf("%q is a name that some file system refuses", name)
		}
	}
}

// hostile are titles that are invalid as file names.
var hostile = []string{"../../etc/passwd", "CON", "nul", "a/b\\c:d*e?f\"g<h>i|j", "Same", "same", "SAME", strings.Repeat("long ", 50),
	strings.Repeat("Ü", 200), "🦀🦀🦀", "日本語の題名", "trailing.", "-rf", " leading", "=cmd|' /C calc'!A0", "e\u0301tude", "new\u2028line"}

// export requests a channel in a format.
func export(r *apptest.Rig, as string, channel int64, format string) *apptest.Response {
	return r.Do(as, "GET", fmt.Sprintf("/ext/v1/channels/%d/export?format=%s", channel, format), nil)
}
