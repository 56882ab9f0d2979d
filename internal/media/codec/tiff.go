package codec

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff"
	"golang.org/x/image/tiff/lzw"

	"vitrine/internal/media/source"
)

// Tags and values of TIFF 6.0.
const (
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagTileWidth       = 322
	tagTileLength      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325

	tiffNone       = 1
	tiffGroup3     = 3
	tiffGroup4     = 4
	tiffLZW        = 5
	tiffDeflate    = 8
	tiffPackBits   = 32773
	tiffDeflateOld = 32946
)

// tiffBand is the number of bytes of rows that x/image/tiff reads at once.
const tiffBand = 1 << 20

func tiffHeader(in *source.Input) (Header, error) {
	h, err := configured(tiff.DecodeConfig(in.Section()))
	if err != nil {
		return Header{}, err
	}
	h.Orientation = tiffOrientation(in, 0)
	h.icc = tiffProfile(in)
	t, err := newUnpacked(in, h.Width, h.Height)
	if err != nil {
		return Header{}, err
	}
	// A block, the growing buffer for it, and the tables of both.
	h.Decoding += 4*t.block(0) + 48*t.blocks()
	return h, nil
}

// decodeTIFF decodes the first image. x/image/tiff unpacks a whole strip first, in growing buffers
// of up to eight bytes per pixel, and a strip may be the whole image. So it gets the same image
// without compression, in strips of a megabyte that are unpacked while it reads.
func decodeTIFF(in *source.Input) (image.Image, error) {
	c, err := tiff.DecodeConfig(in.Section())
	if err != nil {
		return nil, err
	}
	t, err := newUnpacked(in, c.Width, c.Height)
	if err != nil {
		return nil, err
	}
	if err := t.describe(); err != nil {
		return nil, err
	}
	return tiff.Decode(io.NewSectionReader(t, 0, t.data+t.size()))
}

// unpacked is a TIFF file followed by its uncompressed pixels and a directory that describes them.
type unpacked struct {
	directory
	tables []byte // the directory and its values, after the file
	data   int64  // offset of the pixels, after the tables
	next   int64  // offset of the next pixels to read

	width, height int64 // of the image
	tiled         bool
	blockWidth    int64 // strips are as wide as the image
	blockHeight   int64 // in the file
	band          int64 // rows of an unpacked strip
	rowBytes      int64 // of a block
	compression   int64

	current  int64 // the block that rest belongs to, in the order of reading
	rest     io.Reader
	inflater io.ReadCloser
}

func newUnpacked(in *source.Input, width, height int) (*unpacked, error) {
	d, err := readDirectory(in, 0)
	if err != nil {
		return nil, err
	}
	t := &unpacked{directory: d, width: int64(width), height: int64(height), current: -1}
	bits, err := d.value(tagBitsPerSample, 0, 1)
	if err != nil {
		return nil, err
	}
	samples := max(1, d.count(tagBitsPerSample))
	var broken [4]error
	t.compression, broken[0] = d.value(tagCompression, 0, tiffNone)
	t.blockWidth, broken[1] = d.value(tagTileWidth, 0, 0)
	t.tiled = t.blockWidth > 0
	if t.tiled {
		t.blockHeight, broken[2] = d.value(tagTileLength, 0, 0)
		t.band = t.blockHeight
	} else {
		t.blockWidth = t.width
		t.blockHeight, broken[3] = d.value(tagRowsPerStrip, 0, t.height)
		if t.blockHeight == 0 || t.blockHeight > t.height {
			t.blockHeight = t.height
		}
	}
	if err := errors.Join(broken[:]...); err != nil {
		return nil, err
	}
	// x/image/tiff supports at most eight samples of 8 bits, and tiles of at least 8 × 8. Tiles
	// wider than the image are only padded.
	if samples > 4 || t.blockHeight < 1 || t.tiled && (min(t.blockWidth, t.blockHeight) < 8 || max(t.blockWidth, t.blockHeight) > source.MaxSide) {
		return nil, fmt.Errorf("blocks of %d × %d pixels of %d samples", t.blockWidth, t.blockHeight, samples)
	}
	t.rowBytes = (t.blockWidth*samples*bits + 7) / 8
	if !t.tiled {
		t.band = min(t.height, max(1, tiffBand/t.rowBytes))
	}
	return t, nil
}

// across and down return the number of blocks per row and of block rows.
func (t *unpacked) across() int64            { return (t.width + t.blockWidth - 1) / t.blockWidth }
func (t *unpacked) down(rows int64) int64    { return (t.height + rows - 1) / rows }
func (t *unpacked) blocks() int64            { return t.across() * t.down(t.band) }
func (t *unpacked) size() int64              { return t.across() * t.rowBytes * t.rows() }
func (t *unpacked) rowsOf(i, of int64) int64 { return min(of, t.rows()-i*of) }

// rows returns the number of rows in a column of blocks. Tiles are padded.
func (t *unpacked) rows() int64 {
	if t.tiled {
		return t.down(t.blockHeight) * t.blockHeight
	}
	return t.height
}

// block returns the size in bytes of the unpacked block i.
func (t *unpacked) block(i int64) int64 { return t.rowBytes * t.rowsOf(i, t.band) }

// tags returns the tags of the offsets and lengths of the file's blocks.
func (t *unpacked) tags() (offsets, counts uint16) {
	if t.tiled {
		return tagTileOffsets, tagTileByteCounts
	}
	return tagStripOffsets, tagStripByteCounts
}

// describe writes the directory of the unpacked image.
func (t *unpacked) describe() error {
	offsets, counts := t.tags()
	blocks := t.across() * t.down(t.blockHeight)
	if t.count(offsets) < blocks || t.count(counts) < blocks {
		return errors.New("fewer blocks than the image has")
	}
	start, n := t.in.Size(), t.blocks()
	entries := int64(len(t.entries)/tiffEntry) + 2 // upper bound
	lists := start + 2 + entries*tiffEntry
	t.data = lists + 8*n
	t.next = t.data
	if t.data+t.size() > 1<<32-1 {
		return source.Refused("The image is too large to be unpacked")
	}
	add := func(tag uint16, count, value int64) {
		t.tables = t.order.AppendUint16(t.tables, tag)
		t.tables = t.order.AppendUint16(t.tables, tiffLong)
		t.tables = t.order.AppendUint32(t.tables, uint32(count))
		t.tables = t.order.AppendUint32(t.tables, uint32(value))
	}
	list := func(tag uint16, at, first int64) {
		if n == 1 {
			at = first
		}
		add(tag, n, at)
	}
	t.tables = make([]byte, 2, t.data-start)
	var written uint16
	rowsWritten := t.tiled
	for e := t.entries; len(e) > 0; e = e[tiffEntry:] {
		tag := t.order.Uint16(e)
		if !rowsWritten && tag >= tagRowsPerStrip { // it may be missing, and tags are in order
			rowsWritten = true
			add(tagRowsPerStrip, 1, t.band)
			written++
		}
		switch {
		case tag == tagRowsPerStrip && !t.tiled:
			continue
		case tag == tagCompression:
			add(tag, 1, tiffNone)
		case tag == offsets:
			list(tag, lists, t.data)
		case tag == counts:
			list(tag, lists+4*n, t.block(0))
		default:
			t.tables = append(t.tables, e[:tiffEntry]...)
		}
		written++
	}
	copy(t.tables, t.order.AppendUint16(nil, written))
	t.tables = append(t.tables, make([]byte, lists-start-int64(len(t.tables)))...)
	t.lists(n)
	return nil
}

// lists writes the offsets and lengths of the blocks. The blocks are stored in the order of
// reading, column by column, but listed row by row.
func (t *unpacked) lists(n int64) {
	across := t.across()
	for i := range n {
		column, row := i%across, i/across
		at := t.data + column*t.rowBytes*t.rows() + row*t.rowBytes*t.band
		t.tables = t.order.AppendUint32(t.tables, uint32(at))
	}
	for i := range n {
		t.tables = t.order.AppendUint32(t.tables, uint32(t.block(i/across)))
	}
}

// ReadAt implements io.ReaderAt. Pixels can only be read once and in order.
func (t *unpacked) ReadAt(p []byte, off int64) (int, error) {
	start := t.in.Size()
	switch {
	case off < start:
		n, err := t.in.ReadAt(p, off)
		if off < 8 { // the header contains the offset of the directory
			head := append([]byte("\x00\x00\x00\x00"), t.order.AppendUint32(nil, uint32(start))...)
			for i := max(4, off); i < min(8, off+int64(n)); i++ {
				p[i-off] = head[i]
			}
		}
		return n, err
	case off < t.data:
		n := copy(p, t.tables[off-start:])
		if n < len(p) {
			return n, io.ErrUnexpectedEOF
		}
		return n, nil
	case off != t.next:
		return 0, errors.New("pixels out of order")
	}
	n, err := t.read(p)
	t.next += int64(n)
	return n, err
}

// read fills p with the next pixels.
func (t *unpacked) read(p []byte) (int, error) {
	read := 0
	for read < len(p) {
		if t.rest == nil {
			if err := t.open(); err != nil {
				return read, err
			}
		}
		n, err := io.ReadFull(t.rest, p[read:])
		read += n
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if l, ok := t.rest.(*io.LimitedReader); !ok || l.N > 0 {
				return read, io.ErrUnexpectedEOF
			}
			t.rest = nil
			continue
		}
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// open starts unpacking the next block of the file, limited to its pixels.
func (t *unpacked) open() error {
	t.current++
	across, down := t.across(), t.down(t.blockHeight)
	column, row := t.current/down, t.current%down
	offsets, counts := t.tags()
	at, err := t.value(offsets, row*across+column, 0)
	if err != nil {
		return err
	}
	length, err := t.value(counts, row*across+column, 0)
	if err != nil {
		return err
	}
	rows := t.rowsOf(row, t.blockHeight)
	r, err := t.unpack(io.NewSectionReader(t.in, at, length), rows)
	if err != nil {
		return err
	}
	t.rest = io.LimitReader(r, rows*t.rowBytes)
	return nil
}

// unpack returns the unpacked contents of a block.
func (t *unpacked) unpack(packed io.Reader, rows int64) (io.Reader, error) {
	switch t.compression {
	case 0, tiffNone:
		return packed, nil
	case tiffLZW:
		return lzw.NewReader(packed, lzw.MSB, 8), nil
	case tiffDeflate, tiffDeflateOld:
		packed = bufio.NewReader(packed)
		if t.inflater != nil {
			return t.inflater, t.inflater.(zlib.Resetter).Reset(packed, nil)
		}
		var err error
		t.inflater, err = zlib.NewReader(packed)
		return t.inflater, err
	case tiffPackBits:
		return &packBits{r: bufio.NewReader(packed)}, nil
	case tiffGroup3, tiffGroup4:
		return t.fax(packed, rows)
	}
	return nil, source.Refused("Images with the compression %d of TIFF cannot be resized", t.compression)
}

func (t *unpacked) fax(packed io.Reader, rows int64) (io.Reader, error) {
	photometric, err := t.value(tagPhotometric, 0, 0)
	if err != nil {
		return nil, err
	}
	fill, err := t.value(tagFillOrder, 0, 1)
	if err != nil {
		return nil, err
	}
	order, coding := ccitt.MSB, ccitt.Group4
	if fill == 2 {
		order = ccitt.LSB
	}
	if t.compression == tiffGroup3 {
		coding = ccitt.Group3
	}
	const whiteIsZero = 0
	return ccitt.NewReader(packed, order, coding, int(t.blockWidth), int(rows), &ccitt.Options{Invert: photometric == whiteIsZero}), nil
}

// packBits unpacks runs of equal bytes: TIFF 6.0, section 9.
type packBits struct {
	r      *bufio.Reader
	left   int  // of the run
	equal  bool // all bytes are value
	value  byte
	failed error
}

// Read implements io.Reader.
func (u *packBits) Read(p []byte) (n int, err error) {
	for n < len(p) && u.failed == nil {
		if u.left == 0 {
			u.run()
			continue
		}
		part := p[n:min(len(p), n+u.left)]
		if u.equal {
			for i := range part {
				part[i] = u.value
			}
		} else {
			var got int
			if got, u.failed = io.ReadFull(u.r, part); u.failed != nil {
				part = part[:got]
			}
		}
		n += len(part)
		u.left -= len(part)
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.failed
}

// run starts the next run.
func (u *packBits) run() {
	var code byte
	if code, u.failed = u.r.ReadByte(); u.failed != nil {
		return
	}
	switch length := int(int8(code)); {
	case length >= 0:
		u.left, u.equal = length+1, false
	case length > -128: // -128 is a no-op
		u.left, u.equal = 1-length, true
		u.value, u.failed = u.r.ReadByte()
	}
}
