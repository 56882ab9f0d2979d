package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/durable"
	"vitrine/internal/exporting"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type exportCmd struct {
	config.Flags
	User  string `required:"" placeholder:"SLUG" help:"ID or slug of the account."`
	Out   string `required:"" placeholder:"FILE.zip" help:"File to write. Until it is complete, its name is FILE.zip.partial."`
	Force bool   `help:"Replace an existing file."`
	JSON  bool   `name:"json" help:"Print the progress as lines of JSON; the last line describes the export."`
}

// exportJSON is the JSON form of an export's progress. File is only set at the end.
type exportJSON struct {
	State string `json:"state"`
	File  string `json:"file,omitempty"`
	Size  int64  `json:"size,omitempty"`
	exporting.Progress
}

func (cmd *exportCmd) Run(c *console) error {
	if _, err := os.Lstat(cmd.Out); err == nil && !cmd.Force {
		return fmt.Errorf("--out: the file %s already exists; replace it with --force", cmd.Out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--out: %w", err)
	}
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	db, err := server.OpenReady(c.Ctx, cfg, log)
	if err != nil {
		return err
	}
	options := app.Options{Store: store.New(db), SiteURL: cfg.SiteURL, BaseURL: cfg.BaseURL}
	if options.Files.Blobs, err = server.OpenBlobs(cfg); err != nil {
		return errors.Join(err, db.Close())
	}
	a := app.New(options)
	e := exporting.New(exporting.Options{App: a, Addresses: server.Addresses(cfg), Version: version()["version"], Folder: filepath.Dir(cmd.Out)})
	return errors.Join(cmd.export(c, a, e), db.Close())
}

// exportStep is the time between lines of progress.
const exportStep = 2 * time.Second

func (cmd *exportCmd) export(c *console, a *app.App, e *exporting.Exporter) error {
	u, err := a.People.User(c.Ctx, domain.ParseRef(cmd.User))
	if err != nil {
		return noUser(cmd.User, err)
	}
	p := newProgress(c.Err)
	var last time.Time
	made, size, err := writeWhole(c.Ctx, cmd.Out, func(f *os.File) (exporting.Progress, error) {
		return e.Person(c.Ctx, u.ID, f, func(at exporting.Progress) {
			now := time.Now()
			if now.Sub(last) < exportStep && !p.live {
				return
			}
			last = now
			text := fmt.Sprintf("%d of %s, %s, %s, %s", at.Done, domain.Counted(at.Of, "item", "items"), domain.Counted(at.Blocks, "block", "blocks"), countFiles(at.Files), domain.FormatBytes(at.Bytes))
			switch {
			case cmd.JSON:
				_ = json.NewEncoder(c.Out).Encode(exportJSON{State: "running", Progress: at}) // the last line reports a write error
			case p.live:
				p.show(text)
			default:
				fmt.Fprintln(p.w, text)
			}
		})
	})
	p.clear()
	if err != nil {
		return err
	}
	if cmd.JSON {
		return json.NewEncoder(c.Out).Encode(exportJSON{State: "done", File: cmd.Out, Size: size, Progress: made})
	}
	_, err = printf(c.Out, "Wrote %s: %s, %s, %s and %s, %s in all.\n", cmd.Out, domain.Counted(made.Channels, "channel", "channels"),
		domain.Counted(made.Blocks, "block", "blocks"), domain.Counted(made.Comments, "comment", "comments"), countFiles(made.Files), domain.FormatBytes(size))
	if err == nil && made.LeftOut > 0 {
		_, err = printf(c.Out, "%s could not be read; see json/left-out.jsonl in the archive.\n", domain.Counted(made.LeftOut, "item", "items"))
	}
	return err
}

// writeWhole writes a file that only its owner can read, under its name with ".partial", and
// renames it when it is complete and on disk. So a crash does not leave a partial file under the
// name.
func writeWhole(ctx context.Context, name string, write func(*os.File) (exporting.Progress, error)) (made exporting.Progress, size int64, err error) {
	partial := name + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return made, 0, fmt.Errorf("--out: %w", err)
	}
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return made, 0, fmt.Errorf("--out: %w", err)
	}
	made, err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close(), ctx.Err()); err == nil {
		err = durable.Rename(partial, name)
	}
	if err != nil {
		return made, 0, errors.Join(err, os.Remove(partial))
	}
	return made, size, nil
}
