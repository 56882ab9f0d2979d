package syncing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"

	"vitrine/client"
)

// failedFolder is the hash of a folder for which no channel could be created.
const failedFolder = "folder"

// createChannel creates a channel for a new folder, or finds the one that was renamed or moved.
func (p *pass) createChannel(ctx context.Context, f *entry, dir string) error {
	if id := p.indexed(dir); id != 0 {
		if e := p.state.folderOf(id); e != nil && p.tree.dirs[key(e.Path)] == "" {
			return p.movedFolder(ctx, f, e, dir)
		}
	}
	if p.root.Type == typeAccount && f.Type != typeAccount {
		return errOne{fmt.Errorf("is not synchronized: %w", errNested)}
	}
	if f.Type != typeAccount {
		if may, err := p.mayAdd(ctx, f); err != nil || !may {
			return err
		}
	}
	if p.failed[dir] != "" || !p.do("create channel", dir) {
		return nil
	}
	text, err := json.Marshal(&client.CreateChannelRequest{Title: path.Base(dir), Visibility: &p.o.Visibility})
	if err != nil {
		return err
	}
	i := intent{Key: rand.Text(), Path: dir, Hash: failedFolder, Channel: f.ID, Type: typeChannel, At: p.o.Now(), Body: text}
	if err := p.state.write(record{Intent: &i}); err != nil {
		return err
	}
	return p.finish(ctx, i)
}

func (p *pass) finishChannel(ctx context.Context, i intent) error {
	var c client.Channel
	err := p.server.Do(ctx, client.Request{Method: http.MethodPost, Path: "/v3/channels", Key: i.Key, Body: i.Body, Out: &c})
	if err := p.refusal(i, err); err != nil {
		return err
	}
	p.dir.step("after the request")
	e := entry{place: place{i.Channel, typeChannel, c.ID}, Path: i.Path, Name: path.Base(i.Path), Title: c.Title}
	if err := p.state.write(record{Put: &e}, record{Done: i.Key}); err != nil {
		return err
	}
	p.know(p.state.entries[e.place])
	p.dirty[c.ID], p.again = true, true
	if e.Channel == 0 {
		return nil
	}
	return p.join(ctx, p.state.entries[e.place])
}

// join connects a channel to the channel of the folder that its folder is in.
func (p *pass) join(ctx context.Context, e *entry) error {
	if !p.o.Push || p.o.DryRun {
		return nil
	}
	made, err := p.server.CreateConnection(ctx, &client.CreateConnectionRequest{ConnectableID: e.ID, ConnectableType: client.ConnectableTypeChannel, ChannelIDs: []client.Ref{client.ID(e.Channel)}})
	if err != nil {
		return err
	}
	p.dir.step("after the request")
	now := *e
	if len(made.Data) > 0 {
		now.Conn = made.Data[0].ID
	}
	return p.state.put(now)
}

// errNested is the reason why folders in folders of an account stay as they are.
var errNested = errors.New("all channels of an account have their folders next to each other")

// retitle sets the title of a channel to the name of its folder, unless the server refuses it.
func (p *pass) retitle(ctx context.Context, e *entry) error {
	name := path.Base(e.Path)
	if name == e.Name {
		return nil
	}
	c, err := p.server.UpdateChannel(ctx, client.ID(e.ID), &client.UpdateChannelRequest{Title: &name})
	if err != nil && !refused(err) {
		return err
	}
	if e.Name = name; err == nil {
		e.Title = c.Title
	}
	return nil
}

// movedFolder updates the title and the connection of a channel whose folder was renamed or moved.
func (p *pass) movedFolder(ctx context.Context, f, e *entry, dir string) error {
	if f.ID != e.Channel && (f.ID == 0 || e.Channel == 0) {
		return errOne{fmt.Errorf("move it back: %w", errNested)}
	}
	if !p.do("move", dir) {
		return nil
	}
	now := *e
	now.Path = dir
	if err := p.retitle(ctx, &now); err != nil {
		return err
	}
	p.again = true
	if f.ID == e.Channel {
		return p.relocate(e, now)
	}
	if err := p.server.DeleteConnection(ctx, e.Conn); err != nil && !client.IsNotFound(err) {
		return err
	}
	p.dir.step("after the request")
	now.place, now.Conn = place{f.ID, typeChannel, e.ID}, 0
	if err := p.relocate(e, now); err != nil {
		return err
	}
	return p.join(ctx, p.state.entries[now.place])
}
