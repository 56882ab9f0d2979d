package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/content"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type checkCmd struct {
	config.Flags
	Limit  int  `name:"most" help:"How many differences of each kind to print." default:"100"`
	Repair bool `help:"Correct wrong values in small steps. Servers can keep running. User content is never deleted."`
	Files  bool `help:"Also check that every stored file exists with the right size and checksum, and that there are no others."`
	Quick  bool `help:"With --files: compare sizes only, without reading the files."`
	JSON   bool `name:"json" help:"Print JSON."`

	Verbose bool `help:"Also print checks without findings."`
}

// Errors for the exit code, after the findings were printed.
var (
	errDifferences = errors.New("the database contains wrong derived values")
	errFiles       = errors.New("the stored files and the database do not agree")
)

func (cmd *checkCmd) Run(c *console) error {
	if cmd.Quick && !cmd.Files {
		return usageError{errors.New("--quick: requires --files")}
	}
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	db, err := server.OpenReady(c.Ctx, cfg, log)
	if err != nil {
		return err
	}
	options := app.Options{Store: store.New(db), SiteURL: cfg.SiteURL}
	if cmd.Files {
		if options.Files.Blobs, err = server.OpenBlobs(cfg); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return errors.Join(cmd.check(c, app.New(options)), db.Close())
}

// check prints the findings to standard output and the progress to standard error.
func (cmd *checkCmd) check(c *console, a *app.App) error {
	result := struct {
		Differences []string            `json:"differences"`
		Repaired    int                 `json:"repaired,omitempty"`
		Files       []content.FileFault `json:"files,omitempty"`
	}{Differences: []string{}}
	p := newProgress(c.Err)
	p.verbose = cmd.Verbose
	found, err := a.Check(c.Ctx, cmd.Limit, cmd.Repair, func(at store.Checked) {
		p.check(at)
		if at.Ended {
			result.Repaired += at.Repaired
		}
	})
	p.clear()
	if err != nil {
		return err
	}
	for _, d := range found {
		result.Differences = append(result.Differences, d.String())
	}
	if cmd.JSON {
		found = nil
	}
	for _, d := range found {
		fmt.Fprintln(c.Out, d)
	}
	faults := 0
	if cmd.Files {
		err := a.Content.CheckFiles(c.Ctx, cmd.Quick, func(f content.FileFault) {
			if faults++; faults > cmd.Limit {
				return
			}
			if result.Files = append(result.Files, f); !cmd.JSON {
				p.clear()
				fmt.Fprintln(c.Out, f)
			}
		}, p.files)
		p.clear()
		if err != nil {
			return err
		}
	}
	if cmd.JSON {
		if err := printJSON(c.Out, result); err != nil {
			return err
		}
	}
	var wrong []error
	if len(result.Differences) > 0 {
		wrong = append(wrong, errDifferences)
	}
	if faults > 0 {
		wrong = append(wrong, fmt.Errorf("%w: %s", errFiles, domain.Counted(faults, "difference", "differences")))
	}
	if wrong != nil || cmd.JSON {
		return errors.Join(wrong...)
	}
	if result.Repaired > 0 {
		fmt.Fprintf(c.Out, "%s repaired.\n", domain.Counted(result.Repaired, "row was", "rows were"))
	}
	fmt.Fprintln(c.Out, "All derived values are correct.")
	if cmd.Files {
		fmt.Fprintln(c.Out, "All stored files exist, and there are no others.")
	}
	return nil
}

// progress reports the progress of a check: on a terminal in a line that is updated, otherwise in a
// line for each check with findings.
type progress struct {
	w         io.Writer
	live      bool
	verbose   bool // also print checks without findings
	shown     bool
	began     time.Time
	lastFiles time.Time
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if file, ok := raw(w).(*os.File); ok {
		info, err := file.Stat()
		p.live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// clear removes the updated line.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(raw(p.w), "\r\x1b[K")
		p.shown = false
	}
}

func (p *progress) show(line string) {
	fmt.Fprintf(raw(p.w), "\r\x1b[K%.78s", oneLine(line))
	p.shown = true
}

func (p *progress) check(at store.Checked) {
	line := fmt.Sprintf("%d of %d: %s", at.N, at.Of, at.What)
	if at.Repaired > 0 {
		line += fmt.Sprintf(", %d repaired", at.Repaired)
	}
	if p.live {
		p.show(line)
		return
	}
	if !at.Ended {
		if at.Repaired == 0 {
			p.began = time.Now()
		}
		return
	}
	if at.Found == 0 && at.Repaired == 0 && !p.verbose {
		return
	}
	fmt.Fprintf(p.w, "%s: %s (%s)\n", line, domain.Counted(at.Found, "differs", "differ"), time.Since(p.began).Round(time.Millisecond))
}

// files reports checked files, on a terminal after each file, otherwise every ten seconds.
func (p *progress) files(at content.CheckingFiles) {
	line := fmt.Sprintf("files: %d read, %s listed, %d wrong", at.Files, domain.Counted(at.Objects, "object", "objects"), at.Faults)
	if p.live {
		p.show(line)
	} else if now := time.Now(); now.Sub(p.lastFiles) >= 10*time.Second {
		p.lastFiles = now
		fmt.Fprintln(p.w, line)
	}
}
