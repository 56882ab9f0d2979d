package sheet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"vitrine/internal/importing/source"
)

// entry is one of Pinboard's bookmarks.
type entry struct {
	Href        string `json:"href"`
	Description string `json:"description"` // its title
	Extended    string `json:"extended"`
	Time        string `json:"time"`
	Tags        string `json:"tags"`
	Shared      string `json:"shared"`
	ToRead      string `json:"toread"`
}

// pinboard reads a list of objects. One of which a field is no text is left out; what is no
// JSON at all ends the reading, since nobody can tell where the next would begin.
func (l *list) pinboard(ctx context.Context, in *bufio.Reader) error {
	from := &bounded{in: in}
	decoder := json.NewDecoder(from)
	from.left = maxRow
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for n := 1; ; n++ {
		from.left = maxRow
		where := fmt.Sprintf("entry %d", n)
		var e entry
		if !decoder.More() {
			return l.endOfPinboard(decoder, from, where)
		}
		err := decoder.Decode(&e)
		if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			why := "it is no entry of a bookmark"
			if bad.Field != "" {
				why = bad.Field + " is no text"
			}
			l.to.LeftOut(source.LeftOut{What: e.row().name(), Where: where, Why: why})
			continue
		}
		if err != nil {
			return l.rest(from, where, err)
		}
		if err := l.take(ctx, e.row(), " \t\n", where); err != nil {
			return err
		}
	}
}

// endOfPinboard wants the end of the list.
func (l *list) endOfPinboard(decoder *json.Decoder, from *bounded, where string) error {
	if _, err := decoder.Token(); err != nil {
		return l.rest(from, where, err)
	}
	return nil
}

// rest leaves out what cannot be read. Where reading failed it is an error.
func (l *list) rest(from *bounded, where string, err error) error {
	why := "it is no JSON"
	switch {
	case from.err != nil && !errors.Is(from.err, io.EOF) && !errors.Is(from.err, errLong):
		return from.err
	case errors.Is(from.err, errLong):
		why = "an entry is longer than a megabyte"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "the file breaks off"
	}
	l.to.LeftOut(source.LeftOut{What: "The rest of the file", Where: where, Why: why})
	return nil
}

// row says the same by the columns of a sheet.
func (e entry) row() (r row) {
	r[address], r[title], r[description], r[created], r[tags] = e.Href, strings.TrimSpace(e.Description), strings.TrimSpace(e.Extended), e.Time, e.Tags
	if e.Shared == "no" {
		r[private] = "yes"
	}
	r[toRead] = e.ToRead
	return r
}

// bounded reads what one entry may have, and keeps why it ended.
type bounded struct {
	in   io.Reader
	left int
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = errLong
		return 0, errLong
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil {
		b.err = err
	}
	return n, err
}
