package moderation

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// BlockKind is the kind of an entry of the blocklist.
type BlockKind string

// The kinds. Their names never change.
const (
	BlockedSite    BlockKind = "domain"  // with its subdomains; for links and the sources of content
	BlockedMail    BlockKind = "mail"    // the domain of an address, with its subdomains
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

// BlockedAmong returns those of the values of a kind that are on the blocklist, with one index
// seek for each.
func (r Reads) BlockedAmong(ctx context.Context, kind BlockKind, values []string) ([]string, error) {
	rows, err := r.db.Query(ctx, `SELECT bl.value FROM blocklist bl WHERE bl.kind = $1 AND `+r.db.InTexts("bl.value", "$2"),
		kind, sqlx.Texts(r.db.Dialect, values))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanString)
}

// AddBlocked adds an entry to the blocklist and returns its id, 0 if there is such an entry
// already.
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

// RemoveBlocked deletes an entry of the blocklist and returns it, or NotFound.
func (w Writes) RemoveBlocked(ctx context.Context, id int64) (Blocked, error) {
	b, err := scanBlocked(w.db.QueryRow(ctx, `DELETE FROM blocklist WHERE id = $1 RETURNING `+blockedColumns, id))
	return b, sqlx.Found(err)
}

// AllBlocked lists entries of the blocklist below an id (0: from the beginning), newest first.
func (r Reads) AllBlocked(ctx context.Context, below int64, limit int) ([]Blocked, error) {
	rows, err := r.db.Query(ctx, `SELECT `+blockedColumns+` FROM blocklist WHERE $1 = CAST(0 AS BIGINT) OR id < $1 ORDER BY id DESC`+sqlx.Limit("$2"), below, limit)
	return sqlx.Collect(ctx, rows, err, scanBlocked)
}

// About returns the entry as the target of an act in the audit log.
func (b Blocked) About() domain.AuditTarget {
	return domain.AuditTarget{Kind: "Blocked", ID: b.ID, Label: string(b.Kind) + " " + b.Value}
}
