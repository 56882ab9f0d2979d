package domain

import "time"

// BlockType is the kind of a block; PendingBlock until its content is known.
type BlockType string

// The kinds of blocks.
const (
	TextBlock       BlockType = "Text"
	ImageBlock      BlockType = "Image"
	LinkBlock       BlockType = "Link"
	AttachmentBlock BlockType = "Attachment"
	EmbedBlock      BlockType = "Embed"
	PendingBlock    BlockType = "PendingBlock"
)

// BlockState is how far the processing of a block has come.
type BlockState string

// The states of blocks.
const (
	Processing BlockState = "processing"
	Available  BlockState = "available"
	Failed     BlockState = "failed"
)

// BlockVisibility is derived from the channels a block is in (behaviour.md section 2).
type BlockVisibility string

// The visibilities of blocks.
const (
	BlockPublic  BlockVisibility = "public"
	BlockPrivate BlockVisibility = "private"
	BlockOrphan  BlockVisibility = "orphan"
)

// Block is a piece of content.
type Block struct {
	ID           BlockID
	Type         BlockType
	State        BlockState
	Author       Principal
	Title        *string
	Description  *Text
	Content      *Text
	ValueURL     *string // the URL it was made from
	SourceURL    *string // the same, unless its author named another
	SourceTitle  *string
	AltText      *string
	Image        *File // the image, or the preview
	File         *File // of an Attachment
	Embed        *Embed
	Page         *PageFacts // of a Link; nil if nothing is known
	Metadata     Metadata
	OpenCount    int64 // live channels it is in, public and closed
	PrivateCount int64
	Comments     int64
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Visibility follows from the channels the block is in.
func (b Block) Visibility() BlockVisibility { return VisibilityIn(b.OpenCount, b.PrivateCount) }

// VisibilityIn is that of a block in so many live channels, those that are not private and
// those that are.
func VisibilityIn(open, private int64) BlockVisibility {
	switch {
	case open > 0:
		return BlockPublic
	case private > 0:
		return BlockPrivate
	}
	return BlockOrphan
}

// BlockStamp tells a state of a block from all others, as far as anything of it is shown that
// does not depend on the viewer: every change of what others see of the block grows Version,
// every one of what it shows of its author grows Face, and visibility follows from channels.
// UpdatedAt is there so that no two blocks have one stamp even where a database was set back.
type BlockStamp struct {
	ID            BlockID
	Author        UserID
	Version, Face int64
	Visibility    BlockVisibility
	UpdatedAt     time.Time
}

// Stamp is the stamp of the state that the block is in.
func (b Block) Stamp() BlockStamp {
	return BlockStamp{ID: b.ID, Author: UserID(b.Author.ID), Version: b.Version, Face: b.Author.Version,
		Visibility: b.Visibility(), UpdatedAt: b.UpdatedAt}
}

// Abilities is what the actor's next request would be allowed on the block.
func (s BlockStamp) Abilities(a Actor) BlockAbilities {
	return AbilitiesOnBlock(a, Block{Author: Principal{PrincipalRef: UserRef(s.Author)}})
}

// HasImage reports whether the block shows an image, which alt_text can describe.
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

// FileIDs returns the ids of the block's files.
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

// BlockAbilities is the `can` of a block.
type BlockAbilities struct{ Manage, Comment, Connect bool }

// CanManage reports whether the actor may change the block.
func CanManage(a Actor, b Block) bool {
	return a.MayWrite() && b.Author.PrincipalRef == UserRef(a.UserID)
}

// AbilitiesOnBlock is what the actor's next request would be allowed on a block
// that they see.
func AbilitiesOnBlock(a Actor, b Block) BlockAbilities {
	return BlockAbilities{Manage: CanManage(a, b), Comment: a.MayWrite(), Connect: a.MayWrite()}
}
