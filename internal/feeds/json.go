package feeds

import (
	"encoding/json"
	"io"

	"vitrine/internal/present"
)

// The used objects of JSON Feed 1.1.
type (
	jsonFeed struct {
		Version     string       `json:"version"`
		Title       string       `json:"title"`
		HomePageURL string       `json:"home_page_url"`
		FeedURL     string       `json:"feed_url,omitempty"`
		Description string       `json:"description,omitempty"`
		Icon        string       `json:"icon,omitempty"`
		Authors     []jsonPerson `json:"authors,omitempty"`
		Items       []jsonItem   `json:"items"`
	}
	jsonItem struct {
		ID          string           `json:"id"`
		URL         string           `json:"url"`
		ExternalURL string           `json:"external_url,omitempty"`
		Title       string           `json:"title,omitempty"`
		ContentHTML string           `json:"content_html"`
		Image       string           `json:"image,omitempty"`
		Published   string           `json:"date_published"`
		Modified    string           `json:"date_modified"`
		Authors     []jsonPerson     `json:"authors"`
		Attachments []jsonAttachment `json:"attachments,omitempty"`
	}
	jsonPerson struct {
		Name   string `json:"name"`
		URL    string `json:"url,omitempty"`
		Avatar string `json:"avatar,omitempty"`
	}
	jsonAttachment struct {
		URL   string `json:"url"`
		Type  string `json:"mime_type"`
		Title string `json:"title,omitempty"`
		Size  int64  `json:"size_in_bytes,omitempty"`
	}
)

// json writes the feed as JSON Feed 1.1.
func (x feed) json(w io.Writer) error {
	doc := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: x.title, HomePageURL: x.page,
		Description: x.subtitle, Icon: x.icon, Items: []jsonItem{}}
	if x.address != nil {
		doc.FeedURL = x.address(present.JSONFeed)
	}
	for _, p := range x.authors {
		doc.Authors = append(doc.Authors, jsonPerson{p.name, p.page, p.avatar})
	}
	for _, e := range x.entries {
		doc.Items = append(doc.Items, e.json())
	}
	return json.NewEncoder(w).Encode(doc)
}

func (e entry) json() jsonItem {
	out := jsonItem{ID: e.id, URL: e.page, ExternalURL: e.external, Title: e.title, ContentHTML: e.html, Image: e.image,
		Published: formatTime(e.published), Modified: formatTime(e.updated),
		Authors: []jsonPerson{{e.author.name, e.author.page, e.author.avatar}}}
	if a := e.attachment; a != nil {
		out.Attachments = []jsonAttachment{{a.address, a.contentType, a.name, a.size}}
	}
	return out
}
