package syncing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strings"
	"time"

	"vitrine/client"
)

// up sends a changed note to the server.
func (p *pass) up(ctx context.Context, f, e *entry) error {
	if !p.o.Push || !p.isSettled(e.Path) {
		return nil
	}
	note, _, err := p.hashes(e)
	if err != nil || p.failed[e.Path] == note {
		return err
	}
	b, tag, err := p.server.blockToChange(ctx, e.ID)
	if client.IsNotFound(err) {
		p.dirty[e.Channel], p.again = true, true
		return nil
	}
	if err != nil || b.State == client.BlockStateProcessing {
		return err
	}
	now := docOf(b)
	if now.hash() != e.Remote && now.Kind == e.Kind {
		return p.both(ctx, f, e, b)
	}
	local, n, hash, err := p.localDoc(e, now.Kind)
	if err != nil {
		p.failed[e.Path] = note
		return err
	}
	body, differs := patch(now, local)
	if differs && (b.Can == nil || !b.Can.Manage) {
		p.once("%s: you may not edit this block", e.Path)
		return p.both(ctx, f, e, b)
	}
	if differs {
		if !p.do("upload", e.Path) {
			return nil
		}
		if b, err = p.server.changeBlock(ctx, e.ID, tag, body); err != nil {
			if err, ok := errors.AsType[*client.Error](err); ok && err.Status == http.StatusPreconditionFailed {
				p.again = true // the next pass compares both
				return nil
			}
			if refused(err) {
				p.failed[e.Path] = note
			}
			return err
		}
	}
	p.dir.step("after the request")
	p.again = p.again || differs // the block may be in other folders too
	now = docOf(b)
	return p.agree(e, now, n, hash, now.hash() != local.hash())
}

func (p *pass) isSettled(name string) bool {
	f := p.tree.files[key(name)]
	return f == nil || p.settled(f)
}

// patch returns the request that makes a block what a note says, and whether there is anything to change.
func patch(now, local doc) (*client.UpdateBlockRequest, bool) {
	body, differs := &client.UpdateBlockRequest{}, false
	set := func(to **string, was, is string) {
		if was != is {
			*to, differs = &is, true
		}
	}
	set(&body.Title, now.Title, local.Title)
	if now.Kind == kindText {
		set(&body.Content, now.Body, local.Body)
		set(&body.Description, now.Description, local.Description)
	} else {
		set(&body.Description, now.Body, local.Body)
	}
	metadata := map[string]any{}
	for k, v := range local.Metadata {
		if now.Metadata[k] != v {
			metadata[k] = json.RawMessage(v)
		}
	}
	for k := range now.Metadata {
		if _, ok := local.Metadata[k]; !ok {
			metadata[k] = nil
		}
	}
	if len(metadata) > 0 {
		body.Metadata, differs = metadata, true
	}
	return body, differs
}

// outgoing creates blocks and channels for the new files and folders of a folder.
func (p *pass) outgoing(ctx context.Context, f *entry, depth int) error {
	if !p.o.Push {
		return nil
	}
	files := p.filesIn(f)
	if len(files) > 0 && !p.writable[f.ID] {
		may, err := p.mayAdd(ctx, f)
		if err != nil {
			return err
		}
		if !may {
			p.once("%s: new files stay here, as you may not add to this channel", join(f.Path, "."))
			return nil
		}
	}
	if f.Type == typeAccount && len(files) > 0 {
		p.once("files outside of folders stay here, as each folder is a channel")
		files = nil
	}
	for _, file := range files {
		if !p.settled(file) {
			continue
		}
		if err := p.skip(file.path, p.create(ctx, f, file)); err != nil {
			return err
		}
	}
	for k, dir := range p.tree.dirs {
		if p.mapped[k] != nil || parentOf(dir) != f.Path || depth >= maxDepth || p.tree.isClosed(dir) {
			continue
		}
		if err := p.skip(dir, p.createChannel(ctx, f, dir)); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) mayAdd(ctx context.Context, f *entry) (bool, error) {
	if may, ok := p.writable[f.ID]; ok {
		return may, nil
	}
	c, err := p.server.GetChannel(ctx, client.ID(f.ID))
	if client.IsNotFound(err) && f != p.root {
		p.dirty[f.ID], p.again = true, true // the next pass finds that it is gone
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p.writable[f.ID] = c.Can != nil && c.Can.AddTo
	return p.writable[f.ID], nil
}

// create creates a block of a new file, or connects the block that the file names.
func (p *pass) create(ctx context.Context, f *entry, file *found) error {
	hash, err := p.dir.hash(file.path)
	if err != nil || hash == "" || p.failed[file.path] == hash {
		return err
	}
	if !isNote(file.path) {
		return p.createFile(ctx, f, file, hash)
	}
	text, err := p.dir.read(file.path)
	if err != nil {
		return err
	}
	n, err := parse(text)
	if err != nil {
		return errOne{err}
	}
	if n.channel != 0 {
		return nil
	}
	if n.id != 0 {
		if done, err := p.connect(ctx, f, file, n, hash); done || err != nil {
			return err
		}
	}
	body := &client.CreateBlockRequest{Value: n.Body, ChannelIDs: []client.Ref{client.ID(f.ID)}, Metadata: map[string]any{}}
	stem := stemOf(file.path)
	title := stem
	if n.title != nil {
		title = *n.title
	} else if stem == untitled || numbered(stem, untitled) {
		title = ""
	}
	description := n.Description
	if n.Kind == kindLink {
		body.Value = n.URL
		description = strings.TrimSpace(description + "\n\n" + n.Body)
	}
	if body.Value == "" {
		return nil // an empty note becomes a block when it has text
	}
	body.Title, body.Description = optional(title), optional(description)
	for k, v := range n.Metadata {
		body.Metadata[k] = json.RawMessage(v)
	}
	if !p.do("upload", file.path) {
		return nil
	}
	i := intent{Path: file.path, Hash: hash, Channel: f.ID}
	if n.title != nil {
		i.Matter = *n.title
	}
	return p.send(ctx, i, body)
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// createFile creates an image or attachment.
func (p *pass) createFile(ctx context.Context, f *entry, file *found, hash string) error {
	if !p.do("upload", file.path) {
		return nil
	}
	value, err := p.server.upload(ctx, p.dir.root, file.path)
	if err != nil {
		if refused(err) {
			p.failed[file.path] = hash
		}
		return err
	}
	return p.send(ctx, intent{Path: file.path, Hash: hash, Channel: f.ID}, &client.CreateBlockRequest{Value: value, Title: optional(stemOf(file.path)), ChannelIDs: []client.Ref{client.ID(f.ID)}})
}

// send stores a request, sends it and stores what it created.
func (p *pass) send(ctx context.Context, i intent, body *client.CreateBlockRequest) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	i.Key, i.Type, i.At, i.Body = rand.Text(), typeBlock, p.o.Now(), text
	if err := p.state.write(record{Intent: &i}); err != nil {
		return err
	}
	return p.finish(ctx, i)
}

// finish sends a stored request. The server answers a repeated one like the first one.
func (p *pass) finish(ctx context.Context, i intent) error {
	if i.Type == typeChannel {
		return p.finishChannel(ctx, i)
	}
	var b client.Block
	err := p.server.Do(ctx, client.Request{Method: http.MethodPost, Path: "/v3/blocks", Key: i.Key, Body: i.Body, Out: &b})
	if err := p.refusal(i, err); err != nil {
		return err
	}
	p.dir.step("after the request")
	d := docOf(&b)
	e := entry{place: place{i.Channel, typeBlock, b.ID}, Path: i.Path, Name: stemOf(i.Path), Kind: d.Kind, Hash: i.Hash, Title: d.Title, Matter: i.Matter, Remote: d.hash(), Refresh: true}
	if !isNote(i.Path) {
		e.Kind, e.Path, e.Hash, e.File, e.FileHash = kindFile, strings.TrimSuffix(i.Path, path.Ext(i.Path))+noteExt, "", i.Path, i.Hash
		if p.tree.files[key(e.Path)] != nil || p.tree.others[key(e.Path)] != "" || p.mapped[key(e.Path)] != nil {
			name, err := p.freeName(&entry{place: place{ID: i.Channel}, Path: parentOf(i.Path)}, stemOf(i.Path), "")
			if err != nil {
				return err
			}
			e.Path = join(parentOf(i.Path), name+noteExt)
		}
	}
	if err := p.state.write(record{Put: &e}, record{Done: i.Key}); err != nil {
		return err
	}
	p.know(p.state.entries[e.place])
	p.again = true
	return nil
}

// refusal forgets a stored request that the server refused. It returns any error.
func (p *pass) refusal(i intent, err error) error {
	if !refused(err) {
		return err
	}
	p.failed[i.Path] = i.Hash
	return errors.Join(errOne{err}, p.state.write(record{Done: i.Key}))
}

// maxKeyAge is how long servers certainly remember an idempotency key. They keep it for a day.
const maxKeyAge = 20 * time.Hour

// resend sends the requests that an earlier run stored and may not have sent.
func (p *pass) resend(ctx context.Context) error {
	if p.o.DryRun || !p.o.Push {
		return nil
	}
	for _, r := range p.state.records() {
		if r.Intent == nil {
			continue
		}
		if age := p.o.Now().Sub(r.Intent.At); age > maxKeyAge || age < -time.Hour {
			p.dirty[r.Intent.Channel] = true // adopt finds what the request created
			if err := p.state.write(record{Done: r.Intent.Key}); err != nil {
				return err
			}
			continue
		}
		if err := p.skip(r.Intent.Path, p.finish(ctx, *r.Intent)); err != nil {
			return err
		}
	}
	return nil
}

// connect adds the block that a note names to the channel of its folder, if the note was moved or copied there.
func (p *pass) connect(ctx context.Context, f *entry, file *found, n note, hash string) (done bool, err error) {
	at := place{f.ID, typeBlock, n.id}
	if p.state.entries[at] != nil {
		return false, nil // a copy in the same folder is a new block
	}
	from := p.movedFrom(n.id)
	for _, e := range p.state.sorted() {
		if from == nil && e.Type == typeBlock && e.ID == n.id && e.Hash == hash {
			from = e
		}
	}
	if from == nil {
		b, err := p.server.GetBlock(ctx, n.id)
		if client.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		from = &entry{place: at, Name: stemOf(file.path), Kind: docOf(b).Kind, Title: "", Hash: "unknown", Remote: "unknown", Refresh: true}
	}
	if !p.do("connect", file.path) {
		return true, nil
	}
	_, err = p.server.CreateConnection(ctx, &client.CreateConnectionRequest{ConnectableID: n.id, ConnectableType: client.ConnectableTypeBlock, ChannelIDs: []client.Ref{client.ID(f.ID)}})
	if client.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	p.dir.step("after the request")
	e := *from
	e.place, e.Path, e.Prev = at, file.path, nil
	e.File, e.FileHash = "", ""
	if name, _ := n.embed(); from.Kind == kindFile && name != "" && p.mapped[key(join(f.Path, name))] == nil {
		if e.FileHash, err = p.dir.hash(join(f.Path, name)); err == nil && e.FileHash == from.FileHash {
			e.File = join(f.Path, name)
		}
	}
	e.Refresh = e.Refresh || from.Kind == kindFile && e.File == ""
	if err := p.state.put(e); err != nil {
		return true, err
	}
	p.know(p.state.entries[at])
	p.again = true
	return true, nil
}
