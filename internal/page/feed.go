package page

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Limits of a feed. Lengths of texts are in characters.
const (
	maxFeedEntries = 200    // that are returned: the newest
	maxFeedRead    = 10_000 // entries of a document that are read
	maxFeedDepth   = 100    // nested elements
	maxFeedText    = 64 << 10
	maxFeedTitle   = 255
	maxSummary     = 500
	maxFeedID      = 4_096
	maxFeedLinks   = 4 // feeds that a page names
)

// Feed is the content of an Atom, RSS or JSON feed. Missing values are empty.
type Feed struct {
	Title   string        // at most 255 characters on one line
	TTL     time.Duration // how long the feed asks readers to wait; 0 if it does not
	Entries []FeedEntry   // newest first, at most 200
}

// FeedEntry is an entry of a feed.
type FeedEntry struct {
	ID      string    // the feed's own id; feeds use some for several entries
	Link    string    // absolute http(s), never empty
	Title   string    // at most 255 characters on one line
	Summary string    // plain text, at most 255 characters on one line
	Date    time.Time // may be in the future; zero if missing
}

// NotFeedError is returned for a document that is not a feed.
type NotFeedError struct {
	Page  bool     // it is a web page
	Feeds []string // absolute addresses of the feeds that the page names, in its order
}

// Error returns a sentence for users without its full stop.
func (e *NotFeedError) Error() string {
	if e.Page {
		return "This is a web page, not a feed"
	}
	return "This is not an Atom, RSS or JSON feed"
}

// FeedError is why a feed cannot be read: a sentence for users without its full stop.
type FeedError string

// Error implements error.
func (e FeedError) Error() string { return string(e) }

const (
	// ErrBrokenFeed is returned for a feed that cannot be read far enough to find an entry.
	ErrBrokenFeed FeedError = "The feed is broken and cannot be read"
	// ErrFeedEntities is returned for a feed that defines entities, which can be nested to become huge.
	ErrFeedEntities FeedError = "The feed defines XML entities, which are not read"
)

// ReadFeed reads a feed that was fetched from at. contentType is the header of the response, or empty. Only the first
// 5 MiB of a body and 10,000 entries are read, and a body that ends early or breaks off is read up to that point.
// Entries without a link are left out.
func ReadFeed(at *url.URL, contentType string, body []byte) (Feed, error) {
	if at == nil || !web(at) {
		return Feed{}, ErrAddress
	}
	text := bytes.TrimSpace(decodeFeed(contentType, body[:min(len(body), maxBody)]))
	f := feedReader{at: at}
	var err error
	if bytes.HasPrefix(text, []byte("{")) {
		err = f.readJSON(text)
	} else {
		err = f.readXML(text)
	}
	if err != nil && len(f.feed.Entries) == 0 {
		return Feed{}, err
	}
	if errors.Is(err, ErrFeedEntities) {
		return Feed{}, err
	}
	f.feed.Entries = newest(f.feed.Entries)
	return f.feed, nil
}

// decodeFeed converts a body to UTF-8. Many servers declare a character set in the header without looking at the feed,
// so a body that is valid UTF-8 and declares nothing else is not converted.
func decodeFeed(contentType string, body []byte) []byte {
	declared := xmlEncoding.FindSubmatch(body[:min(len(body), 1<<10)])
	if declared == nil || strings.EqualFold(string(declared[1]), "utf-8") {
		if validUTF8(body) {
			contentType = "text/xml; charset=utf-8"
		}
	}
	return Decode(contentType, body)
}

// newest returns the newest entries. Entries that have no date are as old as their place in the feed says, which is
// the newest first in practice.
func newest(all []FeedEntry) []FeedEntry {
	if !slices.ContainsFunc(all, func(e FeedEntry) bool { return e.Date.IsZero() }) {
		slices.SortStableFunc(all, func(a, b FeedEntry) int { return b.Date.Compare(a.Date) })
	}
	return slices.Clip(all[:min(len(all), maxFeedEntries)])
}

// feedReader reads one document.
type feedReader struct {
	at   *url.URL
	feed Feed
	read int // entries so far, with those that are left out
}

// add adds an entry if it has a link. candidates are its links, best first.
func (f *feedReader) add(e FeedEntry, base *url.URL, candidates ...string) {
	for _, candidate := range candidates {
		if link, ok := absolute(base, candidate); ok {
			e.Link = link.String()
			f.feed.Entries = append(f.feed.Entries, e)
			return
		}
	}
}

// notFeed returns the error for a document that is not a feed.
func (f *feedReader) notFeed(text []byte) error {
	start := bytes.ToLower(text[:min(len(text), 1<<10)])
	if !bytes.Contains(start, []byte("<!doctype html")) && !bytes.Contains(start, []byte("<html")) && !bytes.Contains(start, []byte("<head")) {
		return &NotFeedError{}
	}
	return &NotFeedError{Page: true, Feeds: scan(text).feeds(f.at)}
}

// feedTypes are the media types by which pages refer to their feeds.
var feedTypes = []string{"application/atom+xml", "application/rss+xml", "application/feed+json", "application/rdf+xml"}

// feeds returns the feeds that a page names.
func (s said) feeds(at *url.URL) (all []string) {
	base := s.resolveBase(at)
	for _, l := range s.links {
		if !slices.Contains(strings.Fields(l.rel), "alternate") || !slices.Contains(feedTypes, l.kind) {
			continue
		}
		if u, ok := absolute(base, l.href); ok && len(all) < maxFeedLinks && !slices.Contains(all, u.String()) {
			all = append(all, u.String())
		}
	}
	return all
}

// inline are elements that do not separate words.
var inline = []string{"a", "abbr", "b", "bdi", "cite", "code", "em", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u"}

// plainText returns the text of HTML on one line. Text without markup is returned as it is.
func plainText(markup string, limit int) string {
	z := html.NewTokenizer(strings.NewReader(markup))
	var b strings.Builder
	hidden := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return line(b.String(), limit)
		case html.TextToken:
			if !hidden {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag := z.Token()
			if !slices.Contains(inline, tag.Data) {
				b.WriteByte(' ')
			}
			hidden = tag.Type == html.StartTagToken && (tag.Data == "script" || tag.Data == "style")
		}
	}
}

// dateLayouts are the forms of dates in feeds, those of the standards first.
var dateLayouts = []string{
	time.RFC3339, time.RFC1123Z, time.RFC1123,
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04 -0700", "Mon, 2 Jan 2006 15:04 MST",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "Mon, 2 January 2006 15:04:05 -0700", "Mon, 2 Jan 06 15:04:05 -0700",
	"Mon, 2 Jan 06 15:04:05 MST", "2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05", "2006-01-02", "Mon, 2 Jan 2006",
}

// feedDate parses a date. It returns the zero time for one that cannot be read, or is not of this age.
func feedDate(text string) time.Time {
	if text = line(text, 60); text == "" {
		return time.Time{}
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			if t.Year() < 1970 || t.Year() > 9999 {
				return time.Time{}
			}
			return t.UTC()
		}
	}
	return time.Time{}
}
