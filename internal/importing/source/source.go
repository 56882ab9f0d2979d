// Package source defines the interface between imports and the places they read from: channels,
// items, comments, and how they are handed over. Each package next to this one reads one kind of
// place, with the helpers here for character encodings, addresses, dates and tags.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"vitrine/internal/domain"
)

// Source reads a collection from elsewhere and hands it to a Sink.
type Source interface {
	// Origin returns the namespace of ids ("https://api.are.na", "bookmarks", …). Items with the
	// same origin and id are the same, and are not created again.
	Origin() string

	// Read calls the methods of to for everything that it reads: a channel before its items, and
	// before the item that nests it in another channel; items by position, lowest first unless the
	// channel is FromTop; a comment after its item. It returns the first error of these methods. It
	// reports unreadable items with LeftOut, and continues.
	Read(ctx context.Context, to Sink) error
}

// Document is a file or a folder as a Source. The import, not the source, defines the visibility of its
// channels. Each document has its own origin, which its later versions share.
type Document interface {
	Source

	// Former returns the origin that earlier versions gave to all files of this kind.
	Former() string

	// Others returns further origins under which this file may have been imported: by earlier versions,
	// or in another encoding.
	Others() []string

	// Sample returns the ids of each of the first blocks in the file, by which a file is recognized that
	// was imported under another origin. It does not consume input that Read needs.
	Sample(ctx context.Context) [][]string

	// About describes the file. It is final after Read.
	About() About
}

// About describes a file.
type About struct {
	Format   string // "Pocket", "CSV", …
	Encoding string // as domain.EncodingNamed returns it; "": none, since it is not a text
}

// Sink receives the contents of a Source. It must not keep references to data that the next call
// changes. It is safe for concurrent use by several channels; the calls for one channel are
// sequential. Its errors are failures of this server, and end the reading. An item that cannot be
// imported is not an error, but is reported with LeftOut.
type Sink interface {
	// Expect announces n more items, for the progress. A negative n takes back an announcement.
	Expect(n int)

	// Channel begins a channel, or finds it from an earlier import.
	Channel(ctx context.Context, c Channel) error

	// Item hands over the next item of a channel, which is identified by its id.
	Item(ctx context.Context, channel string, it Item) error

	// Comment hands over a comment on an item of this channel.
	Comment(ctx context.Context, channel, item string, c Comment) error

	// Close ends a channel: items that moved in the source are moved here. It is also called for a
	// channel that could not be read to its end.
	Close(ctx context.Context, channel string) error

	// Orphan hands over a block that is in no channel. Comments on it have the channel "".
	Orphan(ctx context.Context, it Item) error

	// Following hands over something that the importing user follows there.
	Following(ctx context.Context, f Following) error

	// Profile hands over the user's profile.
	Profile(ctx context.Context, p Profile) error

	// LeftOut reports what cannot be imported.
	LeftOut(l LeftOut)
}

// Kind is the type of an item. If there is a file, its content decides between Image and
// Attachment.
type Kind string

// The kinds of items.
const (
	Text       Kind = "Text"       // Content is its Markdown
	Link       Kind = "Link"       // of Address
	Image      Kind = "Image"      // of File
	Attachment Kind = "Attachment" // of File
	Embed      Kind = "Embed"      // of Address, with Embed
	Nested     Kind = "Channel"    // ID is the id of a channel
)

// Channel is a channel elsewhere. Its items may nest other channels.
type Channel struct {
	ID          string // at the origin
	Title       string
	Description string            // Markdown
	Visibility  domain.Visibility // "": the import's own default
	Layout      domain.Layout     // "" for the default; others than ours are ignored
	Snapshots   domain.SnapshotPolicy
	Metadata    map[string]any // strings, numbers and booleans
	Owner       Person
	CreatedAt   time.Time // zero: now
	Where       string    // its address or line, for reports

	// FromTop means that items come in display order, the uppermost first: each goes below the one
	// before it. A file that is read as a stream cannot be reversed.
	FromTop bool

	// Root means that this channel contains everything else. If the user imports into a channel,
	// that channel replaces it.
	Root bool
}

// Item is an item of a channel. Empty fields are unknown.
type Item struct {
	ID          string // at its origin: the same item in two channels has one id
	FormerID    string // id in an earlier version; "" if it is the same
	Kind        Kind
	Title       string
	Description string // Markdown
	Content     string // Markdown
	domain.BlockTexts
	Address   string // the source, an absolute HTTP or HTTPS address; others are dropped
	MadeFrom  string // the address that it was created from; "": Address, for a Link or an Embed
	Tags      []string
	Metadata  map[string]any // strings, numbers and booleans
	Author    Person
	CreatedAt time.Time // zero: when it was connected, or now
	UpdatedAt time.Time // zero: CreatedAt
	Embed     *domain.Embed
	File      *File // its bytes
	Preview   *File // an image that represents a Link, Embed or Attachment

	Highlights []Highlight // of the importing user, in the item's text
	Copies     []Copy      // saved copies of the page of a Link
	Snapshots  domain.SnapshotPolicy

	// KeepFileMetadata is set if other people may see the metadata of the files, such as where a
	// photograph was taken.
	KeepFileMetadata bool

	// Complete means that everything about a Link is known: its page is not fetched for a title,
	// text and preview.
	Complete bool

	AddedBy            Person
	ConnectionMetadata map[string]any
	ConnectedAt        time.Time // zero: CreatedAt, or now
	Pinned             bool

	Where string // its address or line, for reports
}

// File is a file that is only read when needed, and not at all if it exists here.
type File struct {
	Name string // chosen by its owner; the content determines the type
	Size int64  // -1: unknown
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Highlight is a passage of a text that the user marked. Without a position, Quote.End is 0.
type Highlight struct {
	ID        string // at the origin; "": there is none
	Quote     domain.Quote
	Note      string
	CreatedAt time.Time // zero: now
	UpdatedAt time.Time // zero: CreatedAt
}

// Copy is a saved copy of a page.
type Copy struct {
	Kind        domain.SnapshotKind   // "": one HTML file
	Source      domain.SnapshotSource // "": a browser
	Address     string                // of the page; "": that of the item
	Shared      bool                  // everyone who sees the item sees it
	Missing     []domain.MissingPart  // parts of the page that it lacks
	Omitted     int64                 // their number, including those that Missing does not list
	TakenAt     time.Time             // zero: unknown
	Title       string
	ContentType string // "": HTML that declares its character set
	Open        func(ctx context.Context) (io.ReadCloser, error)
}

// Person is a user elsewhere. If they have no account here, the metadata of their items names them.
type Person struct {
	Name    string
	Address string // of their page
	Self    bool   // the importing user, who need not be named
}

// Comment is a comment on an item.
type Comment struct {
	ID        string
	Body      string // Markdown
	Author    Person
	CreatedAt time.Time
	Where     string
}

// Following is a channel, user or group that the user follows.
type Following struct {
	Type       domain.SubjectType
	ID         string // at the origin
	Name, Slug string
	Where      string // its address or line, for reports
}

// Profile is a user's profile.
type Profile struct {
	About   string // Markdown
	Picture *File
	Where   string
}

// LeftOut is an item that was skipped completely or in part.
type LeftOut struct {
	What  string `json:"what"`  // "the image of a block"
	Where string `json:"where"` // an address, a line
	Why   string `json:"why"`   // a sentence for the user, without its full stop
}

// Unusable is the error of a File that is unavailable, for a reason that the user may read. Any
// other error of Open is treated as a failure of this server and ends the import.
type Unusable struct {
	Why   string
	Cause error
}

func (e *Unusable) Error() string {
	if e.Cause == nil {
		return e.Why
	}
	return fmt.Sprintf("%s: %v", e.Why, e.Cause)
}

// Unwrap returns the cause.
func (e *Unusable) Unwrap() error { return e.Cause }

// ReasonOf returns the reason of an Unusable file.
func ReasonOf(err error) (why string, ok bool) {
	e, ok := errors.AsType[*Unusable](err)
	if !ok {
		return "", false
	}
	return e.Why, true
}
