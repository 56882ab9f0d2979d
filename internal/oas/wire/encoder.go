package wire

import "github.com/go-faster/jx"

// maxPooled keeps rare large bodies, in bytes, from staying in memory for ever.
const maxPooled = 1 << 20

// GetEncoder gives an empty encoder, whose memory may have served another response.
func GetEncoder() *jx.Encoder { return jx.GetEncoder() }

// PutEncoder takes an encoder back. Nothing of what it wrote may be used after that.
func PutEncoder(e *jx.Encoder) {
	if cap(e.Bytes()) <= maxPooled {
		jx.PutEncoder(e)
	}
}
