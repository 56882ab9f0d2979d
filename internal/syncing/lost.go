package syncing

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// gone removes from the directory what is no longer in a channel.
func (p *pass) gone(ctx context.Context, e *entry) error {
	if e.folder() && e.Conn == 0 && e.Channel != 0 { // created, but not connected yet
		return p.join(ctx, e)
	}
	there, err := p.server.has(ctx, e.place) // the list may have skipped it, as others write
	if err != nil {
		return err
	}
	if there {
		p.dirty[e.Channel], p.again = true, true
		return p.lose(e, false)
	}
	if !p.o.Pull {
		return nil
	}
	if e.folder() {
		name, err := p.unsent(e)
		if err != nil {
			return err
		}
		if name != "" {
			p.problem(e.Path, fmt.Errorf("its channel is gone, or this account may no longer see it; the folder stays, as %s was not sent", name))
			return p.lose(e, true)
		}
	}
	if !p.do("trash", e.Path) {
		return nil
	}
	return p.trash(e)
}

// lose stores whether the folder of a channel that is gone stays, as it has work that was not sent.
func (p *pass) lose(e *entry, lost bool) error {
	if e.Lost == lost {
		return nil
	}
	now := *e
	now.Lost = lost
	return p.state.put(now)
}

// unsent returns a file in a folder that the server does not have, or "".
func (p *pass) unsent(folder *entry) (string, error) {
	for k, f := range p.tree.files {
		e := p.mapped[k]
		if !below(f.path, folder.Path) || e == nil && strings.EqualFold(path.Base(f.path), indexFile) && p.indexed(parentOf(f.path)) != 0 {
			continue
		}
		if e == nil {
			return f.path, nil
		}
		hash, err := p.dir.hash(f.path)
		if err != nil {
			return "", err
		}
		if f.path == e.Path && hash != e.Hash || f.path == e.File && hash != e.FileHash {
			return f.path, nil
		}
	}
	for _, name := range p.tree.others {
		if below(name, folder.Path) && conflicts.MatchString(path.Base(name)) {
			return name, nil
		}
	}
	return "", nil
}

// trash moves an item to the trash of the directory and forgets it.
func (p *pass) trash(e *entry) error {
	if e.folder() {
		if err := p.dir.trash(e.Path); err != nil {
			return err
		}
		return p.forget(e)
	}
	note, _, err := p.hashes(e)
	if err != nil {
		return err
	}
	if note != "" && note != e.Hash {
		if err := p.copy(e); err != nil {
			return err
		}
	}
	for _, name := range []string{e.Path, e.File} {
		if name == "" {
			continue
		}
		if err := p.dir.trash(name); err != nil {
			return err
		}
	}
	return p.state.drop(e.place)
}

// forget drops an entry and, if it is a folder, those below it.
func (p *pass) forget(e *entry) error {
	drops := []record{{Drop: &e.place}}
	for _, other := range p.state.sorted() {
		if e.folder() && below(other.Path, e.Path) {
			drops = append(drops, record{Drop: &other.place})
		}
	}
	return p.state.write(drops...)
}
