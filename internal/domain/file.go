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
	CreatedAt   time.Time
}

// Original is the name of the file as it came, below its key.
func (f File) Original() string {
	if f.Extension == "" {
		return "original"
	}
	return "original." + f.Extension
}

// Double follows the name of a version for one of twice the size.
const Double = "-2x"

// Version is the name of a resized version, such as "small" or "small-2x", below the
// file's key.
func (f File) Version(name string) string {
	if f.Resized == "" {
		return f.Original()
	}
	return name + "." + f.Resized
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

// ProcessingStatus tells of the getting of a block's content.
type ProcessingStatus struct {
	BlockID   BlockID
	State     ProcessingState
	Attempts  int64
	Reason    *string // why the last attempt failed, in words for its author
	UploadID  UploadID
	UpdatedAt time.Time
}
