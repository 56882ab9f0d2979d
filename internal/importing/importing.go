// Package importing imports what a source hands over. It writes in batches with the use cases of
// app/transfer, and counts the results. Users start imports on the server, which jobs run in steps:
// each step is a channel of another server or a file.
package importing

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// Options configure an import. Comments note the meaning of zero values.
type Options struct {
	DryRun      bool                 // read and report, without changing anything
	Into        *domain.Ref          // put everything into this existing channel; nil: into channels of its own
	Visibility  domain.Visibility    // of new channels, unless the source defines one; "": closed
	IntoVisible bool                 // also add to channels that everyone can see if the import or the source asks for private ones
	AtOnce      int                  // files that are fetched at once; 0: 4
	Progress    func(Counts)         // called after each step, never concurrently; may be nil
	LeftOut     func(source.LeftOut) // called for each omitted item, never concurrently; may be nil
}

// Counts are the progress of an import.
type Counts struct {
	Expected    int64 `json:"expected"` // items announced by the source so far
	Seen        int64 `json:"seen"`     // items handed over
	Channels    int64 `json:"channels"` // created
	Blocks      int64 `json:"blocks"`
	Links       int64 `json:"links"` // of the new blocks
	Texts       int64 `json:"texts"`
	Embeds      int64 `json:"embeds"`
	Uploads     int64 `json:"images_and_attachments"`
	Connections int64 `json:"connections"`
	Comments    int64 `json:"comments"`
	Files       int64 `json:"files"`
	Bytes       int64 `json:"bytes"`   // of files
	Changed     int64 `json:"changed"` // existing items that were updated
	Moved       int64 `json:"moved"`
	Unchanged   int64 `json:"unchanged"` // existing items
	LeftOut     int64 `json:"left_out"`
}

// MaxReported is how many skipped items a report lists.
const MaxReported = 1_000

// Report is the result of an import. Its counts are also valid after an error.
type Report struct {
	Counts
	LeftOut []source.LeftOut `json:"left_out_items"` // the first MaxReported
	File    domain.ImportFile

	// Visible are titles of channels that everyone can see. A private import was refused because it would add to them.
	Visible []string `json:"-"`
}

// made counts a new block by its kind.
func (c *Counts) made(kind source.Kind) {
	c.Blocks++
	switch kind {
	case source.Text:
		c.Texts++
	case source.Link:
		c.Links++
	case source.Embed:
		c.Embeds++
	case source.Image, source.Attachment:
		c.Uploads++
	}
}

// Run imports everything from a source for the actor. It can be interrupted at any point by its
// context or by a crash: the next run continues and creates nothing twice.
func Run(ctx context.Context, a *app.App, actor domain.Actor, src source.Source, o Options) (Report, error) {
	t := &sink{app: a, actor: actor, origin: src.Origin(), Options: o, channels: map[string]*channel{noChannel: {orphans: true}}}
	if o.AtOnce == 0 {
		t.AtOnce = 4
	}
	t.downloads = make(chan struct{}, t.AtOnce)
	err := t.begin(ctx, src)
	if err == nil {
		err = src.Read(ctx, t)
	}
	if err == nil {
		err = t.flush(ctx, t.channels[noChannel])
	}
	if f, ok := src.(source.Document); ok {
		about := f.About()
		t.report.File = domain.ImportFile{Format: about.Format, Encoding: about.Encoding}
		if err == nil {
			err = t.nothing()
		}
	}
	c := t.report.Counts
	t.report.File.Links, t.report.File.Texts, t.report.File.Embeds, t.report.File.Files = c.Links, c.Texts, c.Embeds, c.Uploads
	return t.report, errors.Join(err, ctx.Err())
}

// nothing returns an error if a file contained nothing to import, since that is not a success.
func (t *sink) nothing() error {
	switch {
	case len(t.channels) > 1: // the first is for blocks without a channel
		return nil
	case t.report.Counts.LeftOut > 0:
		return domain.NewUnprocessable("Nothing in the file could be imported")
	}
	return domain.NewUnprocessable("The file contains nothing to import")
}

// sink is a source.Sink that writes the contents of a source to the database.
type sink struct {
	Options
	app       *app.App
	actor     domain.Actor
	origin    string
	into      domain.ChannelID
	downloads chan struct{} // semaphore of concurrent downloads
	busy      atomic.Int64  // number of channels with unwritten items

	intoPrivate bool
	ofDocument  bool     // the source is a file, which does not define the visibility of channels
	former      bool     // the file keeps the origin that all files shared in earlier versions
	file        *channel // the single channel that a whole file goes into; only one goroutine hands it over

	mu       sync.Mutex // guards the following fields
	report   Report
	channels map[string]*channel
}

// IdentityOf returns the identity of a file.
func IdentityOf(d source.Document) transfer.Identity {
	return transfer.Identity{Origin: d.Origin(), Others: d.Others(), Former: d.Former(), Sample: d.Sample}
}

// TitleOf returns the title of the channel for a file that contains no title: the name of the file,
// by which later versions of it are recognized too.
func TitleOf(name string) string {
	name = filepath.Base(name)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// begin finds the origin of a file and the channel that everything goes into. It refuses a private
// import of a file that would add to channels that everyone can see.
func (t *sink) begin(ctx context.Context, src source.Source) error {
	f, ofDocument := src.(source.Document)
	t.ofDocument = ofDocument
	if ofDocument {
		var err error
		t.origin, err = t.app.Transfer.OriginOf(ctx, t.actor, IdentityOf(f), t.DryRun)
		if err != nil {
			return err
		}
		t.former = t.origin == f.Former()
	}
	refuses := ofDocument && t.Visibility == domain.Private && !t.IntoVisible
	if t.Into == nil {
		if !refuses {
			return nil
		}
		var err error
		if t.report.Visible, err = t.app.Transfer.VisibleChannels(ctx, t.actor, t.origin); err != nil {
			return err
		}
		return transfer.ConsentError(t.report.Visible)
	}
	c, err := t.app.Collections.Channel(ctx, t.actor, *t.Into)
	if err != nil {
		return err
	}
	t.into, t.intoPrivate = c.ID, c.Visibility == domain.Private
	if refuses && !t.intoPrivate {
		t.report.Visible = []string{c.Title}
	}
	return transfer.ConsentError(t.report.Visible)
}

// count changes the counts and reports the progress.
func (t *sink) count(change func(c *Counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.report.Counts)
	if t.Progress != nil {
		t.Progress(t.report.Counts)
	}
}

// Expect adds to the expected items.
func (t *sink) Expect(n int) { t.count(func(c *Counts) { c.Expected += int64(n) }) }

// LeftOut adds a skipped item to the report.
func (t *sink) LeftOut(l source.LeftOut) {
	l.What, l.Where, l.Why = reportText(l.What), reportText(l.Where), reportText(l.Why)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Counts.LeftOut++
	if len(t.report.LeftOut) < MaxReported {
		t.report.LeftOut = append(t.report.LeftOut, l)
	}
	if t.Options.LeftOut != nil {
		t.Options.LeftOut(l)
	}
	if t.Progress != nil {
		t.Progress(t.report.Counts)
	}
}

// reportText shortens a source's text for reports and joins its lines.
func reportText(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), 4*most)], ""))
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
