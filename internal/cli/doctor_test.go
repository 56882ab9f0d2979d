package cli_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/doctor"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// folder returns the data folder.
func (p place) folder() string { return p.flags[slices.Index(p.flags, "--data-dir")+1] }

// atPresent lets a server use the same clock as commands.
func atPresent(o *server.Options) { o.Now = time.Now }

// examined runs the doctor and returns its report.
func (p place) examined(code int, args ...string) (r doctor.Report, of func(id string) doctor.Result) {
	p.t.Helper()
	res := p.run(append([]string{"doctor", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(res.out), &r); err != nil || res.code != code || res.err != "" {
		p.t.Fatalf("exit code %d, %v\n%s%s", res.code, err, res.out, res.err)
	}
	return r, func(id string) doctor.Result {
		i := slices.IndexFunc(r.Results, func(r doctor.Result) bool { return r.ID == id })
		if i < 0 {
			p.t.Errorf("there is no result %s in %s", id, res.out)
			return doctor.Result{}
		}
		return r.Results[i]
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.flags = append(p.flags, "--smtp-url", "smtp://127.0.0.1:1", "--within", "5s")
		r := apptest.BootServer(t, p.database(), atPresent)
		if err := errors.Join(os.MkdirAll(filepath.Join(p.folder(), "files"), 0o700), os.Chmod(p.folder(), 0o700)); err != nil {
			t.Fatal(err)
		}
		site := "http://" + r.Listen()
		_, of := p.examined(2, "--site-url", site, "--integrity")
		for _, id := range []string{"storage", "storage.permissions", "database", "database.schema", "jobs", "address.site", "address.site.streaming"} {
			if found := of(id); found.Level != doctor.OK {
				t.Errorf("%+v", found)
			}
		}
		if m := of("mail"); m.Level != doctor.Error || !strings.Contains(m.Summary, "127.0.0.1:1") {
			t.Errorf("%+v", m)
		}
		if b := of("backups"); b.Level != doctor.Warning {
			t.Errorf("%+v", b)
		}
		files, err := os.ReadDir(filepath.Join(p.folder(), "files", "doctor"))
		if err == nil && len(files) > 0 {
			t.Errorf("left %v", files)
		}

		r.Exec(`INSERT INTO backups (id, scheduled, started_at, held_until, ended_at, copy, row_count, file_count, file_bytes, written, missing)
			VALUES ('a', FALSE, 5, 5, 6, 'x', 7, 1, 2048, 100, 3)`)
		r.Exec("INSERT INTO backups (id, scheduled, started_at, held_until, ended_at, error) VALUES ('b', FALSE, 8, 8, 9, 'no room')")
		text := p.run("doctor", "--site-url", site)
		for _, line := range []string{"warning  backups: The last backup is from 1970", "warning  backups.missing: The last backup lacks 3 files.", "error    backups.failed: The newest backup failed: no room."} {
			if !strings.Contains(text.out, line) {
				t.Errorf("%q is missing in\n%s", line, text.out)
			}
		}
		if text.code != 2 || text.err != "" {
			t.Errorf("exit code %d, %s", text.code, text.err)
		}
	})
}

// What cannot be reached is a result, and no result contains a secret.
func TestDoctorWithoutAnything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	res := run(t, "doctor", "--json", "--data-dir", dir+"/none", "--within", "1s",
		"--database-url", "postgres://vitrine:hush-database@127.0.0.1:1/vitrine", "--smtp-url", "smtp://ada@127.0.0.1:1", "--smtp-password", "hush-mail",
		"--blob-url", "s3://bucket?endpoint=http://127.0.0.1:1&region=x", "--blob-access-key", "key", "--blob-secret-key", "hush-storage", "--redis-url", "redis://x:hush-redis@127.0.0.1:1")
	if res.code != 2 || strings.Contains(res.out+res.err, "hush") {
		t.Errorf("exit code %d\n%s%s", res.code, res.out, res.err)
	}
	for _, id := range []string{"database", "storage", "mail"} {
		if !strings.Contains(res.out, "\"id\": \""+id+"\",\n      \"level\": \"error\"") {
			t.Errorf("%s is no error in %s", id, res.out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("created %v, %v", left, err)
	}
	run(t, "doctor", "--within", "0s").fails(2, "--within: 0s: want a duration above zero")
}

// PostgreSQL tells about other versions of the program, and about a changed sort order.
func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	p := place{t, []string{"--database-url", storetest.Migrated.Postgres(t).URL, "--data-dir", t.TempDir()}}
	r := apptest.Boot(t, p.database())
	other := r.Options()
	other.Program = "vitrine/3 elsewhere"
	db, err := database.Open(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, of := p.examined(2, "--site-url", "http://127.0.0.1:1")
	for id, want := range map[string]doctor.Level{"nodes.versions": doctor.Warning, "nodes.files": doctor.Error, "database.clock": doctor.OK, "database.collation": doctor.OK} {
		if found := of(id); found.Level != want {
			t.Errorf("%+v, want %s", found, want)
		}
	}
	if v := of("nodes.versions"); !strings.Contains(v.Summary, "vitrine/3 elsewhere") {
		t.Errorf("%+v", v)
	}
	// The test server's own order is that of bytes, which never changes. So another one stands for an older ICU.
	for _, statement := range []string{"CREATE COLLATION changed (provider = icu, locale = 'de')", "CREATE TABLE sorted (name TEXT COLLATE changed)",
		"UPDATE pg_collation SET collversion = '1.0' WHERE collname = 'changed'"} {
		r.Exec(statement)
	}
	_, of = p.examined(2, "--site-url", "http://127.0.0.1:1")
	if c := of("database.collation"); c.Level != doctor.Error || !strings.Contains(c.Summary, "(changed)") || !strings.Contains(c.Remedy, "REINDEX") {
		t.Errorf("%+v", c)
	}
}

// The probes of the doctor work for any server of the database, and for no other site.
func TestDoctorOfAnotherSite(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	other := "http://" + apptest.NewServer(t, atPresent).Listen()
	_, of := p.examined(2, "--site-url", other)
	if a := of("address.site"); a.Level != doctor.Error || !strings.Contains(a.Summary, http.StatusText(http.StatusNotFound)) {
		t.Errorf("%+v", a)
	}
}
