package syncing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"vitrine/client"
	"vitrine/internal/frontmatter"
)

// errOne is an error that concerns only one item, so the others go on.
type errOne struct{ error }

func (e errOne) Unwrap() error { return e.error }

func isOne(err error) (one error, ok bool) {
	if e, ok := errors.AsType[errOne](err); ok {
		return e.error, true
	}
	return err, err != nil && (refused(err) || errors.Is(err, errFile) || isLocal(err))
}

// isLocal reports whether an error is one of a file or folder.
func isLocal(err error) bool {
	if errors.Is(err, errState) {
		return false
	}
	_, one := errors.AsType[*fs.PathError](err)
	_, two := errors.AsType[*os.LinkError](err)
	return one || two
}

func isNote(name string) bool { return strings.EqualFold(path.Ext(name), noteExt) }

// titled returns the title that a note gives its block. A new name of the file is a new title.
func (n note) titled(stem string, e *entry) string {
	switch {
	case n.title != nil && *n.title != e.Matter:
		return *n.title
	case stem != e.Name:
		return stem
	}
	return e.Title
}

// numbered reports whether a name is another one with a number.
func numbered(stem, name string) bool {
	rest, ok := strings.CutPrefix(stem, name+" ")
	return ok && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// nameOf returns the file name of a block without extension.
func nameOf(d doc) string {
	title := d.Title
	if title == "" && d.Kind == kindText {
		title, _, _ = strings.Cut(d.Body, "\n")
		words := strings.Fields(strings.Trim(title, "#*_>-` "))
		title = strings.Join(words[:min(len(words), 8)], " ")
	}
	if title == "" {
		title = d.URL
	}
	return safeStem(title)
}

// block compares a block with its note and updates one of them. b is nil if the block has not changed.
func (p *pass) block(ctx context.Context, f, e *entry, b *client.Block) error {
	note, file, err := p.hashes(e)
	if err != nil {
		return errOne{err}
	}
	p.seen[e.Path] = note
	if b != nil && b.State == client.BlockStateProcessing {
		b = nil
	}
	remote := b != nil && docOf(b).hash() != e.Remote
	if e.File != "" && file != "" && file != e.FileHash {
		return p.newFile(ctx, f, e)
	}
	if note == "" && file == "" {
		return p.missing(ctx, f, e, b, remote)
	}
	local := note != "" && (note != e.Hash || stemOf(e.Path) != e.Name)
	repair := e.Refresh || note == "" || e.File != "" && file == ""
	switch {
	case local && remote:
		return p.both(ctx, f, e, b)
	case local:
		return p.up(ctx, f, e)
	case (remote || repair) && p.o.Pull:
		if b == nil {
			if b, err = p.server.GetBlock(ctx, e.ID); err != nil || b.State == client.BlockStateProcessing {
				return err
			}
		}
		if !p.do("update", e.Path) {
			return nil
		}
		return p.down(ctx, f, e, b)
	}
	return nil
}

// missing handles a block whose files were deleted or moved. A block that changed in the meantime comes back.
func (p *pass) missing(ctx context.Context, f, e *entry, b *client.Block, remote bool) error {
	switch {
	case remote && !p.movedAway(e):
		if !p.o.Pull || !p.do("download", e.Path) {
			return nil
		}
		return p.down(ctx, f, e, b)
	case p.o.Push:
		p.removed = append(p.removed, e)
	}
	return nil
}

// newFile keeps an edited image or attachment under another name, so that it becomes a new block, and restores the block's own.
func (p *pass) newFile(ctx context.Context, f, e *entry) error {
	if !p.o.Push || !p.o.Pull || !p.do("keep as a new file", e.File) {
		return nil
	}
	name, err := p.freeName(f, stemOf(e.File)+" (edited)", "")
	if err != nil {
		return err
	}
	p.dir.step("before keeping " + e.File)
	if err := p.dir.root.Rename(e.File, join(f.Path, name+path.Ext(e.File))); err != nil {
		return err
	}
	p.dir.step("after keeping " + e.File)
	p.again = true
	return nil
}

// both handles a note and a block that both changed. The server's version stays in the file; the other one is kept as a copy.
func (p *pass) both(ctx context.Context, f, e *entry, b *client.Block) error {
	d := docOf(b)
	local, n, hash, err := p.localDoc(e, d.Kind)
	if err == nil && local.hash() == d.hash() {
		return p.agree(e, d, n, hash, false)
	}
	if !p.o.Pull {
		return errOne{errors.New("both sides have changed; it is left as it is, since --push does not change the directory")}
	}
	if !p.do("conflict", e.Path) {
		return nil
	}
	if err := p.copy(e); err != nil {
		return err
	}
	return p.down(ctx, f, e, b)
}

// copy keeps the local version of a note.
func (p *pass) copy(e *entry) error {
	text, err := p.dir.read(e.Path)
	if err != nil {
		return err
	}
	p.seen[e.Path] = hashOf(text)
	text = withoutID(text)
	sum := hashOf(text)
	named := func(stem string) string { return join(parentOf(e.Path), stem+")"+noteExt) } // a number is in the brackets
	stem := conflictStem(stemOf(e.Path), p.o.Now().Format("2006-01-02"), p.o.Host)
	same := false
	stem, full := free(strings.TrimSuffix(stem, ")"), func(stem string) bool {
		var hash string
		hash, err = p.dir.hash(named(stem))
		same = hash == sum
		return err == nil && hash != "" && !same
	})
	if err := cmp.Or(err, full); err != nil || same {
		return err
	}
	p.say("keep your version as %s", named(stem))
	return p.dir.replace(named(stem), text)
}

// withoutID removes the id of the block from front matter, so that the copy can become a block of its own.
func withoutID(text []byte) []byte {
	matter, body, ok := frontmatter.Cut(string(text), maxFrontMatter)
	if !ok {
		return text
	}
	var kept strings.Builder
	for line := range strings.Lines(matter) {
		if !strings.HasPrefix(line, keyBlock+":") {
			kept.WriteString(line)
		}
	}
	return []byte("---\n" + kept.String() + "---\n" + body)
}

// localDoc returns what a note says about its block, the note and its hash.
func (p *pass) localDoc(e *entry, k kind) (d doc, n note, hash string, err error) {
	text, err := p.dir.read(e.Path)
	if err != nil {
		return d, n, "", err
	}
	if n, err = parse(text); err != nil {
		return d, n, "", errOne{err}
	}
	return n.as(k, n.titled(stemOf(e.Path), e)), n, hashOf(text), nil
}

// agree stores that a note and its block say the same. The note is written again if it has an old title, or refresh is true.
func (p *pass) agree(e *entry, d doc, n note, hash string, refresh bool) error {
	if p.o.DryRun {
		return nil
	}
	now := *e
	now.Hash, now.Remote, now.Title, now.Name, now.Kind, now.Matter = hash, d.hash(), d.Title, stemOf(e.Path), d.Kind, ""
	if n.title != nil {
		now.Matter = *n.title
	}
	now.Refresh = refresh || now.Matter != d.Title
	p.again = p.again || now.Refresh && p.o.Pull
	return p.state.put(now)
}

// down writes a block to its note, and its file if it is missing.
func (p *pass) down(ctx context.Context, f, old *entry, b *client.Block) error {
	d := docOf(b)
	e := *old
	e.Kind, e.Title, e.Matter, e.Remote, e.Refresh, e.Pending = d.Kind, d.Title, d.Title, d.hash(), false, false
	temp, address, ext := "", "", ""
	if d.Kind == kindFile {
		var name string
		address, name = fileOf(b)
		ext = safeExt(name)
		have, err := p.dir.hash(e.File)
		if err != nil {
			return errOne{err}
		}
		if have == "" {
			if temp, e.FileHash, err = p.server.fetch(ctx, p.dir, address, p.o.MaxFile); err != nil {
				return err
			}
		}
	} else {
		e.File, e.FileHash = "", ""
	}
	if stem := nameOf(d); old.Path == "" || d.Title != old.Title && stem != e.Name && !numbered(e.Name, stem) {
		name, err := p.freeName(f, stem, old.Path)
		if err != nil {
			return err
		}
		e.Path, e.Name = join(f.Path, name+noteExt), name
	}
	if d.Kind == kindFile && e.File == "" {
		var err error
		if e.File, err = p.freeFile(f, &e, ext); err != nil {
			return err
		}
	}
	var other []string
	if text, err := p.dir.read(old.Path); old.Path != "" && err == nil {
		if n, err := parse(text); err == nil {
			other = n.other
		}
	}
	return p.put(old, &e, temp, render(e.ID, d, e.File, other))
}

// safeExt returns the extension of a file in lower case, or a harmless one.
func safeExt(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if len(ext) < 2 || len(ext) > 12 || strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz0123456789") != "" || ext == noteExt || ignored("a"+ext) {
		return ".bin"
	}
	return ext
}

// freeFile returns the path of an entry's new file. It may only exist if it is the same.
func (p *pass) freeFile(f, e *entry, ext string) (string, error) {
	name := strings.TrimSuffix(e.Path, path.Ext(e.Path)) + ext
	hash, err := p.dir.hash(name)
	if err == nil && (hash == "" || hash == e.FileHash && p.mapped[key(name)] == nil) {
		return name, nil
	}
	stem, err := p.freeName(f, stemOf(e.Path), "")
	return join(f.Path, stem+ext), err
}

// put writes the files of an entry. Until it ends, the state contains the old and the new entry.
func (p *pass) put(old, e *entry, temp string, text []byte) error {
	if temp != "" {
		defer func() { _ = p.dir.root.Remove(temp) }() // it is gone if it is in place
	}
	e.Hash = hashOf(text)
	prev := *old
	prev.Prev, prev.Seen = nil, ""
	for _, name := range []string{e.Path, prev.Path} {
		now, err := p.dir.hash(name)
		if err != nil {
			return errOne{err}
		}
		if name == prev.Path {
			prev.Seen = now
		}
		if name == e.Path && isSpelling(e.Path, prev.Path) { // one file on systems that ignore case
			continue
		}
		if now != p.seen[name] && now != e.Hash { // somebody wrote it in the meantime
			p.again = true
			return nil
		}
	}
	if now, err := p.dir.hash(e.File); temp != "" && (err != nil || now != "" && now != e.FileHash) {
		p.again = p.again || err == nil
		return err
	}
	e.Prev = &prev
	if err := p.state.put(*e); err != nil {
		return err
	}
	failed := p.write(&prev, e, temp, text)
	if err := p.settle(*p.state.entries[e.place]); err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	if failed == nil {
		p.know(p.state.entries[e.place])
	}
	return failed
}

// write moves the files of an entry to their places.
func (p *pass) write(prev, e *entry, temp string, text []byte) error {
	if isSpelling(prev.Path, e.Path) && prev.Seen != "" { // the same file on systems that ignore case
		if err := p.dir.root.Rename(prev.Path, e.Path); err != nil {
			return err
		}
		p.dir.step("after renaming " + prev.Path)
	}
	if temp != "" {
		if err := p.dir.place(temp, e.File); err != nil {
			return err
		}
	}
	if prev.Path != e.Path || prev.Seen != e.Hash {
		return p.dir.replace(e.Path, text)
	}
	return nil
}

// know adds the paths of an entry to those that are mapped.
func (p *pass) know(e *entry) {
	if e == nil {
		return
	}
	for _, name := range []string{e.Path, e.File} {
		if name != "" {
			p.mapped[key(name)] = e
		}
	}
}

// freeName returns the first free name in a folder, whatever the extension. The names of the item itself are free.
func (p *pass) freeName(f *entry, stem, own string) (string, error) {
	taken := map[string]bool{key(stemOf(indexFile)): true}
	for k, file := range p.tree.files {
		if e := p.mapped[k]; parentOf(file.path) == f.Path && (own == "" || e == nil || e.Path != own) {
			taken[key(stemOf(file.path))] = true
		}
	}
	for _, dir := range p.tree.dirs {
		if parentOf(dir) == f.Path && (own == "" || dir != own) {
			taken[key(path.Base(dir))] = true
		}
	}
	for _, name := range p.tree.others {
		if parentOf(name) == f.Path {
			taken[key(path.Base(name))], taken[key(stemOf(name))] = true, true
		}
	}
	for _, e := range p.state.in(f.ID) {
		if own == "" || e.Path != own {
			taken[key(path.Base(strings.TrimSuffix(e.Path, noteExt)))] = true
			taken[key(stemOf(e.File))] = e.File != "" || taken[key(stemOf(e.File))]
		}
	}
	return free(stem, func(s string) bool { return taken[key(s)] })
}

// filesIn returns the files of a folder that belong to no entry, by path.
func (p *pass) filesIn(f *entry) (all []*found) {
	for k, file := range p.tree.files {
		if p.mapped[k] == nil && parentOf(file.path) == f.Path && !strings.EqualFold(path.Base(file.path), indexFile) {
			all = append(all, file)
		}
	}
	slices.SortFunc(all, func(a, b *found) int { return strings.Compare(a.path, b.path) })
	return all
}
