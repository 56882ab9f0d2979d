package doctor

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// Options are everything that a Doctor examines.
type Options struct {
	Config config.Config
	Now    func() time.Time

	DB         *database.DB // nil if it could not be opened
	DBFailure  error        // why
	Schema     func(ctx context.Context) error
	Program    int64 // version of the schema that this program creates
	Mailer     *mail.Mailer
	FreeSpace  func(folder string) (blob.Space, bool, error)
	OpenBlobs  func() (store blob.Store, date func() time.Time, err error) // date returns the storage's clock; zero if unknown
	FileSystem func() error                                                // whether SQLite works on the file system

	Roots     *x509.CertPool // instead of the system's, for tests
	PlainPort string         // instead of 80, for tests
	Within    time.Duration  // for each check; 0 means Within
}

// Doctor examines an installation. It is safe for concurrent use.
type Doctor struct {
	o           Options
	quick, full examination
}

// examination is the state of the examinations of an extent.
type examination struct {
	hanging hanging
	mu      sync.Mutex // held during an examination for the website, so that there is one at a time
	last    atomic.Pointer[Report]
}

func (d *Doctor) of(costly bool) *examination {
	if costly {
		return &d.full
	}
	return &d.quick
}

// New creates a Doctor.
func New(o Options) *Doctor {
	if o.Within == 0 {
		o.Within = Within
	}
	if o.PlainPort == "" {
		o.PlainPort = "80"
	}
	return &Doctor{o: o}
}

// Extent is how much is examined.
type Extent struct {
	Costly    bool // also what connects to other machines, or writes
	Integrity bool // also the structure of an SQLite file
	TestMail  string
}

// reuse is how long the website reuses a report.
const reuse = 30 * time.Second

// Cached returns a report that is at most half a minute old. Concurrent callers share an examination.
func (d *Doctor) Cached(ctx context.Context, costly bool) Report {
	x := d.of(costly)
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.last.Load(); known != nil && d.o.Now().Sub(known.At).Abs() < reuse {
		return *known
	}
	report := d.Examine(context.WithoutCancel(ctx), Extent{Costly: costly}) // a reader who leaves must not spoil it for others
	x.last.Store(&report)
	return report
}

// LastCostly returns the results of the costly checks in the last full report of Cached, and its time; zero if
// there is none.
func (d *Doctor) LastCostly() (results []Result, at time.Time) {
	known := d.full.last.Load()
	if known == nil {
		return nil, time.Time{}
	}
	for _, r := range known.Results {
		if r.costly {
			results = append(results, r)
		}
	}
	return results, known.At
}

// Examine runs the checks.
func (d *Doctor) Examine(ctx context.Context, e Extent) Report {
	var chosen []check
	for _, c := range d.checks(e) {
		if !c.costly || e.Costly {
			chosen = append(chosen, c)
		}
	}
	results := d.of(e.Costly).hanging.run(ctx, d.o.Within, chosen)
	for i, r := range results {
		results[i].Summary = d.o.Config.Conceal(oneLine(r.Summary)) // errors of libraries may contain a secret
	}
	return Report{At: d.o.Now(), Level: Worst(results), Results: results}
}

// oneLine joins the lines of errors.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (d *Doctor) checks(e Extent) []check {
	c := d.o.Config
	all := []check{{id: "settings", run: d.settings}, {id: "storage.permissions", run: d.permissions}, {id: "disk", run: d.disk}, {id: "database", run: d.database}}
	if d.o.DB != nil {
		all = append(all, check{id: "database.schema", run: d.schema}, check{id: "backups", run: d.backups}, check{id: "jobs", run: d.jobs}, check{id: "nodes", run: d.nodes})
	}
	if e.Integrity && d.o.DB != nil && c.DatabaseURL == "" {
		all = append(all, check{id: "database.integrity", costly: true, run: d.integrity})
	}
	all = append(all, check{id: "storage", costly: true, run: d.storage}, check{id: "mail", costly: true, run: d.mail(e.TestMail)})
	addresses := []outside{{id: "address.site", flag: "--site-url", url: c.SiteURL}, {id: "address.base", flag: "--base-url", url: c.BaseURL},
		{id: "address.files", flag: "--files-url", url: c.FilesURL}}
	for i, a := range addresses {
		if a.url == "" || i > 0 && a.url == c.SiteURL || i > 1 && a.url == c.BaseURL {
			continue
		}
		all = append(all, check{id: a.id, costly: true, run: func(ctx context.Context) []Result { return d.outside(ctx, a) }})
	}
	return all
}

// outside completes the examination of an address.
func (d *Doctor) outside(ctx context.Context, a outside) []Result {
	if d.o.DB == nil {
		return []Result{warning(a.id, "The address was not examined, because the database is unreachable.", "Repair the database first.")}
	}
	secret, err := store.New(d.o.DB).Changes().Secret(ctx)
	if err != nil {
		return []Result{warning(a.id, fmt.Sprintf("The address was not examined: %v.", err), "Repair the database first.")}
	}
	a.secret, a.body, a.upload = secret, d.o.Config.BodyLimit, d.o.Config.UploadLimit
	a.roots, a.plainPort, a.now = d.o.Roots, d.o.PlainPort, d.o.Now
	return a.examine(ctx)
}

func (d *Doctor) database(ctx context.Context) []Result {
	if d.o.DB == nil {
		return []Result{failure("database", fmt.Sprintf("The database cannot be opened: %v.", d.o.DBFailure), "See “The database is unavailable” in docs/operations.md.")}
	}
	began := d.o.Now()
	h, err := d.o.DB.Health(ctx)
	if err != nil {
		return []Result{failure("database", fmt.Sprintf("The database does not answer: %v.", err), "See “The database is unavailable” in docs/operations.md.")}
	}
	if d.o.Config.DatabaseURL == "" {
		found := []Result{ok("database", "SQLite %s answers.", h.Version)}
		if err := d.o.FileSystem(); err != nil {
			found = append(found, warning("database.filesystem", err.Error()+".", "Move the data folder to a local disk, or use PostgreSQL."))
		}
		return found
	}
	found := []Result{ok("database", "PostgreSQL %s answers.", h.Version)}
	if h.Encoding != "UTF8" {
		found = append(found, failure("database.encoding", fmt.Sprintf("The database's encoding is %s, which cannot store every text.", h.Encoding), "Back up, create a database with ENCODING 'UTF8', and restore into it."))
	}
	if len(h.Collations) > 0 {
		found = append(found, failure("database.collation", fmt.Sprintf("The sort order changed with an upgrade of the C library or ICU (%s), so indexes of texts may miss rows.", strings.Join(h.Collations, ", ")),
			"Run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION; for a single collation ALTER COLLATION … REFRESH VERSION."))
	} else if h.CollationRecorded {
		found = append(found, ok("database.collation", "The sort order has not changed since the indexes were created."))
	} else {
		found = append(found, ok("database.collation", "PostgreSQL before 15 does not record the version of the sort order; run REINDEX DATABASE after an upgrade of the C library."))
	}
	skew := h.Clock.Sub(began.Add(d.o.Now().Sub(began) / 2))
	return append(found, clockResult("database.clock", "the database", skew))
}

// maxSkew is the difference between clocks that is worth a warning; beyond wrongClock, S3 refuses requests.
const (
	maxSkew    = 5 * time.Second
	wrongClock = 10 * time.Minute
)

// clockResult judges the difference between another clock and this machine's.
func clockResult(id, whose string, skew time.Duration) Result {
	const remedy = "Synchronise the clocks of both machines, with chrony or systemd-timesyncd."
	text := fmt.Sprintf("The clock of %s differs from this machine's by %s.", whose, skew.Abs().Round(time.Second))
	switch {
	case skew.Abs() > wrongClock:
		return failure(id, text, remedy)
	case skew.Abs() > maxSkew:
		return warning(id, text, remedy)
	}
	return ok(id, "The clock of %s agrees with this machine's.", whose)
}

func (d *Doctor) schema(ctx context.Context) []Result {
	err := d.o.Schema(ctx)
	switch {
	case errors.Is(err, database.ErrOlderSchema):
		return []Result{warning("database.schema", fmt.Sprintf("%v.", err), "Start the server, which migrates SQLite, or run vitrine migrate.")}
	case err != nil:
		return []Result{failure("database.schema", fmt.Sprintf("%v.", err), "Install a newer version of Vitrine.")}
	}
	return []Result{ok("database.schema", "The schema supports this program.")}
}

func (d *Doctor) integrity(ctx context.Context) []Result {
	faults, err := d.o.DB.QuickCheck(ctx)
	if err != nil {
		return []Result{failure("database.integrity", fmt.Sprintf("The file could not be checked: %v.", err), "Try again with a longer --within.")}
	}
	if len(faults) > 0 {
		return []Result{failure("database.integrity", "The database file is damaged: "+strings.Join(faults, "; ")+".", "Stop the server, keep the file, and restore the last backup into an empty folder.")}
	}
	return []Result{ok("database.integrity", "The structure of the database file is intact.")}
}

// permissions checks who can read the data folder.
func (d *Doctor) permissions(context.Context) (found []Result) {
	const id = "storage.permissions"
	c := d.o.Config
	for _, folder := range []string{c.DataDir, c.FilesPath(), c.StagingPath()} {
		info, err := os.Stat(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		switch {
		case err != nil:
			found = append(found, failure(id, fmt.Sprintf("The folder cannot be used: %v.", err), "Make it accessible for the user that runs the server."))
		case !info.IsDir():
			found = append(found, failure(id, folder+" is not a folder.", "Remove the file, or correct --data-dir."))
		case folder != c.DataDir || runtime.GOOS == "windows": // the data folder protects what is in it
		case info.Mode().Perm()&0o022 != 0:
			found = append(found, failure(id, folder+" can be changed by other users of this machine.", "Run chmod 700 on it."))
		case info.Mode().Perm()&0o005 != 0:
			found = append(found, warning(id, folder+" can be read by other users of this machine.", "Run chmod 700 on it."))
		}
	}
	if found == nil {
		found = []Result{ok(id, "Only the owner can use the data folder.")}
	}
	return found
}

// disk checks the free space of every folder that the server writes to.
func (d *Doctor) disk(context.Context) (found []Result) {
	c := d.o.Config
	for _, folder := range []string{c.DataDir, c.FilesPath(), c.StagingPath()} {
		space, known, err := d.o.FreeSpace(folder)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !known {
			continue
		}
		if err != nil {
			found = append(found, failure("disk", fmt.Sprintf("The free space is unknown: %v.", err), "Make the folder accessible for the user that runs the server."))
			continue
		}
		reserve := c.DiskReserve.Bytes
		if c.DiskReserve.Percent > 0 {
			reserve = int64(c.DiskReserve.Percent / 100 * float64(space.Total))
		}
		text := fmt.Sprintf("%s has %s free.", folder, domain.FormatBytes(space.Free))
		switch {
		case space.Free < reserve:
			found = append(found, failure("disk", text+" That is less than --disk-reserve, so uploads are refused.", "See “The disk is full” in docs/operations.md."))
		case space.Free < 2*reserve:
			found = append(found, warning("disk", text+" Uploads are refused below "+domain.FormatBytes(reserve)+".", "Free some space, or use a larger disk."))
		}
	}
	if info, err := os.Stat(c.SQLitePath()); err == nil && c.DatabaseURL == "" {
		if space, known, err := d.o.FreeSpace(c.DataDir); err == nil && known && space.Free < 2*info.Size() {
			found = append(found, warning("disk.upgrade", fmt.Sprintf("%s has %s free, and an upgrade copies the database of %s.", c.DataDir, domain.FormatBytes(space.Free), domain.FormatBytes(info.Size())),
				"Free twice the size of the database before the next upgrade."))
		}
	}
	if found == nil {
		found = []Result{ok("disk", "The disks have enough free space.")}
	}
	return found
}

// storage writes, reads and deletes a file, and compares clocks.
func (d *Doctor) storage(ctx context.Context) []Result {
	files, date, err := d.o.OpenBlobs()
	if err == nil {
		err = useStorage(ctx, files)
	}
	if closer, has := files.(io.Closer); has {
		err = errors.Join(err, closer.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return []Result{warning("storage", fmt.Sprintf("There is no folder for files yet: %v.", err), "Start the server once, or correct --data-dir.")}
	}
	if err != nil {
		return []Result{failure("storage", fmt.Sprintf("The storage of files does not work: %v.", err), "Check --blob-url and its keys, or the permissions of files/ in the data folder.")}
	}
	found := []Result{ok("storage", "A file could be written, read and deleted.")}
	if at := date(); !at.IsZero() {
		found = append(found, clockResult("storage.clock", "the storage", at.Sub(d.o.Now())))
	}
	return found
}

func useStorage(ctx context.Context, files blob.Store) error {
	name, content := "doctor/"+strings.ToLower(rand.Text()), rand.Text()
	if err := files.Put(ctx, name, strings.NewReader(content), int64(len(content)), "text/plain"); err != nil {
		return err
	}
	got, err := readAll(ctx, files, name)
	if err == nil && got != content {
		err = errors.New("the file that was read differs from the one that was written")
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, files.Delete(ending, name))
}

func readAll(ctx context.Context, files blob.Store, name string) (string, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	return string(text), errors.Join(err, f.Close())
}

// mail logs in to the mail server, and sends a mail to an address unless it is empty.
func (d *Doctor) mail(to string) func(ctx context.Context) []Result {
	return func(ctx context.Context) []Result {
		if d.o.Config.SMTP == nil {
			found := []Result{warning("mail", "There is no mail server, so mails are written to files that you have to pass on.", "Set --smtp-url.")}
			if to != "" {
				found = append(found, failure("mail.test", "No test mail was sent, because there is no mail server.", "Set --smtp-url."))
			}
			return found
		}
		if err := d.o.Mailer.Check(ctx); err != nil {
			return []Result{failure("mail", fmt.Sprintf("The mail server cannot be used: %v.", err), "Check --smtp-url, its user and password, and whether the provider lets this machine connect.")}
		}
		found := []Result{ok("mail", "The mail server accepts connections and the login.")}
		if to == "" {
			return found
		}
		err := d.o.Mailer.Send(ctx, mail.Message{ID: "doctor-" + strings.ToLower(rand.Text()), To: mail.Address{Email: to}, Subject: "Test mail from Vitrine",
			Text: "This is the test mail that vitrine doctor sent from " + d.o.Config.SiteURL + ".\n"})
		if err != nil {
			return append(found, failure("mail.test", fmt.Sprintf("The test mail was not accepted: %v.", err), "Check --mail-from, and that the mail server may send for its domain."))
		}
		return append(found, ok("mail.test", "The mail server accepted a test mail. If it does not arrive, look into its log and the spam folder."))
	}
}

// backups checks the age of the last backup.
func (d *Doctor) backups(ctx context.Context) []Result {
	s, now := store.New(d.o.DB), d.o.Now()
	last, err := s.Backups().LastBackup(ctx, now)
	var failed *blobs.Backup
	if err == nil {
		failed, err = s.Backups().LastFailure(ctx, now)
	}
	if err != nil {
		return []Result{failure("backups", fmt.Sprintf("The backups cannot be listed: %v.", err), "Repair the database first.")}
	}
	const remedy = "Run vitrine backup make, or set --backup-to; see docs/backup.md."
	var found []Result
	limit := 2 * max(24*time.Hour, d.o.Config.Backup.Every)
	switch {
	case last == nil:
		found = append(found, warning("backups", "No backup is recorded. Those of other programs are not.", remedy))
	case now.Sub(last.StartedAt) > limit:
		found = append(found, warning("backups", fmt.Sprintf("The last backup is from %s.", last.StartedAt.UTC().Format(time.DateTime)), remedy))
	default:
		found = append(found, ok("backups", "The last backup is from %s.", last.StartedAt.UTC().Format(time.DateTime)))
	}
	if last != nil && last.Missing > 0 {
		found = append(found, warning("backups.missing", fmt.Sprintf("The last backup lacks %s.", domain.Counted(int(last.Missing), "file", "files")), "Run vitrine check --files, which names them."))
	}
	if failed != nil && (last == nil || failed.StartedAt.After(last.StartedAt)) {
		why := failed.Error
		if failed.Died {
			why = "it was interrupted"
		}
		found = append(found, failure("backups.failed", "The newest backup failed: "+why+".", "Correct the cause, and run vitrine backup make."))
	}
	return found
}

// waitsTooLong is how long a due job may wait.
const waitsTooLong = 15 * time.Minute

// jobs checks for jobs that failed, or that nobody runs.
func (d *Doctor) jobs(ctx context.Context) []Result {
	s := store.New(d.o.DB)
	if mode, err := s.Account().ReadOnly(ctx); err == nil && mode != nil {
		return []Result{ok("jobs", "Jobs pause while the site is read-only.")}
	}
	queue := s.Queue()
	states, err := queue.States(ctx)
	if err != nil {
		return []Result{failure("jobs", fmt.Sprintf("The jobs cannot be listed: %v.", err), "Repair the database first.")}
	}
	var found []Result
	var failed int64
	var oldest time.Time
	for _, s := range states {
		failed += s.Failed
		if !s.OldestDue.IsZero() && (oldest.IsZero() || s.OldestDue.Before(oldest)) {
			oldest = s.OldestDue
		}
	}
	if late := d.o.Now().Sub(oldest); !oldest.IsZero() && late > waitsTooLong {
		found = append(found, failure("jobs.waiting", fmt.Sprintf("A job has been due for %s, and no process runs it.", late.Round(time.Minute)), "Start a server without --work=false, or vitrine work; if one runs, look into its log."))
	}
	if failed > 0 {
		found = append(found, warning("jobs.failed", fmt.Sprintf("%s in the last week.", domain.Counted(int(failed), "job failed", "jobs failed")), "Run vitrine jobs, which prints the reasons, and vitrine jobs retry."))
	}
	if found == nil {
		found = []Result{ok("jobs", "No job failed in the last week, and none waits too long.")}
	}
	return found
}

// nodes compares the versions of all programs on the database.
func (d *Doctor) nodes(ctx context.Context) []Result {
	if d.o.Config.DatabaseURL == "" {
		return []Result{ok("nodes", "SQLite has only one server.")}
	}
	all, err := d.o.DB.Programs(ctx)
	if err != nil {
		return []Result{failure("nodes", fmt.Sprintf("The connected programs cannot be listed: %v.", err), "Repair the database first.")}
	}
	var other []string
	hosts := map[string]bool{}
	for _, p := range all {
		if p.Version != d.o.Program {
			other = append(other, p.String())
		}
		_, host, _ := strings.Cut(p.Name, " ")
		hosts[host] = true
	}
	var found []Result
	if len(other) > 0 {
		found = append(found, warning("nodes.versions", fmt.Sprintf("This program has version %d of the schema, and other versions are connected: %s.", d.o.Program, strings.Join(other, ", ")), "Upgrade all nodes; see “Upgrade” in docs/operations.md."))
	}
	if len(hosts) > 1 && d.o.Config.Blob.URL == "" {
		found = append(found, failure("nodes.files", "Several machines use the database, but files are on the disk of this one.", "Set --blob-url, or mount the same folder on all machines."))
	}
	if found == nil {
		found = []Result{ok("nodes", "All connected programs have the same version (%d).", d.o.Program)}
	}
	return found
}
