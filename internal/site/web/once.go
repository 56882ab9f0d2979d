package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"vitrine/internal/app/core"
)

// OnceKey is the key of what a form makes, by which the same form sent again makes nothing:
// from the hidden field "once" ({{once}}), and from all that makes up the thing. A page that a
// browser kept may hold a key that was used, and so a key stands for this content alone.
func (v *Visit) OnceKey(content ...string) core.OnceKey {
	once := v.R.PostForm.Get("once")
	if once == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", once, content))
	return core.OnceKey(hex.EncodeToString(sum[:]))
}
