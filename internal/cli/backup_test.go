package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/database/dbtest"
)

// backupLine is the JSON form of a backup.
type backupLine struct {
	ID          string   `json:"id"`
	Created     string   `json:"created_at"`
	Kind        string   `json:"database"`
	Schema      int64    `json:"schema"`
	Rows        int64    `json:"rows"`
	Files       int64    `json:"files"`
	Bytes       int64    `json:"bytes"`
	Written     *int64   `json:"written"`
	Removed     []string `json:"removed"`
	Missing     []any    `json:"missing"`
	Differences []string `json:"differences"`
}

// The output and exit codes of the backup commands.
func TestBackupCommands(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		to := filepath.Join(t.TempDir(), "backups")
		var first, second, verified, restored backupLine
		made := p.run("backup", to, "--json").ok()
		made.json(&first)
		if first.ID == "" || first.Rows == 0 || first.Written == nil || *first.Written == 0 || len(first.Missing) > 0 {
			t.Errorf("%+v", first)
		}
		for line := range strings.Lines(made.err) {
			var at struct {
				Phase string `json:"phase"`
			}
			if err := json.Unmarshal([]byte(line), &at); err != nil || at.Phase == "" {
				t.Errorf("progress %q, error %v", line, err)
			}
		}
		p.run("backup", to, "--json", "--keep", "1").ok().json(&second)
		if len(second.Removed) != 1 || second.Removed[0] != first.ID {
			t.Errorf("%+v", second)
		}
		p.run("backup", "verify", to, "--json").ok().json(&verified)
		if verified.ID != second.ID {
			t.Errorf("verified %+v", verified)
		}
		if list := p.run("backup", "list", to).ok().out; !strings.Contains(list, second.ID) || strings.Contains(list, first.ID) {
			t.Errorf("%s", list)
		}
		refuses(p.run("restore", to), 1, "can only be restored to an empty place")
		refuses(p.run("restore", to, "--at", first.ID), 1, "there is no such backup")
		other := place{t, []string{"--data-dir", filepath.Join(t.TempDir(), "other"), "--database-url", dbtest.PostgresURL(t)}}
		other.run("restore", to, "--json").ok().json(&restored)
		if restored.ID != second.ID || restored.Differences == nil || len(restored.Differences) > 0 {
			t.Errorf("restored %+v", restored)
		}
		if users := other.run("user", "list").ok().out; !strings.Contains(users, "ada") {
			t.Errorf("%s", users)
		}
	})
}

// If the storage lacks a file, the rest is backed up, and the exit code is 3.
func TestBackupLacksFile(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.exec(`INSERT INTO blobs (hash, object, size, used_at, stored_at) VALUES ('` + strings.Repeat("ab", 32) + `', 'originals/gone', 3, 5, 5)`)
	to := filepath.Join(t.TempDir(), "site.tar.zst")
	refuses(p.run("backup", to), 3, "1 file is missing from the backup")
	refuses(p.run("backup", "verify", to), 3, "1 file is missing from the backup")
	refuses(folder(t).run("restore", to), 3, "1 file is missing from the backup")
}

func TestBackupMisused(t *testing.T) {
	t.Parallel()
	p := folder(t)
	refuses(p.run("backup", filepath.Join(t.TempDir(), "x")), 1, "there is no database")
	p.run("migrate").ok()
	refuses(p.run("backup"), 2, "path")
	refuses(p.run("backup", "x.tar.zst", "--keep", "2"), 2, "--keep: a file contains only one backup")
	refuses(p.run("backup", "x", "--keep=-2"), 2, "--keep: -2")
	refuses(p.run("backup", "s3://bucket?password=s3cret"), 1, `unknown parameter "password"`)
	refuses(p.run("backup", "s3://bucket/x?endpoint=http://127.0.0.1:1"), 1, "an access key and a secret key are needed")
	refuses(p.run("backup", "verify", filepath.Join(t.TempDir(), "none")), 1, "no such file")
	refuses(p.run("backup", "verify", t.TempDir()), 1, "there are no backups of Vitrine")
	refuses(p.run("config", "--backup-to=s3://bucket?nothing=1"), 2, `--backup-to (VITRINE_BACKUP_TO): the S3 address: unknown parameter "nothing"`)
	refuses(p.run("config", "--backup-to=x.tar.zst", "--backup-every=1s", "--backup-keep=0", "--backup-access-key=a"), 2, "--backup-to (VITRINE_BACKUP_TO): want a folder", "--backup-every (", "--backup-keep (", "--backup-access-key (VITRINE_BACKUP_ACCESS_KEY): requires --backup-secret-key, and vice versa")
	mine := t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "notes"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(p.run("backup", mine), 1, "is not empty, and there are no backups of Vitrine in it")
	secret := p.run("config", "--backup-to=s3://bucket", "--backup-access-key=a", "--backup-secret-key=s3cret").ok().out
	if strings.Contains(secret, "s3cret") || !strings.Contains(secret, "VITRINE_BACKUP_SECRET_KEY=REDACTED\n") {
		t.Errorf("%s", secret)
	}
}

// refuses checks the exit code of a command and that its error output contains all words.
func refuses(r result, code int, words ...string) {
	r.t.Helper()
	for _, w := range words {
		if r.code != code || !strings.Contains(r.err, w) {
			r.t.Errorf("%q: exit code %d, want %d and %q\n%s", r.args, r.code, code, w, r.err)
		}
	}
}
