package transfer

import (
	"encoding/json"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// ImportItemInput is an item of a channel of the source. Empty fields are unknown.
type ImportItemInput struct {
	ID       string           // in the source
	FormerID string           // in an earlier version; "" if it is the same
	Type     domain.BlockType // Text, Link or Embed; otherwise the file decides
	Nested   bool             // it is the channel that was imported under the id

	Title, Description, Content string
	domain.BlockTexts
	Address              string // the URL of its source
	MadeFrom             string // the URL that it was created from; "" means Address, for a Link or an Embed
	Metadata             []byte // JSON object, or nil
	Embed                *domain.Embed
	Fetch                bool                  // fetch the missing fields of a Link from its page
	KeepFileMetadata     bool                  // other people get the metadata of the files
	Snapshots            domain.SnapshotPolicy // "" means as its channels
	CreatedAt, UpdatedAt time.Time

	ConnectionMetadata []byte // JSON object, or nil
	ConnectedAt        time.Time
	Pinned             bool
}

// Validate checks everything except the metadata, which is checked when it is parsed.
func (in ImportItemInput) Validate() error {
	var f domain.Faults
	f.RequiredText("id", in.ID, domain.MaxURL)
	if in.Nested {
		return f.Err()
	}
	f.AnyText("title", &in.Title, domain.MaxTitle)
	f.AnyText("description", &in.Description, domain.MaxDescription)
	if in.Type == domain.TextBlock {
		f.RequiredText("content", in.Content, domain.MaxMarkdown)
	} else {
		f.AnyText("content", &in.Content, domain.MaxMarkdown)
	}
	if in.Snapshots != "" {
		domain.Among(&f, "snapshots", in.Snapshots, domain.SnapshotPolicies()...)
	}
	in.CheckTexts(&f)
	wanted := in.Type == domain.LinkBlock || in.Type == domain.EmbedBlock
	if in.Address != "" || wanted {
		core.CheckURL(&f, "address", in.Address, domain.MaxSourceURL)
	}
	if in.MadeFrom != "" {
		core.CheckURL(&f, "made_from", in.MadeFrom, domain.MaxURL)
	}
	return f.Err()
}

// PreparedItem is a valid item, ready to be stored, with its received files.
type PreparedItem struct {
	ImportItemInput
	File    *content.ImportedFile // may be nil
	Preview *content.ImportedFile // of a Link, an Embed, or an Attachment without its own; may be nil

	// Under is the connection below which it goes if items come from the top; 0 means its predecessor's.
	Under domain.ConnectionID

	block              domain.Block
	connectionMetadata domain.Metadata
}

// PrepareItem prepares an item. An Invalid error lists all its faults.
func PrepareItem(in ImportItemInput) (*PreparedItem, error) {
	t := &PreparedItem{ImportItemInput: in}
	metadata, bad := readMetadata("metadata", in.Metadata)
	connection, worse := readMetadata("connection_metadata", in.ConnectionMetadata)
	if err := domain.JoinFaults(in.Validate(), bad, worse); err != nil {
		return nil, err
	}
	t.connectionMetadata = connection
	t.block = domain.Block{Type: in.Type, State: domain.Available, Metadata: metadata, Embed: in.Embed,
		Title: core.NonEmpty(&in.Title), Description: core.Rendered(&in.Description), Content: core.Rendered(&in.Content),
		BlockTexts: in.NonEmptyTexts(), SourceURL: core.OptionalURL(&in.Address),
		CreatedAt: in.CreatedAt, UpdatedAt: in.UpdatedAt}
	if t.block.ValueURL = core.OptionalURL(&in.MadeFrom); t.block.ValueURL == nil && (in.Type == domain.LinkBlock || in.Type == domain.EmbedBlock) {
		t.block.ValueURL = t.block.SourceURL
	}
	if in.Fetch {
		t.block.Type, t.block.State = domain.PendingBlock, domain.Processing
	}
	return t, nil
}

// readMetadata checks the metadata in a field. Faults name the field.
func readMetadata(field string, patch []byte) (domain.Metadata, error) {
	if patch == nil {
		return "", nil
	}
	m, err := domain.MergeMetadata("", patch, false)
	switch domain.KindOf(err) {
	case domain.Unprocessable:
		return "", domain.InvalidField(field, domain.FieldTooLong, "has too many keys or bytes")
	case domain.Invalid:
		var f domain.Faults
		if err := f.Include("", err); err != nil {
			return "", err
		}
		for i := range f {
			f[i].Path = field + f[i].Path[len("metadata"):]
		}
		return "", f.Err()
	}
	return m, err
}

// replaced returns the change that turns metadata into that of the source.
func replaced(was, is domain.Metadata) []byte {
	old, patch := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(was), &old) // an error leaves the map empty, as empty metadata is
	_ = json.Unmarshal([]byte(is), &patch)
	for key := range old {
		if _, stays := patch[key]; !stays {
			patch[key] = json.RawMessage("null")
		}
	}
	text, _ := json.Marshal(patch) // encoding cannot fail, because both were valid JSON
	return text
}

// plausible returns t if something can have been created at that time, between 1970 and now, or else other.
func plausible(t, other, now time.Time) time.Time {
	if t.Unix() <= 0 || t.After(now) {
		return other
	}
	return t
}

// dated returns the block with its times.
func (t *PreparedItem) dated(now time.Time) domain.Block {
	b := t.block
	b.CreatedAt = plausible(b.CreatedAt, plausible(t.ConnectedAt, now, now), now)
	b.UpdatedAt = plausible(b.UpdatedAt, b.CreatedAt, now)
	if b.UpdatedAt.Before(b.CreatedAt) {
		b.UpdatedAt = b.CreatedAt
	}
	return b
}
