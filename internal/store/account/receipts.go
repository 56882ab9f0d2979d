package account

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const receiptColumns = "SELECT id, code, kind, user_id, by_operator, counts, asked_at, done_at FROM receipts "

func scanReceipt(row sqlx.Row) (r domain.DataReceipt, err error) {
	var counts string
	var asked int64
	var done *int64
	if err = row.Scan(&r.ID, &r.Code, &r.Kind, &r.UserID, &r.ByOperator, &counts, &asked, &done); err != nil {
		return r, sqlx.Found(err)
	}
	r.AskedAt, r.DoneAt = sqlx.Time(asked), sqlx.TimePtr(done)
	return r, json.Unmarshal([]byte(counts), &r.Counts)
}

// AddReceipt stores a new receipt.
func (w Writes) AddReceipt(ctx context.Context, r domain.DataReceipt) error {
	counts, err := json.Marshal(r.Counts)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `INSERT INTO receipts (code, kind, user_id, by_operator, counts, asked_at, done_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		r.Code, r.Kind, r.UserID, r.ByOperator, string(counts), sqlx.Micros(r.AskedAt), sqlx.MicrosPtr(r.DoneAt))
}

// ErasureDone records that everything of a deleted account was erased, once.
func (w Writes) ErasureDone(ctx context.Context, user domain.UserID, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE receipts SET done_at = $2 WHERE user_id = $1 AND kind = 'erasure' AND done_at IS NULL`, user, sqlx.Micros(now))
}

// Receipt reads a receipt by its code, or returns NotFound.
func (r Reads) Receipt(ctx context.Context, code string) (domain.DataReceipt, error) {
	return scanReceipt(r.db.QueryRow(ctx, receiptColumns+"WHERE code = $1", code))
}

// ReceiptsOf lists the receipts of an account, newest first.
func (r Reads) ReceiptsOf(ctx context.Context, user domain.UserID, limit int) ([]domain.DataReceipt, error) {
	rows, err := r.db.Query(ctx, receiptColumns+"WHERE user_id = $1 ORDER BY id DESC LIMIT $2", user, limit)
	return sqlx.Collect(ctx, rows, err, scanReceipt)
}

// Receipts lists all receipts, newest first, starting below an id; 0 means from the beginning.
func (r Reads) Receipts(ctx context.Context, below domain.DataReceiptID, limit int) ([]domain.DataReceipt, error) {
	if below == 0 {
		below = math.MaxInt64
	}
	rows, err := r.db.Query(ctx, receiptColumns+"WHERE id < $1 ORDER BY id DESC LIMIT $2", below, limit)
	return sqlx.Collect(ctx, rows, err, scanReceipt)
}

// SweepReceipts deletes at most limit receipts that are older than a time and done, and returns their number.
func (w Writes) SweepReceipts(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM receipts WHERE id IN (SELECT id FROM receipts WHERE asked_at < $1 AND done_at IS NOT NULL
		ORDER BY asked_at`+sqlx.Limit("$2")+`)`, sqlx.Micros(before), limit)
	return int(n), err
}
