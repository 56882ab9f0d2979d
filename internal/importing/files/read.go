package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/importing/source"
)

// Read hands over all channels, then their contents, then the comments. An entry with a wrong
// checksum is left out completely, since any part of it may be wrong.
func (b *Bundle) Read(ctx context.Context, to source.Sink) error {
	for _, l := range b.odd {
		to.LeftOut(l)
	}
	r := &bundleReader{Bundle: b, to: to, started: map[string]bool{}, commented: map[int64]place{}, extra: map[int64]*extras{}, left: maxExtraLines}
	to.Expect(b.manifest.Counts.Connections)
	for _, step := range []func(context.Context) error{r.heads, r.commentedBlocks, r.copies, r.highlights, r.contents, r.orphans, r.unplaced, r.comments, r.close, r.followings, r.profile} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bundleReader reads an export. It keeps only the channels, the blocks with comments, and the lines of saved copies and
// highlights in memory.
type bundleReader struct {
	*Bundle
	to        source.Sink
	channels  []head
	started   map[string]bool
	commented map[int64]place   // by block
	extra     map[int64]*extras // by block
	left      int               // how many bytes of lines extra may still take
}

// extras are the saved copies of the page of a block, and its highlights.
type extras struct {
	copies     []source.Copy
	highlights []source.Highlight
	placed     bool // a block was handed over with them
}

// place is the channel in which a block was first handed over.
type place struct {
	known   bool
	channel string // "": none
}

type head struct{ id, contents, where string }

const (
	channelsName = "json/channels.jsonl"
	commentsName = "json/comments.jsonl"
	copiesName   = "json/snapshots.jsonl"
	marksName    = "json/highlights.jsonl"
)

// heads begins all channels first, so that each can be nested in any other.
func (r *bundleReader) heads(ctx context.Context) error {
	return r.lines(ctx, channelsName, func(line []byte, where string) error {
		var c bundleChannel
		if why := decode(line, &c); why != "" {
			r.leftOut("A channel", where, why)
			return nil
		}
		h := head{id: id(c.ID), contents: c.Contents, where: where}
		if c.ID <= 0 || r.started[h.id] || !strings.HasPrefix(c.Contents, "json/channels/") {
			r.leftOut("A channel", where, "it has no id, or that of another one")
			return nil
		}
		r.started[h.id] = true
		r.channels = append(r.channels, h)
		return r.to.Channel(ctx, r.channel(c, where))
	})
}

// commentedBlocks records which blocks have comments.
func (r *bundleReader) commentedBlocks(ctx context.Context) error {
	return r.lines(ctx, commentsName, func(line []byte, _ string) error {
		var c comment
		if decode(line, &c) == "" {
			r.commented[c.BlockID] = place{}
		}
		return nil
	})
}

// maxExtraLines is the maximum number of bytes of lines of saved copies and highlights, which stay in memory.
const maxExtraLines = 64 << 20

// copies reads which saved copies blocks have.
func (r *bundleReader) copies(ctx context.Context) error {
	return r.extras(ctx, copiesName, "A saved copy of a page", func(line []byte) (block int64, add func(*extras), why string) {
		var c bundleCopy
		if why := decode(line, &c); why != "" {
			return 0, nil, why
		}
		is, why := r.copy(c)
		return c.BlockID, func(of *extras) { of.copies = append(of.copies, is) }, why
	})
}

// highlights reads which passages of blocks the person has highlighted. The export has the newest one first.
func (r *bundleReader) highlights(ctx context.Context) error {
	err := r.extras(ctx, marksName, "A highlight", func(line []byte) (block int64, add func(*extras), why string) {
		var a annotation
		if why := decode(line, &a); why != "" {
			return 0, nil, why
		}
		block, is, why := a.highlight()
		return block, func(of *extras) { of.highlights = append(of.highlights, is) }, why
	})
	for _, of := range r.extra {
		slices.Reverse(of.highlights)
	}
	return err
}

// extras reads lines that belong to blocks.
func (r *bundleReader) extras(ctx context.Context, name, what string, read func(line []byte) (block int64, add func(*extras), why string)) error {
	if r.entries[name] == nil && r.sums[name] == "" {
		return nil // an older export, or one without them
	}
	return r.lines(ctx, name, func(line []byte, where string) error {
		block, add, why := read(line)
		if r.left -= len(line); why == "" && r.left < 0 {
			why = "the export has too many"
		}
		if why != "" {
			r.leftOut(what, where, why)
			return nil
		}
		if r.extra[block] == nil {
			r.extra[block] = &extras{}
		}
		add(r.extra[block])
		return nil
	})
}

// addExtras adds the saved copies and highlights of a block that is handed over.
func (r *bundleReader) addExtras(it *source.Item, block int64) {
	if of := r.extra[block]; of != nil {
		it.Copies, it.Highlights, of.placed = of.copies, of.highlights, true
	}
}

// unplaced reports the saved copies and highlights whose blocks were not handed over.
func (r *bundleReader) unplaced(context.Context) error {
	const why = "the block that they belong to is not in the export"
	for _, block := range slices.Sorted(maps.Keys(r.extra)) {
		of := r.extra[block]
		if of.placed {
			continue
		}
		if len(of.copies) > 0 {
			r.leftOut("The saved copies of a page", fmt.Sprintf("%s, block_id %d", copiesName, block), why)
		}
		if len(of.highlights) > 0 {
			r.leftOut("The highlights of a block", fmt.Sprintf("%s, block %d", marksName, block), why)
		}
	}
	return nil
}

func (r *bundleReader) contents(ctx context.Context) error {
	for _, h := range r.channels {
		err := r.lines(ctx, h.contents, func(line []byte, where string) error {
			var c connection
			why := decode(line, &c)
			var it source.Item
			if why == "" {
				it, why = r.item(c, where)
			}
			if why != "" {
				r.to.Expect(-1)
				r.leftOut(what(it), either(it.Where, where), why)
				return nil
			}
			if c.Block != nil {
				r.placed(c.Block.ID, h.id)
				r.addExtras(&it, c.Block.ID)
			}
			return r.to.Item(ctx, h.id, it)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// placed records the channel of a block with comments.
func (r *bundleReader) placed(block int64, channel string) {
	if in, has := r.commented[block]; has && !in.known {
		r.commented[block] = place{known: true, channel: channel}
	}
}

// orphans hands over the blocks that are in no channel.
func (r *bundleReader) orphans(ctx context.Context) error {
	return r.lines(ctx, "json/blocks.jsonl", func(line []byte, where string) error {
		var k block
		why := decode(line, &k)
		if why == "" && k.ID <= 0 {
			why = "it has no id"
		}
		var it source.Item
		if why == "" {
			it, why = r.block(k, where)
		}
		if why != "" {
			r.leftOut(what(it), either(it.Where, where), why)
			return nil
		}
		r.placed(k.ID, "")
		r.addExtras(&it, k.ID)
		r.to.Expect(1)
		return r.to.Orphan(ctx, it)
	})
}

func (r *bundleReader) followings(ctx context.Context) error {
	return r.lines(ctx, "json/following.jsonl", func(line []byte, where string) error {
		var f following
		if why := decode(line, &f); why != "" || f.ID <= 0 {
			r.leftOut("Something that you follow", where, either(why, "it has no id"))
			return nil
		}
		return r.to.Following(ctx, source.Following{Type: f.Type, ID: id(f.ID), Name: f.Name, Slug: f.Slug, Where: either(f.URL, where)})
	})
}

func (r *bundleReader) profile(ctx context.Context) error {
	const name = "json/profile.json"
	in, err := r.verified(name)
	if in == nil || err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxLine+1))
	if err != nil {
		return r.unusable(name, err)
	}
	var p profile
	if why := decode(text, &p); why != "" || len(text) > maxLine {
		r.leftOut("Your profile", name, either(why, errLineTooLong.Error()))
		return nil
	}
	return r.to.Profile(ctx, source.Profile{About: p.Bio, Picture: r.file(p.Avatar), Where: either(p.URL, name)})
}

// what returns the name of an item for reports.
func what(it source.Item) string {
	if it.Kind == "" {
		return "A connection"
	}
	return "A block of the type " + string(it.Kind)
}

func (r *bundleReader) comments(ctx context.Context) error {
	return r.lines(ctx, commentsName, func(line []byte, where string) error {
		var c comment
		if why := decode(line, &c); why != "" || c.ID <= 0 {
			r.leftOut("A comment", where, either(why, "it has no id"))
			return nil
		}
		in := r.commented[c.BlockID]
		if !in.known {
			r.leftOut("A comment", either(c.URL, where), "the block that it is about is not in the export")
			return nil
		}
		return r.to.Comment(ctx, in.channel, id(c.BlockID), source.Comment{ID: id(c.ID), Body: c.Body, Author: r.person(c.Author), CreatedAt: c.CreatedAt, Where: either(c.URL, where)})
	})
}

func (r *bundleReader) close(ctx context.Context) error {
	for _, h := range r.channels {
		if err := r.to.Close(ctx, h.id); err != nil {
			return err
		}
	}
	return nil
}

func (r *bundleReader) leftOut(what, where, why string) {
	r.to.LeftOut(source.LeftOut{What: what, Where: where, Why: why})
}

// verified opens an entry after comparing all of it with its checksum. It returns nil if the entry
// is left out.
func (r *bundleReader) verified(name string) (io.ReadCloser, error) {
	sum := r.sums[name]
	if sum == "" {
		r.leftOut("A part of the export", name, "it is not in the archive, or no sum is")
		return nil, nil
	}
	if err := r.verify(name, sum); err != nil {
		return nil, r.unusable(name, err)
	}
	in, err := r.open(name)
	if err != nil {
		return nil, r.unusable(name, err)
	}
	return in, nil
}

// lines calls visit for each line of an entry.
func (r *bundleReader) lines(ctx context.Context, name string, visit func(line []byte, where string) error) error {
	in, err := r.verified(name)
	if in == nil || err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		where := fmt.Sprintf("%s, line %d", name, n)
		line, err := readLine(lines)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLineTooLong):
			r.leftOut("A line", where, err.Error())
			continue
		case err != nil:
			return r.unusable(name, err)
		}
		if err := errors.Join(ctx.Err(), visit(line, where)); err != nil {
			return err
		}
	}
}

// unusable leaves out an entry that cannot be read because the archive is damaged.
func (r *bundleReader) unusable(name string, err error) error {
	why, ok := source.ReasonOf(err)
	if ok {
		r.leftOut("A part of the export", name, why)
		return nil
	}
	return err
}

var errLineTooLong = fmt.Errorf("it is longer than %d bytes", maxLine)

// readLine reads a line without its end. It skips a line that is too long.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		case len(line) > maxLine:
			return nil, errLineTooLong
		}
		return line, nil
	}
}
