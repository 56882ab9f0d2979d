package rowmap

import (
	"encoding/json"
	"fmt"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/weburl"
)

// blockRow holds the columns of a block.
type blockRow struct {
	*domain.Block
	description, content sqlx.TextColumns
	image, file          *domain.FileID
	embed, metadata      *string
	created, updated     int64
}

const (
	blockText = sqlx.Insert | sqlx.Update | sqlx.Fill | sqlx.Quota
	blockURL  = sqlx.Insert | sqlx.Fill | sqlx.Quota
)

// Blocks declares the columns of the block `b` by the user `bu`.
var Blocks = sqlx.Table[blockRow]{Name: "blocks", Alias: "b", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *blockRow) *domain.BlockID { return &r.ID }),
	sqlx.Col("type", sqlx.Insert|sqlx.Fill, func(r *blockRow) *domain.BlockType { return &r.Type }),
	sqlx.Col("state", sqlx.Insert|sqlx.Fill, func(r *blockRow) *domain.BlockState { return &r.State }),
	sqlx.Col("title", blockText, func(r *blockRow) **string { return &r.Title }),
	sqlx.RenderedText("description", blockText, func(r *blockRow) *sqlx.TextColumns { return &r.description }),
	sqlx.RenderedText("content", blockText, func(r *blockRow) *sqlx.TextColumns { return &r.content }),
	sqlx.Col("value_url", sqlx.Insert|sqlx.Quota, func(r *blockRow) **string { return &r.ValueURL }),
	sqlx.Col("source_url", blockURL, func(r *blockRow) **string { return &r.SourceURL }),
	blockTexts(),
	sqlx.Col("image_id", sqlx.Insert|sqlx.Fill, func(r *blockRow) **domain.FileID { return &r.image }),
	sqlx.Col("file_id", sqlx.Insert|sqlx.Fill, func(r *blockRow) **domain.FileID { return &r.file }),
	sqlx.Col("metadata", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *blockRow) **string { return &r.metadata }),
	sqlx.Col("embed", blockURL, func(r *blockRow) **string { return &r.embed }).
		Writing(func(r *blockRow) any { return embedColumn(*r.Block) }),
	sqlx.Computed("open_count", sqlx.Insert, access.OpenCount, func(r *blockRow) *int64 { return &r.OpenCount }),
	sqlx.Computed("private_count", sqlx.Insert, access.PrivateCount, func(r *blockRow) *int64 { return &r.PrivateCount }),
	sqlx.Col("comment_count", 0, func(r *blockRow) *int64 { return &r.Comments }),
	sqlx.Col("version", 0, func(r *blockRow) *int64 { return &r.Version }),
	sqlx.Col("created_at", sqlx.Insert, func(r *blockRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert, func(r *blockRow) *int64 { return &r.updated }),
	person("user_id", sqlx.Insert, "bu", func(r *blockRow) *domain.Principal { return &r.Author }),
)}

// blockTexts declares the columns of domain.BlockTexts.
func blockTexts() (all sqlx.Columns[blockRow]) {
	for _, f := range domain.BlockTextFields {
		all = append(all, sqlx.Col(f.Name, blockText, func(r *blockRow) **string { return f.Of(&r.BlockTexts) })...)
	}
	return all
}

// BlockColumns selects a block. ListedBlockColumns is for lists and omits two parts that are never
// shown: the text of a document (domain.Text.Shown), which may be large, and the facts about the
// page of a Link. A block that was read with them must not be written back.
var (
	BlockColumns       = Blocks.Select()
	ListedBlockColumns = Blocks.SelectWith(map[string]string{
		"content_plain": "CASE WHEN b.content_markdown = '' THEN '' ELSE b.content_plain END",
		"embed":         "CASE WHEN b.type <> 'Link' THEN b.embed END"})
)

// BlockFrom names the tables of BlockColumns and ListedBlockColumns.
const BlockFrom = ` FROM blocks b JOIN users bu ON bu.id = b.user_id `

// ReadBlock reads a block. It sets only the ids of its files.
func ReadBlock(row sqlx.Row, b *domain.Block) (err error) {
	r := blockRow{Block: b}
	b.Author.Type = domain.TypeUser
	if err := row.Scan(Blocks.Targets(&r)...); err != nil {
		return err
	}
	b.Description, b.Content, b.Metadata = r.description.Value(), r.content.Value(), sqlx.MetadataValue(r.metadata)
	b.CreatedAt, b.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	b.Image, b.File = unread(r.image), unread(r.file)
	b.ValueURL, b.SourceURL = Canonical(b.ValueURL), Canonical(b.SourceURL)
	if b.Type == domain.LinkBlock {
		b.Page, err = PageValue(r.embed)
	} else {
		b.Embed, err = embedValue(r.embed)
	}
	return err
}

// BlockArgs returns the arguments of a statement that writes a block, after others.
func BlockArgs(use sqlx.Use, b *domain.Block, before ...any) []any {
	r := blockRow{Block: b, description: sqlx.TextOf(b.Description), content: sqlx.TextOf(b.Content), image: fileID(b.Image), file: fileID(b.File),
		metadata: sqlx.MetadataOf(b.Metadata), created: sqlx.Micros(b.CreatedAt), updated: sqlx.Micros(b.UpdatedAt)}
	return Blocks.Args(use, &r, before...)
}

func fileID(f *domain.File) *domain.FileID {
	if f == nil {
		return nil
	}
	return &f.ID
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

// embedColumn returns the column for the Embed, or for the page of a Link; nil means NULL.
func embedColumn(b domain.Block) *string {
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
