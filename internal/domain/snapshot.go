package domain

import "time"

// SnapshotID identifies a saved copy of a page.
type SnapshotID int64

// SnapshotKind is the format of a saved copy.
type SnapshotKind string

// The kinds of saved copies: one self-contained HTML file, an image of the whole page, and a PDF.
const (
	SnapshotPage       SnapshotKind = "page"
	SnapshotScreenshot SnapshotKind = "screenshot"
	SnapshotPDF        SnapshotKind = "pdf"
)

// SnapshotSource is what took a saved copy.
type SnapshotSource string

// The sources of saved copies: the browser of the block's owner, which may be signed in to the site of the page, this
// server, and a mail, whose HTML the copy shows.
const (
	FromBrowser SnapshotSource = "browser"
	FromServer  SnapshotSource = "server"
	FromMail    SnapshotSource = "mail"
)

// Snapshot is a saved copy of the page of a block.
type Snapshot struct {
	ID          SnapshotID
	Block       BlockID
	Owner       UserID // whose quota it counts towards
	Source      SnapshotSource
	Kind        SnapshotKind
	Shared      bool // everyone who sees the block sees it; otherwise only its owner does
	BlobID      BlobID
	Object      string // of the blob
	ContentType string
	Size        int64
	Address     string // of the page
	Title       string
	Text        string // of the page; lists omit it
	Article     bool   // Text is the Markdown of an article
	Missing     []MissingPart
	Omitted     int64 // number of missing parts, including those that Missing does not list
	TakenAt     time.Time
	CreatedAt   time.Time
}

// HasCompany reports whether a saved copy is a page from this server, which may have a picture and a PDF. They have the same
// block, source and time.
func (s Snapshot) HasCompany() bool { return s.Source == FromServer && s.Kind == SnapshotPage }

// Accompanies reports whether a saved copy is a picture or a PDF that this server took together with a page.
func (s Snapshot) Accompanies() bool { return s.Source == FromServer && s.Kind != SnapshotPage }
