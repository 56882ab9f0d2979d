package sqlx

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

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
