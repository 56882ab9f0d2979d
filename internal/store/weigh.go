package store

import (
	"context"

	"vitrine/internal/budget"
)

// weighed is a row whose texts are charged to the response that they are read for, as
// they come: a page of long texts is refused before it is in memory.
type weighed struct {
	scanner
	ctx context.Context
}

// Scan implements scanner.
func (w *weighed) Scan(dest ...any) error {
	if err := w.scanner.Scan(dest...); err != nil {
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
	return budget.Charge(w.ctx, int64(n))
}
