package opml

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadAndWrite(t *testing.T) {
	var file bytes.Buffer
	feeds := []Feed{{"Moss & <stones>", "https://a.example/feed?a=1&b=2"}, {"", "https://b.example/"}}
	if err := Write(&file, "Feeds of Ada", []Folder{{"Reading", feeds}, {"Empty", nil}}); err != nil {
		t.Fatal(err)
	}
	read, more, err := Read(file.Bytes())
	feeds[1].Title = feeds[1].Address
	if err != nil || more != 0 || !slices.Equal(read, feeds) {
		t.Errorf("read %v, %d, %v from %s", read, more, err, &file)
	}
}

func TestRead(t *testing.T) {
	many := "<opml><body>" + strings.Repeat(`<outline xmlUrl="https://a.example/"/>`, MaxFeeds+7) + "</body></opml>"
	if feeds, more, err := Read([]byte(many)); len(feeds) != MaxFeeds || more != 7 || err != nil {
		t.Errorf("many: %d, %d, %v", len(feeds), more, err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"folders":     {`<?xml version="1.0"?><OPML><body><outline text="F"><outline text="A" XMLURL=" https://a.example/ "/></outline></body></OPML>`, "[{A https://a.example/}] <nil>"},
		"charset":     {"<?xml version='1.0' encoding='iso-8859-1'?><opml><body><outline title='Caf\xe9' xmlUrl='x'/></body></opml>", "[{Café x}] <nil>"},
		"a feed":      {"<rss/>", "[] opml: the file is not OPML"},
		"empty":       {"", "[] opml: the file is not OPML"},
		"cut off":     {"<opml><body><outline xmlUrl='x'/>", "[] opml: the file is not OPML"},
		"deep":        {"<opml>" + strings.Repeat("<outline>", 100_000), "[] opml: the file is not OPML"},
		"entity bomb": {`<!DOCTYPE x [<!ENTITY a "aa">]><opml><body><outline xmlUrl="&a;"/></body></opml>`, "[{ &a;}] <nil>"},
	} {
		feeds, _, err := Read([]byte(c.file))
		if got := fmt.Sprint(feeds, err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
