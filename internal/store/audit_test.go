package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The database itself refuses to change an entry, and to delete a young one.
func TestAuditEntriesStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, now := t.Context(), time.Now()
		add := func(at time.Time) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.AddAuditEntry(ctx, domain.AuditEntry{At: at, Actor: "x\"", Act: domain.ActSiteChanged,
					About: domain.AuditTarget{Kind: "Page", Label: strings.Repeat("ä", 300) + "\x00"}, Details: map[string]any{"a": "<b>"}})
			})
		}
		add(now)
		add(now.Add(-31 * 24 * time.Hour))
		err := s.InTx(ctx, func(tx *store.Tx) error {
			n, err := tx.SweepAudit(ctx, now.Add(time.Hour), 10)
			return fmt.Errorf("%d %w", n, err)
		})
		if err == nil || !strings.Contains(err.Error(), "kept for 30 days") {
			t.Error(err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			n, err := tx.SweepAudit(ctx, now.Add(-30*24*time.Hour), 10)
			if n != 1 {
				t.Errorf("swept %d", n)
			}
			return err
		})
		found, err := s.AuditEntries(ctx, domain.AuditFilter{}, domain.AuditPlace{}, false, 10)
		if err != nil || len(found) != 1 || len([]rune(found[0].About.Label)) != domain.MaxAuditLabel || found[0].Details["a"] != "<b>" {
			t.Errorf("%+v %v", found, err)
		}
	})
}

func TestAuditTriggers(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, _ *store.Store, db *database.DB) {
		storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO audit_entries (at, actor_id, actor, act, kind, target_id, label, details, address, request)
			VALUES (%d, 1, 'ada', 'site.changed', '', 0, '', '{}', '', '')`, time.Now().UnixMicro()))
		statements := []string{"UPDATE audit_entries SET actor = 'eve'", "DELETE FROM audit_entries"}
		if db.Dialect() == database.Postgres {
			statements = append(statements, "TRUNCATE audit_entries")
		}
		for _, statement := range statements {
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), statement)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "audit log") {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
}

// A page of the log is read along an index, by whichever filter and from whichever place.
func TestAuditPlans(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.SQLite(t))
	now := time.Now()
	for _, f := range []domain.AuditFilter{{}, {Actor: "ada"}, {ActorID: 1}, {Act: domain.ActSignedIn}, {Actor: "ada", Act: domain.ActSignedIn},
		{About: domain.AuditTarget{Kind: "User", ID: 1}}, {About: domain.AuditTarget{Label: "x"}}, {From: now, To: now},
		{Actor: "ada", Act: domain.ActSignedIn, From: now}} {
		for _, after := range []domain.AuditPlace{{}, {At: now, ID: 7}} {
			r := &recorder{t: t, s: s, seen: map[string]bool{}}
			r.read(func(ctx context.Context, v *store.Snapshot) error {
				_, err := v.AuditEntries(ctx, f, after, false, 50)
				return err
			})
			if len(r.all) != 1 {
				t.Fatalf("%d statements", len(r.all))
			}
			plan := strings.Join(planOf(t, db, r.all[0]), "; ")
			if !strings.Contains(plan, "USING INDEX audit_entries_") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%+v %+v: %s", f, after, plan)
			}
		}
	}
}
