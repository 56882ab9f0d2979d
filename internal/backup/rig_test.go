package backup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

func quiet(backup.Progress) {}

// site is a server with its file storage.
type site struct {
	*apptest.Rig
	blobs blob.Store
}

func siteOf(t *testing.T, r *apptest.Rig) site {
	t.Helper()
	blobs, err := blob.OpenDisk(filepath.Join(r.DataDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	return site{r, blobs}
}

// seeded fills the site with typical content and a waiting job.
func seeded(t *testing.T, r *apptest.Rig) site {
	t.Helper()
	s := siteOf(t, r)
	public, private := r.Channel("ada", "On Moss", "public"), r.Channel("bob", "Secrets", "private")
	r.Channel("ada", "Empty", "closed")
	r.Group("Botanists", "ada", "bob")
	text := r.Block("ada", "Moss *grows* slowly", public)
	r.Block("bob", "Ümläute, 苔 and 🌿", private)
	r.Block("ada", upload(s, "sea.png", apptest.PNG(t, 40, 30)), public)
	r.Block("ada", "Third", public)
	r.WorkJobs()
	r.Do("bob", "POST", fmt.Sprintf("/v3/blocks/%d/comments", text), `{"body":"What moss!"}`).Want(201)
	last := r.Do("bob", "POST", fmt.Sprintf("/v3/blocks/%d/comments", text), `{"body":"The last, which goes"}`).Want(201).Int("id")
	r.Do("bob", "DELETE", fmt.Sprint("/v3/comments/", last), nil).Want(204) // its id must not be reused
	r.Web("example.com/sea", apptest.Serve("text/html", []byte("<title>The sea</title><p>Waves")))
	r.Block("bob", "https://example.com/sea", private)
	return s
}

// upload uploads a file and returns the URL for creating a block from it.
func upload(s site, name string, content []byte) string {
	s.T.Helper()
	made := s.Do("ada", "POST", "/v3/uploads/presign", fmt.Sprintf(`{"files":[{"filename":%q,"content_type":"image/png"}]}`, name)).Want(201)
	s.Do("", "PUT", strings.TrimPrefix(made.Str("files.0.upload_url"), apptest.Base), content, "Content-Type", "image/png").Want(200)
	return "https://s3.amazonaws.com/arena_images-temp/" + made.Str("files.0.key")
}

// backUp creates a backup.
func (s site) backUp(path string, change ...func(*backup.Options)) backup.Result {
	s.T.Helper()
	to, err := backup.ToWrite(s.T.Context(), path, keys())
	if err != nil {
		s.T.Fatal(err)
	}
	o := backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Program: "test", Now: s.Clock.Now, OnProgress: quiet}
	for _, f := range change {
		f(&o)
	}
	res, err := backup.Run(s.T.Context(), o)
	if err != nil {
		s.T.Fatal(err)
	}
	return res
}

func keys() backup.Keys {
	return backup.Keys{Access: os.Getenv("VITRINE_TEST_S3_ACCESS_KEY"), Secret: os.Getenv("VITRINE_TEST_S3_SECRET_KEY")}
}

// verify verifies a backup.
func verify(t *testing.T, path string) error {
	t.Helper()
	from, err := backup.ToRead(t.Context(), path, keys())
	if err != nil {
		return err
	}
	_, err = backup.Verify(t.Context(), from, "", quiet)
	return err
}

// place returns an empty target for a restore to a kind of database.
func place(t *testing.T, d database.Dialect) (backup.Target, database.Options) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	to := backup.Target{Folder: folder, Files: filepath.Join(folder, "files")}
	o := database.Options{Synchronous: "OFF", MaxConns: 5}
	if d == database.Postgres {
		o.URL = dbtest.PostgresURL(t)
	} else {
		to.SQLite = filepath.Join(folder, "vitrine.db")
		o.URL = to.SQLite
	}
	to.Database = o
	return to, o
}

func restore(t *testing.T, path string, to backup.Target) (backup.Restored, error) {
	t.Helper()
	from, err := backup.ToRead(t.Context(), path, keys())
	if err != nil {
		return backup.Restored{}, err
	}
	return backup.Restore(t.Context(), from, "", to, quiet)
}

// restored starts a server on a restored backup.
func restored(t *testing.T, path string, d database.Dialect) site {
	t.Helper()
	to, o := place(t, d)
	res, err := restore(t, path, to)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Differences) > 0 {
		t.Fatalf("%v", res.Differences)
	}
	return siteOf(t, apptest.Boot(t, o, func(c *config.Config) { c.DataDir = to.Folder }))
}

// rows is the content of a database in the form of a backup.
type rows struct {
	schema int64
	last   map[string]int64
	all    []string
}

func (r *rows) Begin(schema int64, last map[string]int64) error {
	r.schema, r.last, r.all = schema, last, nil
	return nil
}

func (r *rows) Row(t database.Table, row []any) error {
	if t.Name == backup.JobsTable {
		row = append([]any{sortedKeys(row[0])}, row[2:]...) // without the time, which may change
	}
	r.all = append(r.all, fmt.Sprintf("%s %q", t.Name, row))
	return nil
}

// sortedKeys encodes the arguments of a job again: PostgreSQL stores them as jsonb, which orders keys by length.
func sortedKeys(arguments any) any {
	var decoded map[string]any
	d := json.NewDecoder(strings.NewReader(fmt.Sprint(arguments)))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		return arguments
	}
	encoded, err := json.Marshal(decoded)
	if err != nil {
		return arguments
	}
	return string(encoded)
}

func rowsOf(t *testing.T, s site) rows {
	t.Helper()
	var r rows
	if err := backup.DumpDatabase(t.Context(), s.DB(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// empty checks that a failed restore has left nothing behind.
func empty(t *testing.T, to backup.Target) {
	t.Helper()
	entries, err := os.ReadDir(to.Folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "vitrine.db.serving") { // the lock file
			t.Errorf("%s is left", e.Name())
		}
	}
	if to.SQLite != "" {
		return
	}
	db, err := database.Open(t.Context(), to.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	err = db.Reader().QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'`).Scan(&n)
	if err != nil || n > 0 {
		t.Errorf("%d relations are left in the database, error %v", n, err)
	}
}
