package sound

import (
	"bytes"
	"encoding/binary"
	"io"
)

// maxSeconds is the maximum length that is believed: a week.
const maxSeconds = 7 * 24 * 60 * 60

// seconds returns the length of an audio file, or 0 if it is unknown.
func seconds(file io.ReaderAt, size int64) int64 {
	head := part(file, 0, 64<<10, size)
	start := int64(0)
	if len(head) >= 10 && string(head[:3]) == "ID3" { // precedes MP3 and sometimes FLAC
		start = 10 + int64(head[6]&0x7f)<<21 + int64(head[7]&0x7f)<<14 + int64(head[8]&0x7f)<<7 + int64(head[9]&0x7f)
		head = part(file, start, 64<<10, size)
	}
	if len(head) < 32 {
		return 0
	}
	var units, rate uint64
	switch {
	case string(head[:4]) == "fLaC":
		units, rate = flacLength(head)
	case string(head[:4]) == "OggS":
		units, rate = oggLength(head, part(file, max(0, size-64<<10), 64<<10, size))
	case string(head[4:8]) == "ftyp":
		units, rate = mp4Length(file, size)
	case string(head[:4]) == "RIFF" && string(head[8:12]) == "WAVE":
		units, rate = uint64(size), uint64(binary.LittleEndian.Uint32(head[28:32]))
	default:
		units, rate = mpegLength(head, size-start)
	}
	if rate == 0 || units/rate > maxSeconds {
		return 0
	}
	return int64((units + rate/2) / rate)
}

// part reads at most n bytes of a file.
func part(file io.ReaderAt, at, n, size int64) []byte {
	if at < 0 || at >= size {
		return nil
	}
	b := make([]byte, min(n, size-at))
	read, _ := file.ReadAt(b, at)
	return b[:read]
}

// flacLength reads the number of samples and their rate from the first metadata block.
func flacLength(head []byte) (samples, rate uint64) {
	x := binary.BigEndian.Uint64(head[18:26])
	return x & (1<<36 - 1), x >> 44
}

// oggLength reads the rate from the first packet, and the number of samples from the last page.
func oggLength(head, tail []byte) (samples, rate uint64) {
	if at := bytes.Index(head, []byte("\x01vorbis")); at >= 0 && len(head) >= at+16 {
		rate = uint64(binary.LittleEndian.Uint32(head[at+12:]))
	} else if bytes.Contains(head, []byte("OpusHead")) {
		rate = 48_000
	}
	if at := bytes.LastIndex(tail, []byte("OggS")); at >= 0 && len(tail) >= at+14 {
		samples = binary.LittleEndian.Uint64(tail[at+6:])
	}
	return samples, rate
}

// maxBoxes limits the boxes that are searched.
const maxBoxes = 1000

// mp4Length reads the header of the movie, mvhd in moov.
func mp4Length(file io.ReaderAt, size int64) (units, scale uint64) {
	at := int64(0)
	for range maxBoxes {
		head := part(file, at, 16, size)
		if len(head) < 16 {
			return 0, 0
		}
		length, header := int64(binary.BigEndian.Uint32(head)), int64(8)
		if length == 1 {
			length, header = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		switch string(head[4:8]) {
		case "moov":
			at += header
			continue
		case "mvhd":
			b := part(file, at+header, 32, size)
			switch {
			case len(b) < 32:
			case b[0] == 0:
				return uint64(binary.BigEndian.Uint32(b[16:])), uint64(binary.BigEndian.Uint32(b[12:]))
			default:
				return binary.BigEndian.Uint64(b[24:]), uint64(binary.BigEndian.Uint32(b[20:]))
			}
			return 0, 0
		}
		if length < header || at > size-length {
			return 0, 0
		}
		at += length
	}
	return 0, 0
}

var (
	mpegRates = [...]uint64{44_100, 48_000, 32_000}
	// Bit rates of layer III in kilobits per second, of version 1 and of versions 2 and 2.5.
	mpegBits = [2][16]uint64{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}}
)

// mpegLength reads the number of frames from the first frame of an MP3 file. Without it, all frames have the same size.
func mpegLength(head []byte, size int64) (units, rate uint64) {
	for at := 0; at+200 <= len(head); at++ {
		h := binary.BigEndian.Uint32(head[at:])
		version, index, bits := h>>19&3, h>>10&3, h>>12&15 // version 3 is MPEG 1, 2 is MPEG 2, and 0 is MPEG 2.5
		if h>>21 != 1<<11-1 || version == 1 || h>>17&3 != 1 || index == 3 || bits == 0 || bits == 15 {
			continue
		}
		rate, samples, old := mpegRates[index], uint64(1152), 0
		if version != 3 {
			rate, samples, old = rate>>(1+(2-version)/2), 576, 1
		}
		for _, name := range []string{"Xing", "Info"} {
			if x := bytes.Index(head[at:at+64], []byte(name)); x >= 0 && head[at+x+7]&1 == 1 {
				return uint64(binary.BigEndian.Uint32(head[at+x+8:])) * samples, rate
			}
		}
		if string(head[at+36:at+40]) == "VBRI" {
			return uint64(binary.BigEndian.Uint32(head[at+50:])) * samples, rate
		}
		return uint64(max(0, size-int64(at))), mpegBits[old][bits] * 1000 / 8
	}
	return 0, 0
}
