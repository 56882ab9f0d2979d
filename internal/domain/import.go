package domain

import (
	"time"

	"golang.org/x/text/encoding/htmlindex"
)

// ImportID names an import.
type ImportID int64

// ImportSource is what an import reads from.
type ImportSource string

// The sources: another server that speaks version 3, or a file.
const (
	FromArena     ImportSource = "arena"
	FromFile      ImportSource = "file"      // of any format that is recognized
	FromBookmarks ImportSource = "bookmarks" // the same, from earlier versions
	FromSheet     ImportSource = "csv"       // the same
	FromExport    ImportSource = "export"    // a ZIP that a Vitrine wrote, and nothing else
)

// ImportState is how far an import has come.
type ImportState string

// The states of imports. The last three have an end.
const (
	ImportChoosing ImportState = "choosing" // its owner chooses among the channels that were found
	ImportQueued   ImportState = "queued"
	ImportRunning  ImportState = "running"
	ImportDone     ImportState = "done"
	ImportStopped  ImportState = "stopped" // by its owner
	ImportFailed   ImportState = "failed"  // Reason says why
)

// Live reports whether something is still to come of it.
func (s ImportState) Live() bool {
	return s == ImportChoosing || s == ImportQueued || s == ImportRunning
}

// Import is a collection that is brought in from elsewhere, channel by channel, as jobs.
type Import struct {
	ID          ImportID
	UserID      UserID
	Source      ImportSource
	Address     string     // of the server, "" for a file
	What        []string   // channels, users and groups there; empty: everything of the token's user
	Visibility  Visibility // of channels whose source defines none
	IntoVisible bool       // a private import may add to channels that everyone can see
	Choose      bool       // the owner chooses the channels before the import
	Listed      bool       // the steps are known
	Attempts    int64      // at the present step
	UploadID    UploadID   // of a file, until it was read
	FileName    string
	State       ImportState
	Reason      *string // why it failed, in words for its owner
	Steps       int64   // in total
	StepsDone   int64
	Counts      ImportCounts
	CreatedAt   time.Time
	StartedAt   *time.Time
	EndedAt     *time.Time
}

// ImportCounts is what has come of an import so far, or of a step.
type ImportCounts struct {
	Expected    int64 // items that are to come, as far as it is known
	Done        int64 // of these
	Channels    int64
	Blocks      int64
	Connections int64
	Comments    int64
	Files       int64
	Bytes       int64 // of files
	Unchanged   int64 // things that were here already
	Changed     int64 // things that were here, and are now as they are there
	Moved       int64 // items that stand elsewhere in their channel now
	LeftOut     int64 // what could not be taken, listed or not
}

// ImportFile is what is known of the file of an import.
type ImportFile struct {
	Asked    string `json:"asked,omitempty"`    // encoding that its owner named; "": it is detected
	Format   string `json:"format,omitempty"`   // that was recognized
	Encoding string `json:"encoding,omitempty"` // that it was read in
	Links    int64  `json:"links,omitempty"`    // that were made, as the numbers below
	Texts    int64  `json:"texts,omitempty"`
	Embeds   int64  `json:"embeds,omitempty"`
	Files    int64  `json:"files,omitempty"` // Images and Attachments
}

// ImportStepState is how far a step has come.
type ImportStepState string

// The states of steps.
const (
	StepWaiting ImportStepState = "waiting"
	StepDone    ImportStepState = "done"
	StepSkipped ImportStepState = "skipped" // it was not chosen
	StepFailed  ImportStepState = "failed"
)

// ImportStep is a channel of an import, or its file.
type ImportStep struct {
	N      int64  // from 1, in the order in which they are done; 0 makes the channels
	Ref    string // what the source calls it
	Title  string
	Head   string // what the source says of the channel, as JSON; only where it is asked for
	Page   int64  // of the source, from which a step that was cut off goes on; from 1
	State  ImportStepState
	Counts ImportCounts
}

// LeftOut is something that an import could not take.
type LeftOut struct{ What, Where, Why string }

// EncodingNamed returns the canonical name of a character encoding, such as "shift_jis", from any of the
// labels that browsers accept for it (https://encoding.spec.whatwg.org/).
func EncodingNamed(label string) (name string, ok bool) {
	e, err := htmlindex.Get(label)
	if err != nil {
		return "", false
	}
	name, err = htmlindex.Name(e)
	return name, err == nil && name != "replacement" && name != "x-user-defined"
}

// Encodings are the names of the encodings that forms offer.
var Encodings = []string{"utf-8", "utf-16le", "utf-16be", "windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254",
	"windows-1255", "windows-1256", "koi8-r", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"}
