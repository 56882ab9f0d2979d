package changes

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store/changes"
)

// A cursor contains the epoch of the database, a position and a MAC over both.
const (
	epochLength  = 8
	cursorBytes  = epochLength + 16 + core.CursorMAC
	cursorLength = (cursorBytes*4 + 2) / 3
)

// cursorOf returns the cursor of a position.
func cursorOf(secret string, p domain.ChangePosition) string {
	all := append([]byte(nil), epochOf(secret)...)
	all = binary.BigEndian.AppendUint64(all, uint64(p.Transaction))
	all = binary.BigEndian.AppendUint64(all, uint64(p.ID))
	return base64.RawURLEncoding.EncodeToString(append(all, core.MACOf(secret, all)...))
}

// epochOf returns what identifies the epoch in cursors.
func epochOf(secret string) []byte {
	sum := sha256.Sum256([]byte("epoch\x00" + secret))
	return sum[:epochLength]
}

// Epoch returns what identifies the changes with a secret. A restored database has another one.
func Epoch(secret string) string { return base64.RawURLEncoding.EncodeToString(epochOf(secret)) }

// The errors for cursors.
var (
	errForeign = domain.InvalidField("cursor", domain.FieldUnknown, "is not a cursor of this list: use one that a response contained")
	errFuture  = domain.InvalidField("cursor", domain.FieldUnknown, "is in the future: the database was replaced by an older one. Start again without a cursor")
	errGone    = domain.Wrap(domain.Gone, "cursor: the changes since then are no longer known. Read everything again: request this address without a cursor first, then read your copy, and continue with the cursor of that first response", nil)
)

// positionOf returns the position of a cursor. A cursor of another epoch, or from before the oldest known change, is
// Gone.
func positionOf(s changes.State, cursor string) (p domain.ChangePosition, err error) {
	if len(cursor) != cursorLength {
		return p, errForeign
	}
	all, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return p, errForeign
	}
	if !hmac.Equal(all[:epochLength], epochOf(s.Secret)) {
		return p, errGone
	}
	text := all[:cursorBytes-core.CursorMAC]
	if !hmac.Equal(all[len(text):], core.MACOf(s.Secret, text)) {
		return p, errForeign
	}
	p.Transaction = int64(binary.BigEndian.Uint64(text[epochLength:]))
	p.ID = int64(binary.BigEndian.Uint64(text[epochLength+8:]))
	switch {
	case p.Before(s.Forgotten):
		return p, errGone
	case !s.Standby && (p.Transaction > s.Newest || s.Newest == 0 && s.End.Before(p)):
		return p, errFuture
	}
	return p, nil
}
