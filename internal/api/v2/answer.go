package v2

import (
	"net/http"
	"time"

	"github.com/go-faster/jx"

	"vitrine/internal/oas/wire"
)

// answer writes the JSON of a response. It may be called twice and writes the same. A nil answer is 204.
type answer func(p jsonWriter)

func (a answer) write(w http.ResponseWriter) error {
	if a == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	return wire.WriteJSON(w, func(e *jx.Encoder) { a(jsonWriter{e}) })
}

// jsonWriter writes the values and fields of JSON.
type jsonWriter struct{ e *jx.Encoder }

func (p jsonWriter) object(fields func()) {
	p.e.ObjStart()
	fields()
	p.e.ObjEnd()
}

func (p jsonWriter) field(name string) { p.e.FieldStart(name) }

func (p jsonWriter) null(names ...string) {
	for _, name := range names {
		p.e.FieldStart(name)
		p.e.Null()
	}
}

func (p jsonWriter) text(name, value string) {
	p.e.FieldStart(name)
	p.e.Str(value)
}

// optional writes a text, or null for nil.
func (p jsonWriter) optional(name string, value *string) {
	if value == nil {
		p.null(name)
		return
	}
	p.text(name, *value)
}

// orNull writes a text, or null for "".
func (p jsonWriter) orNull(name, value string) {
	if value == "" {
		p.null(name)
		return
	}
	p.text(name, value)
}

func (p jsonWriter) int(name string, value int64) {
	p.e.FieldStart(name)
	p.e.Int64(value)
}

func (p jsonWriter) bool(name string, value bool) {
	p.e.FieldStart(name)
	p.e.Bool(value)
}

func (p jsonWriter) time(name string, value time.Time) {
	p.e.FieldStart(name)
	wire.Time{Time: value}.Encode(p.e)
}

func (p jsonWriter) under(name string, fields func()) {
	p.e.FieldStart(name)
	p.object(fields)
}

// list writes a field with an array of n entries.
func (p jsonWriter) list(name string, n int, entry func(i int)) {
	p.e.FieldStart(name)
	p.e.ArrStart()
	for i := range n {
		entry(i)
	}
	p.e.ArrEnd()
}
