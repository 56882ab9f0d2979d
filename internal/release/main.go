// Command release builds the release files: per platform an archive with the program, licences,
// manual page and completions; an SBOM (CycloneDX); a container image (OCI layout); the browser
// extension; and checksums.
// Builds are reproducible: the same commit and Go version give the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/licenses/works"
)

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.root, "root", ".", "root folder of the module")
	flag.StringVar(&o.out, "out", "dist", "output folder; its contents are deleted first")
	platforms := flag.String("platforms", strings.Join(works.Platforms(), ","), "platforms to build for, separated by commas")
	flag.BoolVar(&o.image, "image", false, "also write a container image of the Linux programs, into image/")
	only := flag.Bool("extension", false, "write only the browser extension; keep the contents of the output folder")
	flag.StringVar(&o.authorities, "authorities", "/etc/ssl/certs/ca-certificates.crt", "PEM file of the certificate authorities that the image trusts")
	flag.Parse()
	o.platforms = strings.Split(*platforms, ",")
	task := run
	if *only {
		task = runExtension
	}
	if err := task(o); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	root, out   string
	platforms   []string // GOOS/GOARCH
	image       bool
	authorities string
}

// program is the program built for one platform.
type program struct {
	platform string
	binary   []byte
	about    inventory
}

func run(o options) error {
	when, err := commitTime(o.root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	shared, err := sharedFiles(o.root)
	if err != nil {
		return err
	}
	var programs []program
	for _, platform := range o.platforms {
		p, err := build(o.root, platform)
		if err != nil {
			return err
		}
		if err := writeArchive(o.out, p, shared, when); err != nil {
			return err
		}
		log.Printf("%s: %.1f MB", platform, float64(len(p.binary))/1e6)
		if programs = append(programs, p); !o.image || !strings.HasPrefix(platform, "linux/") {
			programs[len(programs)-1].binary = nil
		}
	}
	if o.image {
		digest, err := writeImage(filepath.Join(o.out, "image"), programs, o.authorities, when)
		if err != nil {
			return err
		}
		log.Printf("image: %s", digest)
	}
	if err := writeExtension(o.root, o.out, when); err != nil {
		return err
	}
	return writeSums(o.out)
}

// runExtension writes only the browser extension.
func runExtension(o options) error {
	when, err := commitTime(o.root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	return writeExtension(o.root, o.out, when)
}

// commitTime returns the time of the checked-out commit, which all written files get as their time.
func commitTime(root string) (time.Time, error) {
	out, err := gitOutput(root, "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(out, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// build compiles the program for a platform.
func build(root, platform string) (program, error) {
	goos, goarch, found := strings.Cut(platform, "/")
	if !found {
		return program{}, fmt.Errorf("%q: want GOOS/GOARCH, such as linux/amd64", platform)
	}
	dir, err := os.MkdirTemp("", "vitrine-release-")
	if err != nil {
		return program{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "vitrine")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-gcflags=all=-dwarf=false", "-ldflags=-s -w -buildid=", "-o", path, "./cmd/vitrine")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOGC=400", "GOOS="+goos, "GOARCH="+goarch, "GOAMD64=v1", "GOARM64=v8.0")
	if err := cmd.Run(); err != nil {
		return program{}, fmt.Errorf("go build for %s: %w", platform, err)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return program{}, err
	}
	about, err := takeInventory(binary)
	return program{platform, binary, about}, err
}

// sharedFiles returns the files that are in every archive, by name. The manual page and the
// completions are printed by the program built for this machine.
func sharedFiles(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"README.md", "LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	here, err := build(root, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "vitrine-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "vitrine")
	if err := os.WriteFile(path, here.binary, 0o700); err != nil {
		return nil, err
	}
	for name, args := range map[string][]string{
		"vitrine.1":                {"man"},
		"completions/vitrine.bash": {"completion", "bash"},
		"completions/_vitrine":     {"completion", "zsh"},
		"completions/vitrine.fish": {"completion", "fish"},
	} {
		if files[name], err = exec.Command(path, args...).Output(); err != nil {
			return nil, fmt.Errorf("vitrine %q: %w", args, err)
		}
	}
	return files, nil
}

// writeSums writes SHA256SUMS of the files in out, in the format of sha256sum.
func writeSums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, e := range entries { // sorted by name
		if e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), b.Bytes(), 0o644)
}

// sorted returns the file names in order.
func sorted(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
