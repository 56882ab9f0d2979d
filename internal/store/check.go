package store

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/store/activity"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Difference is a derived value that differs from the facts.
type Difference = sqlx.Difference

// allChecks returns all checks except that of the words of documents, in the order in which they
// run and are repaired: values come before those derived from them.
func allChecks() []sqlx.Check {
	return slices.Concat(derived.Checks, transitionChecks, trashChecks, derived.ContentChecks(), activity.Checks, contents.VersionChecks, moderation.Checks, moderation.HidingChecks, search.DocumentChecks, search.GroupItemChecks, counters.ContentChecks, counters.ConnectionChecks, ranked.Checks(ranked.ByPosition), ranked.Checks(ranked.ByTime))
}

// wordsCheck is the name of the check of the words in documents.
const wordsCheck = "search_documents, by their words"

// Checked is the progress of checks. It is reported when a check begins and when it has ended.
type Checked struct {
	What     string
	N, Of    int  // it is the N-th of so many
	Repaired int  // number of repaired rows
	Ended    bool // the check has ended, and Found is set
	Found    int  // number of differences, at most the requested number
}

// Check recomputes every derived value and returns the differences, at most `limit` of each kind.
func (s *Store) Check(ctx context.Context, limit int) ([]Difference, error) {
	return s.CheckWithProgress(ctx, limit, func(Checked) {})
}

// CheckWithProgress is Check with a callback for the beginning and the end of each check.
func (s *Store) CheckWithProgress(ctx context.Context, limit int, onProgress func(Checked)) ([]Difference, error) {
	all := append(allChecks(), sqlx.Check{What: wordsCheck})
	var differences []Difference
	err := s.InSnapshot(ctx, func(v *Snapshot) error {
		differences = nil
		for n, c := range all {
			at := Checked{What: c.What, N: n + 1, Of: len(all)}
			onProgress(at)
			found, err := v.found(ctx, c, limit)
			if err != nil {
				return fmt.Errorf("%s: %w", c.What, err)
			}
			at.Found, at.Ended = len(found), true
			onProgress(at)
			differences = append(differences, found...)
		}
		return nil
	})
	return differences, err
}

// found runs one check.
func (v *Snapshot) found(ctx context.Context, c sqlx.Check, limit int) ([]Difference, error) {
	if c.What == wordsCheck {
		return search.CheckWords(ctx, v.db, limit)
	}
	rows, err := v.db.Query(ctx, c.Query+" LIMIT $1", limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (Difference, error) {
		d := Difference{What: c.What}
		return d, row.Scan(&d.ID, &d.Stored, &d.Actual)
	})
}
