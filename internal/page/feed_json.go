package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// jsonEntry is an item of a JSON feed. Numbers are common as ids.
type jsonEntry struct {
	ID          any    `json:"id"`
	URL         string `json:"url"`
	ExternalURL string `json:"external_url"`
	Title       string `json:"title"`
	Summary     string `json:"summary"`
	Text        string `json:"content_text"`
	HTML        string `json:"content_html"`
	Published   string `json:"date_published"`
	Modified    string `json:"date_modified"`
}

// readJSON reads a JSON feed up to its end or its first error.
func (f *feedReader) readJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	isFeed := false
	err := f.jsonMembers(d, &isFeed)
	switch {
	case !isFeed:
		f.feed.Entries = nil
		return &NotFeedError{}
	case err != nil:
		return ErrBrokenFeed
	}
	return nil
}

// jsonMembers reads the members of the document.
func (f *feedReader) jsonMembers(d *json.Decoder, isFeed *bool) error {
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var version, title string
		switch name {
		case "version":
			err = tolerant(d.Decode(&version))
			*isFeed = *isFeed || strings.Contains(version, "jsonfeed.org/version/")
		case "title":
			err = tolerant(d.Decode(&title))
			f.feed.Title = line(title, maxFeedTitle)
		case "items":
			err = f.jsonEntries(d)
		default:
			err = d.Decode(&json.RawMessage{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// jsonEntries reads the array of entries.
func (f *feedReader) jsonEntries(d *json.Decoder) error {
	start, err := d.Token()
	if err != nil || start != json.Delim('[') {
		return ErrBrokenFeed
	}
	for d.More() {
		var e jsonEntry
		if err := tolerant(d.Decode(&e)); err != nil {
			return err
		}
		if f.read++; f.read <= maxFeedRead {
			f.addJSON(e)
		}
	}
	_, err = d.Token()
	return err
}

// addJSON adds an entry.
func (f *feedReader) addJSON(e jsonEntry) {
	var id string
	switch value := e.ID.(type) {
	case string:
		id = value
	case json.Number:
		id = value.String()
	}
	summary := firstLine(maxSummary, e.Summary, e.Text)
	if summary == "" {
		summary = plainText(clipped(e.HTML, maxFeedText), maxSummary)
	}
	made := FeedEntry{ID: clipped(id, maxFeedID), Title: line(e.Title, maxFeedTitle), Summary: summary, Date: feedDate(e.Published)}
	if made.Date.IsZero() {
		made.Date = feedDate(e.Modified)
	}
	link := id
	if !strings.Contains(id, "://") {
		link = ""
	}
	f.add(made, f.at, e.URL, e.ExternalURL, link)
}

// tolerant drops the error for a value of the wrong type, which the decoder has read nevertheless.
func tolerant(err error) error {
	if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); wrong {
		return nil
	}
	return err
}
