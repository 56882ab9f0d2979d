package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// MaxInviteeBytes is the maximum size of a list.
const MaxInviteeBytes = 1 << 20

// Invitee is a person in a list. Fault is an error in the row itself. Its Text is "" if the row has no
// error.
type Invitee struct {
	Line  int // of the file, where the row begins; the first is 1
	Email string
	Name  string
	Slug  string
	Group string // slug or id
	Fault domain.FieldError
}

// inviteeColumn is the meaning of a column.
type inviteeColumn int

const (
	columnNone inviteeColumn = iota
	columnEmail
	columnName
	columnSlug
	columnGroup
)

// inviteeColumns maps headings, without regard to case, spaces and punctuation.
var inviteeColumns = map[string]inviteeColumn{
	"email": columnEmail, "mail": columnEmail, "emailaddress": columnEmail, "mailaddress": columnEmail, "address": columnEmail, "emailadresse": columnEmail, "mailadresse": columnEmail, "adresse": columnEmail,
	"name": columnName, "fullname": columnName, "vollername": columnName,
	"slug": columnSlug, "username": columnSlug, "shortname": columnSlug, "user": columnSlug, "kurzname": columnSlug, "benutzername": columnSlug,
	"group": columnGroup, "gruppe": columnGroup, "class": columnGroup, "klasse": columnGroup,
}

// field returns the field for a column; nil if the column is ignored.
func (row *Invitee) field(c inviteeColumn) *string {
	switch c {
	case columnEmail:
		return &row.Email
	case columnName:
		return &row.Name
	case columnSlug:
		return &row.Slug
	case columnGroup:
		return &row.Group
	}
	return nil
}

// ReadInvitees reads a list. Its first row contains headings, and must include "email". Other known
// headings are "name", "slug" (or "username") and "group"; further columns are ignored. Fields are
// separated by commas, semicolons or tabs. The text is UTF-8 with or without a byte order mark,
// UTF-16 or Windows-1252. Blank rows are skipped. An error in a row is recorded in it, and reading
// continues.
//
// The error is Invalid and names `file` if the list as a whole is unusable: without such headings,
// or with more than domain.MaxPeople rows or MaxBytes.
func ReadInvitees(from io.Reader) ([]Invitee, error) {
	limited := &io.LimitedReader{R: from, N: MaxInviteeBytes + 1}
	in, err := source.TextOf(limited)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, domain.InvalidField("file", domain.FieldTooLong, fmt.Sprintf("must be at most %s large", domain.FormatBytes(MaxInviteeBytes)))
	}
	body, skipped := string(text), 0
	if first, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(strings.ToLower(first), "sep=") { // written by Excel
		body, skipped = rest, 1
	}
	heading, _, _ := strings.Cut(strings.TrimLeft(body, "\r\n"), "\n")
	r := csv.NewReader(strings.NewReader(body))
	r.FieldsPerRecord, r.Comma = -1, separator(heading)
	headings, err := r.Read()
	at := inviteeLayout(headings)
	if err != nil || at == nil {
		return nil, domain.InvalidField("file", domain.FieldMalformed, "must begin with a row of headings, one of which is email")
	}
	return inviteeRows(r, at, skipped)
}

// separator returns the most frequent separator in the headings.
func separator(line string) rune {
	best := ','
	for _, comma := range []rune{';', '\t'} {
		if strings.Count(line, string(comma)) > strings.Count(line, string(best)) {
			best = comma
		}
	}
	return best
}

// inviteeLayout returns the meaning of each column; nil if none contains addresses.
func inviteeLayout(headings []string) (at []inviteeColumn) {
	for _, heading := range headings {
		at = append(at, inviteeColumns[strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, heading)])
	}
	if !slices.Contains(at, columnEmail) {
		return nil
	}
	return at
}

// inviteeRows reads the rows after the headings. skipped is the number of lines that precede r's input.
func inviteeRows(r *csv.Reader, at []inviteeColumn, skipped int) (all []Invitee, err error) {
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var row Invitee
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

// fill sets the fields of a row, from the first column with a value if there are several, and
// reports whether the row has any value.
func (row *Invitee) fill(fields []string, at []inviteeColumn) (said bool) {
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
