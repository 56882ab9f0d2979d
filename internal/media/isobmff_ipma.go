package media

import "encoding/binary"

// associations returns the indexes of the properties that an ipma box gives to
// the item: ISO/IEC 23008-12, section 9.3.2. A broken box gives fewer.
func associations(b []byte, item uint32) []int {
	if len(b) < 8 {
		return nil
	}
	wideIDs, wideIndexes := b[0] > 0, b[3]&1 == 1
	entries := binary.BigEndian.Uint32(b[4:])
	b = b[8:]
	for ; entries > 0; entries-- {
		var id uint32
		switch {
		case wideIDs && len(b) >= 5:
			id, b = binary.BigEndian.Uint32(b), b[4:]
		case !wideIDs && len(b) >= 3:
			id, b = uint32(binary.BigEndian.Uint16(b)), b[2:]
		default:
			return nil
		}
		count, size := int(b[0]), 1
		if wideIndexes {
			size = 2
		}
		b = b[1:]
		if len(b) < count*size {
			return nil
		}
		if id == item {
			return indexes(b[:count*size], size)
		}
		b = b[count*size:]
	}
	return nil
}

// indexes reads indexes of size bytes without their first bit, which says
// whether a reader must understand the property.
func indexes(b []byte, size int) []int {
	var all []int
	for ; len(b) > 0; b = b[size:] {
		if size == 2 {
			all = append(all, int(binary.BigEndian.Uint16(b)&0x7FFF))
		} else {
			all = append(all, int(b[0]&0x7F))
		}
	}
	return all
}
