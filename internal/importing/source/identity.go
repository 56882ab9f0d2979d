package source

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"vitrine/internal/domain"
)

// FormerOrigin is the origin that all bookmarks and tables shared in earlier versions.
const FormerOrigin = "bookmarks"

// Identity is what identifies a file.
type Identity struct {
	Name   string     // its origin
	Others []string   // origins that earlier versions gave to it
	Blocks [][]string // ids of the first blocks
}

// ErrNotRecognized is the error for a file of an unknown format.
var ErrNotRecognized = domain.NewUnprocessable("The format of the file is not recognized. These are: bookmarks in HTML, OPML, CSV with a line of headings such as url and title, JSON of Pinboard, wallabag, Karakeep or Google Keep, lists with an address on each line, and ZIP files of Pocket and Google Takeout")

// ErrEmpty is the error for an empty file.
var ErrEmpty = domain.NewUnprocessable("The file is empty")

// identityHead is how many bytes at the beginning of a file are read to identify it.
const identityHead = 256 << 10

// HeadOf returns the beginning of a file and a reader of the whole file. The reader also returns errors
// from reading the head.
func HeadOf(r io.Reader) (head []byte, all io.Reader) {
	in := bufio.NewReaderSize(r, identityHead)
	head, _ = in.Peek(identityHead)
	return head, in
}

// Origin returns the origin of a file by its format and its names.
func Origin(format string, names ...string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = sameName(name)
	}
	return IDOf(format + ":" + strings.Join(all, "/"))
}

var (
	copies = regexp.MustCompile(`\(\d+\)$`)
	dates  = regexp.MustCompile(`\d+(?:[-_.:, tTzZ]+\d+){2,}[zZ]?|\d{6,}`)
)

// sameName removes from a name everything that differs between two exports of the same service: dates,
// the number of a download, case and punctuation.
func sameName(name string) string {
	name = copies.ReplaceAllString(strings.TrimSpace(name), "")
	name = dates.ReplaceAllString(name, " ")
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// FormerID returns the id that versions before canonical URLs gave to the URL of a page that has this id
// now. It returns "" if the id is the same, or if those versions refused the URL.
func FormerID(text, id string) string {
	text = strings.NewReplacer("\n", "", "\r", "", "\t", "", " ", "%20").Replace(strings.TrimSpace(text))
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return ""
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, port), ":")
	}
	if u.Path == "" {
		u.Path, u.RawPath = "/", ""
	}
	if former := IDOf(u.String()); former != id {
		return former
	}
	return ""
}

// sampled is the number of blocks in a sample.
const sampled = 100

var errEnough = errors.New("the sample is complete")

// Sample is a Sink that records the title of a file and the ids of its first blocks.
type Sample struct {
	Title  string
	Blocks [][]string
	Max    int // maximum number of blocks; 0: sampled
}

// Of reads a source until the sample is complete. It ignores errors, because the file may be cut off.
func (s *Sample) Of(ctx context.Context, src Source) {
	_ = src.Read(ctx, s)
}

// Channel records the title of the root.
func (s *Sample) Channel(_ context.Context, c Channel) error {
	if c.Root {
		s.Title = c.Title
	}
	return nil
}

// Item records the id of a block.
func (s *Sample) Item(_ context.Context, _ string, it Item) error {
	if it.Kind != Nested {
		ids := []string{it.ID}
		if it.FormerID != "" {
			ids = append(ids, it.FormerID)
		}
		s.Blocks = append(s.Blocks, ids)
	}
	if limit := s.Max; len(s.Blocks) >= sampled || limit > 0 && len(s.Blocks) >= limit {
		return errEnough
	}
	return nil
}

// The other methods of Sink do nothing.

func (s *Sample) Expect(int)                                             {}
func (s *Sample) Comment(context.Context, string, string, Comment) error { return nil }
func (s *Sample) Close(context.Context, string) error                    { return nil }
func (s *Sample) Orphan(context.Context, Item) error                     { return nil }
func (s *Sample) Following(context.Context, Following) error             { return nil }
func (s *Sample) Profile(context.Context, Profile) error                 { return nil }
func (s *Sample) LeftOut(LeftOut)                                        {}
