package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type backupCmd struct {
	Make   backupMakeCmd   `cmd:"" default:"withargs" help:"Back up the whole site at one point in time. Servers can keep running."`
	Verify backupVerifyCmd `cmd:"" help:"Read a whole backup and verify its checksums."`
	List   backupListCmd   `cmd:"" help:"List backups."`
}

// placeHelp is the help for the path of existing backups.
const placeHelp = "Path of the backups: a folder; a file, if its name ends in .tar.zst; or s3://bucket/prefix?endpoint=https://host&region=name, with --backup-access-key and --backup-secret-key."

type backupMakeCmd struct {
	config.Flags
	Path string `arg:"" help:"Destination: a folder, for several backups; a file, if its name ends in .tar.zst; or s3://bucket/prefix?endpoint=https://host&region=name, with --backup-access-key and --backup-secret-key."`
	Keep int    `placeholder:"N" help:"Keep the newest N backups there and delete older ones."`
	JSON bool   `name:"json" help:"Print the result as JSON, and the progress as lines of JSON on standard error."`
}

// backupJSON is the JSON form of a backup.
type backupJSON struct {
	ID        string           `json:"id"`
	CreatedAt string           `json:"created_at"`
	Database  string           `json:"database"`
	Schema    int64            `json:"schema"`
	Rows      int64            `json:"rows"`
	Files     int64            `json:"files"`
	Bytes     int64            `json:"bytes"`
	Written   *int64           `json:"written,omitempty"`
	Missing   []backup.Missing `json:"missing"`
	Removed   []string         `json:"removed,omitempty"`
	Error     string           `json:"error,omitempty"`
}

func toBackupJSON(k backup.Kept) backupJSON {
	m := k.Manifest
	out := backupJSON{ID: k.ID, Database: m.Database, Schema: m.Schema, Rows: m.Rows, Files: m.Files, Bytes: m.Bytes, Missing: m.Missing}
	if !m.CreatedAt.IsZero() {
		out.CreatedAt = m.CreatedAt.Format(time.RFC3339)
	}
	if k.Err != nil {
		out.Error = k.Err.Error()
	}
	return out
}

func (cmd *backupMakeCmd) Run(c *console) error {
	if cmd.Keep < 0 {
		return usageError{fmt.Errorf("--keep: %d: want a number above zero", cmd.Keep)}
	}
	if cmd.Keep > 0 && backup.IsFile(cmd.Path) {
		return usageError{errors.New("--keep: a file contains only one backup; use a folder")}
	}
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	db, err := server.OpenReady(c.Ctx, cfg, log)
	if err != nil {
		return err
	}
	blobs, err := server.OpenBlobs(cfg)
	var to *backup.Place
	if err == nil {
		to, err = backup.ToWrite(c.Ctx, cmd.Path, server.BackupKeys(cfg))
	}
	if err == nil {
		p := newBackupProgress(c.Err, cmd.JSON)
		var res backup.Result
		res, err = backup.Run(c.Ctx, backup.Options{DB: db, Store: store.New(db), Blobs: blobs, To: to, Keep: cmd.Keep,
			Program: version()["version"], Now: server.SiteClock(c.Ctx, db), OnProgress: p.update})
		p.end()
		if err == nil {
			err = cmd.report(c, res)
		}
	}
	return errors.Join(err, db.Close())
}

func (cmd *backupMakeCmd) report(c *console, res backup.Result) error {
	m := res.Manifest
	if cmd.JSON {
		out := toBackupJSON(backup.Kept{ID: res.ID, Manifest: m})
		out.Written, out.Removed = &res.New, res.Removed
		if err := printJSON(c.Out, out); err != nil {
			return err
		}
	} else {
		_, _ = printf(c.Out, "Backup %s is complete: %s and %s (%s, including %s of new data).\n", res.ID, countRows(m.Rows), countFiles(m.Files), bytesText(m.Bytes), bytesText(res.New))
		for _, id := range res.Removed {
			_, _ = printf(c.Out, "Removed backup %s.\n", id)
		}
	}
	return missing(c, m, cmd.JSON)
}

// partly ends a command that was only partly successful with a message.
func partly(c *console, format string, args ...any) error {
	_, _ = printf(c.Err, "vitrine: "+format+"\n", args...)
	return errPartly
}

// missing prints the files that are missing from a backup. It returns an error if there are any.
func missing(c *console, m backup.Manifest, asJSON bool) error {
	if len(m.Missing) == 0 {
		return nil
	}
	if !asJSON {
		for _, f := range m.Missing {
			_, _ = printf(c.Out, "%s: %s\n", f.Object, f.Why)
		}
	}
	return partly(c, "%s missing from the backup because the storage did not have them", domain.Counted(len(m.Missing), "file is", "files are"))
}

func countRows(n int64) string { return domain.Counted(n, "row", "rows") }

func countFiles(n int64) string { return domain.Counted(n, "file", "files") }

func bytesText(n int64) string {
	const unit = 1 << 10
	if n < unit {
		return domain.Counted(n, "byte", "bytes")
	}
	value, at := float64(n)/unit, 0
	for value >= unit && at < 3 {
		value, at = value/unit, at+1
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KiB", "MiB", "GiB", "TiB"}[at])
}

// backupsAt returns the settings and the place to read backups from.
func backupsAt(c *console, flags config.Flags, path string) (config.Config, *backup.Place, error) {
	cfg, _, err := serverSettings(c, flags)
	if err != nil {
		return cfg, nil, err
	}
	from, err := backup.ToRead(c.Ctx, path, server.BackupKeys(cfg))
	return cfg, from, err
}

type backupVerifyCmd struct {
	config.Flags
	Path string `arg:"" help:"${place}"`
	At   string `placeholder:"ID" help:"ID of the backup; by default the newest."`
	JSON bool   `name:"json" help:"Print the result as JSON, and the progress as lines of JSON on standard error."`
}

func (cmd *backupVerifyCmd) Run(c *console) error {
	_, from, err := backupsAt(c, cmd.Flags, cmd.Path)
	if err != nil {
		return err
	}
	p := newBackupProgress(c.Err, cmd.JSON)
	is, err := backup.Verify(c.Ctx, from, cmd.At, p.update)
	p.end()
	if err != nil {
		return err
	}
	if cmd.JSON {
		if err := printJSON(c.Out, toBackupJSON(is)); err != nil {
			return err
		}
	} else {
		_, _ = printf(c.Out, "Backup %s is intact: %s and %s (%s).\n", is.ID, countRows(is.Manifest.Rows), countFiles(is.Manifest.Files), bytesText(is.Manifest.Bytes))
	}
	return missing(c, is.Manifest, cmd.JSON)
}

type backupListCmd struct {
	config.Flags
	Path string `arg:"" help:"${place}"`
	JSON bool   `name:"json" help:"Print a JSON list."`
}

func (cmd *backupListCmd) Run(c *console) error {
	_, from, err := backupsAt(c, cmd.Flags, cmd.Path)
	if err != nil {
		return err
	}
	all, err := backup.List(c.Ctx, from)
	if err != nil {
		return err
	}
	var failed []error
	out := make([]backupJSON, len(all))
	for i, k := range all {
		out[i] = toBackupJSON(k)
		failed = append(failed, k.Err)
	}
	if cmd.JSON {
		return errors.Join(printJSON(c.Out, out), errors.Join(failed...))
	}
	w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tMADE AT\tDATABASE\tROWS\tFILES\tBYTES OF FILES\tMISSING")
	for i, k := range out {
		if all[i].Err == nil {
			_, _ = printf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", k.ID, k.CreatedAt, k.Database, k.Rows, k.Files, k.Bytes, len(k.Missing))
		}
	}
	return errors.Join(w.Flush(), errors.Join(failed...))
}

type restoreCmd struct {
	config.Flags
	Path string `arg:"" help:"${place}"`
	At   string `placeholder:"ID" help:"ID of the backup; by default the newest."`
	JSON bool   `name:"json" help:"Print the result as JSON, and the progress as lines of JSON on standard error."`
}

func (cmd *restoreCmd) Run(c *console) error {
	cfg, from, err := backupsAt(c, cmd.Flags, cmd.Path)
	if err != nil {
		return err
	}
	to, err := server.RestoreTarget(cfg)
	if err != nil {
		return err
	}
	p := newBackupProgress(c.Err, cmd.JSON)
	res, err := backup.Restore(c.Ctx, from, cmd.At, to, p.update)
	p.end()
	if err != nil {
		return err
	}
	if cmd.JSON {
		out := struct {
			backupJSON
			Differences []string `json:"differences"`
		}{toBackupJSON(res.Kept), []string{}}
		for _, d := range res.Differences {
			out.Differences = append(out.Differences, d.String())
		}
		err = printJSON(c.Out, out)
	} else {
		_, err = printf(c.Out, "Restored backup %s into %s: %s and %s (%s), as of %s.\n", res.ID, database(cfg),
			countRows(res.Manifest.Rows), countFiles(res.Manifest.Files), bytesText(res.Manifest.Bytes), res.Manifest.CreatedAt.Format(time.RFC1123))
	}
	if err == nil && len(res.Differences) > 0 {
		err = partly(c, "everything was restored, but some derived values were already wrong in the backup: run `vitrine check --repair` (%s)", res.Differences[0])
	}
	return errors.Join(err, missing(c, res.Manifest, cmd.JSON))
}

// backupProgress shows the progress of a backup or restore: on a terminal in a line that is
// updated, otherwise in a line every ten seconds, or with --json in lines of JSON.
type backupProgress struct {
	mu     sync.Mutex
	w      io.Writer
	line   *progress
	json   bool
	began  time.Time
	phase  string
	last   time.Time
	latest backup.Progress
}

func newBackupProgress(w io.Writer, asJSON bool) *backupProgress {
	return &backupProgress{w: w, line: newProgress(w), json: asJSON, began: time.Now()}
}

func (s *backupProgress) update(p backup.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = p
	now := time.Now()
	pause := 10 * time.Second
	switch {
	case s.json:
		pause = time.Second
	case s.line.live:
		pause = 100 * time.Millisecond
	}
	if p.Phase == s.phase && now.Sub(s.last) < pause {
		return
	}
	s.phase, s.last = p.Phase, now
	s.print()
}

func (s *backupProgress) print() {
	p := s.latest
	if s.json {
		_ = json.NewEncoder(s.w).Encode(p)
		return
	}
	line := fmt.Sprintf("%s: %s", p.Phase, countRows(p.Rows))
	if p.Files > 0 || p.Phase == backup.PhaseFiles {
		line += ", " + ofFiles(p.Files, p.OfFiles) + " (" + bytesText(p.Bytes) + ")"
	}
	switch p.Phase {
	case backup.PhaseWords:
		line += fmt.Sprintf(", %d indexed", p.Words)
	case backup.PhaseCheck:
		line += fmt.Sprintf(", check %d of %d", p.Checks, p.OfChecks)
	}
	line += fmt.Sprintf(", %s", time.Since(s.began).Round(time.Second))
	if s.line.live {
		s.line.show(line)
	} else {
		fmt.Fprintln(s.w, line)
	}
}

// ofFiles returns the number of processed files, of all if their number is known.
func ofFiles(n, of int64) string {
	if of == 0 {
		return countFiles(n)
	}
	return fmt.Sprint(n) + " of " + countFiles(of)
}

// end shows the final progress and clears the updated line.
func (s *backupProgress) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.json && s.phase != "" {
		s.print()
	}
	s.line.clear()
}
