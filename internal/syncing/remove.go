package syncing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"vitrine/client"
)

// removeAll removes what was deleted in the directory, after a second look: programs that save a file, and other
// synchronizations, remove it for a moment.
func (p *pass) removeAll(ctx context.Context) error {
	missed := map[place]time.Time{}
	for _, e := range p.removed {
		there, err := p.exists(e)
		if err := p.skip(e.Path, err); err != nil {
			return err
		}
		if there || err != nil {
			p.again = p.again || there
			continue
		}
		first, again := p.missed[e.place]
		if !again {
			first = p.o.Now()
		}
		missed[e.place] = first
		if !p.o.DryRun && (!again || p.began.Sub(first) < p.o.Settle) {
			p.again, p.unsettled = true, true
			continue
		}
		if err := p.removeRemote(ctx, e); err != nil {
			return err
		}
	}
	p.missed = missed
	return nil
}

// exists reports whether the directory now has something where an entry was.
func (p *pass) exists(e *entry) (bool, error) {
	for _, name := range []string{e.Path, e.File} {
		if name == "" {
			continue
		}
		if _, err := p.dir.root.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// removeRemote removes from the server what was deleted in the directory. A block of the user that is then in no channel
// goes to Trash.
func (p *pass) removeRemote(ctx context.Context, e *entry) error {
	if now := p.state.entries[e.place]; now == nil || now.Path != e.Path || !p.o.Push {
		return nil
	}
	for _, name := range p.notes[e.ID] {
		if e.Type == typeBlock && p.mapped[key(name)] == nil { // moved to a folder whose channel does not have it yet
			return nil
		}
	}
	if !p.do("remove", e.Path) {
		return nil
	}
	err := p.disconnect(ctx, e)
	if errors.Is(err, errChannel) {
		p.problem(e.Path, err)
		return nil
	}
	if client.IsNotFound(err) {
		err = nil
	}
	if e2, ok := isOne(err); ok && refused(err) {
		p.problem(e.Path, fmt.Errorf("was not removed and comes back: %w", e2))
		if err := p.forget(e); err != nil {
			return err
		}
		p.dirty[e.Channel], p.again = true, true
		return nil
	}
	if err != nil {
		return err
	}
	p.dir.step("after the request")
	if e.Type == typeBlock {
		if err := p.removeOrphan(ctx, e.ID); err != nil {
			return err
		}
	}
	return p.forget(e)
}

// errChannel is the reason why the channel of a deleted folder stays.
var errChannel = errors.New("its folder is missing; use --confirm-deletions to delete the channel, or move the folder back")

func (p *pass) disconnect(ctx context.Context, e *entry) error {
	switch {
	case e.Type == typeBlock:
		return p.server.Do(ctx, client.Request{Method: http.MethodDelete, Path: "/ext/v1/channels/" + strconv.FormatInt(e.Channel, 10) + "/blocks/" + strconv.FormatInt(e.ID, 10)})
	case e.Channel == 0 && !p.o.Confirm:
		return errChannel
	case e.Channel == 0:
		return p.server.DeleteChannel(ctx, client.ID(e.ID))
	}
	return p.server.DeleteConnection(ctx, e.Conn)
}

func (p *pass) removeOrphan(ctx context.Context, id int64) error {
	b, err := p.server.GetBlock(ctx, id)
	if err == nil && b.Visibility == client.BlockVisibilityOrphan && b.Can != nil && b.Can.Manage {
		err = p.server.Do(ctx, client.Request{Method: http.MethodDelete, Path: "/ext/v1/blocks/" + strconv.FormatInt(id, 10)})
		p.dir.step("after the request")
	}
	if client.IsNotFound(err) {
		return nil
	}
	return err
}
