package e2e

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// hostilePicture gives pictures that cost far more to decode than to send, in turn.
func hostilePicture(n int) []byte {
	switch n % 3 {
	case 0:
		return hollowPNG(30_000_000, 1, 0, n)
	case 1:
		return hollowPNG(9_000, 9_000, 6, n)
	default:
		return hollowPNG(32_000, 2_000, 6, n)
	}
}

// hollowPNG is a black picture of 8 bits a sample; mark makes its bytes its own.
func hollowPNG(width, height uint32, colorType byte, mark int) []byte {
	samples := map[byte]int{0: 1, 6: 4}[colorType]
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	row := make([]byte, 1+int(width)*samples)
	for range height {
		_, _ = z.Write(row) // to memory
	}
	_ = z.Close()
	var file bytes.Buffer
	_, _ = io.WriteString(&file, "\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	pngChunk(&file, "IHDR", append(header, 8, colorType, 0, 0, 0))
	pngChunk(&file, "tEXt", binary.BigEndian.AppendUint32([]byte("mark\x00"), uint32(mark)))
	pngChunk(&file, "IDAT", data.Bytes())
	pngChunk(&file, "IEND", nil)
	return file.Bytes()
}

func pngChunk(file *bytes.Buffer, name string, data []byte) {
	_ = binary.Write(file, binary.BigEndian, uint32(len(data)))
	sum := crc32.NewIEEE()
	_, _ = io.MultiWriter(file, sum).Write(append([]byte(name), data...))
	_ = binary.Write(file, binary.BigEndian, sum.Sum32())
}
