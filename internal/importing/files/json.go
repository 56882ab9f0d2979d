package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"vitrine/internal/importing/source"
)

// maxEntry is the largest entry of a list in JSON, in bytes. Articles are long.
const maxEntry = 8 << 20

var errLongEntry = fmt.Errorf("an entry is longer than %d megabytes", maxEntry>>20)

// stream reads JSON entry by entry.
type stream struct {
	*json.Decoder
	from *source.Bounded
}

// failed returns the error of reading the file, or nil if its content is at fault.
func (s stream) failed() error {
	if err := s.from.Err; err != nil && !errors.Is(err, errLongEntry) {
		return err
	}
	return nil
}

// json reads the JSON of known services.
func (l *list) json(ctx context.Context, in *bufio.Reader) error {
	from := &source.Bounded{In: in, Left: maxEntry, Full: errLongEntry}
	s := stream{json.NewDecoder(from), from}
	s.UseNumber()
	first, err := s.Token()
	if err != nil {
		return err
	}
	if first == json.Delim('{') {
		return l.object(ctx, s)
	}
	var one func(raw json.RawMessage) sheetEntry
	err = l.entries(s, func(where string, raw json.RawMessage) error {
		if one == nil {
			if one = serviceOf(raw, l); one == nil {
				return source.ErrNotRecognized
			}
		}
		e := one(raw)
		if e.why != "" {
			l.to.LeftOut(source.LeftOut{What: e.name(), Where: where, Why: e.why})
			return nil
		}
		return l.take(ctx, e, where)
	})
	return ignoreEnd(err)
}

// errEnd ends the reading after the rest of the file was reported as unreadable.
var errEnd = errors.New("the rest of the file cannot be read")

func ignoreEnd(err error) error {
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}

// sheetEntry is one entry of a list. If why is not empty, it cannot become a block.
type sheetEntry struct {
	row
	tags  []string
	marks []source.Highlight
	why   string
}

// serviceOf returns the function that reads entries like the first one, or nil if the service is
// unknown.
func serviceOf(first json.RawMessage, l *list) func(json.RawMessage) sheetEntry {
	var keys struct {
		Href *json.RawMessage `json:"href"`
		URL  *json.RawMessage `json:"url"`
	}
	if json.Unmarshal(first, &keys) != nil {
		return nil
	}
	switch {
	case keys.Href != nil:
		l.of("Pinboard")
		return pinboard
	case keys.URL != nil:
		l.of("wallabag")
		return wallabag
	}
	return nil
}

// entries reads a list to its end. It reports what cannot be read, and returns errEnd if the rest of
// the file cannot be read either.
func (l *list) entries(s stream, each func(where string, raw json.RawMessage) error) error {
	for n := 1; ; n++ {
		s.from.Left = maxEntry
		where := fmt.Sprintf("entry %d", n)
		if !s.More() {
			if _, err := s.Token(); err != nil {
				return l.rest(s.from, where, err)
			}
			return nil
		}
		var raw json.RawMessage
		if err := s.Decode(&raw); err != nil {
			return l.rest(s.from, where, err)
		}
		if err := each(where, raw); err != nil {
			return err
		}
	}
}

// rest reports what cannot be read. If reading failed, it returns that error.
func (l *list) rest(from *source.Bounded, where string, err error) error {
	why := "it is not valid JSON"
	switch {
	case from.Err != nil && !errors.Is(from.Err, errLongEntry):
		return from.Err
	case errors.Is(from.Err, errLongEntry):
		why = errLongEntry.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "the file breaks off"
	}
	l.to.LeftOut(source.LeftOut{What: "The rest of the file", Where: where, Why: why})
	return errEnd
}
