// Package sqlx contains what the packages of the store share to use a database: statements on a
// connection with its dialect, collecting rows, placeholders and times. It knows no table, except
// those that dialect.go must address differently for each database.
package sqlx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

// Conn is a connection for statements: the pool of readers, a snapshot or a transaction, with its
// dialect.
type Conn struct {
	Querier database.Querier
	Dialect
}

// Query runs a statement that returns rows. Collect handles errors while reading them.
func (c Conn) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	return c.Querier.Query(ctx, query, args...)
}

// QueryRow runs a statement that returns at most one row.
func (c Conn) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	return c.Querier.QueryRow(ctx, query, args...)
}

// Exec runs a statement without a result.
func (c Conn) Exec(ctx context.Context, query string, args ...any) error {
	_, err := c.Querier.Exec(ctx, query, args...)
	return err
}

// transaction is a transaction of PostgreSQL, which sends statements together.
type transaction interface {
	Later(context.Context, postgres.Statement) (taken bool, err error)
	Sync(context.Context) error
}

// Later is Exec in a transaction, without waiting for the statement to run. On PostgreSQL it is
// sent in one round trip with the following statements.
func (c Conn) Later(ctx context.Context, query string, args ...any) error {
	if tx, ok := c.Querier.(transaction); ok {
		if taken, err := tx.Later(ctx, postgres.Statement{Query: query, Args: args}); taken || err != nil {
			return err
		}
	}
	return c.Exec(ctx, query, args...)
}

// LaterEach is Later for a statement that returns rows. It calls each with every row; each must
// not run statements. After the last row it calls then, unless that is nil; then may run
// statements.
func (c Conn) LaterEach(ctx context.Context, each func(Row) error, then func(context.Context) error, query string, args ...any) error {
	if tx, ok := c.Querier.(transaction); ok {
		s := postgres.Statement{Query: query, Args: args, Each: func(row postgres.Row) error { return each(row) }, Then: then}
		if taken, err := tx.Later(ctx, s); taken || err != nil {
			return err
		}
	}
	rows, err := c.Query(ctx, query, args...)
	_, err = Collect(ctx, rows, err, func(row Row) (none struct{}, err error) { return none, each(row) })
	if err != nil || then == nil {
		return err
	}
	return then(ctx)
}

// Sync runs the statements that were passed to Later and have not run yet.
func (c Conn) Sync(ctx context.Context) error {
	if tx, ok := c.Querier.(transaction); ok {
		return tx.Sync(ctx)
	}
	return nil
}

// ExecCount runs a statement and returns how many rows it changed.
func (c Conn) ExecCount(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := c.Querier.Exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ExecOne runs a statement that must change exactly one row.
func (c Conn) ExecOne(ctx context.Context, query string, args ...any) error {
	n, err := c.ExecCount(ctx, query, args...)
	if err == nil && n != 1 {
		err = fmt.Errorf("store: statement changed %d rows, not one", n)
	}
	return err
}

// SweepExpired deletes at most `limit` expired rows of a table, found by their primary key, and
// returns their number.
func (c Conn) SweepExpired(ctx context.Context, table, key string, now time.Time, limit int) (int, error) {
	n, err := c.ExecCount(ctx, "DELETE FROM "+table+" WHERE "+key+" IN (SELECT "+key+" FROM "+table+
		" WHERE expires_at <= $1 ORDER BY expires_at"+Limit("$2")+")", Micros(now), limit)
	return int(n), err
}

// Row is the only row of a result, or one of many.
type Row = database.Row

// Collect reads all rows with scan and closes them. It takes the two results of Query.
func Collect[T any](ctx context.Context, rows database.Rows, err error, scan func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := Charged(ctx, rows)
	var all []T
	for rows.Next() {
		v, err := scan(row)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, database.Classify(ctx, rows.Err())
}

// CollectPage is Collect for a page of large values: n is their expected number, and scan writes
// each in place. Growing and copying would cost a page a fifth of its allocations.
func CollectPage[T any](ctx context.Context, rows database.Rows, err error, n int, scan func(Row, *T) error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := Charged(ctx, rows)
	all := make([]T, 0, n)
	for rows.Next() {
		all = slices.Grow(all, 1)[:len(all)+1]
		if err := scan(row, &all[len(all)-1]); err != nil {
			return nil, err
		}
	}
	return all, database.Classify(ctx, rows.Err())
}

// charged is a row whose texts are charged to the response that they are for, as they are read. So
// a page of long texts is refused before it is in memory.
type charged struct {
	Row
	ctx context.Context
}

// Charged returns a row whose texts are charged to the response of ctx. Collect and CollectPage
// use it.
func Charged(ctx context.Context, row Row) Row { return &charged{row, ctx} }

// Scan implements Row.
func (c *charged) Scan(dest ...any) error {
	if err := c.Row.Scan(dest...); err != nil {
		return err
	}
	n := 0
	for _, d := range dest {
		switch d := d.(type) {
		case *string:
			n += len(*d)
		case **string:
			if *d != nil {
				n += len(**d)
			}
		case *[]byte:
			n += len(*d)
		}
	}
	return scope.Charge(c.ctx, int64(n))
}

// ByID returns a map of values by their ids.
func ByID[K comparable, V any](all []V, id func(V) K) map[K]V {
	index := make(map[K]V, len(all))
	for _, v := range all {
		index[id(v)] = v
	}
	return index
}

// ScanInt64 reads a row of one number.
func ScanInt64(row Row) (v int64, err error) {
	err = row.Scan(&v)
	return v, err
}

// ScanID reads a row of one id.
func ScanID[T ~int64](row Row) (id T, err error) {
	err = row.Scan(&id)
	return id, err
}

// ScanString reads a row of one text.
func ScanString(row Row) (v string, err error) {
	err = row.Scan(&v)
	return v, err
}

// Found turns a missing row into domain.NotFound.
func Found(err error) error {
	if errors.Is(err, database.ErrNoRows) {
		return domain.NewNotFound()
	}
	return err
}

// Limit returns a LIMIT clause with the parameter p. The cast is for SQLite, which would compile a
// statement again for each value of a bare parameter.
func Limit(p string) string { return " LIMIT CAST(" + p + " AS BIGINT)" }

// Micros returns a time in the form that the database stores.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// MicrosPtr is Micros for a column that may be null.
func MicrosPtr(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	us := Micros(*t)
	return &us
}

// Time is the inverse of Micros.
func Time(us int64) time.Time { return time.UnixMicro(us).UTC() }

// TimePtr is Time for a column that may be null.
func TimePtr(us *int64) *time.Time {
	if us == nil {
		return nil
	}
	t := Time(*us)
	return &t
}

// OrNull returns the argument for an id, NULL if it is 0.
func OrNull[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// TextColumns are the three columns of an optional rendered text.
type TextColumns struct{ Markdown, HTML, Plain *string }

// Value returns the text, nil if it is absent.
func (t TextColumns) Value() *domain.Text {
	if t.Markdown == nil {
		return nil
	}
	return &domain.Text{Markdown: *t.Markdown, HTML: *t.HTML, Plain: *t.Plain}
}

// TextOf returns the columns of a text, for writing them.
func TextOf(t *domain.Text) TextColumns {
	if t == nil {
		return TextColumns{}
	}
	return TextColumns{&t.Markdown, &t.HTML, &t.Plain}
}

// MetadataOf returns the value of the metadata column, which is null for empty metadata.
func MetadataOf(m domain.Metadata) *string {
	if m == "" {
		return nil
	}
	return (*string)(&m)
}

// MetadataValue is the inverse of MetadataOf.
func MetadataValue(s *string) domain.Metadata {
	if s == nil {
		return ""
	}
	return domain.Metadata(*s)
}

// Args collects the arguments of a statement that is built in several steps.
type Args []any

// Add appends an argument and returns its placeholder.
func (a *Args) Add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// BatchRows is how many rows one statement writes. SQLite's driver looks up the name of each
// parameter among all parameters of the statement, so each row costs more in a larger batch (200
// rows: four times as much). Smaller batches would cost PostgreSQL more round trips.
const BatchRows = 16

// Tuples returns the placeholders of several rows: "($1, $2), ($3, $4)" for 2 rows of 2.
func Tuples(rows, width int) string {
	var b strings.Builder
	for i := range rows * width {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%width == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String() + ")"
}

// Direction returns the SQL keyword for an order.
func Direction(desc bool) string {
	if desc {
		return "DESC"
	}
	return "ASC"
}
