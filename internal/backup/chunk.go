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

// Rows are stored in compressed chunks of one table. The content of the rows determines where a chunk
// ends. So after a few changes, most chunks of a table are the same as before, and the next backup has
// little to write.
const (
	chunkMin  = 256 << 10 // minimum bytes of rows in a chunk
	chunkMax  = 4 << 20   // maximum bytes of rows, except for large rows
	cutMask   = 1<<6 - 1  // on average, one in so many rows ends a chunk
	rowMax    = 60 << 20  // maximum size of a row
	plainMax  = 64 << 20  // maximum size of an uncompressed chunk
	packedMax = 80 << 20  // maximum size of a compressed chunk
)

// chunkHead is the header of a chunk.
type chunkHead struct {
	Table   string            `json:"table"`
	Columns []database.Column `json:"columns"`
	Rows    int64             `json:"rows"`
}

// Chunk is the entry of a chunk in a manifest.
type Chunk struct {
	Sum   string `json:"sum"` // SHA-256 of the compressed chunk
	Size  int64  `json:"size"`
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// cutter splits a stream of rows into chunks.
type cutter struct {
	keep  func(c Chunk, packed []byte) error
	table database.Table
	rows  int64
	plain []byte
}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // impossible: the options are constant
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
	if len(c.plain)-began > rowMax {
		return fmt.Errorf("backup: a row of %s has %d bytes, which is more than the maximum of %d", t.Name, len(c.plain)-began, rowMax)
	}
	if n := len(c.plain); n >= chunkMax || n >= chunkMin && crc32.ChecksumIEEE(c.plain[began:])&cutMask == cutMask {
		return c.cut()
	}
	return nil
}

// cut ends the current chunk, if any.
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

// Type tags of values.
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
			return b, fmt.Errorf("unsupported type %T", v)
		}
	}
	return b, nil
}

// errChunk reports a malformed chunk.
var errChunk = errors.New("a chunk of rows is malformed")

// unpack decodes a chunk. Its memory use is limited, even for malicious input.
func unpack(packed []byte) (head chunkHead, rows iter.Seq2[[]any, error], err error) {
	decoder, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(plainMax), zstd.WithDecoderMaxWindow(windowMax))
	if err != nil {
		return head, nil, err
	}
	defer decoder.Close()
	plain, err := io.ReadAll(io.LimitReader(decoder, plainMax+1))
	if err != nil || len(plain) > plainMax {
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

// value decodes a value of a type from the start of b.
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
