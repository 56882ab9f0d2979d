package arena

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"vitrine/internal/importing/source"
)

// tooMuchError names, for users, the limit that a response exceeds.
type tooMuchError string

// Error implements error.
func (e tooMuchError) Error() string { return string(e) }

const errLargeItem = tooMuchError("The answer contains an item that is larger than 8 MiB")

var errManyItems = tooMuchError(fmt.Sprintf("The answer has more than %d items on one page", maxItems))

// decode decodes a JSON response. It holds the text of only one list item at a time, so that a response
// takes no more memory than its decoded value.
func decode(body io.Reader, into any) error {
	from := &source.Bounded{In: body, Left: maxItem, Full: errLargeItem}
	d := json.NewDecoder(from)
	d.UseNumber()
	l, ok := into.(*list)
	if !ok {
		return d.Decode(into)
	}
	err := l.decode(d, from)
	if errors.Is(err, io.EOF) && d.InputOffset() > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (l *list) decode(d *json.Decoder, from *source.Bounded) error {
	if null, err := open(d, '{'); null || err != nil {
		return err
	}
	for d.More() {
		from.Left = maxItem
		name, err := d.Token()
		if err != nil {
			return err
		}
		switch name {
		case "data":
			err = l.decodeItems(d, from)
		case "meta":
			err = d.Decode(&l.Meta)
		default:
			var ignored json.RawMessage
			err = d.Decode(&ignored)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token() // the closing brace
	return err
}

func (l *list) decodeItems(d *json.Decoder, from *source.Bounded) error {
	null, err := open(d, '[')
	if null || err != nil {
		return err
	}
	var text json.RawMessage // reused for each item
	for d.More() {
		if len(l.Data) == maxItems {
			return errManyItems
		}
		from.Left = maxItem
		if err := d.Decode(&text); err != nil {
			return err
		}
		t, why := read(text)
		l.Data = append(l.Data, entry{t, why})
	}
	_, err = d.Token() // the closing bracket
	return err
}

// open reads the opening token of an object or a list, or null.
func open(d *json.Decoder, begin json.Delim) (null bool, err error) {
	token, err := d.Token()
	if err == nil && token != nil && token != begin {
		err = fmt.Errorf("%v instead of %v", token, begin)
	}
	return token == nil, err
}
