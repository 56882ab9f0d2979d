package domain

import (
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/text/encoding/htmlindex"
)

// ImportID identifies an import.
type ImportID int64

// ImportSource is the type of an import's source.
type ImportSource string

// The sources: another server with version 3 of the API, or a file.
const (
	FromArena     ImportSource = "arena"
	FromFile      ImportSource = "file"      // of any recognized format
	FromBookmarks ImportSource = "bookmarks" // the same, from earlier versions
	FromSheet     ImportSource = "csv"       // the same
	FromExport    ImportSource = "export"    // a ZIP exported by Vitrine
)

// IsFile reports whether the source is an uploaded file and not another server.
func (s ImportSource) IsFile() bool { return s != FromArena }

// ImportState is the state of an import.
type ImportState string

// The states of imports. The last three are final.
const (
	ImportChoosing ImportState = "choosing" // waiting for its owner to choose among the found channels
	ImportQueued   ImportState = "queued"
	ImportRunning  ImportState = "running"
	ImportDone     ImportState = "done"
	ImportStopped  ImportState = "stopped" // by its owner
	ImportFailed   ImportState = "failed"  // see Reason
)

// Live reports whether the state is not final.
func (s ImportState) Live() bool {
	return s == ImportChoosing || s == ImportQueued || s == ImportRunning
}

// Import is a collection that jobs import from another server or a file, channel by channel.
type Import struct {
	ID          ImportID
	UserID      UserID
	Source      ImportSource
	Address     string     // of the server; "" for a file
	What        []string   // channels, users and groups on the server; empty for everything of the token's user
	Visibility  Visibility // of channels whose source defines none
	IntoVisible bool       // a private import may add to channels that everyone can see
	Choose      bool       // the owner chooses the channels before the import
	Listed      bool       // the steps are known
	Attempts    int64      // at the current step
	UploadID    UploadID   // of a file, until it has been read
	FileName    string
	State       ImportState
	Reason      *string // why it failed, for its owner
	Steps       int64   // in total
	StepsDone   int64
	Counts      ImportCounts
	CreatedAt   time.Time
	StartedAt   *time.Time
	EndedAt     *time.Time
}

// ImportCounts counts the progress of an import or of a step.
type ImportCounts struct {
	Expected    int64 // items in total, as far as known
	Done        int64 // of these
	Channels    int64
	Blocks      int64
	Connections int64
	Comments    int64
	Files       int64
	Bytes       int64 // of files
	Unchanged   int64 // items that already existed
	Changed     int64 // existing items that were updated
	Moved       int64 // items that were moved within their channel
	LeftOut     int64 // items that were skipped, listed or not
}

// ImportFile describes the file of an import.
type ImportFile struct {
	Asked    string `json:"asked,omitempty"`    // encoding that its owner named; "": it is detected
	Format   string `json:"format,omitempty"`   // that was recognized
	Encoding string `json:"encoding,omitempty"` // that it was read in
	Links    int64  `json:"links,omitempty"`    // number of new Links; likewise below
	Texts    int64  `json:"texts,omitempty"`
	Embeds   int64  `json:"embeds,omitempty"`
	Files    int64  `json:"files,omitempty"` // Images and Attachments
}

// Head encodes the description for ImportStep.Head.
func (f ImportFile) Head() string {
	head, _ := json.Marshal(f) // encoding strings and numbers cannot fail
	return string(head)
}

// ImportStepState is the state of a step.
type ImportStepState string

const (
	StepWaiting ImportStepState = "waiting"
	StepDone    ImportStepState = "done"
	StepSkipped ImportStepState = "skipped" // not chosen
	StepFailed  ImportStepState = "failed"
)

// ImportStep is a channel of an import, or its file.
type ImportStep struct {
	N      int64  // from 1, in order; step 0 creates the channels
	Ref    string // identifier at the source
	Title  string
	Head   string // the channel's data from the source, or the ImportFile, as JSON; only if requested
	Page   int64  // page of the source from which an interrupted step resumes; from 1
	State  ImportStepState
	Counts ImportCounts
}

// File decodes the description of the file from the step's head.
func (s ImportStep) File() (f ImportFile, err error) {
	if err := json.Unmarshal([]byte(s.Head), &f); err != nil {
		return f, fmt.Errorf("read the file of an import: %w", err)
	}
	return f, nil
}

// LeftOut is an item that an import skipped.
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
