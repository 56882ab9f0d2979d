package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var when = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// thisTest returns a substitute for the program of a platform: the build info of the test with a
// few bytes of its binary, which compress faster.
func thisTest(t *testing.T, platform string) program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	about, err := takeInventory(binary)
	if err != nil {
		t.Fatal(err)
	}
	return program{platform, binary[:1000], about}
}

// everything writes archives, an image and checksums for three platforms into a folder.
func everything(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	authorities := filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(authorities, []byte("PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	programs := []program{thisTest(t, "linux/amd64"), thisTest(t, "linux/arm64"), thisTest(t, "windows/amd64")}
	for _, p := range programs {
		if err := writeArchive(out, p, map[string][]byte{"README.md": []byte("read"), "completions/_vitrine": []byte("zsh")}, when); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writeImage(filepath.Join(out, "image"), programs, authorities, when); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// contents reads all files below a folder.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSameTwice(t *testing.T) {
	t.Parallel()
	first, second := contents(t, everything(t)), contents(t, everything(t))
	if len(first) != len(second) || len(first) < 12 {
		t.Errorf("%d files, and %d", len(first), len(second))
	}
	for name, text := range first {
		if second[name] != text {
			t.Errorf("%s differs", name)
		}
	}
	sums := first["SHA256SUMS"]
	for name, text := range first {
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name)
		if listed := strings.Contains(sums, line); listed == (name == "SHA256SUMS" || strings.HasPrefix(name, "image/")) {
			t.Errorf("%s is in the sums: %t", name, listed)
		}
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	all := contents(t, everything(t))
	for name, text := range all {
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			holds(t, name, tarFiles(t, text), "vitrine")
		case strings.HasSuffix(name, ".zip"):
			z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range z.File {
				names = append(names, f.Name)
				if program := strings.HasSuffix(f.Name, ".exe"); program != (f.Mode() == 0o755) {
					t.Errorf("%s has the mode %v", f.Name, f.Mode())
				}
			}
			holds(t, name, names, "vitrine.exe")
		}
	}
}

// tarFiles returns the names of the files and checks their modes and times.
func tarFiles(t *testing.T, text string) (names []string) {
	t.Helper()
	plain, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if program := filepath.Base(h.Name) == "vitrine"; program != (h.Mode == 0o755) && !strings.HasSuffix(h.Name, "/") || !h.ModTime.Equal(when) {
			t.Errorf("%+v", h)
		}
	}
}

// holds checks that an archive has exactly these files, sorted, in one folder.
func holds(t *testing.T, archive string, names []string, program string) {
	t.Helper()
	folder := strings.TrimSuffix(strings.TrimSuffix(archive, ".zip"), ".tar.gz")
	want := []string{}
	for _, name := range []string{"README.md", "completions/_vitrine", "sbom.cdx.json", program} {
		want = append(want, folder+"/"+name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("%s holds %q, want %q", archive, names, want)
	}
}

// The SBOM lists the linked modules with versions and checksums, and the bundled third-party files.
func TestInventory(t *testing.T) {
	t.Parallel()
	p := thisTest(t, "linux/amd64")
	p.about.info.Deps = []*debug.Module{{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:x"},
		{Path: "vitrine/client", Version: "v0.0.0", Replace: &debug.Module{Path: "./client"}},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v2.0.0"}}}
	text, err := p.about.encode(when)
	if err != nil {
		t.Fatal(err)
	}
	var doc bom
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{}
	for _, c := range doc.Components {
		if refs[c.Ref] || c.Name == "" || c.PURL == "" {
			t.Errorf("%+v", c)
		}
		refs[c.Ref] = true
	}
	for _, want := range []string{`"purl": "pkg:golang/example.org/a@v1.2.3"`, `"value": "h1:x"`, "pkg:golang/example.org/fork@v2.0.0", "pkg:npm/htmx.org@", "pkg:github/strukturag/libheif@", "pkg:golang/std@"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
	if bytes.Contains(text, []byte("/client@")) {
		t.Error("a module of this repository is listed")
	}
	if doc.Metadata.Component.Hashes[0].Content != p.about.sum || doc.Metadata.Timestamp != "2026-11-23T12:00:00Z" {
		t.Errorf("%+v", doc.Metadata)
	}
}

// Every blob in an image is named by its digest, from the index to the layer, and the program runs
// as an unprivileged user.
func TestImage(t *testing.T) {
	t.Parallel()
	all := contents(t, filepath.Join(everything(t), "image"))
	read := func(d descriptor, into any) string {
		t.Helper()
		text, found := all["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if !found || digestOf([]byte(text)) != d.Digest || len(text) != d.Size {
			t.Fatalf("%+v is not there, or something else", d)
		}
		if into != nil {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		return text
	}
	var top, index struct{ Manifests []descriptor }
	if err := json.Unmarshal([]byte(all["index.json"]), &top); err != nil {
		t.Fatal(err)
	}
	read(top.Manifests[0], &index)
	if len(index.Manifests) != 2 || index.Manifests[0].Platform["architecture"] != "amd64" || index.Manifests[1].Platform["architecture"] != "arm64" {
		t.Fatalf("%+v", index)
	}
	for _, m := range index.Manifests {
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		read(m, &manifest)
		var config struct {
			Config struct {
				User        string
				Healthcheck struct{ StartPeriod time.Duration }
			}
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		read(manifest.Config, &config)
		if config.Config.User != "65532:65532" {
			t.Errorf("it runs as %q", config.Config.User)
		}
		if config.Config.Healthcheck.StartPeriod < 2*time.Minute {
			t.Error("it is unhealthy while it waits for PostgreSQL and S3")
		}
		packed := read(manifest.Layers[0], nil)
		plain, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(plain)
		if err != nil || digestOf(layer) != config.RootFS.DiffIDs[0] {
			t.Errorf("the layer is not the one of the configuration (%v)", err)
		}
		want := []string{"data/", "etc/", "etc/group", "etc/passwd", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt", "tmp/", "vitrine"}
		if names := tarFiles(t, packed); !slices.Equal(names, want) {
			t.Errorf("%q", names)
		}
	}
}
