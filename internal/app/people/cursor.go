package people

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"math"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// A cursor contains an activity's id and a MAC over the list, its reader and the id. It works for no other list, and
// only if this installation issued it (behaviour.md section 1).
const cursorLength = (8 + core.CursorMAC) * 4 / 3

// CursorInput requests a page of a list by cursor. Next and Prev are nil if they were not given.
type CursorInput struct {
	Limit      int
	Next, Prev *string
}

// Validate checks everything except the cursors themselves.
func (in CursorInput) Validate() error {
	var f domain.Faults
	f.Between("limit", int64(in.Limit), 1, domain.MaxPerPage)
	if in.Next != nil && in.Prev != nil {
		f.Add("next", domain.FieldExclusive, "cannot be given together with prev")
		f.Add("prev", domain.FieldExclusive, "cannot be given together with next")
	}
	return f.Err()
}

// CursorPage is a page of a list, newest first. Next leads to older entries and is "" at the end; Prev leads to newer
// ones. More reports whether there are more entries in the requested direction: newer for a request with Prev, otherwise
// older.
type CursorPage[T any] struct {
	Items      []T
	Next, Prev string
	More       bool
}

// cursors creates and reads the cursors of one list of one user.
type cursors struct {
	key  []byte
	list string
	user domain.UserID
}

// cursors returns the cursors of a list.
func (a *People) cursors(ctx context.Context, list string, user domain.UserID) (cursors, error) {
	key, err := a.Secret(ctx, &a.cursorKey, "cursors")
	return cursors{key, list, user}, err
}

// at returns the cursor of an activity, or "" for 0.
func (c cursors) at(id domain.ActivityID) string {
	if id == 0 {
		return ""
	}
	bytes := binary.BigEndian.AppendUint64(nil, uint64(id))
	return base64.RawURLEncoding.EncodeToString(append(bytes, c.mac(bytes)...))
}

func (c cursors) mac(id []byte) []byte {
	text := binary.BigEndian.AppendUint64([]byte(c.list+"\x00"), uint64(c.user))
	return core.MACOf(string(c.key), append(text, id...))
}

// read returns the id in a cursor.
func (c cursors) read(field, cursor string) (domain.ActivityID, error) {
	if len(cursor) == cursorLength {
		bytes, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
		if err == nil && hmac.Equal(bytes[8:], c.mac(bytes[:8])) {
			return domain.ActivityID(binary.BigEndian.Uint64(bytes)), nil
		}
	}
	return 0, domain.InvalidField(field, domain.FieldUnknown, "is not a cursor of this list")
}

// window returns the requested part of the list, without a limit.
func (c cursors) window(in CursorInput) (w domain.Window, err error) {
	w.Before = math.MaxInt64
	if err := in.Validate(); err != nil {
		return w, err
	}
	switch {
	case in.Next != nil:
		w.Before, err = c.read("next", *in.Next)
	case in.Prev != nil:
		w.Rising = true
		w.After, err = c.read("prev", *in.Prev)
	}
	return w, err
}
