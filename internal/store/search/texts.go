package search

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// TextsOf returns the texts by which blocks can be found, their title first. Blocks that do not exist are missing.
func TextsOf(ctx context.Context, db sqlx.Conn, ids []domain.BlockID) (map[domain.BlockID]string, error) {
	all, err := read(ctx, db, domain.SubjectBlock, db.In("id", "$1"), sqlx.IDs(db.Dialect, ids))
	texts := make(map[domain.BlockID]string, len(all))
	for _, d := range all {
		parts := slices.DeleteFunc(append([]string{d.title}, d.body...), func(s string) bool { return s == "" })
		texts[domain.BlockID(d.id)] = strings.Join(parts, "\n")
	}
	return texts, err
}
