package exporting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// The lines of an export as described in docs/export.schema.json. Markdown, tables and pages are
// generated from them.

type personLine struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
	Slug string `json:"slug"`
	URL  string `json:"url"`
}

type fileLine struct {
	Path        string `json:"path,omitempty"`
	SHA256      string `json:"sha256"`
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	Width       int64  `json:"width,omitempty"`
	Height      int64  `json:"height,omitempty"`
	Blurhash    string `json:"blurhash,omitempty"`

	online string       // URL on this server
	file   *domain.File // nil in lines that were read back
	why    string       // why there is no path
}

type embedLine struct {
	URL          string `json:"url,omitempty"`
	Type         string `json:"type,omitempty"`
	Title        string `json:"title,omitempty"`
	AuthorName   string `json:"author_name,omitempty"`
	AuthorURL    string `json:"author_url,omitempty"`
	SourceURL    string `json:"source_url,omitempty"`
	Width        int64  `json:"width,omitempty"`
	Height       int64  `json:"height,omitempty"`
	HTML         string `json:"html,omitempty"`
	ThumbnailURL string `json:"thumbnail_url,omitempty"`
}

type blockLine struct {
	ID          int64  `json:"id"`
	Type        string `json:"type"`
	Failed      bool   `json:"failed,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Content     string `json:"content,omitempty"`
	domain.BlockTexts
	SourceURL  string          `json:"source_url,omitempty"`
	ValueURL   string          `json:"value_url,omitempty"`
	Image      *fileLine       `json:"image,omitempty"`
	Attachment *fileLine       `json:"attachment,omitempty"`
	KeepsAll   bool            `json:"keep_file_metadata,omitempty"`
	Snapshots  string          `json:"snapshots,omitempty"`
	Embed      *embedLine      `json:"embed,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Author     personLine      `json:"author"`
	Visibility string          `json:"visibility"`
	Comments   int64           `json:"comments,omitempty"`
	CreatedAt  time.Time       `json:"created_at"`
	UpdatedAt  time.Time       `json:"updated_at"`
	URL        string          `json:"url"`
}

type nestedLine struct {
	ID         int64      `json:"id"`
	Slug       string     `json:"slug"`
	Title      string     `json:"title"`
	Owner      personLine `json:"owner"`
	Visibility string     `json:"visibility"`
	URL        string     `json:"url"`
	Exported   bool       `json:"exported"`
}

type connectionLine struct {
	ID          int64           `json:"id"`
	Position    int64           `json:"position"`
	Pinned      bool            `json:"pinned,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	ConnectedAt time.Time       `json:"connected_at"`
	ConnectedBy personLine      `json:"connected_by"`
	Block       *blockLine      `json:"block,omitempty"`
	Channel     *nestedLine     `json:"channel,omitempty"`
}

type channelLine struct {
	ID            int64           `json:"id"`
	Slug          string          `json:"slug"`
	Title         string          `json:"title"`
	Description   string          `json:"description,omitempty"`
	Visibility    string          `json:"visibility"`
	Layout        string          `json:"layout,omitempty"`
	Snapshots     string          `json:"snapshots,omitempty"`
	Owner         personLine      `json:"owner"`
	Metadata      json.RawMessage `json:"metadata,omitempty"`
	Collaborators []personLine    `json:"collaborators,omitempty"`
	CreatedAt     time.Time       `json:"created_at"`
	UpdatedAt     time.Time       `json:"updated_at"`
	URL           string          `json:"url"`
	Contents      string          `json:"contents,omitempty"`
	Items         int64           `json:"items"`
}

type commentLine struct {
	ID        int64      `json:"id"`
	BlockID   int64      `json:"block_id"`
	Body      string     `json:"body"`
	Author    personLine `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	URL       string     `json:"url"`
}

// recorder creates lines.
type recorder struct {
	at       *present.Addresses
	sums     map[domain.FileID]sum
	policies map[domain.BlockID]domain.SnapshotPolicy
	exported func(domain.ChannelID) bool // whether a channel is in the export with its contents
}

// sum describes the bytes of a file that a reader gets.
type sum struct {
	sha256 string // "" if there are no bytes
	size   int64
	why    string // why there are no bytes
}

// record returns the lines of items. It reads the sums of all their files at once: of the bytes that the
// user gets, or of the stored bytes if user is 0.
func (e *Exporter) record(ctx context.Context, items []placed, user domain.UserID, exported func(domain.ChannelID) bool) ([]connectionLine, error) {
	blocks := make([]*domain.Block, 0, len(items))
	for _, item := range items {
		if item.Block != nil {
			blocks = append(blocks, item.Block)
		}
	}
	r, err := e.recorder(ctx, blocks, user, exported)
	if err != nil {
		return nil, err
	}
	lines := make([]connectionLine, len(items))
	for i, item := range items {
		lines[i] = r.connection(item)
	}
	return lines, nil
}

// recorder creates the recorder for the lines of blocks.
func (e *Exporter) recorder(ctx context.Context, blocks []*domain.Block, user domain.UserID, exported func(domain.ChannelID) bool) (recorder, error) {
	var files []*domain.File
	for _, b := range blocks {
		for _, f := range []*domain.File{b.Image, b.File} {
			if f != nil {
				files = append(files, f)
			}
		}
	}
	sums, err := e.sums(ctx, user, files)
	if err != nil {
		return recorder{}, err
	}
	policies, err := e.o.App.Content.BlockSnapshotPolicies(ctx, domain.Actor{UserID: user}, blocks)
	return recorder{e.o.Addresses, sums, policies, exported}, err
}

func (e *Exporter) sums(ctx context.Context, user domain.UserID, files []*domain.File) (map[domain.FileID]sum, error) {
	hashes, err := e.o.App.Content.Hashes(ctx, files)
	if err != nil {
		return nil, err
	}
	sums := make(map[domain.FileID]sum, len(files))
	for _, f := range files {
		s := sum{sha256: hashes[f.BlobID], size: f.Size, why: "it was removed while it was read"}
		if user != 0 && s.sha256 != "" {
			whole, err := e.o.App.Content.IsWhole(ctx, user, *f)
			if err == nil && !whole {
				s, err = e.cleanSum(ctx, user, *f)
			}
			if isGone(err) {
				s, err = sum{why: "its bytes are not in the storage, or contain metadata that cannot be removed"}, nil
			}
			if err != nil {
				return nil, err
			}
		}
		sums[f.ID] = s
	}
	return sums, nil
}

// cleanSum returns the sum of a file without its metadata, as the user gets it.
func (e *Exporter) cleanSum(ctx context.Context, user domain.UserID, f domain.File) (sum, error) {
	in, err := e.o.App.Content.OpenFor(ctx, user, f)
	if err != nil {
		return sum{}, err
	}
	defer func() { _ = in.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, contextReader{ctx, in})
	return sum{sha256: hex.EncodeToString(h.Sum(nil)), size: n}, err
}

func (r recorder) person(p *domain.Principal) personLine {
	shown := r.at.Principal(p)
	return personLine{p.ID, string(p.Type), p.Name, p.Slug, shown.URL()}
}

func (r recorder) connection(p placed) connectionLine {
	c := p.Connection
	line := connectionLine{ID: int64(c.ID), Position: p.position, Pinned: c.Pinned, Metadata: metadata(c.Metadata),
		ConnectedAt: c.CreatedAt.UTC(), ConnectedBy: r.person(&c.Maker)}
	if p.Block != nil {
		b := r.block(p.Block)
		line.Block = &b
		return line
	}
	ch := p.Channel
	line.Channel = &nestedLine{ID: int64(ch.ID), Slug: ch.Slug, Title: ch.Title, Owner: r.person(&ch.Owner),
		Visibility: string(ch.Visibility), URL: r.at.Channel(ch).URL(), Exported: r.exported != nil && r.exported(ch.ID)}
	return line
}

func (r recorder) block(b *domain.Block) blockLine {
	shown := r.at.Block(b)
	line := blockLine{ID: int64(b.ID), Type: string(b.Type), Failed: b.State == domain.Failed, Title: text(b.Title),
		Description: markdown(b.Description), Content: markdown(b.Content), BlockTexts: b.NonEmptyTexts(), SourceURL: text(b.SourceURL),
		ValueURL: text(b.ValueURL), Image: r.file(b.Image), Attachment: r.file(b.File),
		KeepsAll: b.KeepsMetadata(), Snapshots: string(r.policies[b.ID]), Metadata: metadata(b.Metadata), Author: r.person(&b.Author), Visibility: string(b.Visibility()), Comments: b.Comments,
		CreatedAt: b.CreatedAt.UTC(), UpdatedAt: b.UpdatedAt.UTC(), URL: shown.URL()}
	if b.Image != nil {
		line.Image.online = shown.Image().Src()
	}
	if b.File != nil {
		line.Attachment.online = shown.Attachment().URL()
	}
	if m := b.Embed; m != nil {
		line.Embed = &embedLine{m.URL, m.Type, m.Title, m.AuthorName, m.AuthorURL, m.SourceURL, m.Width, m.Height, m.HTML, m.ThumbnailURL}
	}
	return line
}

// filesFolder is the folder of an export that contains the bytes of files.
const filesFolder = "files/"

func (r recorder) file(f *domain.File) *fileLine {
	if f == nil {
		return nil
	}
	s := r.sums[f.ID]
	line := &fileLine{SHA256: s.sha256, Name: f.Name, ContentType: f.ContentType, Size: s.size,
		Width: f.Width, Height: f.Height, Blurhash: text(f.Blurhash), file: f, why: s.why}
	if line.SHA256 != "" {
		line.Path = filesFolder + line.SHA256 + entryExtension(f.Extension, f.ContentType)
	}
	return line
}

// channel returns the line of a channel, without the path of its contents.
func (r recorder) channel(full collections.FullChannel, items int64) channelLine {
	c := full.Channel
	line := channelLine{ID: int64(c.ID), Slug: c.Slug, Title: c.Title, Description: markdown(c.Description), Visibility: string(c.Visibility),
		Layout: string(c.Layout), Owner: r.person(&c.Owner), Metadata: metadata(c.Metadata), CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
		URL: r.at.Channel(&c).URL(), Items: items}
	for i := range full.Collaborators {
		line.Collaborators = append(line.Collaborators, r.person(&full.Collaborators[i]))
	}
	return line
}

func (r recorder) comment(c *domain.Comment) commentLine {
	return commentLine{ID: int64(c.ID), BlockID: int64(c.BlockID), Body: c.Body.Markdown, Author: r.person(&c.Author),
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(), URL: r.at.Entity(domain.Entity{Comment: c}).URL()}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func markdown(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Markdown
}

func metadata(m domain.Metadata) json.RawMessage {
	if m == "" || m == "{}" {
		return nil
	}
	return json.RawMessage(m)
}

// heading returns the block's title or a substitute.
func (b blockLine) heading() string {
	for _, s := range []string{b.Title, present.Excerpt(b.Content, headingLength), text(b.SourceTitle)} {
		if s != "" {
			return s
		}
	}
	if f := b.bytes(); f != nil {
		return f.Name
	}
	return b.SourceURL
}

// headingLength limits the characters of a text used as a heading.
const headingLength = 80

// bytes returns the block's own file, an image or an attachment but not a link's preview, or nil.
func (b blockLine) bytes() *fileLine {
	switch {
	case b.Attachment != nil:
		return b.Attachment
	case b.Type == string(domain.ImageBlock):
		return b.Image
	}
	return nil
}

// address returns the URL that the block's content comes from, or "".
func (b blockLine) address() string {
	if b.SourceURL != "" {
		return b.SourceURL
	}
	return b.ValueURL
}

// tags returns the tags from an import, which are stored as metadata.
func tags(m json.RawMessage) string {
	var kept struct{ Tags any }
	if json.Unmarshal(m, &kept) != nil {
		return ""
	}
	s, _ := kept.Tags.(string)
	return s
}
