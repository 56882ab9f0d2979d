package moderation

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// BlockKind is what an entry of the blocklist is about.
type BlockKind string

// The kinds. Names are kept forever.
const (
	BlockedSite    BlockKind = "domain"  // and all below it: where links lead and content comes from
	BlockedMail    BlockKind = "mail"    // the domain of an address, and all below it
	BlockedFile    BlockKind = "file"    // SHA-256, 64 hexadecimal digits in lower case
	BlockedNetwork BlockKind = "network" // a prefix such as 192.0.2.0/24
)

// Blocked is an entry of the blocklist.
type Blocked struct {
	ID        int64
	Kind      BlockKind
	Value     string
	Note      string
	CreatedAt time.Time
}

// BlockedAmong gives those of some values of a kind that are on the blocklist: one seek of an index
// for each.
func (r Reads) BlockedAmong(ctx context.Context, kind BlockKind, values []string) ([]string, error) {
	rows, err := r.db.Query(ctx, `SELECT bl.value FROM blocklist bl WHERE bl.kind = $1 AND `+r.db.InTexts("bl.value", "$2"),
		kind, sqlx.Texts(r.db.Dialect, values))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanString)
}

// AddBlocked puts an entry on the blocklist, and gives its number; 0 where it is there already.
func (w Writes) AddBlocked(ctx context.Context, b Blocked) (id int64, err error) {
	rows, err := w.db.Query(ctx, `INSERT INTO blocklist (kind, value, note, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (kind, value) DO NOTHING RETURNING id`, b.Kind, b.Value, b.Note, sqlx.Micros(b.CreatedAt))
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

const blockedColumns = `id, kind, value, note, created_at`

func scanBlocked(row sqlx.Row) (b Blocked, err error) {
	var at int64
	err = row.Scan(&b.ID, &b.Kind, &b.Value, &b.Note, &at)
	b.CreatedAt = sqlx.Time(at)
	return b, err
}

// RemoveBlocked takes an entry off the blocklist, and gives it as it was; NotFound if it is not
// there.
func (w Writes) RemoveBlocked(ctx context.Context, id int64) (Blocked, error) {
	b, err := scanBlocked(w.db.QueryRow(ctx, `DELETE FROM blocklist WHERE id = $1 RETURNING `+blockedColumns, id))
	return b, sqlx.Found(err)
}

// AllBlocked lists the blocklist, the newest first, from below a number on; 0 is the beginning.
func (r Reads) AllBlocked(ctx context.Context, below int64, limit int) ([]Blocked, error) {
	rows, err := r.db.Query(ctx, `SELECT `+blockedColumns+` FROM blocklist WHERE $1 = CAST(0 AS BIGINT) OR id < $1 ORDER BY id DESC`+sqlx.Limit("$2"), below, limit)
	return sqlx.Collect(ctx, rows, err, scanBlocked)
}

// About is the entry as the target of an act.
func (b Blocked) About() domain.AuditTarget {
	return domain.AuditTarget{Kind: "Blocked", ID: b.ID, Label: string(b.Kind) + " " + b.Value}
}
