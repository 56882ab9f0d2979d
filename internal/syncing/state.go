package syncing

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// maxStateLine limits one line of the state, which contains at most a request with a note. JSON escapes a byte by up to six.
const maxStateLine = 6*maxNote + 1<<20

// place identifies an item in a channel. Channel 0 is the account, whose items are its channels.
type place struct {
	Channel int64  `json:"channel"`
	Type    string `json:"type"` // Block or Channel
	ID      int64  `json:"id"`
}

// entry is what the directory and the server had in common when they were last in step.
type entry struct {
	place
	Conn     int64  `json:"conn,omitempty"` // of a channel
	Path     string `json:"path"`           // the note, or the folder of a channel
	Name     string `json:"name"`           // the stem that the title had; another one is a new title
	Hash     string `json:"hash,omitempty"` // of the note
	Kind     kind   `json:"kind,omitempty"` // of a block
	File     string `json:"file,omitempty"` // of an image or attachment
	FileHash string `json:"file_hash,omitempty"`
	Title    string `json:"title"`
	Matter   string `json:"matter,omitempty"`  // the title in the front matter, which a renamed file still has
	Remote   string `json:"remote"`            // hash of the block's doc, or the title of a linked channel
	Pending  bool   `json:"pending,omitempty"` // nothing is in the directory yet, as the server is still processing it
	Refresh  bool   `json:"refresh,omitempty"` // the note has to be written again
	Linked   bool   `json:"linked,omitempty"`  // a channel that has its folder elsewhere, or none: a note links it
	Lost     bool   `json:"lost,omitempty"`    // the channel of a folder is gone, and the folder stays
	Seen     string `json:"seen,omitempty"`    // of Prev: the hash of the note that is replaced
	Prev     *entry `json:"prev,omitempty"`    // the entry before a change of files that may be unfinished
}

// folder reports whether the entry is the folder of a channel.
func (e *entry) folder() bool { return e.Type == typeChannel && !e.Linked }

// intent is a request that creates something. It is stored before it is sent, and sent again after a crash.
type intent struct {
	Key     string          `json:"key"`
	Path    string          `json:"path"`
	Hash    string          `json:"hash"`
	Matter  string          `json:"matter,omitempty"` // as in entry
	Channel int64           `json:"channel"`
	Type    string          `json:"type"`
	At      time.Time       `json:"at"`
	Body    json.RawMessage `json:"body"`
}

// about is what a directory is kept in step with.
type about struct {
	Server  string `json:"server"`
	User    int64  `json:"user"`
	Channel int64  `json:"channel"` // 0: all channels of the user
	Cursor  string `json:"cursor"`
}

// record is one line of the state file. Later lines replace earlier ones.
type record struct {
	About  *about  `json:"about,omitempty"`
	Put    *entry  `json:"put,omitempty"`
	Drop   *place  `json:"drop,omitempty"`
	Intent *intent `json:"intent,omitempty"`
	Done   string  `json:"done,omitempty"` // key of an intent
}

// state is the memory of a directory. Each change is appended to a file before the next step begins, so a program that is
// killed continues with the step that it was doing.
type state struct {
	about   about
	entries map[place]*entry
	intents map[string]*intent
	file    *os.File // nil for a dry run, which stores nothing
	step    func(string)
}

// errState ends a run, since a program that cannot store what it does could not continue after a crash.
var errState = errors.New("the state of the directory")

// openState reads the state and rewrites it without superseded lines.
func openState(d *dir, step func(string), dry bool) (*state, error) {
	s := &state{entries: map[place]*entry{}, intents: map[string]*intent{}, step: step}
	if err := s.read(d.root); err != nil {
		return nil, err
	}
	if dry {
		return s, nil
	}
	name := ownFolder + "/state.jsonl"
	all, err := lines(s.records())
	if err != nil {
		return nil, err
	}
	if err := d.replace(name, all); err != nil {
		return nil, err
	}
	if err := d.root.Chmod(name, 0o600); err != nil {
		return nil, err
	}
	s.file, err = d.root.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	return s, err
}

func (s *state) read(root *os.Root) error {
	f, err := root.Open(ownFolder + "/state.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, maxStateLine)
	var broken error
	for n := 1; scan.Scan(); n++ {
		if broken != nil {
			return broken
		}
		var r record
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			broken = fmt.Errorf("%s/state.jsonl: line %d: %w", ownFolder, n, err) // allowed in the last line, which was being written
			continue
		}
		s.apply(r)
	}
	return scan.Err()
}

func (s *state) records() (all []record) {
	all = append(all, record{About: &s.about})
	for _, e := range s.sorted() {
		all = append(all, record{Put: e})
	}
	for _, k := range slices.Sorted(maps.Keys(s.intents)) {
		all = append(all, record{Intent: s.intents[k]})
	}
	return all
}

func (s *state) apply(r record) {
	switch {
	case r.About != nil:
		s.about = *r.About
	case r.Put != nil:
		s.entries[r.Put.place] = r.Put
	case r.Drop != nil:
		delete(s.entries, *r.Drop)
	case r.Intent != nil:
		s.intents[r.Intent.Key] = r.Intent
	case r.Done != "":
		delete(s.intents, r.Done)
	}
}

// lines encodes records.
func lines(records []record) (all []byte, err error) {
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		all = append(append(all, line...), '\n')
	}
	return all, nil
}

// write appends records, durably and in one write.
func (s *state) write(records ...record) error {
	all, err := lines(records)
	if err != nil {
		return err
	}
	s.step("before the state")
	if s.file != nil {
		if _, err := s.file.Write(all); err != nil {
			return fmt.Errorf("%w: %w", errState, err)
		}
		if err := s.file.Sync(); err != nil {
			return fmt.Errorf("%w: %w", errState, err)
		}
	}
	for _, r := range records {
		s.apply(r)
	}
	s.step("after the state")
	return nil
}

func (s *state) put(e entry) error      { return s.write(record{Put: &e}) }
func (s *state) drop(p place) error     { return s.write(record{Drop: &p}) }
func (s *state) setAbout(a about) error { return s.write(record{About: &a}) }

// sorted returns the entries, channels before what is in them.
func (s *state) sorted() []*entry {
	return slices.SortedFunc(maps.Values(s.entries), byPath)
}

func byPath(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
}

// paths returns the paths of all entries by their keys.
func (s *state) paths() map[string]string {
	all := map[string]string{}
	for _, e := range s.entries {
		for _, name := range []string{e.Path, e.File} {
			if name != "" {
				all[key(name)] = name
			}
		}
	}
	return all
}

// in returns the entries of a channel.
func (s *state) in(channel int64) (found []*entry) {
	for _, e := range s.entries {
		if e.Channel == channel && !e.Pending && e.Path != "" {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, byPath)
	return found
}

// folderOf returns the entry with the folder of a channel, or nil.
func (s *state) folderOf(channel int64) *entry {
	for _, e := range s.entries {
		if e.folder() && e.ID == channel {
			return e
		}
	}
	return nil
}
