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
	r := &bundleReader{Bundle: b, to: to, started: map[string]bool{}, commented: map[int64]place{}, copied: map[int64]*copies{}}
	to.Expect(b.manifest.Counts.Connections)
	for _, step := range []func(context.Context) error{r.heads, r.commentedBlocks, r.copies, r.contents, r.orphans, r.unplacedCopies, r.comments, r.close, r.followings, r.profile} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bundleReader reads an export. It keeps only the channels, the blocks with comments and the lines of saved copies in
// memory.
type bundleReader struct {
	*Bundle
	to        source.Sink
	channels  []head
	started   map[string]bool
	commented map[int64]place   // by block
	copied    map[int64]*copies // by block
}

// copies are the saved copies of the page of a block.
type copies struct {
	all    []source.Copy
	placed bool // a block was handed over with them
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

// maxCopyLines is the maximum number of bytes of lines of saved copies, which stay in memory.
const maxCopyLines = 64 << 20

// copies reads which saved copies blocks have.
func (r *bundleReader) copies(ctx context.Context) error {
	if r.entries[copiesName] == nil && r.sums[copiesName] == "" {
		return nil // an older export, or one without copies
	}
	left := maxCopyLines
	return r.lines(ctx, copiesName, func(line []byte, where string) error {
		var c bundleCopy
		why := decode(line, &c)
		var is source.Copy
		if why == "" {
			is, why = r.copy(c)
		}
		if left -= len(line); why == "" && left < 0 {
			why = "the export has too many"
		}
		if why != "" {
			r.leftOut("A saved copy of a page", where, why)
			return nil
		}
		if r.copied[c.BlockID] == nil {
			r.copied[c.BlockID] = &copies{}
		}
		of := r.copied[c.BlockID]
		of.all = append(of.all, is)
		return nil
	})
}

// copiesOf returns the saved copies of a block that is handed over.
func (r *bundleReader) copiesOf(block int64) []source.Copy {
	of := r.copied[block]
	if of == nil {
		return nil
	}
	of.placed = true
	return of.all
}

// unplacedCopies reports the saved copies whose blocks were not handed over.
func (r *bundleReader) unplacedCopies(context.Context) error {
	for _, block := range slices.Sorted(maps.Keys(r.copied)) {
		if !r.copied[block].placed {
			r.leftOut("The saved copies of a page", fmt.Sprintf("%s, block_id %d", copiesName, block), "the block that they belong to is not in the export")
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
				it.Copies = r.copiesOf(c.Block.ID)
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
		it.Copies = r.copiesOf(k.ID)
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
