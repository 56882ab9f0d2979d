package domain

import "time"

// BlockType is the type of a block. It is PendingBlock until the content has been processed.
type BlockType string

const (
	TextBlock       BlockType = "Text"
	ImageBlock      BlockType = "Image"
	LinkBlock       BlockType = "Link"
	AttachmentBlock BlockType = "Attachment"
	EmbedBlock      BlockType = "Embed"
	PendingBlock    BlockType = "PendingBlock"
)

// BlockState is the processing state of a block.
type BlockState string

const (
	Processing BlockState = "processing"
	Available  BlockState = "available"
	Failed     BlockState = "failed"
)

// BlockVisibility is derived from the channels that a block is in (behaviour.md section 2).
type BlockVisibility string

const (
	BlockPublic  BlockVisibility = "public"
	BlockPrivate BlockVisibility = "private"
	BlockOrphan  BlockVisibility = "orphan"
)

// Block is a unit of content.
type Block struct {
	ID          BlockID
	Type        BlockType
	State       BlockState
	Author      Principal
	Title       *string
	Description *Text
	Content     *Text
	ValueURL    *string // URL it was created from
	SourceURL   *string // the same, unless its author named another
	BlockTexts
	Image        *File // the image or preview
	File         *File // of an Attachment
	Embed        *Embed
	Page         *PageMetadata // of a Link; nil if nothing is known
	Metadata     Metadata
	OpenCount    int64 // number of its live public and closed channels
	PrivateCount int64
	Comments     int64
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// BlockTexts are the short texts of a block that only its own pages use. They are read, written, exported and imported
// without code of their own, as declared in BlockTextFields. The names in JSON are those of an export.
type BlockTexts struct {
	AltText     *string `json:"alt_text,omitempty"`
	SourceTitle *string `json:"source_title,omitempty"`
}

// BlockTextField declares one of BlockTexts.
type BlockTextField struct {
	Name  string // of the column and of the input
	Limit int
	Of    func(*BlockTexts) **string
}

// BlockTextFields declares all BlockTexts.
var BlockTextFields = []BlockTextField{
	{"alt_text", MaxAltText, func(t *BlockTexts) **string { return &t.AltText }},
	{"source_title", MaxTitle, func(t *BlockTexts) **string { return &t.SourceTitle }},
}

// NonEmptyTexts returns the texts without those that are "".
func (t BlockTexts) NonEmptyTexts() BlockTexts {
	for _, f := range BlockTextFields {
		if s := f.Of(&t); *s != nil && **s == "" {
			*s = nil
		}
	}
	return t
}

// CheckTexts checks the lengths and characters of the texts.
func (t BlockTexts) CheckTexts(faults *Faults) {
	for _, f := range BlockTextFields {
		faults.AnyText(f.Name, *f.Of(&t), f.Limit)
	}
}

// Visibility returns the visibility that follows from the block's channels.
func (b Block) Visibility() BlockVisibility { return VisibilityIn(b.OpenCount, b.PrivateCount) }

// VisibilityIn returns the visibility of a block that is in open non-private and private live
// channels.
func VisibilityIn(open, private int64) BlockVisibility {
	switch {
	case open > 0:
		return BlockPublic
	case private > 0:
		return BlockPrivate
	}
	return BlockOrphan
}

// BlockRevision identifies a state of everything in a block that does not depend on the viewer, as a
// cache key. Version increases with each visible change of the block, Face with each visible change
// of its author. UpdatedAt keeps stamps unique even after a database was restored to an earlier
// state.
type BlockRevision struct {
	ID            BlockID
	Author        UserID
	Version, Face int64
	Visibility    BlockVisibility
	UpdatedAt     time.Time
}

// Revision returns the stamp of the block's current state.
func (b Block) Revision() BlockRevision {
	return BlockRevision{ID: b.ID, Author: UserID(b.Author.ID), Version: b.Version, Face: b.Author.Version,
		Visibility: b.Visibility(), UpdatedAt: b.UpdatedAt}
}

// Abilities returns what the actor may do with the block.
func (s BlockRevision) Abilities(a Actor) BlockAbilities {
	return AbilitiesOnBlock(a, Block{Author: Principal{PrincipalRef: UserRef(s.Author)}})
}

// HasImage reports whether the block has an image, which alt_text can describe.
func (b Block) HasImage() bool { return b.Image != nil }

// files returns the files of the block.
func (b Block) files() (all []*File) {
	for _, f := range []*File{b.Image, b.File} {
		if f != nil {
			all = append(all, f)
		}
	}
	return all
}

// FileIDs returns the IDs of the block's files.
func (b Block) FileIDs() (ids []FileID) {
	for _, f := range b.files() {
		ids = append(ids, f.ID)
	}
	return ids
}

// KeepsMetadata reports whether the owner chose to show the metadata of the files.
func (b Block) KeepsMetadata() bool {
	for _, f := range b.files() {
		if f.KeepsMetadata {
			return true
		}
	}
	return false
}

// KeepMetadata sets the value of KeepsMetadata. Other copies of the block do not change.
func (b *Block) KeepMetadata(keep bool) {
	for _, f := range []**File{&b.Image, &b.File} {
		if *f != nil {
			changed := **f
			changed.KeepsMetadata = keep
			*f = &changed
		}
	}
}

// BlockAbilities is the `can` field of a block.
type BlockAbilities struct{ Manage, Comment, Connect bool }

// CanManage reports whether the actor may change the block.
func CanManage(a Actor, b Block) bool {
	return a.MayWrite() && b.Author.PrincipalRef == UserRef(a.UserID)
}

// AbilitiesOnBlock returns what the actor may do with a block that they can see.
func AbilitiesOnBlock(a Actor, b Block) BlockAbilities {
	return BlockAbilities{Manage: CanManage(a, b), Comment: a.MayWrite(), Connect: a.MayWrite()}
}
