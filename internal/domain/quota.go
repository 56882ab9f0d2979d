package domain

import (
	"strconv"
	"time"
)

// Quota bounds the bytes that a user has stored. 0 is no bound.
type Quota struct {
	Unused int64 // of uploads that nothing has been made of yet
	Total  int64 // of unused uploads, of the files of blocks and pictures, and of texts
}

// Reservation is room held for bytes on their way.
type Reservation struct {
	Key       string // what they are for: one holds room once, however often it is tried
	UserID    UserID
	Upload    bool // they will be an upload's
	Bytes     int64
	ExpiresAt time.Time // unless the reservation is extended
}

// ByteUsage is what a user has stored.
type ByteUsage struct {
	UserID  UserID
	Tier    Tier
	Unused  int64 // bytes of uploads that nothing has been made of yet, those on their way included
	Texts   int64 // bytes of texts, times TextFactor
	Total   int64 // bytes of unused uploads, files, files being uploaded, and texts
	Uploads int64 // that something can still be made of: open addresses, and unused bytes
}

// TextFactor is the factor by which the size of a text counts towards a quota. The search index and
// the rows of a text add up to a quarter of a long text, and more of a short one.
const TextFactor = 2

// Files returns the bytes of files, including files being uploaded that are not unused uploads.
func (u ByteUsage) Files() int64 { return u.Total - u.Unused - u.Texts }

// FormatBytes writes a size for people: "1.5 GiB", "512 bytes".
func FormatBytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	size, unit := float64(n)/(1<<10), 0
	for size >= 1023.95 && unit < len(units)-1 {
		size, unit = size/(1<<10), unit+1
	}
	text := strconv.FormatFloat(size, 'f', 1, 64)
	if whole := text[:len(text)-2]; text == whole+".0" {
		text = whole
	}
	return text + " " + units[unit]
}

// Totals is how much a site holds.
type Totals struct {
	Users, Groups, Channels, Blocks, Connections int64
	Bytes                                        int64 // of uploads, files and texts, as they count towards quotas
}
