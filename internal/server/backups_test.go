package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// A server with --backup-to makes a backup when it starts. The metrics and the operator's page show
// it.
func TestScheduledBackup(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "backups")
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		to := filepath.Join(folder, r.S.Store.Database())
		_, addr, _ := strings.Cut(startedWork(t, r), "addr=")
		from := awaitBackup(t, r, to)
		if _, err := backup.Verify(t.Context(), from, "", func(backup.Progress) {}); err != nil {
			t.Error(err)
		}
		_, text, _ := get(t, "http://"+addr+"/metrics")
		for _, want := range []string{"vitrine_backup_last_success_timestamp_seconds ", "vitrine_backup_last_success_written_bytes "} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in the metrics", want)
			}
		}
		if again, err := backup.Claim(t.Context(), r.S.Store, 24*time.Hour, r.Clock.Now()); err != nil || again != "" {
			t.Errorf("another is due at once: %q, error %v", again, err)
		}
	}, func(c *config.Config) {
		kind := "sqlite"
		if strings.HasPrefix(c.DatabaseURL, "postgres") {
			kind = "postgres"
		}
		c.MetricsAddr, c.Backup = "127.0.0.1:0", config.Backup{To: filepath.Join(folder, kind), Every: 24 * time.Hour, Keep: 2}
	})
}

// startedWork starts jobs and backups, and returns the log line with the address of the metrics.
func startedWork(t *testing.T, r *apptest.Rig) string {
	t.Helper()
	if err := r.S.StartWork(); err != nil {
		t.Fatal(err)
	}
	return r.Log("serving metrics")[0]
}

// awaitBackup waits until the server has made its first backup.
func awaitBackup(t *testing.T, r *apptest.Rig, to string) *backup.Place {
	t.Helper()
	for t.Context().Err() == nil {
		last, err := r.S.Store.Backups().LastBackup(t.Context(), r.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			break
		}
		if bad, err := r.S.Store.Backups().LastFailure(t.Context(), r.Clock.Now()); err != nil || bad != nil {
			t.Fatalf("the backup failed: %+v, error %v", bad, err)
		}
	}
	from, err := backup.ToRead(t.Context(), to, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// If a scheduled backup fails, the operator sees it, and the server continues.
func TestScheduledBackupFails(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "not a backup"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := apptest.New(t, func(c *config.Config) {
		c.MetricsAddr, c.Backup = "127.0.0.1:0", config.Backup{To: full, Every: time.Hour, Keep: 2}
	})
	_, addr, _ := strings.Cut(startedWork(t, r), "addr=")
	for t.Context().Err() == nil {
		if bad, err := r.S.Store.Backups().LastFailure(t.Context(), r.Clock.Now()); err != nil {
			t.Fatal(err)
		} else if bad != nil {
			if !strings.Contains(bad.Error, "not empty") {
				t.Errorf("error %q", bad.Error)
			}
			break
		}
	}
	if _, text, _ := get(t, "http://"+addr+"/metrics"); !strings.Contains(text, "vitrine_backup_last_failure_timestamp_seconds ") {
		t.Error("the metrics tell nothing")
	}
	if status, body, _ := get(t, "http://"+addr+"/readyz"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	op := r.Person("ada")
	r.Exec("UPDATE users SET office = 'operator' WHERE id = $1", int64(op.ID))
	state, err := r.S.App.Operating.ServerState(t.Context(), domain.Actor{UserID: op.ID})
	if err != nil || state.BadBackup == nil || state.LastBackup != nil {
		t.Errorf("%+v, error %v", state, err)
	}
	if again, err := backup.Claim(t.Context(), r.S.Store, time.Hour, r.Clock.Now()); err != nil || again != "" {
		t.Errorf("it is tried again at once: %q, error %v", again, err)
	}
	r.Clock.Advance(16 * time.Minute)
	if again, err := backup.Claim(t.Context(), r.S.Store, time.Hour, r.Clock.Now()); err != nil || again == "" {
		t.Errorf("it is not tried again: %q, error %v", again, err)
	}
}
