package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// copied is what a client of the changes keeps: the channels, blocks and comments that its account may see.
type copied struct {
	Cursor   string
	Seen     []string // the last messages of a webhook
	Hook     int64    // the id of the webhook
	Secret   string   // of the webhook
	Channels map[int64]keptChannel
	Contents map[int64][]placed // by channel, from the bottom
	Blocks   map[int64]keptBlock
	Comments map[int64]keptComment
}

type keptChannel struct{ View, Owner string }

// of reports whether a user or group owns the channel or collaborates on it.
func (c keptChannel) of(kind string, id int64) bool {
	return c.Owner == fmt.Sprint(kind, " ", id) || strings.Contains(c.View, fmt.Sprintf("[%q,%d]", kind, id))
}

type placed struct {
	Connection int64
	Channel    bool // the item is a channel
	Item       int64
	View       string
}

type keptBlock struct {
	View   string
	Author int64
}

type keptComment struct {
	View          string
	Block, Author int64
}

func emptyCopy() copied {
	return copied{Channels: map[int64]keptChannel{}, Contents: map[int64][]placed{}, Blocks: map[int64]keptBlock{}, Comments: map[int64]keptComment{}}
}

func (c *copied) dropChannel(id int64) {
	delete(c.Channels, id)
	delete(c.Contents, id)
	for in, items := range c.Contents {
		c.Contents[in] = slices.DeleteFunc(items, func(p placed) bool { return p.Channel && p.Item == id })
	}
}

// prune drops the blocks that are in no channel of the copy, unless the account created them, and comments without a block.
func (c *copied) prune(own int64) {
	used := map[int64]bool{}
	for _, items := range c.Contents {
		for _, p := range items {
			used[p.Item] = used[p.Item] || !p.Channel
		}
	}
	maps.DeleteFunc(c.Blocks, func(id int64, b keptBlock) bool { return !used[id] && (own == 0 || b.Author != own) })
	maps.DeleteFunc(c.Comments, func(_ int64, k keptComment) bool { _, there := c.Blocks[k.Block]; return !there })
}

// lines returns the copy without what only its keeper needs, one line for each thing.
func (c *copied) lines() map[string]string {
	all := map[string]string{}
	for id, ch := range c.Channels {
		all[fmt.Sprintf("Channel %d", id)] = ch.View
	}
	for id, items := range c.Contents {
		var text strings.Builder
		for _, p := range items {
			kind := "Block"
			if p.Channel {
				kind = "Channel"
			}
			fmt.Fprintf(&text, "[%d: %s %d %s]", p.Connection, kind, p.Item, p.View)
		}
		all[fmt.Sprintf("Channel %d, contents", id)] = text.String()
	}
	for id, b := range c.Blocks {
		all[fmt.Sprintf("Block %d", id)] = b.View
	}
	for id, k := range c.Comments {
		all[fmt.Sprintf("Comment %d", id)] = fmt.Sprintf("on %d: %s", k.Block, k.View)
	}
	return all
}

// differences lists the things in which two copies differ.
func differences(want, got copied) (all []difference) {
	is, shall := got.lines(), want.lines()
	names := maps.Clone(is)
	maps.Copy(names, shall)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if is[name] != shall[name] {
			all = append(all, difference{name, shall[name], is[name]})
		}
	}
	return all
}

type difference struct{ thing, want, got string }

// errStop ends a reading because the client was killed, or could not be answered.
var errStop = errors.New("stopped")

// reading reads as an account.
type reading struct {
	// get decodes the answer of an address. found is false for 404; errPlaceLost is 410.
	get func(ctx context.Context, path string, out any) (found bool, err error)
}

// errPlaceLost is the answer 410.
var errPlaceLost = errors.New("the place in the list is lost")

// object is a thing as the API shows it.
type object map[string]any

// at returns a field of fields, such as "owner.id".
func (o object) at(path string) any {
	var is any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		fields, ok := is.(map[string]any)
		if !ok {
			return nil
		}
		is = fields[name]
	}
	return is
}

func (o object) id(path string) int64 {
	n, _ := o.at(path).(float64)
	return int64(n)
}

// view returns some fields as text.
func (o object) view(paths ...string) string {
	values := make([]any, len(paths))
	for i, path := range paths {
		values[i] = o.at(path)
	}
	text, _ := json.Marshal(values) // was JSON before
	return string(text)
}

// list reads a list by cursor.
func (r reading) list(ctx context.Context, path string) (all []object, found bool, err error) {
	for again := true; again; {
		again, all = false, nil
		for cursor := ""; ; {
			address := path
			if cursor != "" {
				address += "&cursor=" + cursor
			}
			var page struct {
				Data []object
				Next string `json:"next_cursor"`
			}
			found, err := r.get(ctx, address, &page)
			if errors.Is(err, errPlaceLost) {
				again = true
				break
			}
			if err != nil || !found {
				return nil, false, err
			}
			all = append(all, page.Data...)
			if cursor = page.Next; cursor == "" {
				return all, true, nil
			}
		}
	}
	return nil, false, nil
}

// channel reads a channel without its contents.
func (r reading) channel(ctx context.Context, id int64) (c keptChannel, found bool, err error) {
	var o object
	if found, err = r.get(ctx, fmt.Sprintf("/ext/v1/channels/%d", id), &o); err != nil || !found {
		return c, false, err
	}
	var with []string
	people, _ := o.at("collaborators").([]any)
	for _, one := range people {
		one, _ := one.(map[string]any)
		with = append(with, object(one).view("type", "id"))
	}
	slices.Sort(with)
	return keptChannel{View: o.view("title", "slug", "visibility", "description.markdown", "metadata", "owner.type", "owner.id", "state") + strings.Join(with, ","),
		Owner: fmt.Sprint(o.at("owner.type"), " ", o.id("owner.id"))}, true, nil
}

// contents reads the contents of a channel, the blocks in it, and which of these have comments.
func (r reading) contents(ctx context.Context, id int64) (items []placed, blocks map[int64]keptBlock, commented []int64, found bool, err error) {
	all, found, err := r.list(ctx, fmt.Sprintf("/ext/v1/lists/channels/%d/contents?sort=position_asc&limit=100", id))
	blocks = map[int64]keptBlock{}
	for _, o := range all {
		p := placed{Connection: o.id("connection.id"), Channel: o["type"] == "Channel", Item: o.id("id"),
			View: o.view("connection.metadata", "connection.pinned", "connection.connected_by.id")}
		items = slices.DeleteFunc(items, func(q placed) bool { return q.Connection == p.Connection }) // moved while it was read
		items = append(items, p)
		if !p.Channel {
			blocks[p.Item] = blockOf(o)
			if o.id("comment_count") > 0 {
				commented = append(commented, p.Item)
			}
		}
	}
	return items, blocks, commented, found, err
}

func blockOf(o object) keptBlock {
	return keptBlock{View: o.view("type", "title", "description.markdown", "content.markdown", "source.url", "metadata", "state", "user.id"), Author: o.id("user.id")}
}

func (r reading) block(ctx context.Context, id int64) (b keptBlock, comments, found bool, err error) {
	var o object
	found, err = r.get(ctx, fmt.Sprintf("/ext/v1/blocks/%d", id), &o)
	return blockOf(o), o.id("comment_count") > 0, found, err
}

func commentOf(o object, block int64) keptComment {
	return keptComment{View: o.view("body.markdown", "user.id"), Block: block, Author: o.id("user.id")}
}

// comments reads the comments on a block.
func (r reading) comments(ctx context.Context, block int64) (map[int64]keptComment, error) {
	all, _, err := r.list(ctx, fmt.Sprintf("/ext/v1/lists/blocks/%d/comments?limit=100", block))
	found := map[int64]keptComment{}
	for _, o := range all {
		found[o.id("id")] = commentOf(o, block)
	}
	return found, err
}

func (r reading) comment(ctx context.Context, id int64) (k keptComment, found bool, err error) {
	var o object
	if found, err = r.get(ctx, fmt.Sprintf("/ext/v1/comments/%d", id), &o); err != nil || !found {
		return k, false, err
	}
	link, _ := o.at("_links.block.href").(string)
	block, err := strconv.ParseInt(link[strings.LastIndexByte(link, '/')+1:], 10, 64)
	return commentOf(o, block), true, err
}

// everything reads every channel and block up to some ids, and the comments, without lists and changes.
func (r reading) everything(ctx context.Context, channels, blocks int64) (copied, error) {
	all := emptyCopy()
	var mu sync.Mutex
	err := eachOf(channels, func(id int64) error {
		c, found, err := r.channel(ctx, id)
		if err != nil || !found {
			return err
		}
		items, _, _, found, err := r.contents(ctx, id)
		if err != nil || !found {
			return fmt.Errorf("channel %d has no contents: %w", id, err)
		}
		mu.Lock()
		defer mu.Unlock()
		all.Channels[id], all.Contents[id] = c, items
		return nil
	})
	return all, errors.Join(err, eachOf(blocks, func(id int64) error {
		b, commented, found, err := r.block(ctx, id)
		if err != nil || !found {
			return err
		}
		var comments map[int64]keptComment
		if commented {
			comments, err = r.comments(ctx, id)
		}
		mu.Lock()
		defer mu.Unlock()
		all.Blocks[id] = b
		maps.Copy(all.Comments, comments)
		return err
	}))
}

// part returns what a copy contains of one channel, without the channels in it: their changes are not listed with those
// of one channel.
func (c *copied) part(channel int64) copied {
	all := emptyCopy()
	if known, ok := c.Channels[channel]; ok {
		all.Channels[channel] = known
		all.Contents[channel] = slices.DeleteFunc(slices.Clone(c.Contents[channel]), func(p placed) bool { return p.Channel })
	}
	all.Blocks, all.Comments = maps.Clone(c.Blocks), maps.Clone(c.Comments)
	all.prune(0)
	return all
}

// eachOf calls do for the ids from 1 to n, some at a time.
func eachOf(n int64, do func(id int64) error) error {
	ids := make(chan int64)
	var mu sync.Mutex
	var all []error
	var doing sync.WaitGroup
	for range 6 {
		doing.Go(func() {
			for id := range ids {
				if err := do(id); err != nil {
					mu.Lock()
					all = append(all, err)
					mu.Unlock()
				}
			}
		})
	}
	for id := int64(1); id <= n; id++ {
		ids <- id
	}
	close(ids)
	doing.Wait()
	return errors.Join(all...)
}
