package exporting

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"strings"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// The format of a person's export: docs/export.schema.json.
const (
	formatName    = "vitrine-export"
	formatVersion = 1
)

// Progress is the progress of an export, and at the end its contents.
type Progress struct {
	Done        int64 `json:"done"` // items of channels
	Of          int64 `json:"of"`
	Channels    int64 `json:"channels"`
	Connections int64 `json:"connections"`
	Blocks      int64 `json:"blocks"`
	Comments    int64 `json:"comments"`
	Followings  int64 `json:"followings"`
	Groups      int64 `json:"groups"`
	Files       int64 `json:"files"`
	Bytes       int64 `json:"bytes"` // of files
	LeftOut     int64 `json:"left_out"`
}

// person writes the export of a person. It reads channels one after another in batches and writes
// the lines of a channel immediately. A ZIP has only one open entry, so everything else that
// results from them, including files, waits in spools until the entry is done.
type person struct {
	e        *Exporter
	actor    domain.Actor
	me       domain.User
	zip      *archive
	progress Progress
	report   func(Progress)

	owners   []domain.PrincipalRef // the person and their groups, whose channels are exported
	exported ids                   // channels
	done     ids                   // channels already written
	blocks   ids                   // blocks already written
	entries  map[uint64]struct{}   // hashes of the paths of files that are written or queued
	seed     maphash.Seed          // of these hashes
	data     string                // folder of the scripts that the pages load
	sum      hash.Hash             // hash of the checksums

	// Written at the end.
	sums, channels, comments, leftOut, channelCells spool
	// Written when the current entry is done: new blocks, new files, Markdown, cells.
	fresh, files, list, cells spool
}

func (p *person) spools() []*spool {
	return []*spool{&p.sums, &p.channels, &p.comments, &p.leftOut, &p.channelCells, &p.fresh, &p.files, &p.list, &p.cells}
}

// Person writes everything that a person owns and may see as a ZIP. It calls report now and then
// with the progress, unless report is nil.
func (e *Exporter) Person(ctx context.Context, id domain.UserID, w io.Writer, report func(Progress)) (Progress, error) {
	me, err := e.o.App.People.User(ctx, domain.Ref{ID: int64(id)})
	if err != nil {
		return Progress{}, err
	}
	now := e.o.Now()
	p := &person{e: e, actor: domain.Actor{UserID: me.ID, Tier: me.Tier, Scope: domain.ScopeRead}, me: me, report: report,
		data: "browse/data-" + rand.Text() + "/", exported: ids{}, done: ids{}, blocks: ids{}, entries: map[uint64]struct{}{}, seed: maphash.MakeSeed(), sum: sha256.New(), zip: newArchive(w, e.o.Folder, now)}
	defer p.zip.free()
	for _, s := range p.spools() {
		s.folder = e.o.Folder
		defer s.close()
	}
	p.zip.sums = func(name string, _ int64, sum [sha256.Size]byte) error {
		line := sumLine(name, sum)
		p.sum.Write([]byte(line))
		_, err := io.WriteString(&p.sums, line)
		return err
	}
	for _, part := range []func(context.Context) error{p.about, p.groups, p.count, p.allChannels, p.orphans, p.ownComments, p.following, p.searches, p.highlights, p.copies, p.subscriptions, p.gathered, p.browse} {
		if err := part(ctx); err != nil {
			return p.progress, err
		}
	}
	return p.progress, p.end(now)
}

func (p *person) reportProgress() {
	if p.report != nil {
		p.report(p.progress)
	}
}

// line writes a value as a line of JSON.
func line(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// skip records something that could not be read.
func (p *person) skip(l leftOutLine) error {
	p.progress.LeftOut++
	return line(&p.leftOut, l)
}

// queuedFile is a file or a saved copy of a page whose bytes are still to be written.
type queuedFile struct {
	Path string
	File domain.File
	Copy *domain.Snapshot // nil: File
}

// queueFile queues the bytes of a file for writing, once per path: several files can have the same
// bytes, and bytes without metadata can be those of another file.
func (p *person) queueFile(f *domain.File, l *fileLine) error {
	switch {
	case f == nil:
		return nil
	case l.Path == "":
		return p.skip(leftOutLine{What: "file", ID: int64(f.ID), Why: l.why})
	}
	return p.queue(queuedFile{Path: l.Path, File: *f})
}

// about writes the profile.
func (p *person) about(ctx context.Context) error {
	r, avatar, err := p.picture(ctx, p.me.Avatar)
	if err != nil {
		return err
	}
	u := p.e.o.Addresses.User(&p.me)
	profile := profileLine{ID: int64(u.ID), Slug: u.Slug, Name: u.Name, Email: u.Email, Bio: markdown(u.Bio), Avatar: r.file(avatar), Tier: string(u.Tier),
		CreatedAt: u.CreatedAt.UTC(), UpdatedAt: u.UpdatedAt.UTC(), URL: u.URL()}
	if profile.SignIn, err = p.signIn(ctx); err != nil {
		return err
	}
	if err := p.queueFile(avatar, profile.Avatar); err != nil {
		return err
	}
	w, err := p.zip.create("json/profile.json", false)
	if err != nil {
		return err
	}
	if err := line(w, profile); err != nil {
		return err
	}
	p.owners = []domain.PrincipalRef{domain.UserRef(p.me.ID)}
	return p.copyFiles(ctx)
}

// picture reads the file of an avatar and returns a recorder for its line.
func (p *person) picture(ctx context.Context, kept *string) (recorder, *domain.File, error) {
	f, err := p.e.o.App.Content.Picture(ctx, kept)
	if err != nil || f == nil {
		return recorder{at: p.e.o.Addresses}, nil, err
	}
	sums, err := p.e.sums(ctx, p.me.ID, []*domain.File{f})
	return recorder{at: p.e.o.Addresses, sums: sums}, f, err
}

// perPage is the number of list items read at once.
const perPage = domain.MaxPerPage

// groups writes the person's groups.
func (p *person) groups(ctx context.Context) error {
	w, err := p.zip.create("json/groups.jsonl", false)
	if err != nil {
		return err
	}
	for n := int64(1); ; n++ {
		l, err := p.e.o.App.People.UserGroups(ctx, p.actor, domain.Ref{ID: int64(p.me.ID)}, domain.GroupSort{Key: domain.GroupsByCreated}, domain.Page{Number: n, Per: perPage})
		if err != nil {
			return err
		}
		for i := range l.Items {
			g := p.e.o.Addresses.Group(&l.Items[i])
			r, avatar, err := p.picture(ctx, g.Group.Avatar)
			if err != nil {
				return err
			}
			out := groupLine{ID: int64(g.ID), Slug: g.Slug, Name: g.Name, Description: markdown(g.Description), Avatar: r.file(avatar), Owner: r.person(&g.Group.Owner),
				Owned: g.Group.Owner.PrincipalRef == domain.UserRef(p.me.ID), CreatedAt: g.CreatedAt.UTC(), UpdatedAt: g.UpdatedAt.UTC(), URL: g.URL()}
			if err := errors.Join(p.queueFile(avatar, out.Avatar), line(w, out)); err != nil {
				return err
			}
			p.owners = append(p.owners, domain.GroupRef(g.ID))
			p.progress.Groups++
		}
		if int64(len(l.Items)) < perPage {
			return p.copyFiles(ctx)
		}
	}
}

// eachChannel visits the channels of the person and their groups.
func (p *person) eachChannel(ctx context.Context, visit func(domain.Channel) error) error {
	for _, owner := range p.owners {
		for above := domain.ChannelID(0); ; {
			some, err := p.e.o.App.Collections.OwnedChannels(ctx, p.actor, owner, above, perPage)
			if err != nil {
				return err
			}
			for _, c := range some {
				above = c.ID
				if err := visit(c); err != nil {
					return err
				}
			}
			if len(some) < perPage {
				break
			}
		}
	}
	return nil
}

// count determines which channels are exported and how many items they contain.
func (p *person) count(ctx context.Context) error {
	err := p.eachChannel(ctx, func(c domain.Channel) error {
		if p.exported.add(int64(c.ID)) {
			n, err := p.e.visible(ctx, p.actor, c)
			p.progress.Of += n
			return err
		}
		return nil
	})
	p.reportProgress()
	return err
}

func (p *person) allChannels(ctx context.Context) error {
	return p.eachChannel(ctx, func(c domain.Channel) error {
		if !p.exported.has(int64(c.ID)) || !p.done.add(int64(c.ID)) { // it was added or changed owner in the meantime
			return nil
		}
		return p.channel(ctx, c)
	})
}

// channel writes a channel: its lines, then everything that results from them.
func (p *person) channel(ctx context.Context, c domain.Channel) error {
	name := fmt.Sprintf("json/channels/%d.jsonl", c.ID)
	var w *entry
	var head channelLine
	before := p.progress
	isExported := func(id domain.ChannelID) bool { return p.exported.has(int64(id)) }
	err := p.e.contents(ctx, p.actor, domain.Ref{ID: int64(c.ID)}, false, func(full collections.FullChannel, items int64) (err error) {
		head = recorder{at: p.e.o.Addresses}.channel(full, items)
		head.Contents, head.Snapshots = name, string(full.Snapshots)
		w, err = p.zip.create(name, false)
		return err
	}, func(items []placed) error {
		lines, err := p.e.record(ctx, items, p.me.ID, isExported)
		if err != nil {
			return err
		}
		for i, l := range lines {
			if err := p.connection(w, l, items[i].Block); err != nil {
				return err
			}
		}
		p.progress.Done = min(p.progress.Done+int64(len(items)), p.progress.Of)
		p.reportProgress()
		return nil
	})
	if isGone(err) && w == nil { // deleted in the meantime
		return p.skip(leftOutLine{What: "channel", ID: int64(c.ID), Why: "it was deleted while the export was made"})
	}
	if err != nil {
		return err
	}
	p.progress.Channels++
	if err := line(&p.channels, head); err != nil {
		return err
	}
	if err := p.flush(ctx, &head, p.progress.Connections-before.Connections); err != nil {
		return err
	}
	p.progress.Done = min(before.Done+head.Items, p.progress.Of) // includes items that were removed in the meantime
	p.reportProgress()
	return nil
}

// connection writes a connection and queues what results from it.
func (p *person) connection(w io.Writer, l connectionLine, b *domain.Block) error {
	p.progress.Connections++
	if err := line(w, l); err != nil {
		return err
	}
	if l.Channel != nil {
		to := l.Channel.URL
		if l.Channel.Exported {
			to = named(l.Channel.Title, l.Channel.ID, ".md")
		}
		if _, err := fmt.Fprintf(&p.list, "%d. %s\n", l.Position, link(l.Channel.Title, to)); err != nil {
			return err
		}
		return line(&p.cells, cellOfChannel(l.Channel))
	}
	if _, err := fmt.Fprintf(&p.list, "%d. %s\n", l.Position, link(l.Block.heading(), "../blocks/"+blockName(*l.Block))); err != nil {
		return err
	}
	if err := line(&p.cells, cellOf(l.Block)); err != nil {
		return err
	}
	return p.addBlock(*l.Block, b)
}

// addBlock queues a block and its files when it first occurs.
func (p *person) addBlock(l blockLine, b *domain.Block) error {
	if !p.blocks.add(l.ID) {
		return nil
	}
	p.progress.Blocks++
	return errors.Join(line(&p.fresh, l), p.queueFile(b.Image, l.Image), p.queueFile(b.File, l.Attachment))
}

func blockName(l blockLine) string { return named(l.heading(), l.ID, ".md") }

// flush writes everything that waited for the end of an entry. c is the entry's channel, or nil.
func (p *person) flush(ctx context.Context, c *channelLine, items int64) error {
	if err := p.copyFiles(ctx); err != nil {
		return err
	}
	if err := eachLine(&p.fresh, func(l blockLine) error { return p.blockPage(ctx, l) }); err != nil {
		return err
	}
	if c != nil {
		w, err := p.zip.create("markdown/channels/"+named(c.Title, c.ID, ".md"), false)
		if err != nil {
			return err
		}
		var head strings.Builder
		writeChannelHead(&head, *c)
		if items > 0 {
			head.WriteByte('\n')
		}
		if err := copySpool(w, &p.list, head.String()); err != nil {
			return err
		}
	}
	if err := p.writeCells(c, items); err != nil {
		return err
	}
	for _, s := range []*spool{&p.fresh, &p.list, &p.cells} {
		if err := s.reset(); err != nil {
			return err
		}
	}
	return nil
}

// copySpool writes texts and then the contents of a spool.
func copySpool(w io.Writer, s *spool, before ...string) error {
	for _, text := range before {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	r, err := s.read()
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return err
}

// eachLine decodes the lines of a spool.
func eachLine[T any](s *spool, visit func(T) error) error {
	from, err := s.read()
	if err != nil {
		return err
	}
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var one T
		if err := json.Unmarshal(bytes.TrimSpace(text), &one); err != nil {
			return err
		}
		if err := visit(one); err != nil {
			return err
		}
	}
}

// copyFiles writes the queued files.
func (p *person) copyFiles(ctx context.Context) error {
	err := eachLine(&p.files, func(f queuedFile) error {
		before := p.zip.out.n
		var err error
		if f.Copy != nil {
			err = p.copy(ctx, f.Path, f.Copy.ID)
		} else {
			err = p.e.copyFile(ctx, p.zip, f.Path, p.me.ID, f.File)
		}
		if isGone(err) {
			return p.skip(leftOutLine{What: "file", Path: f.Path, Why: "its bytes are not in the storage"})
		}
		if err != nil {
			return err
		}
		p.progress.Files++
		p.progress.Bytes += p.zip.open.size
		if p.zip.out.n-before > 1<<20 {
			p.reportProgress()
		}
		return nil
	})
	return errors.Join(err, p.files.reset())
}

// gathered writes the entries that waited for the end.
func (p *person) gathered(context.Context) error {
	for _, one := range []struct {
		name string
		from *spool
	}{{"json/channels.jsonl", &p.channels}, {"json/comments.jsonl", &p.comments}, {"json/left-out.jsonl", &p.leftOut}} {
		w, err := p.zip.create(one.name, false)
		if err != nil {
			return err
		}
		if err := copySpool(w, one.from); err != nil {
			return err
		}
	}
	return p.zip.add("README.txt", []byte(readme))
}

// end writes the checksums and the manifest, which have no checksums themselves.
func (p *person) end(now time.Time) error {
	if err := p.zip.done(); err != nil {
		return err
	}
	p.zip.sums = nil
	w, err := p.zip.create("SHA256SUMS", false)
	if err != nil {
		return err
	}
	if err := copySpool(w, &p.sums); err != nil {
		return err
	}
	n, me := p.progress, p.e.o.Addresses.User(&p.me)
	text, err := json.MarshalIndent(manifest{Format: formatName, Version: formatVersion, CreatedAt: now.UTC(), Generator: "Vitrine " + p.e.o.Version,
		Origin: p.e.o.Addresses.API, Site: p.e.o.Addresses.Site, User: personLine{int64(me.ID), string(domain.TypeUser), me.Name, me.Slug, me.URL()},
		Counts: counts{n.Channels, n.Connections, n.Blocks, n.Comments, n.Followings, n.Groups, n.Files, n.Bytes, n.LeftOut},
		Sums:   sumsLine{"SHA256SUMS", hex.EncodeToString(p.sum.Sum(nil))}}, "", "  ")
	if err != nil {
		return err
	}
	if err := p.zip.add("manifest.json", append(text, '\n')); err != nil {
		return err
	}
	p.progress.Done = p.progress.Of
	p.reportProgress()
	return p.zip.close()
}

const readme = `This is what you had made and owned, and could see, when it was exported.

index.html      open it in a browser to look around and search; it needs no network
markdown/       a text for each channel and each block, for any program that reads Markdown;
                a channel counts from its bottom up
files/          images, attachments and saved copies of pages; types that a browser or a computer would run, such as
                HTML, have .txt after their name (json/ has the name that they were uploaded with)
json/           all of it for programs, as docs/export.schema.json of Vitrine describes it
manifest.json   when this was made, and of whom
SHA256SUMS      sums of all files: sha256sum -c SHA256SUMS

To bring it into another server: vitrine import export FILE.zip --user SLUG
`
