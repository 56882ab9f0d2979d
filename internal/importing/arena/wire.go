package arena

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/weburl"
)

// The fields of version 3 that are imported. Each item of a list is decoded separately, so that an
// invalid one is left out without affecting the others.
type (
	list struct {
		Data []entry
		Meta struct {
			Total int64 `json:"total_count"`
			More  bool  `json:"has_more_pages"`
		}
	}

	// entry is an item of a list, or the reason why it cannot be read.
	entry struct {
		resource
		why string
	}

	person struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
		Name string `json:"name"`
		Slug string `json:"slug"`
	}

	markdown struct {
		Markdown string `json:"markdown"`
	}

	picture struct {
		Alt      string `json:"alt_text"`
		Src      string `json:"src"`
		Filename string `json:"filename"`
		Size     *int64 `json:"file_size"`
		Large    struct {
			Src string `json:"src"`
		} `json:"large"`
	}

	connection struct {
		ID          int64           `json:"id"`
		Pinned      bool            `json:"pinned"`
		Metadata    source.Metadata `json:"metadata"`
		ConnectedAt time.Time       `json:"connected_at"`
		ConnectedBy person          `json:"connected_by"`
	}

	// resource is a channel, a block or a comment.
	resource struct {
		ID          int64           `json:"id"`
		Type        string          `json:"type"`
		State       string          `json:"state"`
		Slug        string          `json:"slug"`
		Title       string          `json:"title"`
		Description markdown        `json:"description"`
		Content     markdown        `json:"content"`
		Body        markdown        `json:"body"`
		Visibility  string          `json:"visibility"`
		CreatedAt   time.Time       `json:"created_at"`
		UpdatedAt   time.Time       `json:"updated_at"`
		Metadata    source.Metadata `json:"metadata"`
		Owner       person          `json:"owner"`
		User        person          `json:"user"`
		Comments    int64           `json:"comment_count"`
		Counts      struct {
			Contents int64 `json:"contents"`
		} `json:"counts"`
		Source struct {
			URL   string `json:"url"`
			Title string `json:"title"`
		} `json:"source"`
		Image      *picture `json:"image"`
		Attachment struct {
			Filename string `json:"filename"`
			URL      string `json:"url"`
			Size     *int64 `json:"file_size"`
		} `json:"attachment"`
		Embed struct {
			URL          string  `json:"url"`
			Type         string  `json:"type"`
			Title        string  `json:"title"`
			AuthorName   string  `json:"author_name"`
			AuthorURL    string  `json:"author_url"`
			SourceURL    string  `json:"source_url"`
			Width        float64 `json:"width"`
			Height       float64 `json:"height"`
			HTML         string  `json:"html"`
			ThumbnailURL string  `json:"thumbnail_url"`
		} `json:"embed"`
		Connection connection `json:"connection"`
	}
)

// read decodes one item of a list. why is the reason for the user if it is invalid.
func read(text json.RawMessage) (t resource, why string) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&t); err != nil {
		var id struct {
			ID json.Number `json:"id"`
		}
		_ = json.Unmarshal(text, &id) // only needed for the report
		t = resource{Title: id.ID.String()}
		return t, "It is not of the form that version 3 gives it: " + strings.TrimPrefix(err.Error(), "json: ")
	}
	if t.ID <= 0 {
		return t, "It has no id"
	}
	return t, ""
}

// site returns the address of the server's website.
func (s *Source) site() string {
	if rest, ok := strings.CutPrefix(s.client.base, "https://api."); ok {
		return "https://www." + rest
	}
	return s.client.base
}

func (s *Source) person(p person) source.Person {
	if p.Name == "" && p.Slug == "" {
		return source.Person{}
	}
	at := s.site() + "/" + url.PathEscape(p.Slug)
	if p.Type == "Group" {
		at = s.site() + "/group/" + url.PathEscape(p.Slug)
	}
	return source.Person{Name: p.Name, Address: at, Self: p.Type != "Group" && p.ID != 0 && p.ID == s.self}
}

func (s *Source) channel(t resource) source.Channel {
	return source.Channel{ID: fmt.Sprint(t.ID), Title: t.Title, Description: t.Description.Markdown, Visibility: domain.Visibility(t.Visibility),
		Metadata: t.Metadata, Owner: s.person(t.Owner), CreatedAt: t.CreatedAt, Where: s.pageOf(t)}
}

// pageOf returns the address of an item's page, for reports.
func (s *Source) pageOf(t resource) string {
	if t.Type != "Channel" {
		return fmt.Sprintf("%s/block/%d", s.site(), t.ID)
	}
	return s.site() + "/" + url.PathEscape(t.Owner.Slug) + "/" + url.PathEscape(t.Slug)
}

// item converts a thing to an item. why is the reason for the user if it cannot be imported.
func (s *Source) item(t resource) (it source.Item, why string) {
	at := t.Connection
	it = source.Item{ID: fmt.Sprint(t.ID), Kind: source.Kind(t.Type), Title: t.Title, Description: t.Description.Markdown,
		Content: t.Content.Markdown, Address: t.Source.URL, BlockTexts: domain.BlockTexts{SourceTitle: new(t.Source.Title)}, Metadata: t.Metadata, Author: s.person(t.User),
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Complete: true, AddedBy: s.person(at.ConnectedBy), ConnectionMetadata: at.Metadata,
		ConnectedAt: at.ConnectedAt, Pinned: at.Pinned, Where: s.pageOf(t)}
	if t.Image != nil {
		it.AltText = new(t.Image.Alt)
	}
	switch it.Kind {
	case source.Image:
		it.File = s.picture(t.Image)
	case source.Attachment:
		it.File = s.file(t.Attachment.Filename, t.Attachment.URL, t.Attachment.Size)
		it.Preview = s.picture(t.Image)
	case source.Link:
		it.Preview = s.picture(t.Image)
	case source.Embed:
		it.Preview = s.picture(t.Image)
		e := t.Embed
		it.Embed = &domain.Embed{URL: e.URL, Type: e.Type, Title: e.Title, AuthorName: e.AuthorName, AuthorURL: e.AuthorURL,
			SourceURL: e.SourceURL, Width: pixels(e.Width), Height: pixels(e.Height), HTML: e.HTML, ThumbnailURL: e.ThumbnailURL}
		if it.Address == "" {
			it.Address = e.SourceURL
		}
	case source.Nested:
		it = source.Item{ID: it.ID, Kind: it.Kind, Title: it.Title, Author: s.person(t.Owner), AddedBy: it.AddedBy,
			ConnectionMetadata: it.ConnectionMetadata, ConnectedAt: it.ConnectedAt, Pinned: it.Pinned, Where: it.Where}
	case "PendingBlock":
		return it, "It has no content there yet"
	}
	return it, ""
}

// pixels returns a plausible size, or 0.
func pixels(n float64) int64 {
	if n >= 0 && n <= 100_000 {
		return int64(n)
	}
	return 0
}

// picture returns the original image of a block, or else the largest version.
func (s *Source) picture(p *picture) *source.File {
	if p == nil {
		return nil
	}
	at := p.Src
	if at == "" {
		at = p.Large.Src
	}
	return s.file(p.Filename, at, p.Size)
}

func (s *Source) file(name, at string, size *int64) *source.File {
	if at == "" {
		return nil
	}
	if name == "" {
		if u, err := weburl.Parse(at); err == nil {
			name = path.Base(u.Path)
		}
	}
	f := &source.File{Name: name, Size: -1, Open: s.opening(at)}
	if size != nil && *size >= 0 {
		f.Size = *size
	}
	return f
}
