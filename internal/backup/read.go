package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Kept is a backup that is there to be restored.
type Kept struct {
	ID       string
	Manifest Manifest
	Err      error // why it cannot be read; of the manifest the ID alone is known then
}

// List gives the backups of a place, the oldest first. One whose manifest is damaged is
// among them.
func List(ctx context.Context, from *Place) (all []Kept, err error) {
	if from.kept == nil {
		a, err := openLone(ctx, from.path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = a.Close() }() // only read
		m, id, err := walk(ctx, a, verifying{}, func(Progress) {})
		return []Kept{{ID: id, Manifest: m}}, err
	}
	ids, err := from.ids(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		m, err := from.load(ctx, id)
		all = append(all, Kept{id, m, err})
	}
	return all, nil
}

// errNoSuch says that there is no backup of an id.
var errNoSuch = errors.New("there is no such backup")

// pick opens a backup of a place: the newest, or that of an id.
func (p *Place) pick(ctx context.Context, id string) (archive, error) {
	if p.kept == nil {
		a, err := openLone(ctx, p.path)
		if err != nil {
			return nil, err // and no nil in an archive
		}
		return a, nil
	}
	ids, err := p.ids(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, errNoBackups
	}
	if id == "" {
		id = ids[len(ids)-1]
	}
	if !slices.Contains(ids, id) {
		return nil, fmt.Errorf("%w as %s", errNoSuch, id)
	}
	m, err := p.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return &one{p: p, id: id, m: m}, nil
}

// Verify reads all of a backup, the newest or that of an id, and holds everything to its
// sum. Memory does not grow with it.
func Verify(ctx context.Context, from *Place, id string, tell func(Progress)) (Kept, error) {
	a, err := from.pick(ctx, id)
	if err != nil {
		return Kept{}, err
	}
	m, is, err := walk(ctx, a, verifying{}, tell)
	if err == nil && id != "" && id != is {
		err = fmt.Errorf("%w as %s: this is %s", errNoSuch, id, is)
	}
	return Kept{ID: is, Manifest: m}, errors.Join(err, a.Close())
}

// verifying is a visitor that reads and keeps nothing.
type verifying struct{}

func (verifying) begin(context.Context, Head) error { return nil }

func (verifying) rows(_ context.Context, _ chunkHead, rows iter.Seq2[[]any, error]) error {
	for _, err := range rows {
		if err != nil {
			return errors.Join(errDamaged, err)
		}
	}
	return nil
}

func (verifying) loaded(context.Context) error { return nil }

func (verifying) file(_ context.Context, _ string, _ int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
