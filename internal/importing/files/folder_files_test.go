//go:build unix

package files_test

import (
	"context"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// keeper records the files that are handed over.
type keeper struct {
	sourcetest.Count
	files []*source.File
}

func (k *keeper) Item(ctx context.Context, channel string, it source.Item) error {
	k.files = append(k.files, it.File)
	return k.Count.Item(ctx, channel, it)
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	if _, err := files.NewFolder(t.TempDir() + "/none"); err == nil {
		t.Error("there is none")
	}
}

func FuzzShortcuts(f *testing.F) {
	f.Add(".webloc", binaryWebloc)
	f.Add(".webloc", "<plist><key>URL</key><string>https://example.org/</string>")
	f.Add(".url", "[InternetShortcut]\r\nURL=https://example.org/")
	f.Add(".md", "# Title")
	f.Fuzz(func(t *testing.T, extension, content string) {
		if extension != ".webloc" && extension != ".url" && extension != ".md" {
			t.Skip()
		}
		dir := t.TempDir()
		write(t, dir+"/x"+extension, content)
		s, err := files.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if told := sourcetest.Read(t, s); len(told) != 3 { // the channel, the file or the reason, the end
			t.Errorf("%q", told)
		}
	})
}
