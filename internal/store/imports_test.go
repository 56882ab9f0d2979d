package store_test

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// NextImportStep returns the head of a step, and NoteImportStep replaces it only with another one.
func TestHeadsOfImportSteps(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		i := domain.Import{UserID: storetest.User(t, s, "ada"), Source: domain.FromFile, Visibility: domain.Private, State: domain.ImportQueued, CreatedAt: storetest.Now}
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			if i.ID, _, err = tx.Imports().AddImport(ctx, i); err != nil {
				return err
			}
			if _, err = tx.Imports().BeginImportStep(ctx, i.ID, storetest.Now); err != nil {
				return err
			}
			_, err = tx.Imports().ListImport(ctx, i.ID, []domain.ImportStep{{N: 1, Ref: "a", Title: "A", Head: `{"asked":"koi8-r"}`, State: domain.StepWaiting}}, domain.ImportRunning)
			return err
		})
		for done, tt := range []struct{ head, want string }{
			{"", `{"asked":"koi8-r"}`}, {`{"format":"CSV"}`, `{"format":"CSV"}`}, {"", `{"format":"CSV"}`},
		} {
			storetest.In(t, s, func(tx *store.Tx) error {
				running, err := tx.Imports().NoteImportStep(ctx, i.ID, domain.ImportStep{N: 1, Head: tt.head, Counts: domain.ImportCounts{Done: int64(done)}})
				if err == nil && !running {
					t.Error("the import is not running")
				}
				return err
			})
			got, err := s.Imports().NextImportStep(ctx, i.ID)
			want := domain.ImportStep{N: 1, Ref: "a", Title: "A", Head: tt.want, Page: 1, State: domain.StepWaiting, Counts: domain.ImportCounts{Done: int64(done)}}
			if err != nil || got != want {
				t.Errorf("after %q: %+v, %v\nwant %+v", tt.head, got, err, want)
			}
		}
		_, err := s.Imports().NextImportStep(ctx, i.ID+1)
		wantKind(t, "no import", err, domain.NotFound)
	})
}
