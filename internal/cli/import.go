package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"vitrine/internal/app"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/source"
	"vitrine/internal/server"
	"vitrine/internal/site/catalog"
)

type importCmd struct {
	Arena  importArenaCmd  `cmd:"" help:"Import channels from Are.na, or from any server with version 3 of its API."`
	File   importFileCmd   `cmd:"" aliases:"bookmarks,csv" help:"Import a file of bookmarks, links or notes from a browser or a service."`
	Folder importFolderCmd `cmd:"" help:"Import a folder of files."`
	Export importExportCmd `cmd:"" help:"Import an export of Vitrine."`
}

// importFlags are those of every import.
type importFlags struct {
	config.Flags
	User        string `required:"" placeholder:"SLUG" help:"ID or slug of the account that receives the imported items."`
	DryRun      bool   `name:"dry-run" help:"Report what would be imported, without changing anything."`
	IntoVisible bool   `name:"into-visible" help:"Also add private items to channels that everyone can see. Without it, a private import into such channels is refused."`
	JSON        bool   `name:"json" help:"Print a line of JSON for each step and each skipped item, and the report as the last line."`

	input *input // the file that is read from start to end; nil for other sources
}

// intoFlags are the flags of imports that can add to an existing channel.
type intoFlags struct {
	Channel    string `placeholder:"SLUG" help:"Put everything into this channel. By default, each channel, folder or list of the source becomes a channel."`
	Visibility string `help:"Who can see the channels that this import creates: public, closed or private. Existing channels stay as they are." default:"private" enum:"public,closed,private"`
}

// into sets the options from the flags.
func (f intoFlags) into(o *importing.Options) {
	o.Visibility = domain.Visibility(f.Visibility)
	if f.Channel != "" {
		ref := domain.ParseRef(f.Channel)
		o.Into = &ref
	}
}

// run imports what a source has, which is opened when all else is ready, and reports.
func (f importFlags) run(c *console, o importing.Options, open func(ctx context.Context, cfg config.Config) (source.Source, error)) error {
	cfg, log, err := serverSettings(c, f.Flags)
	if err != nil {
		return err
	}
	a, closing, err := server.OpenApp(c.Ctx, cfg, server.Options{Log: log})
	if err != nil {
		return err
	}
	return errors.Join(f.imported(c, cfg, a, o, open), closing())
}

func (f importFlags) imported(c *console, cfg config.Config, a *app.App, o importing.Options, open func(ctx context.Context, cfg config.Config) (source.Source, error)) error {
	actor, err := actingFor(c.Ctx, a, f.User)
	if err != nil {
		return err
	}
	if err := canGoInto(c.Ctx, a, actor, o.Into, f.User); err != nil {
		return err
	}
	src, err := open(c.Ctx, cfg)
	if err != nil {
		return err
	}
	p := newImportProgress(c, f.JSON)
	p.input = f.input
	o.IntoVisible = f.IntoVisible
	o.DryRun, o.Progress, o.LeftOut = f.DryRun, p.progress, p.leftOut
	report, err := importing.Run(c.Ctx, a, actor, src, o)
	refused := len(report.Visible) > 0
	if refused {
		err = fmt.Errorf("%w (--into-visible allows it)", err)
	}
	if !refused || f.JSON {
		p.end(report, f.DryRun, err)
	}
	switch {
	case c.Ctx.Err() != nil:
		return errors.New("stopped; the same command goes on where this one has come to")
	case err != nil:
		return err
	case report.Counts.LeftOut > 0:
		return errPartly
	}
	return nil
}

// canGoInto refuses a channel that is not there, or to which the account may not add.
func canGoInto(ctx context.Context, a *app.App, actor domain.Actor, into *domain.Ref, user string) error {
	if into == nil {
		return nil
	}
	c, err := a.Collections.Channel(ctx, actor, *into)
	if domain.KindOf(err) == domain.NotFound || err == nil && !domain.CanAddTo(actor, c.Channel) {
		return fmt.Errorf("there is no channel %s to which %s may add", cmp.Or(into.Slug, fmt.Sprint(into.ID)), user)
	}
	return err
}

// actingFor is an account as the actor of a command.
func actingFor(ctx context.Context, a *app.App, name string) (domain.Actor, error) {
	u, err := a.People.User(ctx, domain.ParseRef(name))
	if err != nil {
		return domain.Actor{}, noUser(name, err)
	}
	if u.SuspendedAt != nil {
		return domain.Actor{}, fmt.Errorf("the account %q is suspended", name)
	}
	return domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}, nil
}

// tokenOf returns the token for the API of a server, from a file or the environment.
func tokenOf(file string) (string, error) {
	token, err := secretOf("--token-file", file)
	if err == nil && token == "" {
		if token = os.Getenv("VITRINE_TOKEN"); token == "" {
			err = errors.New("--token-file: is required, unless VITRINE_TOKEN has a token")
		}
	}
	if err != nil {
		return "", usageError{err}
	}
	return token, nil
}

// secretOf reads a secret from a file, "" for no file.
func secretOf(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || strings.ContainsAny(secret, " \t\r\n") {
		return "", fmt.Errorf("%s: the file %s must hold one word", flag, file)
	}
	return secret, nil
}

// importProgress shows the progress of an import: a bar on a terminal, otherwise a line every ten
// seconds, or lines of JSON for programs.
type importProgress struct {
	out, err io.Writer
	json     *json.Encoder // nil: for people
	bar      *progressbar.ProgressBar
	every    time.Duration
	last     time.Time
	input    *input // how far it has been read says how much is done; nil: the items do
}

func newImportProgress(c *console, asJSON bool) *importProgress {
	p := &importProgress{out: c.Out, err: c.Err, every: 10 * time.Second, last: time.Now()}
	switch {
	case asJSON:
		p.json, p.every = json.NewEncoder(c.Out), time.Second
		p.json.SetEscapeHTML(false)
	case newProgress(c.Err).live:
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(c.Err), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(20), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetDescription("looking"))
	}
	return p
}

// event is a line of JSON.
type importEvent struct {
	Event string `json:"event"` // progress, left_out or report
	*importing.Counts
	*source.LeftOut
	DryRun   bool   `json:"dry_run,omitempty"`
	Summary  string `json:"summary,omitempty"` // the report in sentences
	Format   string `json:"format,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Error    string `json:"error,omitempty"`
}

// done is how much is done of how much. A file that is read as it comes says by the bytes how
// many items are still to come, which it cannot know.
func (p *importProgress) done(n importing.Counts) (done, all int64) {
	if p.input != nil && p.input.size > 0 {
		return min(p.input.read.Load(), p.input.size), p.input.size
	}
	return n.Seen, max(n.Expected, n.Seen)
}

func (p *importProgress) progress(n importing.Counts) {
	done, all := p.done(n)
	if p.bar != nil {
		if all > 0 && p.bar.GetMax64() != all {
			p.bar.ChangeMax64(all)
		}
		p.bar.Describe(imported(n))
		_ = p.bar.Set64(done) // it only paints
		return
	}
	if time.Since(p.last) < p.every {
		return
	}
	p.last = time.Now()
	if p.json != nil {
		_ = p.json.Encode(importEvent{Event: "progress", Counts: &n})
		return
	}
	_, _ = printf(p.err, "%d%%: %s, %s\n", 100*done/max(all, 1), domain.Counted(n.Seen, "item", "items"), imported(n))
}

// imported returns the numbers of items that an import has created so far.
func imported(n importing.Counts) string {
	return domain.Counted(n.Channels, "channel", "channels") + ", " + domain.Counted(n.Blocks, "block", "blocks") + ", " + countFiles(n.Files)
}

func (p *importProgress) leftOut(l source.LeftOut) {
	if p.json != nil {
		_ = p.json.Encode(importEvent{Event: "left_out", LeftOut: &l})
	}
}

// summary returns what the report says in sentences.
func summary(r importing.Report, dry bool) catalog.ImportSummary {
	s := catalog.ImportSummary{DryRun: dry, File: r.File, Counts: domain.ImportCounts{Channels: r.Channels, Blocks: r.Blocks, Connections: r.Connections,
		Comments: r.Comments, Unchanged: r.Unchanged, Changed: r.Changed, Moved: r.Moved, LeftOut: r.Counts.LeftOut}}
	for _, l := range r.LeftOut {
		s.Skipped = append(s.Skipped, domain.LeftOut(l))
	}
	return s
}

// end prints the numbers of imported and skipped items.
func (p *importProgress) end(r importing.Report, dry bool, err error) {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.json != nil {
		e := importEvent{Event: "report", Counts: &r.Counts, DryRun: dry, Summary: catalog.English().Imported(summary(r, dry)),
			Format: r.File.Format, Encoding: r.File.Encoding}
		if err != nil {
			e.Error = err.Error()
		}
		_ = p.json.Encode(e)
		return
	}
	english := catalog.English()
	_, _ = printf(p.out, "%s\n", english.Imported(summary(r, dry)))
	if read := english.Read(r.File); read != "" {
		_, _ = printf(p.out, "%s\n", read)
	}
	if r.Counts.LeftOut == 0 {
		return
	}
	_, _ = printf(p.out, "Skipped, entirely or in part:\n")
	for _, l := range r.LeftOut {
		_, _ = printf(p.out, "  %s: %s", l.What, l.Why)
		if l.Where != "" {
			_, _ = printf(p.out, " (%s)", l.Where)
		}
		fmt.Fprintln(p.out)
	}
	if more := r.Counts.LeftOut - int64(len(r.LeftOut)); more > 0 {
		_, _ = printf(p.out, "  and %d more\n", more)
	}
}
