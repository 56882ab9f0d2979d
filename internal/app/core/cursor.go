package core

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"vitrine/internal/domain"
)

// CursorMAC is the length of the MAC in a cursor.
const CursorMAC = 16

// MACOf authenticates the text of a cursor. For cursors of lists and changes, the secret is that of the epoch of the
// changes, so restoring a backup invalidates them.
func MACOf(secret string, text []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(text)
	return h.Sum(nil)[:CursorMAC]
}

// MaxCursor is the maximum length of a cursor of a list.
const MaxCursor = 600

// SealCursor returns the cursor of a place in a list. It can only be opened for the same query.
func SealCursor(secret, query string, place any) string {
	text, err := json.Marshal(place)
	if err != nil {
		panic(err) // places are plain numbers and texts
	}
	return base64.RawURLEncoding.EncodeToString(append(text, listMAC(secret, query, text)...))
}

func listMAC(secret, query string, text []byte) []byte {
	return MACOf(secret, bytes.Join([][]byte{[]byte("list"), []byte(query), text}, []byte{0}))
}

var errCursor = domain.InvalidField("cursor", domain.FieldUnknown, "is not a cursor of this list in this order: use one that a response contained, with the same parameters")

// OpenCursor decodes a cursor of the same query into place. Altered cursors and those of other lists are Invalid.
func OpenCursor(secret, query, cursor string, place any) error {
	if len(cursor) > MaxCursor {
		return errCursor
	}
	all, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(all) < CursorMAC {
		return errCursor
	}
	text := all[:len(all)-CursorMAC]
	if !hmac.Equal(all[len(text):], listMAC(secret, query, text)) || json.Unmarshal(text, place) != nil {
		return errCursor
	}
	return nil
}
