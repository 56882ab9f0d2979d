package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/database"
)

// Rows are kept in chunks: some rows of one table, compressed. Where a chunk ends follows
// from the rows themselves, so that a table with a few changes has the same chunks as
// before but for those around them, and a second backup has little to keep.
const (
	chunkLeast = 256 << 10 // bytes of rows before a chunk may end
	chunkMost  = 4 << 20   // and where it does
	cutAt      = 1<<6 - 1  // of so many rows one ends a chunk
	rowMost    = 60 << 20  // the largest row
	plainMost  = 64 << 20  // what a chunk may be when unpacked
	packedMost = 80 << 20  // and as it is kept
)

// chunkHead stands before the rows of a chunk.
type chunkHead struct {
	Table   string            `json:"table"`
	Columns []database.Column `json:"columns"`
	Rows    int64             `json:"rows"`
}

// Chunk is what a manifest says of a chunk.
type Chunk struct {
	Sum   string `json:"sum"` // SHA-256 of its bytes, as they are kept
	Size  int64  `json:"size"`
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// cutter makes chunks of rows as they come.
type cutter struct {
	keep  func(c Chunk, packed []byte) error
	table database.Table
	rows  int64
	plain []byte
}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
})

func (c *cutter) add(t database.Table, row []any) error {
	if t.Name != c.table.Name {
		if err := c.cut(); err != nil {
			return err
		}
		c.table = t
	}
	began := len(c.plain)
	var err error
	if c.plain, err = appendRow(c.plain, row); err != nil {
		return fmt.Errorf("backup: %s: %w", t.Name, err)
	}
	c.rows++
	if len(c.plain)-began > rowMost {
		return fmt.Errorf("backup: a row of %s has %d bytes, more than a backup takes", t.Name, len(c.plain)-began)
	}
	if n := len(c.plain); n >= chunkMost || n >= chunkLeast && crc32.ChecksumIEEE(c.plain[began:])&cutAt == cutAt {
		return c.cut()
	}
	return nil
}

// cut ends a chunk, if there is one.
func (c *cutter) cut() error {
	if c.rows == 0 {
		return nil
	}
	head, err := json.Marshal(chunkHead{c.table.Name, c.table.Columns, c.rows})
	if err != nil {
		return err
	}
	plain := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	packed := encoder().EncodeAll(append(plain, c.plain...), nil)
	made := Chunk{Sum: sumOf(packed), Size: int64(len(packed)), Table: c.table.Name, Rows: c.rows}
	c.rows, c.plain = 0, c.plain[:0]
	return c.keep(made, packed)
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The tags of values.
const (
	tagNull = iota
	tagInt
	tagFalse
	tagTrue
	tagText
	tagBytes
)

func appendRow(b []byte, row []any) ([]byte, error) {
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, tagNull)
		case int64:
			b = binary.AppendVarint(append(b, tagInt), v)
		case bool:
			tag := byte(tagFalse)
			if v {
				tag = tagTrue
			}
			b = append(b, tag)
		case string:
			b = append(binary.AppendUvarint(append(b, tagText), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, tagBytes), uint64(len(v))), v...)
		default:
			return b, fmt.Errorf("a value of the type %T", v)
		}
	}
	return b, nil
}

// errChunk says that a chunk is not what a chunk is.
var errChunk = errors.New("a chunk of rows is malformed")

// unpack gives what a chunk holds. However it was made, it takes no more memory than the
// largest chunk.
func unpack(packed []byte) (head chunkHead, rows iter.Seq2[[]any, error], err error) {
	decoder, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(plainMost), zstd.WithDecoderMaxWindow(windowMost))
	if err != nil {
		return head, nil, err
	}
	defer decoder.Close()
	plain, err := io.ReadAll(io.LimitReader(decoder, plainMost+1))
	if err != nil || len(plain) > plainMost {
		return head, nil, errors.Join(errChunk, err)
	}
	n, used := binary.Uvarint(plain)
	if used <= 0 || n > uint64(len(plain)-used) {
		return head, nil, errChunk
	}
	decode := json.NewDecoder(bytes.NewReader(plain[used : used+int(n)]))
	decode.DisallowUnknownFields()
	if err := decode.Decode(&head); err != nil || len(head.Columns) == 0 {
		return head, nil, errors.Join(errChunk, err)
	}
	rest := plain[used+int(n):]
	return head, func(yield func([]any, error) bool) {
		for range head.Rows {
			row := make([]any, len(head.Columns))
			for i := range row {
				var ok bool
				if row[i], rest, ok = value(rest, head.Columns[i].Type); !ok {
					yield(nil, errChunk)
					return
				}
			}
			if !yield(row, nil) {
				return
			}
		}
		if len(rest) > 0 {
			yield(nil, errChunk)
		}
	}, nil
}

// value takes a value of a type off bytes.
func value(b []byte, typ database.ColumnType) (v any, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, false
	}
	tag, b := b[0], b[1:]
	switch {
	case tag == tagNull:
		return nil, b, true
	case tag == tagInt && typ == database.Int:
		n, used := binary.Varint(b)
		if used <= 0 {
			return nil, nil, false
		}
		return n, b[used:], true
	case (tag == tagFalse || tag == tagTrue) && typ == database.Bool:
		return tag == tagTrue, b, true
	case tag == tagText && typ == database.Text, tag == tagBytes && typ == database.Bytes:
		n, used := binary.Uvarint(b)
		if used <= 0 || n > uint64(len(b)-used) {
			return nil, nil, false
		}
		content, rest := b[used:used+int(n)], b[used+int(n):]
		if tag == tagText {
			return string(content), rest, true
		}
		return content, rest, true
	}
	return nil, nil, false
}
