package syncing

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"vitrine/client"
)

// folder synchronizes a channel with its folder, and then the channels in it.
func (p *pass) folder(ctx context.Context, f *entry, depth int) error {
	items, read := p.lists[f.ID]
	listed := map[place]client.Connectable{}
	for _, item := range items {
		if at, ok := placeOf(f.ID, item); ok {
			listed[at] = item
		}
	}
	for _, e := range p.state.in(f.ID) {
		item, ok := listed[e.place]
		if !ok && e.Type == typeBlock {
			item.Block = p.updated[e.ID]
		}
		var err error
		switch {
		case read && !ok, !read && e.Lost:
			err = p.gone(ctx, e)
		case e.Type == typeBlock:
			err = p.block(ctx, f, e, item.Block)
		default:
			err = p.channel(ctx, f, e, item.Channel)
		}
		if ok || read || item.Block != nil {
			err = p.later(f, e.Path, err)
		}
		if err := p.skip(e.Path, err); err != nil {
			return err
		}
	}
	for i := len(items) - 1; i >= 0; i-- { // from the bottom, so that the oldest of equal titles gets the plain name
		at, ok := placeOf(f.ID, items[i])
		if e := p.state.entries[at]; !ok || e != nil && !e.Pending {
			continue
		}
		if err := p.later(f, titleOf(items[i]), p.incoming(ctx, f, at, items[i], depth)); err != nil {
			return err
		}
	}
	if err := p.outgoing(ctx, f, depth); err != nil {
		return err
	}
	for _, e := range p.state.in(f.ID) {
		if _, exists := p.tree.dirs[key(e.Path)]; e.folder() && exists && !e.Lost {
			if p.tree.isClosed(e.Path) {
				p.retry[e.ID] = true
				continue
			}
			if err := p.folder(ctx, e, depth+1); err != nil {
				return err
			}
		}
	}
	return p.later(f, join(f.Path, indexFile), p.index(f, items, read))
}

// skip reports an error that concerns one item, and returns any other.
func (p *pass) skip(name string, err error) error {
	if one, ok := isOne(err); ok {
		p.problem(name, one)
		return nil
	}
	return err
}

// later is skip for a change of the server, which the next pass reads again.
func (p *pass) later(f *entry, name string, err error) error {
	if _, ok := isOne(err); ok {
		p.retry[f.ID] = true
	}
	return p.skip(name, err)
}

func titleOf(item client.Connectable) string {
	switch {
	case item.Channel != nil:
		return item.Channel.Title
	case item.Block != nil && item.Block.Title != nil:
		return *item.Block.Title
	case item.Block != nil:
		return fmt.Sprintf("block %d", item.Block.ID)
	}
	return item.Type
}

// channel synchronizes the folder of a channel, or the note that links it.
func (p *pass) channel(ctx context.Context, f, e *entry, c *client.Channel) error {
	if e.Linked {
		return p.linked(f, e, c)
	}
	if err := p.lose(e, false); err != nil {
		return err
	}
	e = p.state.entries[e.place]
	if _, exists := p.tree.dirs[key(e.Path)]; !exists {
		if !p.moved(e.ID) {
			p.removed = append(p.removed, e)
		}
		return nil
	}
	if e.Conn == 0 && e.Channel != 0 {
		if err := p.join(ctx, e); err != nil {
			return err
		}
	}
	if c != nil && c.Title != e.Title && p.o.Pull && p.do("rename", e.Path) {
		return p.moveFolder(f, e, c)
	}
	if path.Base(e.Path) != e.Name && p.o.Push && p.do("rename", e.Path) {
		now := *e
		if err := p.retitle(ctx, &now); err != nil {
			return err
		}
		return p.state.put(now)
	}
	return nil
}

// moveFolder renames the folder of a channel that has a new title.
func (p *pass) moveFolder(f, e *entry, c *client.Channel) error {
	now := *e
	now.Title = c.Title
	if stem := safeStem(c.Title); stem != e.Name && !numbered(e.Name, stem) {
		name, err := p.freeName(f, stem, e.Path)
		if err != nil {
			return err
		}
		now.Path, now.Name = join(f.Path, name), name
		p.dir.step("before moving " + e.Path)
		if err := p.dir.root.Rename(e.Path, now.Path); err != nil {
			return err
		}
		p.dir.step("after moving " + e.Path)
		p.again = true // the scan has the old paths
	}
	return p.relocate(e, now)
}

// relocate stores a new path of a folder and of everything in it, at once.
func (p *pass) relocate(e *entry, now entry) error {
	puts := []record{{Drop: &e.place}, {Put: &now}}
	for _, other := range p.state.sorted() {
		if !below(other.Path, e.Path) {
			continue
		}
		moved := *other
		moved.Path = now.Path + strings.TrimPrefix(other.Path, e.Path)
		if moved.File != "" {
			moved.File = now.Path + strings.TrimPrefix(other.File, e.Path)
		}
		puts = append(puts, record{Put: &moved})
	}
	from := e.Path
	if err := p.state.write(puts...); err != nil {
		return err
	}
	if key(from) != key(now.Path) {
		delete(p.tree.dirs, key(from))
	}
	for _, r := range puts[1:] {
		p.know(r.Put)
	}
	return nil
}

// incoming adds an item of a channel to its folder.
func (p *pass) incoming(ctx context.Context, f *entry, at place, item client.Connectable, depth int) error {
	if item.Channel != nil {
		return p.incomingChannel(ctx, f, at, item.Channel, depth)
	}
	b := item.Block
	if b.State == client.BlockStateProcessing {
		if p.o.DryRun || p.state.entries[at] != nil {
			return nil
		}
		return p.state.put(entry{place: at, Pending: true})
	}
	if done, err := p.adopt(f, at, b); done || err != nil || !p.o.Pull {
		return err
	}
	if !p.do("download", join(f.Path, nameOf(docOf(b)))) {
		return nil
	}
	return p.down(ctx, f, &entry{place: at}, b)
}

// adopt finds the note of a block in the folder: one with its id, or an equal one. The former exists if the state of the
// directory was lost or the block was moved, the latter if both sides got the same content.
func (p *pass) adopt(f *entry, at place, b *client.Block) (done bool, err error) {
	d := docOf(b)
	for _, file := range p.filesIn(f) {
		if !isNote(file.path) || file.stat.size > maxNote {
			continue
		}
		text, err := p.dir.read(file.path)
		if err != nil {
			continue // local has reported it
		}
		n, err := parse(text)
		if err != nil || n.channel != 0 || n.id != 0 && n.id != b.ID {
			continue
		}
		e := entry{place: at, Path: file.path, Name: stemOf(file.path), Kind: d.Kind, Title: d.Title, Remote: d.hash()}
		if n.title != nil {
			e.Matter = *n.title
		}
		local := n.as(d.Kind, d.Title)
		if n.title != nil {
			local.Title = *n.title
		}
		if n.id == 0 && (d.Kind == kindFile || d.hash() != local.hash() || e.Name != nameOf(d) && !numbered(e.Name, nameOf(d))) {
			continue
		}
		if d.Kind == kindFile {
			name, _ := n.embed()
			e.File = join(f.Path, name)
			if e.FileHash, err = p.dir.hash(e.File); err != nil || name == "" || p.mapped[key(e.File)] != nil {
				e.File, e.FileHash, e.Refresh = "", "", true
			}
		}
		if d.hash() == local.hash() {
			e.Hash, e.Refresh = hashOf(text), e.Refresh || n.id == 0
		} else if from := p.movedFrom(b.ID); from != nil {
			e.Hash, e.Remote, e.Title, e.Matter, e.Name = from.Hash, from.Remote, from.Title, from.Matter, from.Name
		} else {
			e.Hash, e.Remote = "unknown", "unknown" // both sides have changed
		}
		if p.o.DryRun {
			return true, nil
		}
		if err := p.state.put(e); err != nil {
			return true, err
		}
		p.know(p.state.entries[at])
		p.again = true
		return true, nil
	}
	return false, nil
}

// movedFrom returns an entry of a block whose note is missing.
func (p *pass) movedFrom(id int64) *entry {
	for _, e := range p.state.entries {
		if e.Type == typeBlock && e.ID == id && !e.Pending && p.tree.files[key(e.Path)] == nil {
			return e
		}
	}
	return nil
}

// incomingChannel creates the folder of a channel, or a note that links it if it has a folder elsewhere or should have none.
func (p *pass) incomingChannel(ctx context.Context, f *entry, at place, c *client.Channel, depth int) error {
	e := entry{place: at, Title: c.Title, Name: safeStem(c.Title)}
	if c.Connection != nil {
		e.Conn = c.Connection.ID
	}
	own := at.Channel == 0
	if own && p.state.folderOf(c.ID) != nil {
		return nil // its folder is in another one
	}
	if !own && depth < maxDepth && p.state.folderOf(c.ID) == nil && c.ID != p.root.ID && p.root.Type != typeAccount {
		full, err := p.server.GetChannel(ctx, client.ID(c.ID))
		if err != nil {
			return err
		}
		own = full.Can != nil && full.Can.Update
	}
	if !p.o.Pull {
		return nil
	}
	if !own {
		e.Linked = true
		if !p.do("download", join(f.Path, e.Name+noteExt)) {
			return nil
		}
		return p.link(f, &e, c)
	}
	name, err := p.freeName(f, e.Name, "")
	if err != nil {
		return err
	}
	if dir, ok := p.folderFor(f, c.ID); ok {
		name = path.Base(dir)
	} else if !p.do("create folder", join(f.Path, name)) {
		return nil
	}
	e.Path, e.Name = join(f.Path, name), name
	if p.o.DryRun {
		return nil
	}
	if err := p.dir.root.MkdirAll(e.Path, 0o755); err != nil {
		return err
	}
	p.tree.dirs[key(e.Path)] = e.Path
	if err := p.state.put(e); err != nil {
		return err
	}
	p.know(p.state.entries[at])
	p.dirty[c.ID] = true
	return p.list(ctx, p.state.entries[at])
}

// folderFor finds a folder without an entry whose index has the id of a channel.
func (p *pass) folderFor(f *entry, id int64) (name string, ok bool) {
	for k, dir := range p.tree.dirs {
		if p.mapped[k] == nil && parentOf(dir) == f.Path && p.indexed(dir) == id {
			return dir, true
		}
	}
	return "", false
}

// moved reports whether a folder without an entry has the index of a channel.
func (p *pass) moved(id int64) bool {
	if p.indexes == nil {
		p.indexes = map[int64]bool{}
		for k, dir := range p.tree.dirs {
			if p.mapped[k] == nil {
				p.indexes[p.indexed(dir)] = true
			}
		}
	}
	return p.indexes[id]
}

// indexed returns the id of the channel in the index of a folder, or 0.
func (p *pass) indexed(dir string) int64 {
	text, err := p.dir.read(join(dir, indexFile))
	if err != nil {
		return 0
	}
	n, _ := parse(text)
	return n.channel
}

// link writes the note that stands for a channel in another place.
func (p *pass) link(f *entry, old *entry, c *client.Channel) error {
	e := *old
	target := "[" + strings.NewReplacer("[", `\[`, "]", `\]`, "\n", " ").Replace(c.Title) + "](" + p.server.channelURL(c) + ")"
	if folder := p.state.folderOf(c.ID); folder != nil {
		target = "[[" + join(folder.Path, stemOf(indexFile)) + "|" + safeStem(c.Title) + "]]"
	}
	text := []byte("---\n" + keyChannel + ": " + strconv.FormatInt(c.ID, 10) + "\n" + keyTitle + ": " + quote(c.Title) + "\n---\n\n" + target + "\n")
	e.Title, e.Remote = c.Title, c.Title
	if stem := safeStem(c.Title); old.Path == "" || stem != old.Name && !numbered(old.Name, stem) {
		name, err := p.freeName(f, stem, old.Path)
		if err != nil {
			return err
		}
		e.Name = name
		e.Path = join(f.Path, name+noteExt)
	}
	return p.put(old, &e, "", text)
}

// linked updates a note that links a channel.
func (p *pass) linked(f, e *entry, c *client.Channel) error {
	note, _, err := p.hashes(e)
	p.seen[e.Path] = note
	switch {
	case err != nil:
		return err
	case note == "" && p.o.Push:
		p.removed = append(p.removed, e)
	case c != nil && c.Title != e.Remote && p.o.Pull && p.do("update", e.Path):
		return p.link(f, e, c)
	}
	return nil
}

// index writes the note about a channel, with its items in their order.
func (p *pass) index(f *entry, items []client.Connectable, read bool) error {
	if !read || !p.o.Pull || p.o.DryRun || f.Type == typeAccount {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\n%s: %d\n", keyChannel, f.ID)
	if f.Title != "" {
		fmt.Fprintf(&b, "%s: %s\n", keyTitle, quote(f.Title))
	}
	b.WriteString("---\n\n")
	for _, item := range items {
		at, _ := placeOf(f.ID, item)
		e := p.state.entries[at]
		switch {
		case e == nil || e.Path == "":
		case e.folder():
			b.WriteString("- [[" + e.Path + "/" + stemOf(indexFile) + "|" + safeStem(e.Title) + "]]\n")
		default:
			b.WriteString("- [[" + strings.TrimSuffix(e.Path, noteExt) + "|" + stemOf(e.Path) + "]]\n")
		}
	}
	name, text := join(f.Path, indexFile), []byte(b.String())
	hash, err := p.dir.hash(name)
	if err != nil || hash == hashOf(text) {
		return err
	}
	if hash != "" && p.indexed(f.Path) == 0 { // a note of the user, such as a page of Hugo
		free, err := p.freeName(f, strings.Trim(stemOf(indexFile), "_"), "")
		if err != nil {
			return err
		}
		free = join(f.Path, free+noteExt)
		p.say("keep your %s as %s", name, free)
		if err := p.dir.root.Rename(name, free); err != nil {
			return err
		}
		p.dir.step("after keeping " + name)
		p.again = true
	}
	return p.dir.replace(name, text)
}
