package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// archive reads a backup once, from start to end.
type archive interface {
	head(ctx context.Context) (Head, error)
	// chunk returns the next chunk and its checksum, or io.EOF after the last one.
	chunk(ctx context.Context) (sum string, packed []byte, err error)
	// file calls use with the next file, or returns false if the file is missing. It may be called
	// concurrently by atOnce callers.
	file(ctx context.Context, sum string, size int64, use func(r io.Reader) error) (found bool, err error)
	atOnce() int
	// manifest returns the manifest and the id of the backup. It must be called last.
	manifest(ctx context.Context) (m Manifest, id string, err error)
	Close() error
}

// visitor receives the content of a backup in order.
type visitor interface {
	begin(ctx context.Context, h Head) error
	rows(ctx context.Context, h chunkHead, rows iter.Seq2[[]any, error]) error
	// loaded is called after the last rows, before the first file.
	loaded(ctx context.Context) error
	// file reads a whole file. It may be called concurrently. The reader fails if the content does not
	// match sum.
	file(ctx context.Context, sum string, size int64, r io.Reader) error
}

// walk passes a backup to a visitor and compares everything with the manifest. It fails if something is
// missing, changed, unexpected, or in the wrong order.
func walk(ctx context.Context, from archive, to visitor, onProgress func(Progress)) (m Manifest, id string, err error) {
	w := walking{from: from, to: to, onProgress: onProgress}
	head, err := from.head(ctx)
	if err == nil {
		err = head.check()
	}
	if err == nil {
		err = to.begin(ctx, head)
	}
	if err != nil {
		return m, "", err
	}
	for {
		sum, packed, err := from.chunk(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.chunk(ctx, sum, packed)
		}
		if err != nil {
			return m, "", err
		}
	}
	if m, id, err = from.manifest(ctx); err != nil {
		return m, "", err
	}
	if err := w.loaded(ctx); err != nil { // not called yet if there are no files
		return m, "", err
	}
	same := reflect.DeepEqual(m.Head, head) && slices.Equal(m.Chunks, w.chunks) && m.Rows == w.at.Rows && m.Files == w.at.Files && m.Bytes == w.at.Bytes &&
		slices.EqualFunc(m.Missing, w.absent, func(f Missing, sum string) bool { return f.Sum == sum })
	if !same {
		return m, "", damaged("it does not hold what its manifest says")
	}
	return m, id, nil
}

type walking struct {
	from       archive
	to         visitor
	onProgress func(Progress)
	chunks     []Chunk
	absent     []string
	all        bool // all rows were visited

	mu sync.Mutex
	at Progress
}

func (w *walking) chunk(ctx context.Context, sum string, packed []byte) error {
	if sumOf(packed) != sum {
		return damaged("rows/%s has other content", sum)
	}
	head, rows, err := unpack(packed)
	if err != nil {
		return damaged("rows/%s: %w", sum, err)
	}
	w.chunks = append(w.chunks, Chunk{Sum: sum, Size: int64(len(packed)), Table: head.Table, Rows: head.Rows})
	if head.Table == FilesTable {
		if err := w.loaded(ctx); err != nil {
			return err
		}
		return w.files(ctx, rows)
	}
	if w.all {
		return damaged("rows/%s stands after files", sum)
	}
	if err := w.to.rows(ctx, head, rows); err != nil {
		return fmt.Errorf("rows/%s: %w", sum, err)
	}
	w.at.Phase = PhaseRows
	w.at.Rows += head.Rows
	w.onProgress(w.at)
	return nil
}

func (w *walking) loaded(ctx context.Context) error {
	if w.all {
		return nil
	}
	w.all = true
	return w.to.loaded(ctx)
}

// listed is an entry of the file list.
type listed struct {
	sum, object string
	size        int64
}

// listOf decodes a chunk of the file list.
func listOf(rows iter.Seq2[[]any, error]) (all []listed, err error) {
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if len(row) != 3 {
			return nil, errChunk
		}
		sum, ok := row[0].(string)
		object, ok2 := row[1].(string)
		size, ok3 := row[2].(int64)
		if !ok || !ok2 || !ok3 || !sumForm.MatchString(sum) || size < 0 {
			return nil, errChunk
		}
		all = append(all, listed{sum, object, size})
	}
	return all, nil
}

func (w *walking) files(ctx context.Context, rows iter.Seq2[[]any, error]) error {
	all, err := listOf(rows)
	if err != nil {
		return damaged("the list of files: %w", err)
	}
	found := make([]bool, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(w.from.atOnce())
	for i, f := range all {
		work := func() (err error) {
			found[i], err = w.from.file(ctx, f.sum, f.size, func(r io.Reader) error {
				checked := newChecked(r, f.sum, f.size)
				err := w.to.file(ctx, f.sum, f.size, checked)
				if checked.err != nil {
					return damaged("%s: %w", fileName(f.sum), checked.err)
				}
				return err
			})
			if err == nil && found[i] {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.at.Phase = PhaseFiles
				w.at.Files++
				w.at.Bytes += f.size
				w.onProgress(w.at)
			}
			return err
		}
		if w.from.atOnce() > 1 {
			group.Go(work)
		} else if err := work(); err != nil {
			return err
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, f := range all {
		if !found[i] {
			if w.absent = append(w.absent, f.sum); len(w.absent) > missingMax {
				return damaged("files are missing, %s and others", w.absent[0])
			}
		}
	}
	return nil
}

// errContent reports that content does not match its checksum.
var errContent = errors.New("content does not match its checksum")

// checked reads content and fails at the end if it does not match its size or checksum.
type checked struct {
	r    io.Reader
	sum  string
	left int64
	hash hash.Hash
	err  error
}

func newChecked(r io.Reader, sum string, size int64) *checked {
	return &checked{r: r, sum: sum, left: size, hash: sha256.New()}
}

func (c *checked) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	c.left -= int64(n)
	switch {
	case c.left < 0, err == io.EOF && c.left > 0, c.left == 0 && hex.EncodeToString(c.hash.Sum(nil)) != c.sum:
		err = errContent
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}
