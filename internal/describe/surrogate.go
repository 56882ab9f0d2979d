package describe

import (
	"strconv"
)

// halfSurrogate reports whether a JSON text escapes one half of a surrogate pair without the
// other. Decoders silently replace it with U+FFFD.
func halfSurrogate(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		switch unit := escape(text[i-1:]); {
		case unit>>10 == 0xDC00>>10:
			return true
		case unit>>10 == 0xD800>>10:
			if escape(text[min(i+5, len(text)):])>>10 != 0xDC00>>10 {
				return true
			}
			i += 6
		}
	}
	return false
}

// escape returns the code unit of the \uXXXX at the beginning of a text, or 0.
func escape(text []byte) uint64 {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return unit
}
