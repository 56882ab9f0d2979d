package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"vitrine/internal/app/core"
)

// OnceKey returns an idempotency key: sending the same form again creates nothing. It is derived
// from the hidden field "once" ({{once}}) and the content, since a cached page may contain a used
// value.
func (v *Visit) OnceKey(content ...string) core.OnceKey {
	once := v.R.PostForm.Get("once")
	if once == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", once, content))
	return core.OnceKey(hex.EncodeToString(sum[:]))
}
