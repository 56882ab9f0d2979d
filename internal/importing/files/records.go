package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// person is a user or group of the exporting server.
type person struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// bundleChannel is a line of json/channels.jsonl.
type bundleChannel struct {
	ID          int64                 `json:"id"`
	Title       string                `json:"title"`
	Description string                `json:"description"`
	Visibility  domain.Visibility     `json:"visibility"`
	Layout      domain.Layout         `json:"layout"`
	Snapshots   domain.SnapshotPolicy `json:"snapshots"`
	Owner       person                `json:"owner"`
	Metadata    source.Metadata       `json:"metadata"`
	CreatedAt   time.Time             `json:"created_at"`
	URL         string                `json:"url"`
	Contents    string                `json:"contents"`
}

// connection is a line of the contents of a channel.
type connection struct {
	Pinned      bool            `json:"pinned"`
	Metadata    source.Metadata `json:"metadata"`
	ConnectedAt time.Time       `json:"connected_at"`
	ConnectedBy person          `json:"connected_by"`
	Block       *block          `json:"block"`
	Channel     *struct {
		ID    int64  `json:"id"`
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"channel"`
}

type block struct {
	ID          int64  `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Content     string `json:"content"`
	domain.BlockTexts
	SourceURL  string                `json:"source_url"`
	ValueURL   string                `json:"value_url"`
	Image      *bundleFile           `json:"image"`
	Attachment *bundleFile           `json:"attachment"`
	KeepsAll   bool                  `json:"keep_file_metadata"`
	Snapshots  domain.SnapshotPolicy `json:"snapshots"`
	Embed      *embed                `json:"embed"`
	Metadata   source.Metadata       `json:"metadata"`
	Author     person                `json:"author"`
	CreatedAt  time.Time             `json:"created_at"`
	UpdatedAt  time.Time             `json:"updated_at"`
	URL        string                `json:"url"`
}

type embed struct {
	URL          string `json:"url"`
	Type         string `json:"type"`
	Title        string `json:"title"`
	AuthorName   string `json:"author_name"`
	AuthorURL    string `json:"author_url"`
	SourceURL    string `json:"source_url"`
	Width        int64  `json:"width"`
	Height       int64  `json:"height"`
	HTML         string `json:"html"`
	ThumbnailURL string `json:"thumbnail_url"`
}

type bundleFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
}

type comment struct {
	ID        int64     `json:"id"`
	BlockID   int64     `json:"block_id"`
	Body      string    `json:"body"`
	Author    person    `json:"author"`
	CreatedAt time.Time `json:"created_at"`
	URL       string    `json:"url"`
}

// bundleCopy is a line of json/snapshots.jsonl.
type bundleCopy struct {
	BlockID int64                 `json:"block_id"`
	Address string                `json:"address"`
	Title   string                `json:"title"`
	TakenAt time.Time             `json:"taken_at"`
	Source  domain.SnapshotSource `json:"source"`
	Kind    domain.SnapshotKind   `json:"kind"`
	Shared  bool                  `json:"shared"`
	Missing []domain.MissingPart  `json:"missing"`
	Omitted int64                 `json:"missing_count"`
	File    struct {
		bundleFile
		ContentType string `json:"content_type"`
	} `json:"file"`
}

// annotation is a line of json/highlights.jsonl, in the Web Annotation Data Model.
type annotation struct {
	ID       string    `json:"id"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
	Body     struct {
		Value string `json:"value"`
	} `json:"body"`
	Target struct {
		Source   string `json:"source"` // the page of the block
		Selector []struct {
			Type   string `json:"type"`
			Exact  string `json:"exact"`
			Prefix string `json:"prefix"`
			Suffix string `json:"suffix"`
			Start  int    `json:"start"`
			End    int    `json:"end"`
		} `json:"selector"`
	} `json:"target"`
}

// highlight converts an annotation, and returns the id of its block.
func (a annotation) highlight() (block int64, h source.Highlight, why string) {
	h = source.Highlight{ID: path.Base(a.ID), Note: a.Body.Value, CreatedAt: a.Created, UpdatedAt: a.Modified}
	block, err := strconv.ParseInt(path.Base(a.Target.Source), 10, 64)
	if err != nil || block <= 0 || a.ID == "" {
		return 0, h, "it has no block or no id"
	}
	for _, s := range a.Target.Selector {
		switch s.Type {
		case "TextQuoteSelector":
			h.Quote.Exact, h.Quote.Prefix, h.Quote.Suffix = s.Exact, s.Prefix, s.Suffix
		case "TextPositionSelector":
			h.Quote.Start, h.Quote.End = s.Start, s.End
		}
	}
	return block, h, ""
}

// following is a line of json/following.jsonl.
type following struct {
	Type domain.SubjectType `json:"type"`
	ID   int64              `json:"id"`
	Name string             `json:"name"`
	Slug string             `json:"slug"`
	URL  string             `json:"url"`
}

type profile struct {
	Bio    string      `json:"bio"`
	Avatar *bundleFile `json:"avatar"`
	URL    string      `json:"url"`
}

func id(n int64) string { return strconv.FormatInt(n, 10) }

// person converts a person, and compares them with the exporting user.
func (b *Bundle) person(p person) source.Person {
	return source.Person{Name: p.Name, Address: p.URL, Self: p.ID == b.manifest.User.ID && p.Type != "Group"}
}

func (b *Bundle) channel(c bundleChannel, where string) source.Channel {
	return source.Channel{ID: id(c.ID), Title: c.Title, Description: c.Description, Visibility: c.Visibility, Layout: c.Layout, Snapshots: policyOf(c.Snapshots), Metadata: c.Metadata,
		Owner: b.person(c.Owner), CreatedAt: c.CreatedAt, Where: either(c.URL, where)}
}

// item returns the connected item, or the reason why it cannot be imported.
func (b *Bundle) item(c connection, where string) (it source.Item, why string) {
	switch {
	case c.Block != nil && c.Block.ID > 0:
		it, why = b.block(*c.Block, where)
	case c.Channel != nil && c.Channel.ID > 0:
		it = source.Item{ID: id(c.Channel.ID), Kind: source.Nested, Title: c.Channel.Title, Where: either(c.Channel.URL, where)}
	default:
		return it, "it connects nothing"
	}
	it.Pinned, it.ConnectionMetadata, it.ConnectedAt, it.AddedBy = c.Pinned, c.Metadata, c.ConnectedAt, b.person(c.ConnectedBy)
	return it, why
}

// block converts a block to an item. The importing server fetches what was unknown about a Link, or
// still being fetched, at the time of the export.
func (b *Bundle) block(k block, where string) (it source.Item, why string) {
	it = source.Item{ID: id(k.ID), Kind: source.Kind(k.Type), Title: k.Title, Description: k.Description, Content: k.Content, BlockTexts: k.BlockTexts,
		Address: either(k.SourceURL, k.ValueURL), Metadata: k.Metadata, Author: b.person(k.Author),
		CreatedAt: k.CreatedAt, UpdatedAt: k.UpdatedAt, Complete: true, Where: either(k.URL, where), MadeFrom: k.ValueURL,
		KeepFileMetadata: k.KeepsAll, Snapshots: policyOf(k.Snapshots)}
	switch it.Kind {
	case source.Text:
	case source.Image:
		it.File = b.file(k.Image)
	case source.Attachment:
		it.File, it.Preview = b.file(k.Attachment), b.file(k.Image)
	case source.Link:
		it.Preview = b.file(k.Image)
	case source.Embed:
		it.Preview = b.file(k.Image)
		if e := k.Embed; e != nil {
			it.Embed = &domain.Embed{URL: e.URL, Type: e.Type, Title: e.Title, AuthorName: e.AuthorName, AuthorURL: e.AuthorURL, SourceURL: e.SourceURL,
				Width: e.Width, Height: e.Height, HTML: e.HTML, ThumbnailURL: e.ThumbnailURL}
		}
	case "PendingBlock":
		it.Kind, it.Complete = source.Link, false
		if it.Address == "" {
			return it, "its content was not there yet when it was exported"
		}
	default:
		return it, fmt.Sprintf("%.40q is no type of block", k.Type)
	}
	if (it.Kind == source.Image || it.Kind == source.Attachment) && it.File == nil {
		return it, "its file is not in the archive"
	}
	return it, ""
}

// policyOf returns a policy as it is stored, or "" if it is unknown.
func policyOf(p domain.SnapshotPolicy) domain.SnapshotPolicy {
	if slices.Contains(domain.SnapshotPolicies(), p) {
		return p.Stored()
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// file returns a file of the archive, which is only read when needed. Its checksum is the name of
// its entry.
func (b *Bundle) file(f *bundleFile) *source.File {
	if f == nil || f.Path == "" {
		return nil
	}
	size := int64(-1)
	if e := b.entries[f.Path]; e != nil {
		size = int64(e.UncompressedSize64)
	}
	return &source.File{Name: f.Name, Size: size, Open: func(context.Context) (io.ReadCloser, error) {
		if !strings.HasPrefix(f.Path, "files/") {
			return nil, &source.Unusable{Why: "its file is none of those in the archive"}
		}
		in, err := b.open(f.Path)
		if err != nil {
			return nil, err
		}
		in.wanted = either(f.SHA256, "none")
		return in, nil
	}}
}

// copy returns a saved copy, or the reason why it cannot be imported.
func (b *Bundle) copy(c bundleCopy) (is source.Copy, why string) {
	file := b.file(&c.File.bundleFile)
	if c.BlockID <= 0 || file == nil {
		return is, "it has no block or no file"
	}
	if c.Source != domain.FromServer && c.Source != domain.FromMail {
		c.Source = domain.FromBrowser
	}
	return source.Copy{Kind: c.Kind, Source: c.Source, Address: c.Address, Shared: c.Shared, Missing: c.Missing, Omitted: c.Omitted, TakenAt: c.TakenAt, Title: c.Title,
		ContentType: c.File.ContentType, Open: file.Open}, ""
}

// decode decodes a line. why is the reason if it is invalid.
func decode(line []byte, into any) (why string) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber() // keep all digits of numbers in metadata
	if err := decoder.Decode(into); err != nil {
		return "it is not what an export has in this place"
	}
	return ""
}
