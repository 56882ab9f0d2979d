package feeds_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// atomDoc and jsonDoc are feeds as parsed by readers.
type atomDoc struct {
	XMLName  xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string     `xml:"id"`
	Title    string     `xml:"title"`
	Subtitle string     `xml:"subtitle"`
	Updated  time.Time  `xml:"updated"`
	Links    []atomLink `xml:"link"`
	Authors  []string   `xml:"author>name"`
	Entries  []struct {
		ID           string     `xml:"id"`
		Title        string     `xml:"title"`
		Published    time.Time  `xml:"published"`
		Updated      time.Time  `xml:"updated"`
		Links        []atomLink `xml:"link"`
		Author       string     `xml:"author>name"`
		AuthorURI    string     `xml:"author>uri"`
		Contributors []string   `xml:"contributor>name"`
		Content      struct {
			Type string `xml:"type,attr"`
			HTML string `xml:",chardata"`
		} `xml:"content"`
	} `xml:"entry"`
}

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Type   string `xml:"type,attr"`
	Title  string `xml:"title,attr"`
	Length string `xml:"length,attr"`
	Href   string `xml:"href,attr"`
}

type jsonDoc struct {
	Version     string `json:"version"`
	Title       string `json:"title"`
	HomePageURL string `json:"home_page_url"`
	FeedURL     string `json:"feed_url"`
	Items       []struct {
		ID          string    `json:"id"`
		URL         string    `json:"url"`
		ExternalURL string    `json:"external_url"`
		Title       string    `json:"title"`
		HTML        string    `json:"content_html"`
		Image       string    `json:"image"`
		Published   time.Time `json:"date_published"`
		Modified    time.Time `json:"date_modified"`
		Authors     []struct {
			Name, URL string
		} `json:"authors"`
		Attachments []struct {
			URL   string `json:"url"`
			Type  string `json:"mime_type"`
			Title string `json:"title"`
			Size  int64  `json:"size_in_bytes"`
		} `json:"attachments"`
	} `json:"items"`
}

// get sends a request as a guest.
func get(r *apptest.Rig, path string, headers ...string) *apptest.Response {
	r.T.Helper()
	return r.Do("", http.MethodGet, path, nil, headers...)
}

// atom parses an Atom feed strictly and checks it against RFC 4287.
func atom(r *apptest.Rig, path string) (doc atomDoc) {
	r.T.Helper()
	res := get(r, path).Want(http.StatusOK)
	if err := xml.Unmarshal(res.Body, &doc); err != nil {
		r.T.Fatalf("%v in %s", err, res.Body)
	}
	same(r.T, "type of "+path, res.Header.Get("Content-Type"), "application/atom+xml; charset=utf-8")
	ids := map[string]bool{}
	for _, e := range doc.Entries {
		if ids[e.ID] || !strings.HasPrefix(e.ID, "tag:vitrine.test,") || e.Updated.Before(e.Published) || e.Published.IsZero() ||
			e.Author == "" || e.Content.Type != "html" || link(e.Links, "alternate").Href == "" {
			r.T.Errorf("%s: not an entry: %+v", path, e)
		}
		ids[e.ID] = true
	}
	if doc.ID == "" || doc.Updated.IsZero() {
		r.T.Errorf("%s: not a feed: %+v", path, doc)
	}
	return doc
}

// feedJSON parses a JSON Feed.
func feedJSON(r *apptest.Rig, path string) (doc jsonDoc) {
	r.T.Helper()
	res := get(r, path).Want(http.StatusOK)
	if err := json.Unmarshal(res.Body, &doc); err != nil {
		r.T.Fatalf("%v in %s", err, res.Body)
	}
	same(r.T, "type of "+path, res.Header.Get("Content-Type"), "application/feed+json; charset=utf-8")
	same(r.T, "version of "+path, doc.Version, "https://jsonfeed.org/version/1.1")
	return doc
}

func link(all []atomLink, rel string) atomLink {
	for _, l := range all {
		if l.Rel == rel {
			return l
		}
	}
	return atomLink{}
}

// same compares two values.
func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func has(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %q in %s", what, part, text)
		}
	}
}

func hasNo(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q in %s", what, part, text)
		}
	}
}
