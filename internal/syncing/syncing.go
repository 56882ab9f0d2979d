// Package syncing keeps a directory of Markdown and files in step with a channel, or with all channels of a user, by the API
// of a server.
package syncing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/database"
)

// Options configure a Sync.
type Options struct {
	Server  string // base address
	Token   string
	Dir     string
	Channel string // id or slug; empty: that of the last time, or all channels of the user
	Pull    bool   // change the directory
	Push    bool   // change the server
	DryRun  bool   // only report what would change
	Confirm bool   // delete however much is missing
	Moved   bool   // the server has a new address

	Visibility client.ChannelVisibility // of new channels
	MaxFile    int64                    // bytes of a downloaded file
	Settle     time.Duration            // how long a file must be unchanged before it is read
	Every      time.Duration            // how often the directory is scanned
	Host       string                   // in the names of copies that a conflict leaves
	HTTP       *http.Client
	Now        func() time.Time
	Report     func(text string)

	stall time.Duration // instead of maxStall, for tests
	step  func(string)  // called before and after each change, for tests
}

// Errors that end a run.
var (
	ErrInUse   = errors.New("another sync uses this directory")
	ErrConfirm = errors.New("nothing was deleted; check that the disk is mounted, and use --confirm-deletions if they are to be deleted")
	ErrPartly  = errors.New("some items are not in step")
)

// Sync is a directory that is kept in step.
type Sync struct {
	o       Options
	dir     *dir
	state   *state
	server  server
	root    *entry
	release func()

	dirty     map[int64]bool // channels to read again; 0 is the account
	blocks    map[int64]bool // blocks to read again
	cursor    string         // after the changes that dirty and blocks contain
	writable  map[int64]bool // channels to which the user may add
	failed    map[string]string
	reported  map[string]bool
	problems  int
	unsettled bool                // a file was written just now
	missed    map[place]time.Time // when a scan first missed what was deleted in the directory
	last      *tree
}

// Open locks the directory and finds what it is in step with.
func Open(ctx context.Context, o Options) (*Sync, error) {
	if o.step == nil {
		o.step = func(string) {}
	}
	o.HTTP = withStall(o.HTTP, cmp.Or(o.stall, maxStall))
	if err := os.MkdirAll(filepath.Join(o.Dir, ownFolder), 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Sync{o: o, dir: &dir{root: root, step: o.step, now: o.Now, cache: map[string]cached{}}, release: func() {},
		missed: map[place]time.Time{}, dirty: map[int64]bool{}, blocks: map[int64]bool{}, writable: map[int64]bool{}, failed: map[string]string{}, reported: map[string]bool{}}
	begun := false
	defer func() {
		if !begun {
			s.Close()
		}
	}()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	begun = true
	return s, nil
}

// begin locks the directory, reads its state and finishes what an earlier run began.
func (s *Sync) begin(ctx context.Context) error {
	release, err := database.HoldLock(ctx, filepath.Join(s.o.Dir, ownFolder, "lock"))
	if errors.Is(err, database.ErrInUse) {
		return fmt.Errorf("%s: %w", s.o.Dir, ErrInUse)
	}
	if err != nil {
		return err
	}
	s.release = release
	if err := s.dir.prepare(); err != nil {
		return err
	}
	if s.state, err = openState(s.dir, s.o.step, s.o.DryRun); err != nil {
		return err
	}
	return s.recover()
}

// Close releases the directory.
func (s *Sync) Close() {
	if s.state != nil && s.state.file != nil {
		_ = s.state.file.Close() // each write was synced
	}
	s.release()
	_ = s.dir.root.Close()
}

// connect finds the user of the token and the channel.
func (s *Sync) connect(ctx context.Context) error {
	c, err := client.New(s.o.Server, client.WithToken(s.o.Token), client.WithHTTP(s.o.HTTP), client.WithUserAgent("vitrine-sync"))
	if err != nil {
		return err
	}
	me, err := c.GetCurrentUser(ctx)
	if err != nil {
		return err
	}
	s.server = server{Client: c, http: s.o.HTTP, me: me.ID, site: strings.TrimSuffix(s.o.Server, "/")}
	was, now := s.state.about, about{Server: strings.TrimSuffix(s.o.Server, "/"), User: me.ID}
	ref := client.Ref(s.o.Channel)
	if ref == "" && was.Channel != 0 {
		ref = client.ID(was.Channel)
	}
	s.root = &entry{place: place{0, typeAccount, 0}}
	if ref != "" {
		channel, err := c.GetChannel(ctx, ref)
		if client.IsNotFound(err) {
			return fmt.Errorf("the channel %q does not exist, or this account may not see it", ref)
		}
		if err != nil {
			return err
		}
		now.Channel = channel.ID
		s.root.place = place{0, typeChannel, channel.ID}
		s.writable[channel.ID] = channel.Can != nil && channel.Can.AddTo
	} else if _, err := c.GetUserContents(ctx, client.ID(me.ID), &client.GetUserContentsParams{Per: 1, Type: client.ContentTypeFilterChannel}); refused(err) {
		return fmt.Errorf("this token may not list the channels of its account; use --channel, or a token that is not limited to channels: %w", err)
	} else if err != nil {
		return err
	}
	s.writable[0] = ref == ""
	if was.User == 0 {
		return s.state.setAbout(now)
	}
	if !sameAddress(was.Server, now.Server) && !s.o.Moved {
		return fmt.Errorf("%s is in step with the server at %s, not %s; if that server has moved, use --server-moved", s.o.Dir, was.Server, now.Server)
	}
	if was.User != now.User || was.Channel != now.Channel {
		return fmt.Errorf("%s is in step with channel %d of user %d at %s; use another directory for channel %d of user %d", s.o.Dir, was.Channel, was.User, was.Server, now.Channel, now.User)
	}
	s.cursor = was.Cursor
	if now.Cursor = was.Cursor; now != was {
		return s.state.setAbout(now)
	}
	return nil
}

// sameAddress reports whether two base addresses are the same.
func sameAddress(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && strings.EqualFold(u.Scheme, v.Scheme) && strings.EqualFold(u.Host, v.Host) && strings.Trim(u.Path, "/") == strings.Trim(v.Path, "/")
}

// Once synchronizes both sides. It returns ErrPartly if it had to omit items.
func (s *Sync) Once(ctx context.Context) error {
	for range 20 {
		again, err := s.pass(ctx)
		if err != nil {
			return err
		}
		if !again {
			break
		}
		if s.unsettled {
			if err := sleep(ctx, s.o.Settle); err != nil {
				return err
			}
		}
	}
	if s.problems > 0 || len(s.failed) > 0 {
		return ErrPartly
	}
	return nil
}

// say reports something to the user.
func (s *Sync) say(format string, args ...any) { s.o.Report(fmt.Sprintf(format, args...)) }

// once reports something the first time.
func (s *Sync) once(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !s.reported[text] {
		s.reported[text] = true
		s.o.Report(text)
	}
}

// problem reports that an item is not in step.
func (s *Sync) problem(name string, err error) {
	s.problems++
	s.once("%s: %v", name, err)
}

// do reports a step, and whether to take it.
func (s *Sync) do(verb, name string) bool {
	s.say("%s %s", verb, name)
	return !s.o.DryRun
}

// recover finishes or takes back the change of files that an earlier run did not finish.
func (s *Sync) recover() error {
	for _, e := range s.state.sorted() {
		if e.Prev == nil {
			continue
		}
		if err := s.settle(*e); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sync) settle(e entry) error {
	prev := *e.Prev
	e.Prev = nil
	note, file, err := s.hashes(&e)
	if err != nil {
		return err
	}
	stale, kept := prev, e
	stale.Hash = prev.Seen
	if done := note == e.Hash && file == e.FileHash; !done {
		stale, kept = e, prev
	}
	kept.Seen = ""
	if err := s.remove(stale.Path, stale.Hash, kept.Path); err != nil {
		return err
	}
	if err := s.remove(stale.File, stale.FileHash, kept.File); err != nil {
		return err
	}
	if kept.Path == "" {
		return s.state.drop(e.place)
	}
	return s.state.put(kept)
}

// remove removes a file that has a hash, unless it is the one to keep.
func (s *Sync) remove(name, hash, keep string) error {
	if name == "" || key(name) == key(keep) || s.o.DryRun {
		return nil
	}
	now, err := s.dir.hash(name)
	if err != nil || now != hash || now == "" {
		return err
	}
	s.dir.step("before removing " + name)
	err = s.dir.root.Remove(name)
	s.dir.step("after removing " + name)
	return err
}

// hashes returns the hashes of the note and the file of an entry; "" is missing.
func (s *Sync) hashes(e *entry) (note, file string, err error) {
	if e.Path != "" {
		note, err = s.dir.hash(e.Path)
	}
	if e.File != "" && err == nil {
		file, err = s.dir.hash(e.File)
	}
	return note, file, err
}
