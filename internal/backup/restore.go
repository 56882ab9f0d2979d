package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"vitrine/internal/blob"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/durable"
	"vitrine/internal/store"
)

// Target is the destination of a restore.
type Target struct {
	Folder   string           // data folder; may be missing
	Database database.Options // SQLite in the folder, or PostgreSQL
	SQLite   string           // path of the SQLite file; "" for PostgreSQL
	Files    string           // folder for files; "" if they go to Bucket
	Bucket   blob.Store       // must be empty

	RowsOnly bool                   // read the files of the backup, but do not store them
	Applied  func(database.Applied) // called after each migration; may be nil
}

// Restored is the result of a restore.
type Restored struct {
	Kept
	Differences []store.Difference // some of the derived values that are wrong
}

// ErrNotEmpty reports that the destination of a restore contains something.
var ErrNotEmpty = errors.New("a backup can only be restored to an empty place")

// restoringName is a folder in the data folder during a restore. If it exists, everything else there
// was left by an interrupted restore, unless the database is in place.
const restoringName = ".restoring"

// Unrestored reports whether a restore into a data folder is in progress or was interrupted.
func Unrestored(folder string) (bool, error) {
	_, err := os.Lstat(filepath.Join(folder, restoringName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // a data folder that is a file is reported elsewhere
		return false, nil
	}
	return err == nil, err
}

// Forget removes the files of a restore that was interrupted after its last step.
func Forget(folder string) error { return os.RemoveAll(filepath.Join(folder, restoringName)) }

// Restore creates a site from the backup with an id, or from the newest one. The site appears only when
// it is complete. After a failure nothing is left.
func Restore(ctx context.Context, from *Place, id string, to Target, onProgress func(Progress)) (res Restored, err error) {
	a, err := from.pick(ctx, id)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	r := &restoring{Target: to, onProgress: onProgress}
	if err := os.MkdirAll(to.Folder, 0o700); err != nil {
		return res, err
	}
	release, err := r.lock(ctx)
	if err != nil {
		return res, err
	}
	defer release()
	defer func() {
		if e := r.leave(context.WithoutCancel(ctx), err == nil); e != nil && err == nil {
			err = e
		}
	}()
	if err := r.clear(ctx); err != nil {
		return res, err
	}
	m, is, err := walk(ctx, a, r, func(p Progress) {
		r.at = p
		onProgress(p)
	})
	if err != nil {
		return res, err
	}
	if id != "" && id != is {
		return res, fmt.Errorf("%w as %s: this is %s", errNoSuch, id, is)
	}
	res.Kept = Kept{ID: is, Manifest: m}
	res.Differences, err = r.finish(ctx)
	return res, err
}

// restoring is a visitor that creates a site.
type restoring struct {
	Target
	onProgress func(Progress)
	at         Progress
	staged     *StagedDatabase
	loading    *Loading
	store      *store.Store // reads the loaded data
	files      blob.Store
	disk       *blob.Disk // nil for a bucket
	head       Head
	owned      bool // everything at the destination belongs to this restore
	put        bool // the database is at its destination
	closed     bool // loading is finished
}

// lock excludes servers and other restores from the folder of an SQLite file. It does nothing on
// PostgreSQL, because package backup takes a lock there.
func (r *restoring) lock(ctx context.Context) (release func(), err error) {
	if r.SQLite == "" {
		return func() {}, nil
	}
	release, err = database.ClaimLockBriefly(ctx, r.SQLite)
	if errors.Is(err, database.ErrInUse) {
		err = fmt.Errorf("%w: a server or another restore uses %s", ErrNotEmpty, r.Folder)
	}
	return release, err
}

// clear checks that the destination is empty, and removes the leftovers of an interrupted restore.
func (r *restoring) clear(ctx context.Context) error {
	work := filepath.Join(r.Folder, restoringName)
	_, err := os.Lstat(work)
	died := err == nil
	entries, err := os.ReadDir(r.Folder)
	if err != nil {
		return err
	}
	allowed := []string{restoringName, "vitrine.db.serving", "vitrine.db.serving-journal", "lost+found"}
	if died && r.Files != "" {
		allowed = append(allowed, filepath.Base(r.Files))
	}
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) {
			return fmt.Errorf("%w: %s is in %s", ErrNotEmpty, e.Name(), r.Folder)
		}
	}
	if r.SQLite == "" { // if the database is already restored, its files must not be removed
		if err := r.open(ctx); err != nil {
			return err
		}
	}
	if r.Bucket != nil {
		if err := r.clearBucket(ctx); err != nil {
			return err
		}
	}
	r.owned = true
	if died && r.Files != "" {
		if err := os.RemoveAll(r.Files); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.Mkdir(work, 0o700); err != nil {
		return err
	}
	if err := durable.SyncDir(r.Folder); err != nil || r.SQLite == "" {
		return err
	}
	return r.open(ctx)
}

// open creates the database.
func (r *restoring) open(ctx context.Context) (err error) {
	r.staged, err = OpenStaged(ctx, r.Database, filepath.Join(r.Folder, restoringName))
	if errors.Is(err, errDatabaseNotEmpty) {
		err = fmt.Errorf("%w: %w", ErrNotEmpty, err)
	}
	return err
}

// clearBucket is clear for a bucket, in which an object marks a restore in progress.
func (r *restoring) clearBucket(ctx context.Context) error {
	const mark = "restoring"
	_, err := r.Bucket.Stat(ctx, mark)
	died := err == nil
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if !died {
		err = r.Bucket.List(ctx, "", func(name string, _ int64) error {
			return fmt.Errorf("%w: %s is in the bucket", ErrNotEmpty, name)
		})
		if err != nil {
			return err
		}
	} else if err := r.emptyBucket(ctx); err != nil {
		return err
	}
	return r.Bucket.Put(ctx, mark, strings.NewReader("a backup is being restored here\n"), int64(len("a backup is being restored here\n")), "text/plain")
}

// emptyBucket removes everything except the mark.
func (r *restoring) emptyBucket(ctx context.Context) error {
	var names []string
	err := r.Bucket.List(ctx, "", func(name string, _ int64) error {
		if name != "restoring" {
			names = append(names, name)
		}
		return nil
	})
	for _, name := range names {
		if err == nil {
			err = r.Bucket.Delete(ctx, name)
		}
	}
	return err
}

// leave removes temporary data, and everything else unless the restore succeeded.
func (r *restoring) leave(ctx context.Context, well bool) (err error) {
	if r.loading != nil && !r.closed {
		err = r.loading.Close()
	}
	if r.staged != nil && !r.put {
		err = errors.Join(err, r.staged.Drop(ctx))
	}
	if r.disk != nil {
		err = errors.Join(err, r.disk.Close())
	}
	if !r.owned {
		return err
	}
	if !well && !r.put {
		if r.Files != "" {
			err = errors.Join(err, os.RemoveAll(r.Files))
		}
		if r.Bucket != nil {
			err = errors.Join(err, r.emptyBucket(ctx))
		}
	}
	if r.Bucket != nil {
		err = errors.Join(err, r.Bucket.Delete(ctx, "restoring"))
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(r.Folder, restoringName)))
}

func (r *restoring) begin(ctx context.Context, h Head) (err error) {
	r.head = h
	r.loading, err = NewLoading(ctx, r.staged.DB, h.Schema)
	if err != nil {
		return err
	}
	r.loading.Applied = r.Applied
	r.store = store.New(r.staged.DB)
	if r.files = r.Bucket; r.files == nil {
		r.disk, err = blob.OpenDisk(filepath.Join(r.Folder, restoringName, "files"))
		r.files = r.disk
	}
	return err
}

func (r *restoring) rows(ctx context.Context, h chunkHead, rows iter.Seq2[[]any, error]) error {
	return r.loading.Load(ctx, h.Table, h.Columns, rows)
}

func (r *restoring) loaded(ctx context.Context) error {
	loading := r.loading
	r.closed = true
	return loading.Loaded(ctx, r.head.Last)
}

func (r *restoring) file(ctx context.Context, sum string, size int64, content io.Reader) error {
	object, contentType, has, err := r.store.Blobs().ObjectOf(ctx, sum)
	if domain.KindOf(err) == domain.NotFound || err == nil && has != size {
		return damaged("no row tells of %s", fileName(sum))
	}
	if err != nil {
		return err
	}
	if r.RowsOnly {
		_, err := io.Copy(io.Discard, content)
		return err
	}
	return r.files.Put(ctx, object, content, size, contentType)
}

// finish completes the database, checks it, and moves everything to its destination.
func (r *restoring) finish(ctx context.Context) ([]store.Difference, error) {
	r.at.Phase = PhaseWords
	s, err := r.loading.Finish(ctx, func(words int64) {
		r.at.Words = words
		r.onProgress(r.at)
	})
	if err != nil {
		return nil, err
	}
	r.at.Phase = PhaseCheck
	differences, err := s.CheckWithProgress(ctx, 20, func(c store.Checked) {
		r.at.Checks, r.at.OfChecks = int64(c.N), int64(c.Of)
		r.onProgress(r.at)
	})
	if err != nil {
		return nil, err
	}
	if r.disk != nil { // the database comes last, because it marks the restore as complete
		if err := durable.Rename(filepath.Join(r.Folder, restoringName, "files"), r.Files); err != nil {
			return nil, err
		}
	}
	if err := r.staged.Put(ctx); err != nil {
		return nil, err
	}
	r.put = true
	return differences, nil
}
