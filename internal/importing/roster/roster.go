// Package roster reads lists of people, as spreadsheets write them, who are to be invited.
package roster

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/importing/plain"
)

// MaxBytes is how large a list may be.
const MaxBytes = 1 << 20

// Row is somebody of a list. Fault is what is wrong with the row itself; its
// Text is "" for nothing.
type Row struct {
	Line  int // of the file, where the row begins; the first is 1
	Email string
	Name  string
	Slug  string
	Group string // slug or id
	Fault domain.FieldError
}

// column is what a column is about.
type column int

const (
	none column = iota
	email
	name
	slug
	group
)

// columns by their headings, without regard to case, spaces and punctuation.
var columns = map[string]column{
	"email": email, "mail": email, "emailaddress": email, "mailaddress": email, "address": email, "emailadresse": email, "mailadresse": email, "adresse": email,
	"name": name, "fullname": name, "vollername": name,
	"slug": slug, "username": slug, "shortname": slug, "user": slug, "kurzname": slug, "benutzername": slug,
	"group": group, "gruppe": group, "class": group, "klasse": group,
}

// field is where a row has what a column says; nil for a column that is not read.
func (row *Row) field(c column) *string {
	switch c {
	case email:
		return &row.Email
	case name:
		return &row.Name
	case slug:
		return &row.Slug
	case group:
		return &row.Group
	}
	return nil
}

// Read reads a list whose first row has headings, of which one is "email"; "name", "slug" (or
// "username") and "group" are others, and further columns are passed over. Fields are parted by
// commas, semicolons or tabs; the text is UTF-8, with a byte order mark or without, UTF-16 or
// Windows-1252. Rows of blanks are skipped. What is wrong with one row is said in it, and reading
// goes on.
//
// The error is Invalid and names `file` where the list as a whole cannot be read: no such
// headings, more than domain.MaxPeople rows or MaxBytes.
func Read(from io.Reader) ([]Row, error) {
	limited := &io.LimitedReader{R: from, N: MaxBytes + 1}
	in, err := plain.Text(limited)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, domain.InvalidField("file", domain.FieldTooLong, fmt.Sprintf("must be at most %s large", domain.FormatBytes(MaxBytes)))
	}
	body, skipped := string(text), 0
	if first, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(strings.ToLower(first), "sep=") { // a note of Excel
		body, skipped = rest, 1
	}
	heading, _, _ := strings.Cut(strings.TrimLeft(body, "\r\n"), "\n")
	r := csv.NewReader(strings.NewReader(body))
	r.FieldsPerRecord, r.Comma = -1, separator(heading)
	headings, err := r.Read()
	at := layout(headings)
	if err != nil || at == nil {
		return nil, domain.InvalidField("file", domain.FieldMalformed, "must begin with a row of headings, one of which is email")
	}
	return rows(r, at, skipped)
}

// separator is what parts the fields of a line of headings: what is there most often.
func separator(line string) rune {
	best := ','
	for _, comma := range []rune{';', '\t'} {
		if strings.Count(line, string(comma)) > strings.Count(line, string(best)) {
			best = comma
		}
	}
	return best
}

// layout says what each column is about; nil if none has addresses.
func layout(headings []string) (at []column) {
	for _, heading := range headings {
		at = append(at, columns[strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, heading)])
	}
	if !slices.Contains(at, email) {
		return nil
	}
	return at
}

// rows reads what follows the headings; skipped lines stand before what r reads.
func rows(r *csv.Reader, at []column, skipped int) (all []Row, err error) {
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var row Row
		if bad, is := errors.AsType[*csv.ParseError](err); is {
			row.Line = bad.StartLine + skipped
			row.Fault = domain.FieldError{Code: domain.FieldMalformed, Text: "a quotation mark in it is not closed, or should be doubled"}
		} else if err != nil {
			return nil, err
		} else if !row.fill(fields, at) {
			continue
		} else {
			row.Line, _ = r.FieldPos(0)
			row.Line += skipped
		}
		if len(all) == domain.MaxPeople {
			return nil, domain.InvalidField("file", domain.FieldTooMany, fmt.Sprintf("must have at most %d people", domain.MaxPeople))
		}
		all = append(all, row)
	}
}

// fill takes over the fields of a row, of several for one thing the first that has a value, and
// reports whether the row says anything.
func (row *Row) fill(fields []string, at []column) (said bool) {
	for i, text := range fields {
		text = strings.TrimSpace(text)
		said = said || text != ""
		if i < len(at) {
			if to := row.field(at[i]); to != nil && *to == "" {
				*to = text
			}
		}
	}
	return said
}
