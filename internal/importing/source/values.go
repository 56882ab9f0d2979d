package source

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/transform"

	"vitrine/internal/domain"
	"vitrine/internal/weburl"
)

// LinkOf parses the URL of a page. It returns its canonical form, and an id that is the same for all ways
// to write the URL. If the text cannot become a Link, why is the reason.
func LinkOf(text string) (address, id, why string) {
	text = strings.TrimSpace(text)
	u, err := weburl.Parse(text)
	if err != nil {
		return "", "", notLink(text, err)
	}
	if u.User != nil {
		return "", "", "its address contains a user name or password"
	}
	if address = u.String(); len(address) > domain.MaxURL {
		return "", "", notLink(text, weburl.ErrTooLong)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return address, IDOf(u.String()), ""
}

// notLink returns the reason why a text is not the URL of a page.
func notLink(text string, err error) string {
	scheme, _, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		return "has no address"
	case errors.Is(err, weburl.ErrTooLong):
		return fmt.Sprintf("its address is longer than %d bytes", domain.MaxURL)
	case errors.Is(err, weburl.ErrScheme) && !strings.Contains(scheme, "."):
		return fmt.Sprintf("%.40s: is not a web address", strings.ToLower(scheme))
	case errors.Is(err, weburl.ErrScheme), !webScheme.MatchString(text):
		return "its address does not begin with http:// or https://"
	}
	return "its address is malformed"
}

var webScheme = regexp.MustCompile(`^(?i:https?):`)

// IDOf returns an id for a text: the text itself, or its hash if it is long.
func IDOf(s string) string {
	const most = 200 // bytes
	if len(s) <= most {
		return s
	}
	return SumOf("sha256", s)
}

// SumOf returns an id that is the hash of a text.
func SumOf(kind, s string) string {
	sum := sha256.Sum256([]byte(s))
	return kind + ":" + hex.EncodeToString(sum[:])
}

// layouts are the date formats of other programs.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999-0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02 15:04:05 -0700", "2006/01/02 15:04:05", "2006/01/02",
	time.RFC1123Z, time.RFC1123, "02.01.2006 15:04:05", "02.01.2006 15:04", "02.01.2006", "2.1.2006",
	"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006",
}

// Earlier and later dates are mistakes.
var (
	earliest = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

// DateOf parses a date in ISO 8601 or another unambiguous form, or a Unix time in seconds,
// milliseconds, microseconds or nanoseconds. It returns the zero time for any other text. A date
// without a time zone is in UTC.
func DateOf(text string) time.Time {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return dated(number(n))
	}
	if len(text) > 64 {
		return time.Time{}
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return dated(at)
		}
	}
	return time.Time{}
}

// number parses a Unix time by its size: seconds until the year 5138, then milliseconds,
// microseconds and nanoseconds.
func number(n int64) time.Time {
	switch {
	case n < 1e11:
		return time.Unix(n, 0)
	case n < 1e14:
		return time.UnixMilli(n)
	case n < 1e17:
		return time.UnixMicro(n)
	}
	return time.Unix(0, n)
}

func dated(at time.Time) time.Time {
	if at.Before(earliest) || at.After(latest) {
		return time.Time{}
	}
	return at.UTC()
}

// TagsOf splits tags at any of the separators, or reads them from a list in JSON.
func TagsOf(text, separators string) []string {
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return TagList(list)
	}
	return TagList(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }))
}

// TagList returns tags without empty ones and repetitions.
func TagList(list []string) (tags []string) {
	seen := map[string]bool{}
	for _, tag := range list {
		tag = strings.Join(strings.Fields(tag), " ")
		if tag != "" && !seen[tag] && len(tags) < maxTags {
			seen[tag] = true
			tags = append(tags, tag)
		}
	}
	return tags
}

// maxTags is how many tags of an item are kept.
const maxTags = 200

// Stated returns metadata with the keys whose value is true, or nil if all are false.
func Stated(of map[string]bool) (metadata map[string]any) {
	for name, is := range of {
		if is && metadata == nil {
			metadata = map[string]any{}
		}
		if is {
			metadata[name] = true
		}
	}
	return metadata
}

// LinesOf reads a text whose lines end in CR, LF or both, with LF or CRLF at the end of each.
func LinesOf(r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(transform.NewReader(r, lineEnds{}), bufferSize)
}

// lineEnds replaces CR by LF, unless LF follows it.
type lineEnds struct{ transform.NopResetter }

func (lineEnds) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		if written == len(dst) {
			return written, read, transform.ErrShortDst
		}
		c := src[read]
		if c == '\r' {
			if read+1 == len(src) && !atEOF {
				return written, read, transform.ErrShortSrc
			}
			if read+1 == len(src) || src[read+1] != '\n' {
				c = '\n'
			}
		}
		dst[written] = c
		written++
		read++
	}
	return written, read, nil
}

// Bounded reads at most Left bytes, which its user sets again for each part of a file. It keeps the
// error that ended the reading, unless that is the end of the file.
type Bounded struct {
	In   io.Reader
	Left int
	Full error // returned when Left is used up
	Err  error
}

func (b *Bounded) Read(p []byte) (int, error) {
	if b.Left <= 0 {
		b.Err = b.Full
		return 0, b.Err
	}
	n, err := b.In.Read(p[:min(len(p), b.Left)])
	b.Left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.Err = err
	}
	return n, err
}

// Shortened cuts a text for a report.
func Shortened(text string) string {
	const most = 120 // characters
	text = strings.Join(strings.Fields(text), " ")
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// CutTitle shortens a title that has to be kept in memory. It leaves a little more than a title may
// have, so that the import still reports that it is too long.
func CutTitle(text string) string { return cut(text, 4*(domain.MaxTitle+1)) }

// CutDescription is CutTitle for a description.
func CutDescription(text string) string { return cut(text, 4*(domain.MaxDescription+1)) }

// cut returns a copy of the first bytes of a text that is longer, without a broken character at its end.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:limit]), "")
}
