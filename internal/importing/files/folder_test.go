//go:build unix

package files_test

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// binaryWebloc is a macOS shortcut.
const binaryWebloc = "bplist00\xd1\x01\x02SURL_\x10\x1ahttps://example.org/binary\x08\x0b\x0f\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x2c"

// sum matches the id of a file, which another test checks.
var sum = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

func TestFolder(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.txt"), "secret")
	dir := filepath.Join(t.TempDir(), "My files")
	for name, content := range map[string]string{
		"10.txt":                    "ten",
		"2.txt":                     "Gr\xfc\xdfe\r\n",
		"3.txt":                     "2*3*4",
		"Notes.md":                  "# Title\n\nText\n",
		"empty.txt":                 "",
		"blank.md":                  " \n",
		"long.txt":                  strings.Repeat("x", 200_001),
		"bytes.txt":                 "a\x00b",
		"photo.jpg":                 "\xff\xd8\xff of a photo",
		"Windows.url":               "[InternetShortcut]\r\nIDList=\r\nURL=https://example.org/windows\r\n",
		"Mac.webloc":                `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"><plist version="1.0"><dict><key>Name</key><string>x</string><key>URL</key><string>https://example.org/mac?a=1&amp;b=2</string></dict></plist>`,
		"Mac binary.webloc":         binaryWebloc,
		"broken.webloc":             "<plist><dict><key>URL</ke",
		"script.url":                "[InternetShortcut]\nURL=javascript:alert(1)\n",
		"none.url":                  "[InternetShortcut]\n",
		"Sub/photo again.jpg":       "\xff\xd8\xff of a photo",
		"Sub/Deeper/bad \xff name":  "bytes",
		".hidden":                   "hidden",
		".git/config":               "hidden",
		"Thumbs.db":                 "hidden",
		"Empty/.keep":               "hidden",
		"Zwei/" + ".DS_Store":       "hidden",
		"Zwei/Link in folder.txt":   "text",
		"Zwei/Link in folder 2.txt": "text",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	for name, target := range map[string]string{
		"to a file": filepath.Join(outside, "secret.txt"), "to a folder": outside, "to a neighbour": "10.txt", "to itself": ".", "Sub/up": "..", "broken": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	folderExpect(t, dir, `
channel /My+files/ "My files"
Text sha256:… in /My+files/ title="2" content="Grüße" at=2024-03-05T10:20:30 where="2.txt"
Text sha256:… in /My+files/ title="3" content="2\\*3\\*4" at=2024-03-05T10:20:30 where="3.txt"
Text sha256:… in /My+files/ title="10" content="ten" at=2024-03-05T10:20:30 where="10.txt"
left out "blank.md", blank.md: it is empty
left out "broken", broken: it is a link to another file
left out "broken.webloc", broken.webloc: it cannot be read: it is no shortcut of macOS
Attachment sha256:… in /My+files/ title="bytes.txt" at=2024-03-05T10:20:30 file="bytes.txt" "a\x00b" where="bytes.txt"
channel /My+files/Empty/ "Empty"
Channel /My+files/Empty/ in /My+files/ where="Empty"
close /My+files/Empty/
left out "empty.txt", empty.txt: it is empty
Attachment sha256:… in /My+files/ title="long.txt" at=2024-03-05T10:20:30 file="long.txt" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" where="long.txt"
Link https://example.org/binary in /My+files/ title="Mac binary" address="https://example.org/binary" at=2024-03-05T10:20:30 where="Mac binary.webloc"
Link https://example.org/mac?a=1&b=2 in /My+files/ title="Mac" address="https://example.org/mac?a=1&b=2" at=2024-03-05T10:20:30 where="Mac.webloc"
left out "none.url", none.url: has no address
Text sha256:… in /My+files/ title="Notes" content="# Title\n\nText" at=2024-03-05T10:20:30 where="Notes.md"
Attachment sha256:… in /My+files/ title="photo.jpg" at=2024-03-05T10:20:30 file="photo.jpg" "\xff\xd8\xff of a photo" where="photo.jpg"
left out "pipe", pipe: it is no file, but a socket, pipe or device
left out "script.url", script.url: javascript: is not a web address
channel /My+files/Sub/ "Sub"
Channel /My+files/Sub/ in /My+files/ where="Sub"
channel /My+files/Sub/Deeper/ "Deeper"
Channel /My+files/Sub/Deeper/ in /My+files/Sub/ where="Sub/Deeper"
Attachment sha256:… in /My+files/Sub/Deeper/ title="bad � name" at=2024-03-05T10:20:30 file="bad � name" "bytes" where="Sub/Deeper/bad \xff name"
close /My+files/Sub/Deeper/
Attachment sha256:… in /My+files/Sub/ title="photo again.jpg" at=2024-03-05T10:20:30 file="photo again.jpg" "\xff\xd8\xff of a photo" where="Sub/photo again.jpg"
left out "up", Sub/up: it is a link to another file
close /My+files/Sub/
left out "to a file", to a file: it is a link to another file
left out "to a folder", to a folder: it is a link to another file
left out "to a neighbour", to a neighbour: it is a link to another file
left out "to itself", to itself: it is a link to another file
Link https://example.org/windows in /My+files/ title="Windows" address="https://example.org/windows" at=2024-03-05T10:20:30 where="Windows.url"
channel /My+files/Zwei/ "Zwei"
Channel /My+files/Zwei/ in /My+files/ where="Zwei"
Text sha256:… in /My+files/Zwei/ title="Link in folder 2" content="text" at=2024-03-05T10:20:30 where="Zwei/Link in folder 2.txt"
Text sha256:… in /My+files/Zwei/ title="Link in folder" content="text" at=2024-03-05T10:20:30 where="Zwei/Link in folder.txt"
close /My+files/Zwei/
close /My+files/`)
}

// write creates a file with a fixed time.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 3, 5, 10, 20, 30, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func folderExpect(t *testing.T, dir, want string) {
	t.Helper()
	f, err := files.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	told := sum.ReplaceAllString(strings.Join(sourcetest.Read(t, f), "\n"), "sha256:…")
	if want = strings.TrimSpace(want); told != want {
		t.Errorf("told\n%s\n\nand not\n%s", told, want)
	}
}

func TestTheSameContentHasOneID(t *testing.T) {
	t.Parallel()
	one, other := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "other")
	write(t, filepath.Join(one, "a.bin"), "the same")
	write(t, filepath.Join(other, "deep", "b.bin"), "the same")
	write(t, filepath.Join(other, "deep", "c.bin"), "the same!")
	ids := map[string]int{}
	for _, dir := range []string{one, other} {
		f, err := files.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range sourcetest.Read(t, f) {
			if fields := strings.Fields(line); fields[0] == "Attachment" {
				ids[fields[1]]++
			}
		}
		f.Close()
	}
	if len(ids) != 2 {
		t.Errorf("%v", ids)
	}
}

// TestWhatChangesMeanwhile replaces a file by a link after it was listed.
func TestWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	for _, name := range []string{"gone", "link", "socket"} {
		write(t, filepath.Join(dir, name), "content of "+name)
	}
	f, err := files.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var files keeper
	if err := f.Read(t.Context(), &files); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gone", "link", "socket"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, file := range files.files {
		in, err := file.Open(t.Context())
		if _, ok := source.ReasonOf(err); !ok {
			t.Errorf("%s: %v, %v", file.Name, in, err)
		}
	}
	if len(files.files) != 3 {
		t.Errorf("%d files", len(files.files))
	}
}
