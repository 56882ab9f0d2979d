package importing_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

// said returns the counts that a test compares.
func said(c importing.Counts) string {
	return fmt.Sprintf("channels %d, blocks %d, connections %d, changed %d, moved %d, unchanged %d, left out %d", c.Channels, c.Blocks, c.Connections, c.Changed, c.Moved, c.Unchanged, c.LeftOut)
}

// A later version of a file updates what the first one brought, and adds what is new. A dry run reports
// the same new items, and the same file once more changes nothing.
func TestLaterVersionsOfFiles(t *testing.T) {
	t.Parallel()
	const netscape = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for i, c := range []struct {
			name, first, second string
			want                string // what the second brings
		}{
			{"a row more", "url,title\nhttps://a%d.invalid/,A\n", "url,title\nhttps://a%d.invalid/,A\nhttps://b%d.invalid/,B\n", `
channels 0, blocks 1, connections 1, changed 0, moved 0, unchanged 1, left out 0`},
			{"a row less", "url,title\nhttps://a%d.invalid/,A\nhttps://b%d.invalid/,B\n", "url,title\nhttps://a%d.invalid/,A\n", `
channels 0, blocks 0, connections 0, changed 0, moved 0, unchanged 1, left out 0`},
			{"another order", "url,title\nhttps://a%d.invalid/,A\nhttps://b%d.invalid/,B\n", "url,title\nhttps://b%d.invalid/,B\nhttps://a%d.invalid/,A\n", `
channels 0, blocks 0, connections 0, changed 0, moved 1, unchanged 2, left out 0`},
			{"another title", "url,title\nhttps://a%d.invalid/,A\n", "url,title\nhttps://a%d.invalid/,Another\n", `
channels 0, blocks 0, connections 0, changed 1, moved 0, unchanged 0, left out 0`},
			{"no title any more", "url,title\nhttps://a%d.invalid/,A\n", "url,title\nhttps://a%d.invalid/,\n", `
channels 0, blocks 0, connections 0, changed 1, moved 0, unchanged 0, left out 0`},
			{"another note and more tags", "url,note,tags\nhttps://a%d.invalid/,N,x\n", "url,note,tags\nhttps://a%d.invalid/,M,\"x,y\"\n", `
channels 0, blocks 0, connections 0, changed 1, moved 0, unchanged 0, left out 0`},
			{"the address in another form", "url\nhttps://a%d.invalid/\n", "url\nHTTPS://A%d.INVALID:443\n", `
channels 0, blocks 0, connections 0, changed 0, moved 0, unchanged 1, left out 0`},
			{"another folder", "url,folder\nhttps://a%d.invalid/,F\n", "url,folder\nhttps://a%d.invalid/,G\n", `
channels 1, blocks 0, connections 2, changed 0, moved 0, unchanged 0, left out 0`},
			{"the same in two folders", "url,folder\nhttps://a%d.invalid/,F\n", "url,folder\nhttps://a%d.invalid/,F\nhttps://a%d.invalid/,G\n", `
channels 1, blocks 0, connections 2, changed 0, moved 0, unchanged 2, left out 0`},
			{"private now", "url,private\nhttps://a%d.invalid/,\n", "url,private\nhttps://a%d.invalid/,1\n", `
channels 1, blocks 1, connections 2, changed 0, moved 0, unchanged 0, left out 0`},
			{"a corrected row", "url,title\nx,A\nhttps://g%d.invalid/,G\n", "url,title\nhttps://a%d.invalid/,A\nhttps://g%d.invalid/,G\n", `
channels 0, blocks 1, connections 1, changed 0, moved 0, unchanged 1, left out 0`},
			{"a text with another title", "text,title\nWords %d,A\n", "text,title\nWords %d,B\n", `
channels 0, blocks 0, connections 0, changed 1, moved 0, unchanged 0, left out 0`},
			{"another text", "text,title\nWords %d,A\n", "text,title\nOther words %d,A\n", `
channels 0, blocks 1, connections 1, changed 0, moved 0, unchanged 0, left out 0`},
			{"the same as a list of lines", "url\nhttps://a%d.invalid/\n", "https://a%d.invalid/\n", `
channels 0, blocks 0, connections 0, changed 0, moved 0, unchanged 1, left out 0`},
			{"a folder around it", netscape + "<H1>H%d</H1><DL><DT><A HREF=\"https://a%d.invalid/\">A</A></DL>", netscape + "<H1>H%d</H1><DL><DT><H3>F</H3><DL><DT><A HREF=\"https://a%d.invalid/\">A</A></DL></DL>", `
channels 1, blocks 0, connections 2, changed 0, moved 0, unchanged 0, left out 0`},
			{"a renamed folder", netscape + "<H1>H%d</H1><DL><DT><H3>F</H3><DL><DT><A HREF=\"https://a%d.invalid/\">A</A></DL></DL>", netscape + "<H1>H%d</H1><DL><DT><H3>G</H3><DL><DT><A HREF=\"https://a%d.invalid/\">A</A></DL></DL>", `
channels 1, blocks 0, connections 2, changed 0, moved 0, unchanged 0, left out 0`},
			{"a file that broke off", netscape + "<H1>H%d</H1><DL><DT><A HREF=\"https://a%d.invalid/\">A</A><DT><A HREF=\"https://b", netscape + "<H1>H%d</H1><DL><DT><A HREF=\"https://a%d.invalid/\">A</A><DT><A HREF=\"https://b%d.invalid/\">B</A></DL>", `
channels 0, blocks 1, connections 1, changed 0, moved 0, unchanged 1, left out 0`},
			{"outlines that became a folder", `<opml><head><title>O%d</title></head><body><outline text="x"/></body></opml>`, `<opml><head><title>O%d</title></head><body><outline text="x"><outline text="y"/></outline></body></opml>`, `
channels 1, blocks 1, connections 2, changed 0, moved 0, unchanged 0, left out 0`},
			{"a feed with a page now", `<opml><head><title>O%d</title></head><body><outline text="x" xmlUrl="https://a%d.invalid/f"/></body></opml>`, `<opml><head><title>O%d</title></head><body><outline text="x" xmlUrl="https://a%d.invalid/f" htmlUrl="https://a%d.invalid/"/></body></opml>`, `
channels 0, blocks 1, connections 1, changed 0, moved 0, unchanged 0, left out 0`},
		} {
			file := func(text string) source.Source {
				return files.Text(strings.NewReader(strings.ReplaceAll(text, "%d", fmt.Sprint(i))), files.Options{Title: fmt.Sprintf("List %s", string(rune('a'+i)))})
			}
			o := importing.Options{Visibility: domain.Public}
			run(t, r, file(c.first), o)
			dry := o
			dry.DryRun = true
			before := r.Dump()
			would := said(run(t, r, file(c.second), dry).Counts)
			if diff := before.Diff(r.Dump()); len(diff) > 0 {
				t.Errorf("%s: a dry run changed\n%s", c.name, strings.Join(diff, "\n"))
			}
			got := said(run(t, r, file(c.second), o).Counts)
			if created, _, _ := strings.Cut(got, ", changed"); !strings.HasPrefix(would, created) {
				t.Errorf("%s: the dry run said\n%s\nand it was\n%s", c.name, would, got)
			}
			if want := strings.TrimSpace(c.want); got != want {
				t.Errorf("%s: got\n%s\n\nand not\n%s", c.name, got, want)
			}
			again := run(t, r, file(c.second), o).Counts
			if again.Channels+again.Blocks+again.Connections+again.Changed+again.Moved > 0 {
				t.Errorf("%s, once more: %s", c.name, said(again))
			}
		}
	})
}
