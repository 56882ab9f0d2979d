package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/blob"
)

// sink is the destination of a backup.
type sink interface {
	// begin starts the backup. If it is called again, the backup starts over.
	begin(ctx context.Context, h Head) error
	chunk(ctx context.Context, c Chunk, packed []byte) (taken int64, err error)
	// file stores a file. It calls open once or twice to read the content, and returns the number of new
	// bytes.
	file(ctx context.Context, f listed, open func() (io.ReadCloser, error)) (taken int64, err error)
	atOnce() int
	end(ctx context.Context, m Manifest) (id string, err error)
}

// folderSink is a sink for a folder or bucket, which skips content that is already stored there.
type folderSink struct{ p *Place }

func (s folderSink) begin(context.Context, Head) error { return nil }

func (s folderSink) atOnce() int { return filesAtOnce }

func (s folderSink) chunk(ctx context.Context, c Chunk, packed []byte) (int64, error) {
	there, err := s.p.has(ctx, rowsName(c.Sum), c.Size)
	if err != nil || there {
		return 0, err
	}
	return c.Size, s.p.write(ctx, rowsName(c.Sum), packed)
}

func (s folderSink) file(ctx context.Context, f listed, open func() (io.ReadCloser, error)) (int64, error) {
	there, err := s.p.has(ctx, fileName(f.sum), f.size)
	if err != nil || there {
		return 0, err
	}
	content, err := open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = content.Close() }() // opened for reading
	checked := newChecked(content, f.sum, f.size)
	if err := s.p.kept.Put(ctx, fileName(f.sum), checked, f.size, "application/octet-stream"); err != nil {
		return 0, errors.Join(checked.err, err)
	}
	return f.size, nil
}

func (s folderSink) end(ctx context.Context, m Manifest) (string, error) {
	raw, err := encode(m)
	if err != nil {
		return "", err
	}
	id := idOf(m, raw)
	return id, s.p.write(ctx, manifestPath(id), raw)
}

// ids returns the ids of the backups in a folder or bucket, oldest first.
func (p *Place) ids(ctx context.Context) (all []string, err error) {
	err = p.kept.List(ctx, listFolder, func(name string, _ int64) error {
		if id, ok := idIn(name); ok {
			all = append(all, id)
		}
		return nil
	})
	slices.Sort(all)
	return all, err
}

// load reads the manifest of a backup and checks that it matches the id.
func (p *Place) load(ctx context.Context, id string) (m Manifest, err error) {
	raw, err := p.read(ctx, manifestPath(id), manifestMax)
	if err != nil {
		return m, fmt.Errorf("backup %s: %w", id, err)
	}
	if m, err = decodeManifest(raw); err == nil && idOf(m, raw) != id {
		err = errManifest
	}
	if err != nil {
		return m, fmt.Errorf("backup %s: %w", id, errors.Join(errDamaged, err))
	}
	return m, nil
}

// folderArchive reads one of the backups of a folder or bucket.
type folderArchive struct {
	p    *Place
	id   string
	m    Manifest
	next int
}

func (a *folderArchive) head(context.Context) (Head, error) { return a.m.Head, nil }

func (a *folderArchive) atOnce() int { return filesAtOnce }

func (a *folderArchive) Close() error { return nil }

func (a *folderArchive) chunk(ctx context.Context) (string, []byte, error) {
	if a.next == len(a.m.Chunks) {
		return "", nil, io.EOF
	}
	c := a.m.Chunks[a.next]
	a.next++
	packed, err := a.p.read(ctx, rowsName(c.Sum), packedMax)
	if errors.Is(err, blob.ErrNotFound) {
		err = damaged("rows/%s is missing", c.Sum)
	}
	return c.Sum, packed, err
}

func (a *folderArchive) file(ctx context.Context, sum string, size int64, use func(r io.Reader) error) (bool, error) {
	// The file may exist now because a later backup stored it.
	if slices.ContainsFunc(a.m.Missing, func(m Missing) bool { return m.Sum == sum }) {
		return false, nil
	}
	f, err := a.p.kept.Open(ctx, fileName(sum))
	if errors.Is(err, blob.ErrNotFound) {
		return false, damaged("%s is missing", fileName(sum))
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if f.Size != size {
		return false, damaged("%s has %d bytes instead of %d", fileName(sum), f.Size, size)
	}
	return true, use(f)
}

func (a *folderArchive) manifest(context.Context) (Manifest, string, error) { return a.m, a.id, nil }

// prune removes all backups except the newest ones, and content that only the removed ones needed.
func (p *Place) prune(ctx context.Context, keep int) (gone []string, err error) {
	ids, err := p.ids(ctx)
	if err != nil || len(ids) <= keep {
		return nil, err
	}
	gone, ids = ids[:len(ids)-keep], ids[len(ids)-keep:]
	needed, err := p.needed(ctx, ids) // must succeed before anything is removed
	if err != nil {
		return nil, err
	}
	for _, id := range gone {
		if err := p.kept.Delete(ctx, manifestPath(id)); err != nil {
			return nil, err
		}
	}
	return gone, p.removeUnneeded(ctx, needed)
}

func (p *Place) removeUnneeded(ctx context.Context, needed needs) error {
	for _, folder := range []string{rowsFolder, filesFolder} {
		var unneeded []string
		err := p.kept.List(ctx, folder, func(name string, _ int64) error {
			if sum := name[strings.LastIndexByte(name, '/')+1:]; sumForm.MatchString(sum) && !needed.has(sum) {
				unneeded = append(unneeded, name)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, name := range unneeded {
			if err := p.kept.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// needs is a sorted list of prefixes of the checksums that backups need. If two prefixes collide, an
// unneeded file is kept, but a needed one is never removed.
type needs []uint64

func shortOf(sum string) uint64 {
	n, _ := strconv.ParseUint(sum[:16], 16, 64) // checksums are validated
	return n
}

func (n needs) has(sum string) bool {
	_, found := slices.BinarySearch(n, shortOf(sum))
	return found
}

func (p *Place) needed(ctx context.Context, ids []string) (all needs, err error) {
	lists := map[string]bool{}
	for _, id := range ids {
		m, err := p.load(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, c := range m.Chunks {
			all = append(all, shortOf(c.Sum))
			if c.Table != FilesTable || lists[c.Sum] {
				continue
			}
			lists[c.Sum] = true
			packed, err := p.read(ctx, rowsName(c.Sum), packedMax)
			if err != nil {
				return nil, err
			}
			_, rows, err := unpack(packed)
			if err != nil {
				return nil, err
			}
			files, err := listOf(rows)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				all = append(all, shortOf(f.sum))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
