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
	dead                 *int64
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
	sqlx.Col("dead_at", 0, func(r *blockRow) **int64 { return &r.dead }),
	sqlx.Other[blockRow]("check_at", "snapshots"),
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
	b.CreatedAt, b.UpdatedAt, b.DeadAt = sqlx.Time(r.created), sqlx.Time(r.updated), sqlx.TimePtr(r.dead)
	b.Image, b.File = unread(r.image), unread(r.file)
	b.ValueURL, b.SourceURL = Canonical(b.ValueURL), Canonical(b.SourceURL)
	switch b.Type {
	case domain.LinkBlock:
		b.Page, err = PageValue(r.embed)
	case domain.AttachmentBlock:
		if b.Sound, err = soundValue(r.embed); err == nil && b.Sound == nil {
			b.Embed, err = embedValue(r.embed)
		}
	default:
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

// sound is the stored form of a Sound. Older versions read it as an Embed, which they do not show.
type sound struct {
	Type    string `json:"type"` // "sound"
	Artist  string `json:"author_name,omitempty"`
	Seconds int64  `json:"seconds,omitempty"`
}

// soundValue reads what the audio file of an Attachment says about itself.
func soundValue(column *string) (*domain.Sound, error) {
	if column == nil {
		return nil, nil
	}
	var s sound
	if err := decodeEmbed(*column, &s); err != nil || s.Type != "sound" {
		return nil, err
	}
	return &domain.Sound{Artist: s.Artist, Seconds: s.Seconds}, nil
}

// decodeEmbed decodes the column into e.
func decodeEmbed(column string, e any) error {
	if err := json.Unmarshal([]byte(column), e); err != nil {
		return fmt.Errorf("store: blocks.embed: %w", err)
	}
	return nil
}

// embedColumn returns the column for the Embed, the page of a Link, or the sound of an Attachment; nil means NULL.
func embedColumn(b domain.Block) *string {
	var e any
	switch {
	case b.Type == domain.LinkBlock && b.Page != nil && *b.Page != (domain.PageMetadata{}):
		e = embedded{Type: "link", SourceURL: b.Page.Canonical, AuthorName: b.Page.AuthorName}
	case b.Type == domain.AttachmentBlock && b.Sound != nil:
		e = sound{Type: "sound", Artist: b.Sound.Artist, Seconds: b.Sound.Seconds}
	case b.Embed != nil:
		e = embedded(*b.Embed)
	default:
		return nil
	}
	text, _ := json.Marshal(e) // strings and numbers always encode
	s := string(text)
	return &s
}

// BlockRevisionColumns are the columns of the stamp of the block `b` by the user `bu`.
const BlockRevisionColumns = `b.id, b.user_id, b.version, bu.face_version, b.created_at, b.updated_at, ` + access.OpenCount + `, ` + access.PrivateCount

// blockRevisionFields contains scan targets in the order of BlockRevisionColumns. They have plain types,
// which are scanned without reflection.
type blockRevisionFields struct {
	domain.BlockRevision
	created, updated, open, private int64
}

func (f *blockRevisionFields) targets() []any {
	return []any{(*int64)(&f.ID), (*int64)(&f.Author), &f.Version, &f.Face, &f.created, &f.updated, &f.open, &f.private}
}

func (f *blockRevisionFields) value() domain.BlockRevision {
	f.CreatedAt, f.UpdatedAt, f.Visibility = sqlx.Time(f.created), sqlx.Time(f.updated), domain.VisibilityIn(f.open, f.private)
	return f.BlockRevision
}

// ScanBlockRevision reads BlockRevisionColumns.
func ScanBlockRevision(row sqlx.Row) (domain.BlockRevision, error) {
	var f blockRevisionFields
	err := row.Scan(f.targets()...)
	return f.value(), err
}

// OutlineColumns are the columns of the stamp of the connection `c` created by the user `cu`, of
// its item and, if that is a block, of the stamp of the block `b` by the user `bu`.
const OutlineColumns = `c.id, c.item_type, c.version, cu.face_version, c.created_at,
	c.item_id, COALESCE(b.user_id, 0), COALESCE(b.version, 0), COALESCE(bu.face_version, 0),
	COALESCE(b.created_at, 0), COALESCE(b.updated_at, 0), COALESCE(` + access.OpenCount + `, 0), COALESCE(` + access.PrivateCount + `, 0)`

// OutlineJoins joins the tables of OutlineColumns to the connection `c`.
const OutlineJoins = ConnectionMaker + ` LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
	LEFT JOIN users bu ON bu.id = b.user_id`

// BlockOutline selects the columns of Outline.ReadBlock for the connections `c` whose items are
// blocks. It selects nothing while transitions are pending. On SQLite it runs half of the
// instructions of OutlineColumns, because it needs no conditions for other items.
const BlockOutline = `SELECT c.id, c.version, cu.face_version, c.created_at,
		b.id, b.user_id, b.version, bu.face_version, b.created_at, b.updated_at, b.open_count, b.private_count
	FROM connections c CROSS JOIN users cu CROSS JOIN blocks b CROSS JOIN users bu
	WHERE cu.id = c.user_id AND c.item_type = 'Block' AND b.id = c.item_id AND bu.id = b.user_id AND NOT ` + access.Pending

// Outline reads the columns of OutlineColumns and BlockOutline. It owns the memory of the connections
// that it returns, so that a page can be read into the memory of an earlier one. It is for one
// goroutine at a time.
type Outline struct {
	connection      domain.Connection
	created         int64
	block           blockRevisionFields
	columns, blocks []any // scan targets
	connections     []domain.Connection
	stamps          []domain.BlockRevision
}

// NewOutline returns an Outline.
func NewOutline() *Outline {
	o := &Outline{}
	c := &o.connection
	o.columns = append([]any{(*int64)(&c.ID), (*string)(&c.Item.Type), &c.Version, &c.Maker.Version, &o.created}, o.block.targets()...)
	o.blocks = append([]any{(*int64)(&c.ID), &c.Version, &c.Maker.Version, &o.created}, o.block.targets()...)
	return o
}

// Reset empties the outline and allocates memory for n connections.
func (o *Outline) Reset(n int) {
	o.connections, o.stamps = slices.Grow(o.connections[:0], n), slices.Grow(o.stamps[:0], n)
}

// Connections returns the connections that were read. They are valid until the next call of Reset.
func (o *Outline) Connections() []domain.Connection { return o.connections }

// Read reads a row of OutlineColumns: the stamp and the item of a connection and, if the item is an
// existing block, the stamp of that.
func (o *Outline) Read(row sqlx.Row) error { return o.read(row, o.columns) }

// ReadBlock is Read for a row of BlockOutline.
func (o *Outline) ReadBlock(row sqlx.Row) error {
	o.connection.Item.Type = domain.ItemBlock
	return o.read(row, o.blocks)
}

func (o *Outline) read(row sqlx.Row, targets []any) error {
	if err := row.Scan(targets...); err != nil {
		return err
	}
	o.connections = append(o.connections, o.connection)
	c := &o.connections[len(o.connections)-1]
	c.Item.ID, c.CreatedAt = int64(o.block.ID), sqlx.Time(o.created)
	if o.block.Version != 0 { // versions begin with 1
		o.stamps = append(o.stamps, o.block.value())
		c.Block = &o.stamps[len(o.stamps)-1]
	}
	return nil
}

// fileRow holds the columns of a file.
type fileRow struct {
	*domain.File
	created int64
}

// Files declares the columns of the file `f` with its blob `bl`.
var Files = sqlx.Table[fileRow]{Name: "files", Alias: "f", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *fileRow) *domain.FileID { return &r.ID }),
	sqlx.Col("key", sqlx.Insert, func(r *fileRow) *string { return &r.Key }),
	sqlx.Col("user_id", sqlx.Insert, func(r *fileRow) *domain.UserID { return &r.Owner }),
	sqlx.Col("blob_id", sqlx.Insert, func(r *fileRow) *domain.BlobID { return &r.BlobID }),
	sqlx.Joined("bl.object", func(r *fileRow) *string { return &r.Object }),
	sqlx.Col("name", sqlx.Insert, func(r *fileRow) *string { return &r.Name }),
	sqlx.Col("content_type", sqlx.Insert, func(r *fileRow) *string { return &r.ContentType }),
	sqlx.Col("extension", sqlx.Insert, func(r *fileRow) *string { return &r.Extension }),
	sqlx.Col("size", sqlx.Insert, func(r *fileRow) *int64 { return &r.Size }),
	sqlx.Computed("width", sqlx.Insert, "COALESCE(f.width, 0)", func(r *fileRow) *int64 { return &r.Width }).
		Writing(func(r *fileRow) any { return sqlx.OrNull(r.Width) }),
	sqlx.Computed("height", sqlx.Insert, "COALESCE(f.height, 0)", func(r *fileRow) *int64 { return &r.Height }).
		Writing(func(r *fileRow) any { return sqlx.OrNull(r.Height) }),
	sqlx.Col("blurhash", sqlx.Insert, func(r *fileRow) **string { return &r.Blurhash }),
	sqlx.Col("resized", sqlx.Insert, func(r *fileRow) *string { return &r.Resized }),
	sqlx.Col("created_at", sqlx.Insert, func(r *fileRow) *int64 { return &r.created }),
	sqlx.Col("keep_metadata", sqlx.Insert, func(r *fileRow) *bool { return &r.KeepsMetadata }),
	sqlx.Computed("animated", sqlx.Insert, "COALESCE(f.animated, FALSE)", func(r *fileRow) *bool { return &r.Animated }),
	sqlx.Computed("palette", sqlx.Insert, "COALESCE(f.palette, '')", func(r *fileRow) *string { return &r.Palette }),
	sqlx.Col("look_hash", sqlx.Insert, func(r *fileRow) **int64 { return &r.LookHash }),
	sqlx.Joined("COALESCE(bl.clean_size, -2)", func(r *fileRow) *int64 { return &r.CleanSize }),
	sqlx.Joined("bl.clean_plan IS NOT NULL", func(r *fileRow) *bool { return &r.CleanPlanned }),
)}

// SelectFiles begins a statement that selects files.
var SelectFiles = "SELECT " + Files.Select() + " FROM files f JOIN blobs bl ON bl.id = f.blob_id "

// ScanFile reads a row of SelectFiles.
func ScanFile(row sqlx.Row) (f domain.File, err error) {
	r := fileRow{File: &f}
	err = row.Scan(Files.Targets(&r)...)
	f.CreatedAt = sqlx.Time(r.created)
	return f, err
}

// InsertFile returns the arguments of Files.Insert.
func InsertFile(f *domain.File) []any {
	r := fileRow{File: f, created: sqlx.Micros(f.CreatedAt)}
	return Files.Args(sqlx.Insert, &r)
}
