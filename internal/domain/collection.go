package domain

import (
	"time"
)

// Visibility is the visibility of a channel (behaviour.md section 2).
type Visibility string

// The visibilities of channels. The default is closed.
const (
	Public  Visibility = "public"
	Closed  Visibility = "closed"
	Private Visibility = "private"
)

// Layout is how the page of a channel shows its contents.
type Layout string

// The layouts of channels. The default is a grid, which is stored as "".
const (
	GridLayout    Layout = "grid"
	MasonryLayout Layout = "masonry"
	ListLayout    Layout = "list"
	ReadingLayout Layout = "reading"
)

// Layouts lists all layouts, the default first.
func Layouts() []Layout { return []Layout{GridLayout, MasonryLayout, ListLayout, ReadingLayout} }

// Stored returns the layout as channels store it.
func (l Layout) Stored() Layout {
	if l == GridLayout {
		return ""
	}
	return l
}

// Role is a viewer's role in a channel. Higher roles include lower ones.
type Role int

// The roles. All members of a group that owns a channel are owners, and all members of a
// collaborating group are collaborators.
const (
	RoleNone Role = iota
	RoleCollaborator
	RoleOwner
)

// Channel is an ordered collection.
type Channel struct {
	ID            ChannelID
	Slug          string
	Title         string
	Description   *Text
	Visibility    Visibility
	Layout        Layout // for readers who have not chosen one
	Snapshots     SnapshotPolicy
	Owner         Principal
	UserID        UserID // creator
	Metadata      Metadata
	Blocks        int64
	Channels      int64
	PrivateItems  int64 // private ones among Channels
	Collaborators int64
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time

	// Role is the role of the viewer that the channel was read for.
	Role Role
}

// Contents returns the number of connections.
func (c Channel) Contents() int64 { return c.Blocks + c.Channels }

// ChannelAbilities is the `can` field of a channel.
type ChannelAbilities struct{ AddTo, Update, Destroy, ManageCollaborators bool }

// CanView reports whether a viewer with the role can see a channel.
func CanView(v Visibility, role Role) bool { return v != Private || role > RoleNone }

// CanAddTo reports whether the actor may connect items to the channel.
func CanAddTo(a Actor, c Channel) bool {
	return a.MayWrite() && (c.Visibility == Public || c.Role >= RoleCollaborator)
}

// CanUpdate reports whether the actor may change the title, description and metadata.
func CanUpdate(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// CanOwn reports whether the actor may do what only the owner may: delete the channel, change its
// visibility or owner, and manage its collaborators.
func CanOwn(a Actor, c Channel) bool { return a.MayWrite() && c.Role == RoleOwner }

// CanArrange reports whether the actor may move connections and set their metadata.
func CanArrange(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// AbilitiesOnChannel returns what the actor may do with the channel.
func AbilitiesOnChannel(a Actor, c Channel) ChannelAbilities {
	return ChannelAbilities{
		AddTo:               CanAddTo(a, c),
		Update:              CanUpdate(a, c),
		Destroy:             CanOwn(a, c),
		ManageCollaborators: CanOwn(a, c),
	}
}

// ItemType is the type of a connected item.
type ItemType string

const (
	ItemBlock   ItemType = "Block"
	ItemChannel ItemType = "Channel"
)

// ItemRef identifies a block or a channel.
type ItemRef struct {
	Type ItemType
	ID   int64
}

// BlockRef returns the reference to a block.
func BlockRef(id BlockID) ItemRef { return ItemRef{ItemBlock, int64(id)} }

// ChannelRef returns the reference to a channel as an item.
func ChannelRef(id ChannelID) ItemRef { return ItemRef{ItemChannel, int64(id)} }

// Subject returns the item as the subject of an activity or of versions.
func (r ItemRef) Subject() Subject { return Subject{SubjectType(r.Type), r.ID} }

// Connection is an item in a channel.
type Connection struct {
	ID          ConnectionID
	ChannelID   ChannelID
	Item        ItemRef
	Maker       Principal // who connected it
	PositionKey int64     // sort key within the channel
	Position    int64     // 1..n from the bottom; 0 if it was not read
	ItemPrivate bool      // the item is a private channel
	Pinned      bool
	Metadata    Metadata
	Version     int64
	CreatedAt   time.Time
	Block       *BlockRevision // stamp of its block, if it was read
}

// ConnectionRevision identifies a state of a connection except its position, as BlockRevision does for
// blocks. Face increases with each visible change of the user who connected it.
type ConnectionRevision struct {
	ID            ConnectionID
	Version, Face int64
	CreatedAt     time.Time
}

// Revision returns the stamp of the connection's current state.
func (c Connection) Revision() ConnectionRevision {
	return ConnectionRevision{ID: c.ID, Version: c.Version, Face: c.Maker.Version, CreatedAt: c.CreatedAt}
}

// Movement is a way to move a connection (behaviour.md section 5).
type Movement string

// The movements. Up is towards the top, which is the highest position.
const (
	InsertAt     Movement = "insert_at"
	MoveToTop    Movement = "move_to_top"
	MoveToBottom Movement = "move_to_bottom"
	MoveUp       Movement = "move_up"
	MoveDown     Movement = "move_down"
)

// CanRemove reports whether the actor may remove a connection from its channel.
func CanRemove(a Actor, in Channel, c Connection) bool {
	return a.MayWrite() && (in.Role >= RoleCollaborator || c.Maker.PrincipalRef == UserRef(a.UserID))
}

// Destination returns the target position of moving a connection from position from, of n.
func Destination(how Movement, position *int64, from, n int64) int64 {
	switch how {
	case MoveToTop:
		return n
	case MoveToBottom:
		return 1
	case MoveUp:
		return min(from+1, n)
	case MoveDown:
		return max(from-1, 1)
	}
	return min(max(*position, 1), n)
}

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
	Sound        *Sound        // of an Attachment; nil if nothing is known
	Metadata     Metadata
	OpenCount    int64 // number of its live public and closed channels
	PrivateCount int64
	Comments     int64
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeadAt       *time.Time // of a Link: when its page was found to be gone; nil if it is there
}

// Readable reports whether the block has a text for the reading view: the article of a Link, or that of a Text.
func (b *Block) Readable() bool {
	return (b.Type == LinkBlock || b.Type == TextBlock) && b.Content.Shown()
}

// longText is the number of bytes from which on a Text is read like an article.
const longText = 1_500

// IsArticle reports whether the block has the article of a Link, or a long Text.
func (b *Block) IsArticle() bool {
	return b != nil && b.Readable() && (b.Type == LinkBlock || len(b.Content.Plain) >= longText)
}

// LinkFailure describes the requests of a Link's page that failed, one after the other, up to the last one. It is the zero
// value if the last one succeeded.
type LinkFailure struct {
	Since  time.Time // the first of them
	Times  int
	Reason string // of the last one, a sentence without its full stop
	Dead   bool   // the page counts as gone
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
	CreatedAt     time.Time // never changes
}

// Revision returns the stamp of the block's current state.
func (b Block) Revision() BlockRevision {
	return BlockRevision{ID: b.ID, Author: UserID(b.Author.ID), Version: b.Version, Face: b.Author.Version,
		Visibility: b.Visibility(), UpdatedAt: b.UpdatedAt, CreatedAt: b.CreatedAt}
}

// CoverBlocks is the maximum number of blocks on the cover of a channel.
const CoverBlocks = 4

// CoverBlock identifies a state of a block on the cover of a channel, as BlockRevision does for everything in a block.
type CoverBlock struct {
	ID        BlockID
	Version   int64
	UpdatedAt time.Time
}

// State returns everything that may differ between revisions of one block, as numbers, in the size of fragments.State.
func (s BlockRevision) State() [6]int64 {
	seen := int64(0)
	switch s.Visibility {
	case BlockPublic:
		seen = 1
	case BlockPrivate:
		seen = 2
	case BlockOrphan:
	}
	return [6]int64{s.Version, s.Face, int64(s.Author), s.UpdatedAt.UnixMicro(), seen}
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

// IsAuthor reports whether the actor is the author of a block. Their token may be read-only.
func IsAuthor(a Actor, b Block) bool {
	return a.SignedIn() && b.Author.PrincipalRef == UserRef(a.UserID)
}

// CanManage reports whether the actor may change the block.
func CanManage(a Actor, b Block) bool {
	return a.MayWrite() && IsAuthor(a, b)
}

// AbilitiesOnBlock returns what the actor may do with a block that they can see.
func AbilitiesOnBlock(a Actor, b Block) BlockAbilities {
	return BlockAbilities{Manage: CanManage(a, b), Comment: a.MayWrite(), Connect: a.MayWrite()}
}
