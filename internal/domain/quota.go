package domain

import (
	"fmt"
	"strconv"
	"time"
)

// Quota limits the bytes that a user can store; 0 is unlimited.
type Quota struct {
	Unused int64 // of uploads that nothing was created from yet
	Total  int64 // of unused uploads, files and texts
}

// Reservation reserves quota for bytes that are being received.
type Reservation struct {
	Key       string // what the bytes are for; retries use the same reservation
	UserID    UserID
	Upload    bool // for an upload
	Bytes     int64
	ExpiresAt time.Time // unless it is extended
}

// ByteUsage is a user's stored bytes.
type ByteUsage struct {
	UserID  UserID
	Tier    Tier
	Unused  int64 // bytes of unused uploads, including those being received
	Texts   int64 // bytes of texts, times TextFactor
	Total   int64 // bytes of unused uploads, files, files being uploaded, and texts
	Uploads int64 // unused uploads, including upload URLs that are still valid
}

// TextFactor is the factor by which the size of a text counts towards a quota. The search index and
// the rows of a text add up to a quarter of a long text, and more of a short one.
const TextFactor = 2

// Files returns the bytes of files, including files being uploaded that are not unused uploads.
func (u ByteUsage) Files() int64 { return u.Total - u.Unused - u.Texts }

// FormatBytes formats a size for people: "1.5 GiB", "512 bytes".
func FormatBytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1<<10 {
		return Counted(n, "byte", "bytes")
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

// Counted returns a number with the word for one or for any other number: "1 channel", "2 channels".
func Counted[N int | int64](n N, one, other string) string {
	if n == 1 {
		other = one
	}
	return fmt.Sprint(n) + " " + other
}

// Totals counts the contents of a site.
type Totals struct {
	Users, Groups, Channels, Blocks, Connections int64
	Bytes                                        int64 // of uploads, files and texts, as counted towards quotas
}
