package domain

import (
	"fmt"
	"strconv"
	"time"
)

// BlobID identifies stored bytes, and FileID a file with its own URL.
type (
	BlobID   int64
	FileID   int64
	UploadID int64
)

// Blob is stored bytes, once per content.
type Blob struct {
	ID     BlobID
	Hash   string // SHA-256, hexadecimal
	Object string // name in the storage
	Size   int64
	Stored bool // the bytes are known to exist
}

// File is a blob with an unguessable URL.
type File struct {
	ID          FileID
	Key         string // secret part of its URL
	Owner       UserID // whose quota it counts towards
	BlobID      BlobID
	Object      string // of the blob
	Name        string // chosen by its owner
	ContentType string
	Extension   string // without the dot
	Size        int64
	Width       int64 // of images, upright; 0 if unknown
	Height      int64
	Blurhash    *string
	Resized     string // extension of its resized versions; "" if the original is used instead
	Animated    bool   // an image with more than one frame
	Palette     string // dominant colours of an image (package colour)
	LookHash    *int64 // perceptual hash of an image
	CreatedAt   time.Time

	CleanSize     int64 // bytes without metadata, or one of the values below
	CleanPlanned  bool  // whether bytes have to be omitted or replaced for that
	KeepsMetadata bool  // the owner chose to show all metadata
}

// Special values of File.CleanSize.
const (
	CleanUnknown    = -2 // the file was not examined yet
	CleanImpossible = -1 // the metadata cannot be removed
)

// Clean reports whether a file is known to contain no metadata.
func (f File) Clean() bool { return f.CleanSize == f.Size && !f.CleanPlanned }

// ServedSize returns the size of the original that other people get.
func (f File) ServedSize() int64 {
	if f.KeepsMetadata || f.CleanSize < 0 {
		return f.Size
	}
	return f.CleanSize
}

// Original returns the name of the original in URLs, below the file's key.
func (f File) Original() string {
	if f.Extension == "" {
		return "original"
	}
	return "original." + f.Extension
}

// Version returns the name of a resized version in URLs, such as "small-2x.webp", below the file's
// key.
func (f File) Version(v ImageVersion) string {
	if f.Resized == "" {
		return f.Original()
	}
	return v.String() + "." + f.Resized
}

// IsDocument reports whether the pages of a file can be read one by one.
func (f *File) IsDocument() bool { return f != nil && f.ContentType == "application/pdf" }

// PageName returns the name of a page in URLs, below the key of its document. Pages are counted from 1.
func PageName(n int) string { return "page-" + strconv.Itoa(n) + ".jpg" }

// Displayable reports whether all browsers show the image as it came. BMP files are left out because
// they are not compressed.
func (f File) Displayable() bool {
	switch f.ContentType {
	case "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/svg+xml":
		return true
	}
	return false
}

// VersionSize returns the width and height of a version in pixels, or 0 if unknown.
func (f File) VersionSize(v ImageVersion) (width, height int64) {
	if f.Resized == "" || f.Width == 0 || f.Height == 0 {
		return f.Width, f.Height
	}
	w, h := v.Fit(int(f.Width), int(f.Height))
	return int64(w), int64(h)
}

// Embed is embedded media as described by its provider. Empty fields are unknown.
type Embed struct {
	URL          string // of the player
	Type         string // video, audio or rich
	Title        string
	AuthorName   string
	AuthorURL    string
	SourceURL    string // of the page
	Width        int64
	Height       int64
	HTML         string // one sandboxed iframe
	ThumbnailURL string
}

// PageMetadata is what a web page says about itself, apart from what other fields of a Link hold.
type PageMetadata struct {
	Canonical  string // another URL of the same page; only for finding the block by it
	AuthorName string
}

// Sound is what an audio file says about itself, apart from what other fields of its block hold.
type Sound struct {
	Artist  string
	Seconds int64 // 0 if unknown
}

// Length formats the length, such as "3:07" or "1:02:07".
func (s Sound) Length() string {
	if s.Seconds < 3600 {
		return fmt.Sprintf("%d:%02d", s.Seconds/60, s.Seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s.Seconds/3600, s.Seconds/60%60, s.Seconds%60)
}

// Upload is a file that a user may send or has sent.
type Upload struct {
	ID          UploadID
	Key         string
	UserID      UserID
	Name        string
	ContentType string
	BlobID      BlobID // 0 until this server has received the bytes
	Size        int64  // set once known
	Used        bool   // something was created from it
	ExpiresAt   time.Time
	CreatedAt   time.Time
}

// ProcessingState is the state of processing a block's content.
type ProcessingState string

const (
	ProcessingWaiting ProcessingState = "waiting"
	ProcessingDone    ProcessingState = "done"
	ProcessingFailed  ProcessingState = "failed"
)

// ProcessingStatus is the progress of processing a block's content.
type ProcessingStatus struct {
	BlockID  BlockID
	State    ProcessingState
	Attempts int64
	Reason   *string // why the last attempt failed, for its author
	BlockUploads
	Round     int64 // differs after each restart
	UpdatedAt time.Time
}

// BlockUploads are the uploads that a block is made of, 0 for none.
type BlockUploads struct {
	UploadID UploadID
	PosterID UploadID // image to show of a video until it plays
}

// ContentTypePattern matches a media type with parameters, in ASCII (RFC 9110 section 8.3.1). The
// API description has the same pattern.
const ContentTypePattern = `^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*` +
	`( *; *[A-Za-z0-9!#$&^_.+-]+=("[ -!#-~]*"|[A-Za-z0-9!#$&^_.+-]+))*$`
