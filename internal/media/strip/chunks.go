package strip

import (
	"encoding/binary"
	"hash/crc32"
)

// maxExif limits the Exif of formats that allow any size.
const maxExif = 1 << 20

// pngChunks are the chunks that are needed to decode an image: those of PNG (third edition) and of Apple.
// All critical chunks are kept, too.
var pngChunks = words("tRNS gAMA cHRM sRGB iCCP sBIT bKGD hIST pHYs sPLT oFFs sTER sCAL acTL fcTL fdAT cICP mDCV mDCv cLLI cLLi iDOT")

// png keeps only these chunks, and removes data after the end. A truncated file is kept up to the
// missing part.
func png(in *input) error {
	exif := false
	for at := int64(8); ; {
		if in.size-at < 8 {
			return in.cut(at, in.size)
		}
		head, err := in.bytes(at, 8, 8)
		if err != nil {
			return err
		}
		kind, length := string(head[4:]), int64(binary.BigEndian.Uint32(head))
		if length > 1<<31-1 {
			return malformed("a chunk of %d bytes", length)
		}
		end := min(at+12+length, in.size)
		switch {
		case kind == "IEND":
			return in.cut(end, in.size)
		case kind[0] >= 'A' && kind[0] <= 'Z' || pngChunks[kind]:
		case kind == "eXIf" && !exif && end == at+12+length && length <= maxExif:
			exif = true
			body, err := in.bytes(at+8, length, maxExif)
			if err != nil {
				return err
			}
			var chunk []byte
			if text := minimalExif(body); text != nil {
				chunk = append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), "eXIf"...)
				chunk = append(chunk, text...)
				chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
			}
			if err := in.replace(at, end, chunk); err != nil {
				return err
			}
		default:
			if err := in.cut(at, end); err != nil {
				return err
			}
		}
		at = end
	}
}

// webpChunks are the chunks that are needed to decode an image (RFC 9649).
var webpChunks = words("VP8X ALPH ANIM ANMF ICCP VP8L")

// webp keeps only these chunks, and updates the size and the flags in the header.
func webp(in *input) error {
	head, err := in.bytes(0, 12, 12)
	if err != nil {
		return err
	}
	end := min(int64(binary.LittleEndian.Uint32(head[4:]))+8, in.size)
	flags, extended, exif := byte(0), int64(0), false
	removed := int64(0)
	for at := int64(12); at < end; {
		if end-at < 8 {
			removed += end - at
			if err := in.cut(at, end); err != nil {
				return err
			}
			break
		}
		head, err := in.bytes(at, 8, 8)
		if err != nil {
			return err
		}
		kind, length := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		next := min(at+8+length+length%2, end)
		switch {
		case kind == "VP8X" && length >= 10 && next == at+8+length+length%2:
			body, err := in.bytes(at+8, 1, 1)
			if err != nil {
				return err
			}
			flags, extended = body[0], at+8
		case kind == "VP8 " || webpChunks[kind]:
		default:
			var chunk []byte
			if kind == "EXIF" && extended > 0 && !exif && at+8+length <= end && length <= maxExif {
				body, err := in.bytes(at+8, length, maxExif)
				if err != nil {
					return err
				}
				if text := minimalExif(body); text != nil {
					exif = true
					chunk = binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(text)))
					chunk = append(chunk, text...)
					if len(text)%2 == 1 {
						chunk = append(chunk, 0)
					}
				}
			}
			removed += next - at - int64(len(chunk))
			if err := in.replace(at, next, chunk); err != nil {
				return err
			}
		}
		at = next
	}
	if extended > 0 {
		want := flags &^ (0x08 | 0x04) // Exif and XMP
		if exif {
			want |= 0x08
		}
		if err := in.replace(extended, extended+1, []byte{want}); err != nil {
			return err
		}
	}
	if err := in.replace(4, 8, binary.LittleEndian.AppendUint32(nil, uint32(end-8-removed))); err != nil {
		return err
	}
	return in.cut(end, in.size)
}

// gifApplications are the application extensions that viewers use: loops and colour profiles.
var gifApplications = words("NETSCAPE2.0 ANIMEXTS1.0 ICCRGBG1012")

// gif removes comments, texts, XMP and other extensions, and data after the end.
func gif(in *input) error {
	head, err := in.bytes(0, 13, 13)
	if err != nil {
		return err
	}
	at := 13 + colours(head[10])
	for {
		if at >= in.size {
			return nil
		}
		start, err := in.bytes(at, 1, 1)
		if err != nil {
			return err
		}
		begin := at
		keep := true
		switch start[0] {
		case 0x3b:
			return in.cut(at+1, in.size)
		case 0x2c:
			image, err := in.bytes(at, 10, 10)
			if err != nil {
				return err
			}
			at += 10 + colours(image[9]) + 1
		case 0x21:
			label, err := in.bytes(at, 3, 3)
			if err != nil {
				return err
			}
			keep = label[1] == 0xf9
			if label[1] == 0xff && label[2] == 11 {
				name, err := in.bytes(at+3, 11, 11)
				if err != nil {
					return err
				}
				keep = gifApplications[string(name)]
			}
			at += 2
		default: // viewers stop here, too
			return in.cut(at, in.size)
		}
		for at < in.size { // blocks with a length byte each, up to an empty block
			length, err := in.bytes(at, 1, 1)
			if err != nil {
				return err
			}
			if at += 1 + int64(length[0]); length[0] == 0 {
				break
			}
		}
		at = min(at, in.size)
		if !keep {
			if err := in.cut(begin, at); err != nil {
				return err
			}
		}
	}
}

// colours returns the size of the colour table that flags declare.
func colours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}
