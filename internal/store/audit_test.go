package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
				return tx.Audit().AddAuditEntry(ctx, domain.AuditEntry{At: at, Actor: "x\"", Act: domain.ActSiteChanged,
					About: domain.AuditTarget{Kind: "Page", Label: strings.Repeat("ä", 300) + "\x00"}, Details: map[string]any{"a": "<b>"}})
			})
		}
		add(now)
		add(now.Add(-31 * 24 * time.Hour))
		err := s.InTx(ctx, func(tx *store.Tx) error {
			n, err := tx.Audit().SweepAudit(ctx, now.Add(time.Hour), 10)
			return fmt.Errorf("%d %w", n, err)
		})
		if err == nil || !strings.Contains(err.Error(), "kept for 30 days") {
			t.Error(err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			n, err := tx.Audit().SweepAudit(ctx, now.Add(-30*24*time.Hour), 10)
			if n != 1 {
				t.Errorf("swept %d", n)
			}
			return err
		})
		found, err := s.Audit().AuditEntries(ctx, domain.AuditFilter{}, domain.AuditPlace{}, false, 10)
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

// The program has no statement that could change an entry, and only one that deletes entries: the
// one that enforces the configured retention. Migrations have neither.
func TestAuditStatements(t *testing.T) {
	t.Parallel()
	changes := regexp.MustCompile(`(?i)\b(UPDATE|DELETE\s+FROM|INSERT\s+INTO|REPLACE\s+INTO|TRUNCATE|DROP\s+TABLE|ALTER\s+TABLE|MERGE\s+INTO)\s+(TABLE\s+|ONLY\s+|IF\s+EXISTS\s+)*audit_entries`)
	guards := regexp.MustCompile(`(?i)\b(DROP|DISABLE)\s+TRIGGER\s+(IF\s+EXISTS\s+)?(audit_|ALL|USER)|session_replication_role`)
	var found []string
	for _, folder := range []string{"../../cmd", "../../internal"} {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".sql" {
				return err
			}
			text, err := os.ReadFile(path)
			if lower := bytes.ToLower(text); !bytes.Contains(lower, []byte("audit_")) && !bytes.Contains(lower, []byte("trigger")) &&
				!bytes.Contains(lower, []byte("session_replication_role")) {
				return err // the patterns are slow
			}
			for _, pattern := range []*regexp.Regexp{changes, guards} {
				for _, statement := range pattern.FindAllString(string(text), -1) {
					found = append(found, filepath.ToSlash(path)+": "+statement)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const file = "../../internal/store/activity/audit.go: "
	if want := []string{file + "INSERT INTO audit_entries", file + "DELETE FROM audit_entries"}; !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// A page of the log is a range of an index, with every filter and from every place.
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
				_, err := v.Audit().AuditEntries(ctx, f, after, false, 50)
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
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	r.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Audit().SweepAudit(ctx, now, 500)
		return err
	})
	for _, st := range r.all {
		if plan := strings.Join(planOf(t, db, st), "; "); !strings.Contains(plan, "audit_entries_at (at<?)") || strings.Contains(plan, "SCAN audit_entries") {
			t.Errorf("pruning: %s", plan)
		}
	}
}

// The same holds on PostgreSQL, for custom and generic plans, even if half of the entries belong
// to one user. Sweeping uses the same index, in parts.
func TestAuditPlansOfPostgreSQL(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	storetest.Exec(t, db, `INSERT INTO audit_entries (at, actor_id, actor, act, kind, target_id, label, details, address, request)
		SELECT 1600000000000000 + CAST(i AS BIGINT) * 1000000, who, concat('user', who), CASE WHEN i % 5000 = 1 THEN 'operator.given' WHEN i % 3 = 0 THEN 'session.refused' ELSE 'session.created' END,
			'User', who, concat('user', who), '{}', '192.0.2.1', 'x'
		FROM (SELECT i, CASE WHEN i % 2 = 0 THEN 1 ELSE 2 + i % 1000 END AS who FROM generate_series(1, 40000) AS g (i)) AS many`)
	storetest.Exec(t, db, "ANALYZE audit_entries")
	middle := domain.AuditPlace{At: time.UnixMicro(1600000000000000 + 20_000*1000000), ID: 20_000}
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	r.read(func(ctx context.Context, v *store.Snapshot) error {
		for _, f := range []domain.AuditFilter{{}, {Actor: "user1"}, {Actor: "user7"}, {ActorID: 1}, {Act: domain.ActOperatorGiven}, {Act: domain.ActSignedIn},
			{Actor: "user1", Act: domain.ActOperatorGiven}, {About: domain.AuditTarget{Kind: "User", ID: 1}}, {About: domain.AuditTarget{Label: "user1"}},
			{From: middle.At.Add(-time.Hour), To: middle.At}, {Actor: "user1", From: middle.At.Add(-time.Hour), To: middle.At}, {Act: domain.ActBlocked}} {
			for _, after := range []domain.AuditPlace{{}, middle} {
				for _, rising := range []bool{false, true} {
					r.seen = map[string]bool{} // with other arguments, the same text counts as another statement here
					if _, err := v.Audit().AuditEntries(ctx, f, after, rising, 50); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	prune := &recorder{t: t, s: s, seen: map[string]bool{}}
	prune.write(func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Audit().SweepAudit(ctx, middle.At, 500)
		if n != 500 {
			t.Errorf("%d entries are pruned", n)
		}
		return err
	})
	for _, st := range r.all {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			plan := carryOut(t, db, mode, st)
			_, sorts := plan.find(func(below step) bool { return below.Type == "Sort" && below.Rows > 50 })
			if worst := plan.most(); worst.read() > 600 || sorts {
				t.Errorf("%s: %s on %s %s reads %.0f rows in %s %v", mode, worst.Type, worst.Index, worst.Cond, worst.read(), st.query, st.args)
			}
		}
	}
	if len(r.all) != 48 || len(prune.all) != 1 {
		t.Fatalf("%d and %d statements", len(r.all), len(prune.all))
	}
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		found, ok := carryOut(t, db, mode, prune.all[0]).find(func(below step) bool { return below.Index == "audit_entries_at" })
		if !ok || found.read() > 500 {
			t.Errorf("%s: what is pruned is found by %+v", mode, found)
		}
	}
}

// find returns the first step that is wanted, this one or one below it.
func (s step) find(wanted func(step) bool) (found step, ok bool) {
	if wanted(s) {
		return s, true
	}
	for _, below := range s.Plans {
		if found, ok = below.find(wanted); ok {
			return found, true
		}
	}
	return step{}, false
}
