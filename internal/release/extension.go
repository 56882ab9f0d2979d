package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// extensionBrowsers are the browsers with a build of the extension of their own. Each has a file
// whose fields are added to the manifest.
var extensionBrowsers = []string{"chromium", "firefox"}

// notPacked are the files of the extension's folder that no build contains.
var notPacked = []string{"package.json", "manifest.chromium.json", "manifest.firefox.json"}

// writeExtension writes a zip of the browser extension for each browser.
func writeExtension(root, out string, when time.Time) error {
	version, err := extensionVersion(root)
	if err != nil {
		return err
	}
	for _, browser := range extensionBrowsers {
		files, err := extensionFiles(filepath.Join(root, "extension"), browser, version)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := writeZip(&b, "", files, when); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, "vitrine-extension-"+version+"-"+browser+".zip"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// extensionFiles returns the files of the build for a browser.
func extensionFiles(folder, browser, version string) (map[string][]byte, error) {
	files := map[string][]byte{}
	tree := os.DirFS(folder)
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains(notPacked, path) {
			return err
		}
		files[path], err = fs.ReadFile(tree, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	palette, err := os.ReadFile(filepath.Join(filepath.Dir(folder), "internal/site/web/assets/style/05-palette.css"))
	if err != nil {
		return nil, err
	}
	files["style.css"] = append(palette, files["style.css"]...)
	own, err := fs.ReadFile(tree, "manifest."+browser+".json")
	if err != nil {
		return nil, err
	}
	files["manifest.json"], err = joinManifests(files["manifest.json"], own, version)
	return files, err
}

// joinManifests adds the fields of a browser and the version to the manifest.
func joinManifests(shared, own []byte, version string) ([]byte, error) {
	var all, more map[string]any
	if err := json.Unmarshal(shared, &all); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	if err := json.Unmarshal(own, &more); err != nil {
		return nil, fmt.Errorf("the manifest of a browser: %w", err)
	}
	maps.Copy(all, more)
	all["version"] = version
	text, err := json.MarshalIndent(all, "", "  ")
	return append(text, '\n'), err
}

var described = regexp.MustCompile(`^v(\d+\.\d+\.\d+)[^-]*(?:-.*)?-(\d+)-g[0-9a-f]+$`)

// extensionVersion returns the version of the extension: that of the release, as browsers require
// it, and the number of commits since then. Without a release it is 0.0.0 and the number of all
// commits.
func extensionVersion(root string) (string, error) {
	if text, err := gitOutput(root, "describe", "--tags", "--long", "--match", "v[0-9]*"); err == nil {
		return versionOf(text)
	}
	commits, err := gitOutput(root, "rev-list", "--count", "HEAD")
	return "0.0.0." + commits, err
}

// versionOf converts the output of git describe --long, such as v1.2.3-4-gabcdef0.
func versionOf(text string) (string, error) {
	m := described.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("git describe: %q is not the version of a release", text)
	}
	if m[2] == "0" {
		return m[1], nil
	}
	return m[1] + "." + m[2], nil
}

// gitOutput runs git and returns its output without the line break.
func gitOutput(root string, args ...string) (string, error) {
	git := exec.Command("git", args...)
	git.Dir = root
	text, err := git.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(text)), nil
}
