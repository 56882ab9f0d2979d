package rowmap

import (
	"encoding/json"
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/weburl"
)

// BlockColumns are the columns of the block `b` by the user `bu`.
const BlockColumns = sharedColumns + `b.content_plain, b.embed`

// ListedBlockColumns are BlockColumns for lists. They omit two parts that are never shown: the text of a document
// (domain.Text.Shown), which may be large, and the facts about the page of a Link. A block that was read with them must
// not be written back.
const ListedBlockColumns = sharedColumns + `CASE WHEN b.content_markdown = '' THEN '' ELSE b.content_plain END,
	CASE WHEN b.type <> 'Link' THEN b.embed END`

const sharedColumns = `b.id, b.type, b.state, b.title, b.description_markdown, b.description_html, b.description_plain,
	b.content_markdown, b.content_html, b.value_url, b.source_url, b.source_title, b.alt_text,
	b.image_id, b.file_id, b.metadata, ` + access.OpenCount + `, ` + access.PrivateCount + `, b.comment_count, b.version, b.created_at, b.updated_at,
	bu.id, bu.name, bu.slug, bu.avatar, bu.face_version, `

// BlockFrom names the tables of BlockColumns and ListedBlockColumns.
const BlockFrom = ` FROM blocks b JOIN users bu ON bu.id = b.user_id `

// blockFields contains scan targets that become parts of a block.
type blockFields struct {
	description, content sqlx.TextColumns
	image, file          *domain.FileID
	embed, metadata      *string
	created, updated     int64
}

// ReadBlock reads a block. It sets only the ids of its files.
func ReadBlock(row sqlx.Row, b *domain.Block) (err error) {
	var f blockFields
	b.Author.Type = domain.TypeUser
	err = row.Scan(&b.ID, &b.Type, &b.State, &b.Title, &f.description.Markdown, &f.description.HTML, &f.description.Plain,
		&f.content.Markdown, &f.content.HTML, &b.ValueURL, &b.SourceURL, &b.SourceTitle, &b.AltText,
		&f.image, &f.file, &f.metadata, &b.OpenCount, &b.PrivateCount, &b.Comments, &b.Version, &f.created, &f.updated,
		&b.Author.ID, &b.Author.Name, &b.Author.Slug, &b.Author.Avatar, &b.Author.Version,
		&f.content.Plain, &f.embed)
	if err != nil {
		return err
	}
	b.Description, b.Content, b.Metadata = f.description.Value(), f.content.Value(), sqlx.MetadataValue(f.metadata)
	b.CreatedAt, b.UpdatedAt = sqlx.Time(f.created), sqlx.Time(f.updated)
	b.Image, b.File = unread(f.image), unread(f.file)
	b.ValueURL, b.SourceURL = Canonical(b.ValueURL), Canonical(b.SourceURL)
	if b.Type == domain.LinkBlock {
		b.Page, err = PageValue(f.embed)
	} else {
		b.Embed, err = embedValue(f.embed)
	}
	return err
}

// Canonical returns a URL in its canonical form, because older versions stored URLs as they were
// sent. It returns nil for a URL that no browser accepts, since it cannot be fetched and is not a
// URI.
func Canonical(stored *string) *string {
	if stored == nil {
		return nil
	}
	link, err := weburl.Canonical(*stored)
	if err != nil {
		return nil
	}
	return &link
}

// unread returns a file with only its id.
func unread(id *domain.FileID) *domain.File {
	if id == nil {
		return nil
	}
	return &domain.File{ID: *id}
}

// embedded is the stored form of an Embed.
type embedded struct {
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

func embedValue(column *string) (*domain.Embed, error) {
	if column == nil {
		return nil, nil
	}
	var e embedded
	if err := decodeEmbed(*column, &e); err != nil {
		return nil, err
	}
	out := domain.Embed(e)
	for _, link := range []*string{&out.URL, &out.AuthorURL, &out.SourceURL, &out.ThumbnailURL} {
		*link, _ = weburl.Canonical(*link)
	}
	return &out, nil
}

// PageValue reads the facts about the page of a Link, which are stored like an Embed of the type "link".
func PageValue(column *string) (*domain.PageMetadata, error) {
	if column == nil {
		return nil, nil
	}
	var p struct {
		Canonical  string `json:"source_url"`
		AuthorName string `json:"author_name"`
	}
	if err := decodeEmbed(*column, &p); err != nil {
		return nil, err
	}
	return new(domain.PageMetadata(p)), nil
}

// decodeEmbed decodes the column into e.
func decodeEmbed(column string, e any) error {
	if err := json.Unmarshal([]byte(column), e); err != nil {
		return fmt.Errorf("store: blocks.embed: %w", err)
	}
	return nil
}

// EmbedColumn returns the column for the Embed, or for the page of a Link; nil means NULL.
func EmbedColumn(b domain.Block) *string {
	var e embedded
	switch {
	case b.Type == domain.LinkBlock && b.Page != nil && *b.Page != (domain.PageMetadata{}):
		e = embedded{Type: "link", SourceURL: b.Page.Canonical, AuthorName: b.Page.AuthorName}
	case b.Embed != nil:
		e = embedded(*b.Embed)
	default:
		return nil
	}
	text, _ := json.Marshal(e) // strings and numbers always encode
	s := string(text)
	return &s
}
