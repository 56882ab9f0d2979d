package syncing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"vitrine/client"
)

// A deletion of more than maxMissing items, which are more than a fifth of all, has to be confirmed.
const maxMissing = 10

// maxSingle is how many changed blocks of a channel are read one by one; for more, the whole channel is.
const maxSingle = 50

// pass is one comparison of both sides.
type pass struct {
	*Sync
	tree    *tree
	mapped  map[string]*entry   // by key of a path
	notes   map[int64][]string  // notes of no entry by the id of their block
	plain   map[string][]string // other notes of no entry by their hash
	indexes map[int64]bool      // channels whose indexes are in folders of no entry; nil: not read yet
	updated map[int64]*client.Block
	lists   map[int64][]client.Connectable // of dirty channels
	seen    map[string]string              // hashes of notes that were compared, by path
	removed []*entry                       // to remove from the server at the end
	began   time.Time
	retry   map[int64]bool // channels to read again, since something of theirs failed
	again   bool
}

// pass compares both sides and brings them in step. It reports whether another pass is needed.
func (s *Sync) pass(ctx context.Context) (again bool, err error) {
	s.problems, s.unsettled = 0, false
	if s.root == nil {
		if err := s.connect(ctx); err != nil {
			return false, err
		}
	}
	if err := s.changes(ctx); err != nil {
		return false, err
	}
	p := &pass{Sync: s, mapped: map[string]*entry{}, notes: map[int64][]string{}, plain: map[string][]string{}, seen: map[string]string{}, retry: map[int64]bool{}, updated: map[int64]*client.Block{}, lists: map[int64][]client.Connectable{}}
	p.began = s.o.Now()
	s.dir.known = s.state.paths()
	if p.tree, err = s.dir.scan(); err != nil {
		return false, err
	}
	for _, link := range p.tree.links {
		s.once("%s: symbolic links are ignored", link)
	}
	for _, name := range p.tree.clashes {
		p.problem(name, errors.New("is ignored, as the name of another file differs only in case"))
	}
	for _, name := range p.tree.closed {
		p.problem(name, errors.New("cannot be read, so nothing in it is compared"))
	}
	for name, hash := range p.failed {
		if now, err := p.dir.hash(name); err == nil && now != hash && hash != failedFolder || hash == failedFolder && p.tree.dirs[key(name)] == "" {
			delete(p.failed, name)
		}
	}
	if err := p.local(); err != nil {
		return false, err
	}
	if err := p.resend(ctx); err != nil {
		return false, err
	}
	if err := p.read(ctx); err != nil {
		return false, err
	}
	if err := p.guard(); err != nil {
		return false, err
	}
	if err := p.folder(ctx, s.root, 0); err != nil {
		return false, err
	}
	if err := p.removeAll(ctx); err != nil {
		return false, err
	}
	s.last = p.tree
	if s.o.DryRun {
		return false, nil
	}
	return p.again, s.commit(p.retry)
}

// commit stores the cursor after everything before it is in the directory, except for channels to read again.
func (s *Sync) commit(retry map[int64]bool) error {
	if !s.o.Pull {
		return nil
	}
	s.dirty, s.blocks = retry, map[int64]bool{}
	if s.cursor == s.state.about.Cursor || len(retry) > 0 {
		return nil
	}
	a := s.state.about
	a.Cursor = s.cursor
	return s.state.setAbout(a)
}

// changes reads what changed at the server since the last pass.
func (s *Sync) changes(ctx context.Context) error {
	k := s.known()
	for {
		list, err := s.server.changes(ctx, s.cursor, 0)
		if e, ok := errors.AsType[*client.Error](err); ok && s.cursor != "" && (e.Status == http.StatusGone || e.Status == http.StatusBadRequest) {
			s.say("comparing everything, as the server no longer knows the last changes")
			s.cursor = ""
			continue
		}
		if err != nil {
			return err
		}
		if s.cursor == "" {
			s.readAll()
		}
		for _, c := range list.Data {
			s.note(k, c)
		}
		s.cursor = list.Cursor
		if !list.More {
			return nil
		}
	}
}

// readAll marks everything to be read again.
func (s *Sync) readAll() {
	s.dirty[s.root.ID] = true
	for _, e := range s.state.entries {
		if e.folder() {
			s.dirty[e.ID] = true
		}
	}
}

// known is what the directory has, by which changes of other things are told apart.
type known struct {
	me, root int64
	account  bool
	blocks   map[int64]bool
	parents  map[int64][]int64 // of channels
}

func (s *Sync) known() known {
	k := known{me: s.server.me, root: s.root.ID, account: s.root.Type == typeAccount, blocks: map[int64]bool{}, parents: map[int64][]int64{s.root.ID: nil}}
	for _, e := range s.state.entries {
		if e.Type == typeBlock {
			k.blocks[e.ID] = true
		} else {
			k.parents[e.ID] = append(k.parents[e.ID], e.Channel)
		}
	}
	return k
}

// concerns reports whether a change is one of the directory.
func (k known) concerns(c change) bool {
	_, channel := k.parents[c.ID]
	_, connected := k.parents[c.ChannelID]
	switch c.Type {
	case typeBlock:
		return k.blocks[c.ID]
	case typeChannel:
		return channel || k.account && (c.ActorID == k.me || slices.Contains(c.Fields, "owner"))
	case "Connection":
		return connected && c.ChannelID != 0
	case "Group":
		return true
	}
	return c.Type == "User" && c.Kind == "deleted"
}

// note marks what a change concerns.
func (s *Sync) note(k known, c change) {
	if !k.concerns(c) {
		return
	}
	switch c.Type {
	case typeBlock:
		s.blocks[c.ID] = true
	case typeChannel:
		s.dirty[c.ID], s.dirty[0] = true, true
		for _, parent := range k.parents[c.ID] {
			s.dirty[parent] = true
		}
	case "Connection":
		s.dirty[c.ChannelID] = true
	default:
		s.readAll()
	}
}

// local finds new files, and those that were renamed in their folder.
func (p *pass) local() error {
	if err := p.respelled(); err != nil {
		return err
	}
	for _, e := range p.state.entries {
		p.know(e)
	}
	for k, f := range p.tree.files {
		if p.mapped[k] != nil || !isNote(f.path) || f.stat.size > maxNote {
			continue
		}
		text, err := p.dir.read(f.path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := p.skip(f.path, err); err != nil {
			return err
		}
		if err != nil {
			continue
		}
		if n, err := parse(text); err == nil && n.id != 0 {
			p.notes[n.id] = append(p.notes[n.id], f.path)
		} else {
			sum := hashOf(text)
			p.plain[sum] = append(p.plain[sum], f.path)
		}
	}
	for _, e := range p.state.sorted() {
		if err := p.renamed(e); err != nil {
			return err
		}
	}
	return nil
}

// respelled stores the paths of files and folders whose names have changed only in case or normal form.
func (p *pass) respelled() error {
	for _, e := range p.state.sorted() {
		if e = p.state.entries[e.place]; e.folder() { // may have been moved with the folder around it
			if dir := p.tree.dirs[key(e.Path)]; dir != "" && dir != e.Path {
				now := *e
				now.Path, now.Name = dir, respelledName(e.Name, path.Base(dir))
				if err := p.relocate(e, now); err != nil {
					return err
				}
			}
			continue
		}
		now := *e
		if f := p.tree.files[key(e.Path)]; f != nil && f.path != e.Path {
			now.Path, now.Name = f.path, respelledName(e.Name, stemOf(f.path))
		}
		if f := p.tree.files[key(e.File)]; f != nil {
			now.File = f.path
		}
		if now.Path != e.Path || now.File != e.File {
			if err := p.state.put(now); err != nil {
				return err
			}
		}
	}
	return nil
}

// respelledName returns the name that an entry has for a title. Another normal form, which some systems give to names, is
// no new title.
func respelledName(old, now string) string {
	if norm.NFC.String(old) == norm.NFC.String(now) {
		return now
	}
	return old
}

// renamed finds the note and the file of an entry under another name in the same folder.
func (p *pass) renamed(e *entry) error {
	if e.Type != typeBlock || e.Pending || !p.o.Push || p.tree.isClosed(e.Path) {
		return nil
	}
	now := *e
	if p.tree.files[key(e.Path)] == nil {
		for _, name := range slices.Concat(p.notes[e.ID], p.plain[e.Hash]) {
			if parentOf(name) == parentOf(e.Path) && p.mapped[key(name)] == nil {
				now.Path = name
				break
			}
		}
	}
	if e.File != "" && p.tree.files[key(e.File)] == nil {
		for k, f := range p.tree.files {
			if p.mapped[k] != nil || isNote(f.path) || parentOf(f.path) != parentOf(e.File) {
				continue
			}
			hash, err := p.dir.hash(f.path)
			if err := p.skip(f.path, err); err != nil {
				return err
			}
			if err == nil && hash == e.FileHash {
				now.File = f.path
				break
			}
		}
	}
	if now == *e || p.o.DryRun {
		return nil
	}
	delete(p.mapped, key(e.Path))
	delete(p.mapped, key(e.File))
	if err := p.state.put(now); err != nil {
		return err
	}
	p.know(p.state.entries[now.place])
	return nil
}

// read reads the dirty channels and the changed blocks.
func (p *pass) read(ctx context.Context) error {
	single := map[int64]int{}
	for _, e := range p.state.entries {
		if e.Type == typeBlock && p.blocks[e.ID] {
			if single[e.Channel]++; e.Pending || single[e.Channel] > maxSingle {
				p.dirty[e.Channel] = true
			}
		}
	}
	all := p.state.sorted()
	for _, e := range all {
		if e.Type != typeBlock || !p.blocks[e.ID] || p.dirty[e.Channel] || p.updated[e.ID] != nil {
			continue
		}
		b, err := p.server.GetBlock(ctx, e.ID)
		if client.IsNotFound(err) {
			p.dirty[e.Channel] = true
			continue
		}
		if err != nil {
			return err
		}
		p.updated[e.ID] = b
	}
	for _, e := range append(all, p.root) {
		if (e.folder() || e == p.root) && p.dirty[e.ID] {
			if err := p.list(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// list reads the contents of a channel once.
func (p *pass) list(ctx context.Context, f *entry) error {
	if _, ok := p.lists[f.ID]; ok {
		return nil
	}
	items, err := p.server.contents(ctx, f)
	if client.IsNotFound(err) {
		if f == p.root {
			return errors.New("the channel was deleted, or this account may no longer see it; nothing was removed from the directory")
		}
		parent := p.root
		if e := p.state.folderOf(f.Channel); e != nil && f.Channel != p.root.ID {
			parent = e
		}
		return p.list(ctx, parent) // shows whether it is gone
	}
	if err == nil {
		p.lists[f.ID] = items
	}
	return err
}

// guard refuses to delete many items at once, on either side.
func (p *pass) guard() error {
	all, missing, gone := 0, 0, 0
	listed := map[place]bool{}
	for channel, items := range p.lists {
		for _, item := range items {
			if at, ok := placeOf(channel, item); ok {
				listed[at] = true
			}
		}
	}
	lost := func(e *entry) bool {
		_, read := p.lists[e.Channel]
		return read && !listed[e.place]
	}
	folders := map[string]bool{} // that are gone, with everything in them
	kept := map[string]bool{}    // that stay, with everything in them, although their channels are gone
	for _, e := range p.state.sorted() {
		if e.Lost || kept[parentOf(e.Path)] {
			kept[e.Path] = e.folder()
			continue
		}
		if e.Pending {
			continue
		}
		all++
		if p.isMissing(e) {
			missing++
		}
		if lost(e) || folders[parentOf(e.Path)] {
			gone++
			folders[e.Path] = e.folder()
		}
	}
	for where, n := range map[string]int{"in the directory": missing, "at the server": gone} {
		if n > maxMissing && n*5 > all && !p.o.Confirm {
			return fmt.Errorf("%d of %d items are missing %s: %w", n, all, where, ErrConfirm)
		}
	}
	return nil
}

// isMissing reports whether the directory no longer has an item.
func (p *pass) isMissing(e *entry) bool {
	if p.tree.isClosed(e.Path) {
		return false
	}
	if e.folder() {
		return p.tree.dirs[key(e.Path)] == "" && !p.moved(e.ID)
	}
	return p.tree.files[key(e.Path)] == nil && (e.File == "" || p.tree.files[key(e.File)] == nil) && (e.Type != typeBlock || !p.movedAway(e))
}

// movedAway reports whether the note of an entry is in another folder.
func (p *pass) movedAway(e *entry) bool { return len(p.notes[e.ID]) > 0 }

// below reports whether a path is in a folder.
func below(name, folder string) bool { return strings.HasPrefix(name, folder+"/") }

// settled reports whether a file was not written just now.
func (p *pass) settled(f *found) bool {
	age := p.o.Now().Sub(f.stat.at)
	if age >= p.o.Settle || age < -time.Minute { // a clock that is wrong delays nothing for long
		return true
	}
	p.again, p.unsettled = true, true
	return false
}
