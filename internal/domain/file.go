package domain

import "time"

// BlobID names bytes that are kept; FileID a file that is shown.
type (
	BlobID   int64
	FileID   int64
	UploadID int64
)

// Blob is bytes that are kept, once for each content.
type Blob struct {
	ID     BlobID
	Hash   string // SHA-256, hexadecimal
	Object string // its name in the storage
	Size   int64
	Stored bool // the bytes are surely there
}

// File is a blob under an address that nobody guesses.
type File struct {
	ID          FileID
	Key         string // the secret of its address
	Owner       UserID // whose quota it counts against
	BlobID      BlobID
	Object      string // the blob's
	Name        string // as its owner calls it
	ContentType string
	Extension   string // without the dot
	Size        int64
	Width       int64 // of images, upright; 0 if unknown
	Height      int64
	Blurhash    *string
	Resized     string // extension of its resized versions; "": it stands for them itself
	Animated    bool   // an image with more than one frame
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

// Original is the name of the file as it came, below its key.
func (f File) Original() string {
	if f.Extension == "" {
		return "original"
	}
	return "original." + f.Extension
}

// Version is the name of a resized version, such as "small-2x.webp", below the file's key.
func (f File) Version(v ImageVersion) string {
	if f.Resized == "" {
		return f.Original()
	}
	return v.String() + "." + f.Resized
}

// Displayable reports whether all browsers show the image as it came. BMP files are left out because
// they are not compressed.
func (f File) Displayable() bool {
	switch f.ContentType {
	case "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/svg+xml":
		return true
	}
	return false
}

// VersionSize is the width and height of a version in pixels; 0 if unknown.
func (f File) VersionSize(v ImageVersion) (width, height int64) {
	if f.Resized == "" || f.Width == 0 || f.Height == 0 {
		return f.Width, f.Height
	}
	w, h := v.Fit(int(f.Width), int(f.Height))
	return int64(w), int64(h)
}

// Embed is media that is played in place, as its provider describes it. Empty fields
// are unknown.
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

// PageFacts is what a web page says about itself, apart from what other fields of a Link hold.
type PageFacts struct {
	Canonical  string // another URL of the same page; only for finding the block by it
	AuthorName string
	AuthorURL  string
}

// Upload is what a user may send, or has sent.
type Upload struct {
	ID          UploadID
	Key         string
	UserID      UserID
	Name        string
	ContentType string
	BlobID      BlobID // 0 until this server has the bytes
	Size        int64  // once it is known
	Used        bool   // something has been made of it
	ExpiresAt   time.Time
	CreatedAt   time.Time
}

// ProcessingState is how far the getting of a block's content has come.
type ProcessingState string

// The states of getting content.
const (
	ProcessingWaiting ProcessingState = "waiting"
	ProcessingDone    ProcessingState = "done"
	ProcessingFailed  ProcessingState = "failed"
)

// ProcessingStatus is how far fetching a block's content has come.
type ProcessingStatus struct {
	BlockID   BlockID
	State     ProcessingState
	Attempts  int64
	Reason    *string // why the last attempt failed, in words for its author
	UploadID  UploadID
	Round     int64 // differs after each restart
	UpdatedAt time.Time
}

// ContentTypePattern is the form of a media type with its parameters, in ASCII (RFC 9110
// section 8.3.1). The description has the same.
const ContentTypePattern = `^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*` +
	`( *; *[A-Za-z0-9!#$&^_.+-]+=("[ -!#-~]*"|[A-Za-z0-9!#$&^_.+-]+))*$`
