package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// change is a change as the API shows it.
type change struct {
	Cursor  string
	Kind    string
	Type    string
	ID      int64
	Channel int64 `json:"channel_id"`
	Item    struct {
		Type string
		ID   int64
	}
}

// keeper keeps a copy in a file. It is killed at random, and then continues with the file.
type keeper struct {
	name    string
	client         // its token and address
	user    int64  // the account, 0 for a guest
	channel int64  // keeps only this channel; 0 for everything
	limited bool   // its token sees only this channel
	folder  string // of its file
	follow  func(*keeper, context.Context) error
	reading reading
	hook    *receiver

	copied  copied // of the running instance
	kills   int
	started int // how often it read everything
	got     atomic.Int64
	mu      sync.Mutex
	fault   error
}

func (k *keeper) file() string { return filepath.Join(k.folder, "copy.json") }

// load reads the file, and returns an empty copy if it does not exist.
func (k *keeper) load() (copied, error) {
	c := emptyCopy()
	text, err := os.ReadFile(k.file())
	if os.IsNotExist(err) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	return c, err
}

// store replaces the file.
func (k *keeper) store() error {
	text, err := json.Marshal(k.copied)
	if err != nil {
		return err
	}
	next := k.file() + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, k.file())
}

func (k *keeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fault == nil {
		k.fault = err
	}
}

// live runs the keeper until ctx is done, and kills it after random times while kills is true.
func (k *keeper) live(ctx context.Context, random *rand.Rand, longest time.Duration, kills *atomic.Bool) {
	for ctx.Err() == nil {
		c, err := k.load()
		if err != nil {
			k.fail(fmt.Errorf("its file: %w", err))
			return
		}
		k.copied = c
		life, kill := context.WithCancel(ctx)
		span := time.Duration(random.Int64N(int64(longest)))
		timer := time.AfterFunc(span, func() {
			if kills.Load() {
				kill()
			}
		})
		if err := k.follow(k, life); err != nil && life.Err() == nil {
			k.fail(err)
		}
		timer.Stop()
		kill()
		k.kills++
		if random.IntN(15) == 0 && k.hook == nil && kills.Load() { // it has lost its file, too
			_ = os.Remove(k.file())
		}
	}
}

// ask reads an address until there is an answer other than a failure of the server, or the keeper is killed.
func (k *keeper) ask(ctx context.Context, path string, out any) (found bool, err error) {
	for ; ; pause(ctx, 50*time.Millisecond) {
		if ctx.Err() != nil {
			return false, errStop
		}
		status, text, err := k.request(ctx, path)
		switch {
		case err != nil || status == http.StatusServiceUnavailable || status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		case status == http.StatusOK:
			return true, json.Unmarshal(text, out)
		case status == http.StatusNotFound:
			return false, nil
		case status == http.StatusGone:
			return false, errPlaceLost
		default:
			return false, fmt.Errorf("%s: %d %s", path, status, text)
		}
	}
}

func (k *keeper) request(ctx context.Context, path string) (status int, text []byte, err error) {
	res, err := k.open(ctx, path, nil)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	return res.StatusCode, text, err
}

// open sends a GET request.
func (k *keeper) open(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, header)
	if k.token != "" {
		req.Header.Set("Authorization", "Bearer "+k.token)
	}
	return k.http.Do(req)
}

// begin reads the cursor that starts now, and then everything.
func (k *keeper) begin(ctx context.Context) error {
	var page struct{ Cursor string }
	if _, err := k.reading.get(ctx, "/ext/v1/changes", &page); err != nil {
		return err
	}
	k.copied.Cursor = page.Cursor
	return k.readAll(ctx)
}

// readAll reads everything as a client finds it: by lists.
func (k *keeper) readAll(ctx context.Context) error {
	k.started++
	todo := newTodo()
	if k.channel != 0 {
		todo.channels[k.channel] = true
		return k.finish(ctx, todo)
	}
	if err := k.findChannels(ctx, todo, func(object) bool { return true }); err != nil {
		return err
	}
	if k.user != 0 {
		own, _, err := k.reading.list(ctx, fmt.Sprintf("/ext/v1/lists/users/%d/contents?type=Block&limit=100", k.user))
		if err != nil {
			return err
		}
		for _, o := range own {
			todo.blocks[o.id("id")] = true
		}
	}
	return k.finish(ctx, todo)
}

// findChannels adds the channels that the account may see.
func (k *keeper) findChannels(ctx context.Context, t *todo, wanted func(object) bool) error {
	all, _, err := k.reading.list(ctx, "/ext/v1/lists/search?type=Channel&limit=100")
	for _, o := range all {
		if wanted(o) {
			t.channels[o.id("id")] = true
		}
	}
	return err
}

// todo is what a keeper reads again for some changes.
type todo struct {
	channels map[int64]bool // with their contents and the channels that they are in, if true
	contents map[int64]bool // with the comments on all blocks in it, if true
	blocks   map[int64]bool // with the comments on it, if true
	comments map[int64]bool
	shown    map[int64]bool // blocks that were connected: with the comments on them
	groups   bool
}

func newTodo() *todo {
	return &todo{channels: map[int64]bool{}, contents: map[int64]bool{}, blocks: map[int64]bool{}, comments: map[int64]bool{}, shown: map[int64]bool{}}
}

// mark adds an id. Once it is to be read with all that belongs to it, it stays so.
func mark(ids map[int64]bool, id int64, whole bool) { ids[id] = ids[id] || whole }

// apply applies changes, in the way that the description of the operation says, and stores the copy with the cursor.
func (k *keeper) apply(ctx context.Context, changes []change, cursor string) error {
	t := newTodo()
	for _, c := range changes {
		k.note(c, t)
	}
	k.got.Add(int64(len(changes)))
	if err := k.journal(changes); err != nil {
		return err
	}
	k.copied.Cursor = cursor
	return k.finish(ctx, t)
}

// journal records what the keeper got, for reports.
func (k *keeper) journal(changes []change) error {
	f, err := os.OpenFile(filepath.Join(k.folder, "journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range changes {
		item := ""
		if c.Item.Type != "" {
			item = fmt.Sprintf(" item %s %d", c.Item.Type, c.Item.ID)
		}
		fmt.Fprintf(f, "%s %s %s %d channel %d%s\n", time.Now().Format("15:04:05.000"), c.Kind, c.Type, c.ID, c.Channel, item)
	}
	return nil
}

// journaled returns the last changes that the keeper got about a thing.
func (k *keeper) journaled(thing string) string {
	text, _ := os.ReadFile(filepath.Join(k.folder, "journal"))
	words := strings.Fields(strings.TrimSuffix(thing, ", contents"))
	var found []string
	for line := range strings.Lines(string(text)) {
		padded := strings.TrimSpace(line) + " "
		if strings.Contains(padded, strings.Join(words, " ")+" ") || words[0] == "Channel" && strings.Contains(padded, " channel "+words[1]+" ") || strings.Contains(line, "Group") {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-12):], "\t\t")
}

// note applies what needs no reading.
func (k *keeper) note(c change, t *todo) {
	if k.hook != nil {
		c.Kind = lateKind(c.Kind, c.Type)
	}
	switch c.Type {
	case "Channel":
		switch c.Kind {
		case "created":
			t.channels[c.ID] = true
		case "updated":
			mark(t.channels, c.ID, false)
		case "moved":
			mark(t.contents, c.ID, false)
		case "deleted":
			k.copied.dropChannel(c.ID)
			delete(t.channels, c.ID)
			delete(t.contents, c.ID)
		}
	case "Connection":
		if c.Kind == "connected" && c.Item.Type == "Block" {
			t.shown[c.Item.ID] = true
		}
		if c.Kind != "disconnected" {
			mark(t.contents, c.Channel, false)
			break
		}
		k.copied.Contents[c.Channel] = slices.DeleteFunc(k.copied.Contents[c.Channel], func(p placed) bool { return p.Connection == c.ID })
	case "Block":
		if mark(t.blocks, c.ID, c.Kind == "created"); c.Kind == "deleted" {
			delete(t.blocks, c.ID)
			delete(k.copied.Blocks, c.ID)
		}
	case "Comment":
		if t.comments[c.ID] = true; c.Kind == "deleted" {
			delete(t.comments, c.ID)
			delete(k.copied.Comments, c.ID)
		}
	case "User":
		if c.Kind == "deleted" {
			for id, ch := range k.copied.Channels {
				if ch.Owner == fmt.Sprint("User ", c.ID) {
					k.copied.dropChannel(id)
				} else if ch.of("User", c.ID) {
					mark(t.channels, id, false)
				}
			}
			maps.DeleteFunc(k.copied.Comments, func(_ int64, m keptComment) bool { return m.Author == c.ID })
		}
	case "Group":
		for id, ch := range k.copied.Channels {
			if c.Kind == "deleted" && ch.of("Group", c.ID) {
				mark(t.channels, id, false)
			}
		}
		t.groups = t.groups || c.Kind == "deleted" || (c.Kind == "joined" || c.Kind == "left") && c.Item.ID == k.user
	}
}

// lateKind returns the kind of change for which a message of a webhook is applied. It may be older than what the copy contains, as
// channels do not wait for each other: so what was removed is read again, and dropped if it is not found.
func lateKind(kind, of string) string {
	if of != "User" && of != "Group" && (kind == "deleted" || kind == "disconnected") {
		return "updated"
	}
	return kind
}

// finish reads what is to be read, and stores the copy.
func (k *keeper) finish(ctx context.Context, t *todo) error {
	if t.groups {
		if err := k.readGroups(ctx, t); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.channels)) {
		if err := k.readChannel(ctx, id, t); err != nil {
			return err
		}
	}
	for id := range t.contents {
		if err := k.readContents(ctx, id, t); err != nil {
			return err
		}
	}
	for id, shown := range t.blocks {
		b, commented, found, err := k.reading.block(ctx, id)
		if err == nil && found {
			err = k.keepBlock(ctx, id, b, commented, shown)
		} else if err == nil && k.hook != nil {
			delete(k.copied.Blocks, id)
		}
		if err != nil {
			return err
		}
	}
	for id := range t.comments {
		m, found, err := k.reading.comment(ctx, id)
		if err != nil {
			return err
		}
		if found {
			k.copied.Comments[id] = m
		} else if k.hook != nil {
			delete(k.copied.Comments, id)
		}
	}
	own := k.user
	if k.channel != 0 {
		own = 0
	}
	k.copied.prune(own)
	if ctx.Err() != nil {
		return errStop
	}
	return k.store()
}

// readGroups reads the private channels again, after the groups of the account have changed.
func (k *keeper) readGroups(ctx context.Context, t *todo) error {
	for id := range k.copied.Channels {
		_, found, err := k.reading.channel(ctx, id)
		if err != nil {
			return err
		}
		if !found {
			k.copied.dropChannel(id)
			delete(t.channels, id)
			delete(t.contents, id)
		}
	}
	if k.channel != 0 {
		if _, known := k.copied.Channels[k.channel]; !known {
			t.channels[k.channel] = true
		}
		return nil
	}
	return k.findChannels(ctx, t, func(o object) bool { _, known := k.copied.Channels[o.id("id")]; return !known })
}

// readChannel reads a channel; if it is new, also its contents and the channels that it is in.
func (k *keeper) readChannel(ctx context.Context, id int64, t *todo) error {
	if k.channel != 0 && id != k.channel {
		return nil
	}
	c, found, err := k.reading.channel(ctx, id)
	if err == nil && !found && k.hook != nil {
		k.copied.dropChannel(id)
	}
	if err != nil || !found {
		return err
	}
	k.copied.Channels[id] = c
	if !t.channels[id] {
		return nil
	}
	t.contents[id] = true
	parents, _, err := k.reading.list(ctx, fmt.Sprintf("/ext/v1/lists/channels/%d/connections?limit=100", id))
	for _, o := range parents {
		mark(t.contents, o.id("id"), false)
	}
	return err
}

// readContents reads the contents of a channel, if it is in the copy.
func (k *keeper) readContents(ctx context.Context, id int64, t *todo) error {
	if _, known := k.copied.Channels[id]; !known {
		return nil
	}
	items, blocks, commented, found, err := k.reading.contents(ctx, id)
	if err != nil || !found {
		return err
	}
	k.copied.Contents[id] = items
	for block, b := range blocks {
		if err := k.keepBlock(ctx, block, b, slices.Contains(commented, block), t.contents[id] || t.shown[block]); err != nil {
			return err
		}
	}
	return nil
}

// keepBlock stores a block; if it is new, or was shown again, also its comments.
func (k *keeper) keepBlock(ctx context.Context, id int64, b keptBlock, commented, shown bool) error {
	_, known := k.copied.Blocks[id]
	k.copied.Blocks[id] = b
	if known && !shown {
		return nil
	}
	maps.DeleteFunc(k.copied.Comments, func(_ int64, m keptComment) bool { return m.Block == id })
	if !commented {
		return nil
	}
	comments, err := k.reading.comments(ctx, id)
	maps.Copy(k.copied.Comments, comments)
	return err
}
