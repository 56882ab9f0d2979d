package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Kept is an existing backup.
type Kept struct {
	ID       string
	Manifest Manifest
	Err      error // why it cannot be read; if set, only the ID is valid
}

// List returns the backups of a place, oldest first. It includes those with a damaged manifest.
func List(ctx context.Context, from *Place) (all []Kept, err error) {
	if from.kept == nil {
		a, err := openTar(ctx, from.path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = a.Close() }() // opened for reading
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

// errNoSuch reports that no backup has the requested id.
var errNoSuch = errors.New("there is no such backup")

// pick opens the backup with an id, or the newest one if id is "".
func (p *Place) pick(ctx context.Context, id string) (archive, error) {
	if p.kept == nil {
		a, err := openTar(ctx, p.path)
		if err != nil {
			return nil, err // do not convert a nil *tarArchive to an archive
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
	return &folderArchive{p: p, id: id, m: m}, nil
}

// Verify reads a whole backup, the newest or that with an id, and compares all checksums. It streams the
// content.
func Verify(ctx context.Context, from *Place, id string, onProgress func(Progress)) (Kept, error) {
	a, err := from.pick(ctx, id)
	if err != nil {
		return Kept{}, err
	}
	m, is, err := walk(ctx, a, verifying{}, onProgress)
	if err == nil && id != "" && id != is {
		err = fmt.Errorf("%w as %s: this is %s", errNoSuch, id, is)
	}
	return Kept{ID: is, Manifest: m}, errors.Join(err, a.Close())
}

// verifying is a visitor that only reads.
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
