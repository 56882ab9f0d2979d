// Package source is what importing understands of other places: their channels, items and
// comments, and how they are handed over. A package beside this one reads one kind of place.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"vitrine/internal/domain"
)

// Source reads a collection from elsewhere and hands it to a Taker.
type Source interface {
	// Origin names where ids come from ("https://api.are.na", "bookmarks", …): what has come
	// from the same origin under the same id is the same thing, and is not made again.
	Origin() string

	// Read hands over what there is: a channel before its items, and before the item that
	// nests it in another channel; the items in the order in which they stand, lowest position
	// first unless the channel is FromTop; a comment after the item that it is about. It returns at the first error of the
	// Taker. What it cannot read it reports by LeftOut, and goes on.
	Read(ctx context.Context, to Taker) error
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

// Taker takes what a Source reads. It keeps nothing that it was handed and that the next call
// changes. It is safe for concurrent use by several channels; what is of one channel comes one
// after the other. Its errors are of this server, and end the reading: a thing that cannot be
// taken is none, it is noted among what was left out.
type Taker interface {
	// Expect says that n more items are to come, for the progress; less than 0 takes back.
	Expect(n int)

	// Channel begins a channel, or finds it again.
	Channel(ctx context.Context, c Channel) error

	// Item is the next item of a channel that was begun, named by the id of the channel.
	Item(ctx context.Context, channel string, it Item) error

	// Comment is a comment on an item that this channel was handed.
	Comment(ctx context.Context, channel, item string, c Comment) error

	// Close says that all of a channel was handed over: what moved at the source moves here.
	// A channel that could not be read to its end is closed all the same.
	Close(ctx context.Context, channel string) error

	// Loose is a block that is in no channel. Comments on it name the channel "".
	Loose(ctx context.Context, it Item) error

	// Following is what the person who imports follows there.
	Following(ctx context.Context, f Following) error

	// Profile is what they say of themself there.
	Profile(ctx context.Context, p Profile) error

	// LeftOut notes what cannot be taken.
	LeftOut(l LeftOut)
}

// Kind is what an item is. Where there are bytes, they decide between Image and Attachment.
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
	Metadata    map[string]any    // strings, numbers and booleans
	Owner       Person
	CreatedAt   time.Time // zero: now
	Where       string    // its address or line, for reports

	// FromTop says that its items come as they are seen, the uppermost first: each goes below
	// the one before it. A file that is read as it comes cannot be turned round.
	FromTop bool

	// Root says that all else that the source tells of is in it. The channel into which somebody
	// imports takes its place.
	Root bool
}

// Item is a thing in a channel. Empty fields are unknown.
type Item struct {
	ID          string // of the thing at its origin: the same thing in two channels has one id
	FormerID    string // that an earlier version gave it; "" if it is the same
	Kind        Kind
	Title       string
	Description string // Markdown
	Content     string // Markdown
	Alt         string // the alternative text of an image
	Address     string // where it is from, an absolute address of http or https; nothing else is kept
	MadeFrom    string // the address that it was made from; "": Address, of a Link or an Embed
	SourceTitle string // of what is at the address
	Tags        []string
	Metadata    map[string]any // strings, numbers and booleans
	Author      Person
	CreatedAt   time.Time // zero: when it was connected, or now
	UpdatedAt   time.Time // zero: CreatedAt
	Embed       *domain.Embed
	File        *File // its bytes
	Preview     *File // an image that stands for a Link, Embed or Attachment

	// KeepFileMetadata is whether other people get the metadata of the files, such as where a photograph was taken.
	KeepFileMetadata bool

	// Complete says that a Link is known as well as it can be: its page is not fetched to
	// learn its title, text and preview.
	Complete bool

	AddedBy            Person
	ConnectionMetadata map[string]any
	ConnectedAt        time.Time // zero: CreatedAt, or now
	Pinned             bool

	Where string // its address or line, for reports
}

// File is bytes that are read when they are needed, and not at all where they are here already.
type File struct {
	Name string // as its owner calls it; the type is seen from the bytes
	Size int64  // -1: unknown
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Person is somebody elsewhere. Who has no account here is named in the metadata of what they made.
type Person struct {
	Name    string
	Address string // their page
	Self    bool   // they are who imports: nobody needs to be named
}

// Comment is what somebody said about an item.
type Comment struct {
	ID        string
	Body      string // Markdown
	Author    Person
	CreatedAt time.Time
	Where     string
}

// Following is a channel, user or group that somebody follows.
type Following struct {
	Type       domain.SubjectType
	ID         string // at the origin
	Name, Slug string
	Where      string // its address or line, for reports
}

// Profile is what somebody says of themself.
type Profile struct {
	About   string // Markdown
	Picture *File
	Where   string
}

// LeftOut is a thing that was not taken, or not wholly.
type LeftOut struct {
	What  string `json:"what"`  // "the image of a block"
	Where string `json:"where"` // an address, a line
	Why   string `json:"why"`   // a sentence without its full stop, for who imports
}

// Unusable is the error of a File that cannot be had, for a reason that who imports may read.
// Any other error of Open is told as one of this server and ends the import.
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

// ReasonOf gives the reason of an Unusable file.
func ReasonOf(err error) (why string, ok bool) {
	e, ok := errors.AsType[*Unusable](err)
	if !ok {
		return "", false
	}
	return e.Why, true
}
