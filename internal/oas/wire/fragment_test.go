package wire_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/go-faster/jx"

	"vitrine/internal/oas/wire"
)

// object is a value with fields in a fixed order.
type object []field

type field struct {
	name  string
	value wire.Encoder
}

// Encode implements wire.Encoder.
func (o object) Encode(e *jx.Encoder) {
	e.ObjStart()
	for _, f := range o {
		e.FieldStart(f.name)
		f.value.Encode(e)
	}
	e.ObjEnd()
}

// list is a list with the same value twice.
type list struct{ value wire.Encoder }

// Encode implements wire.Encoder.
func (l list) Encode(e *jx.Encoder) {
	e.ArrStart()
	l.value.Encode(e)
	l.value.Encode(e)
	e.ArrEnd()
}

// For every choice of open fields and of those that get a value, a fragment gives the same text as the object that contains
// only the fields with a value.
func TestFragmentEqualsDirectEncoding(t *testing.T) {
	t.Parallel()
	values := []wire.Encoder{wire.Int(-1), wire.JSON(`"can\":{\"can\":null,"`), wire.JSON(`{}`), wire.JSON(`[{"b":null},{}]`),
		object{{"b", wire.JSON(`{"c":null}`)}}}
	names := []string{"a", "b", "connection", "d\u00e9", ""}
	for open := range 1 << len(values) {
		for given := range 1 << len(values) {
			if given&^open != 0 {
				continue // only open fields get a value
			}
			var want object
			var fields []wire.Field
			for i, name := range names {
				if open&(1<<i) == 0 || given&(1<<i) != 0 {
					want = append(want, field{name, values[i]})
				}
				if given&(1<<i) != 0 {
					fields = append(fields, wire.Field{Name: name, Value: wire.Bytes(values[i])})
				}
			}
			slices.Reverse(fields) // their order does not matter
			f := wire.EncodeFragment(func(place wire.Item) wire.Encoder {
				var all object
				for i, name := range names {
					if open&(1<<i) != 0 {
						all = append(all, field{name, place})
					} else {
						all = append(all, field{name, values[i]})
					}
				}
				return all
			})
			if got := string(f.Append([]byte("{"), fields...)); got != "{"+string(wire.Bytes(want)) {
				t.Errorf("open %05b, given %05b: %s, want {%s", open, given, got, wire.Bytes(want))
			}
		}
	}
}

// Open fields may be at any depth. A value without a field name cannot be open.
func TestFragmentPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build func(open wire.Item) wire.Encoder
		want  string
	}{
		"nested":     {func(open wire.Item) wire.Encoder { return object{{"x", object{{"can", open}}}, {"can", open}} }, `{"x":{"can":1},"can":1}`},
		"in a list":  {func(open wire.Item) wire.Encoder { return list{object{{"can", open}}} }, `[{"can":1},{"can":1}]`},
		"element":    {func(open wire.Item) wire.Encoder { return object{{"x", list{open}}} }, `{"x":[null,null]}`},
		"everything": {func(open wire.Item) wire.Encoder { return open }, `null`},
		"nothing":    {func(wire.Item) wire.Encoder { return object{} }, `{}`},
	} {
		f := wire.EncodeFragment(c.build)
		if got := string(f.Append(nil, wire.Field{Name: "can", Value: []byte("1")}, wire.Field{Name: "other"})); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func FuzzFragment(f *testing.F) {
	f.Add("a", `"can":null,"connection":`, `{"can":null}`)
	f.Add("can", `\",{`, `"{"`)
	f.Fuzz(func(t *testing.T, name, text, value string) {
		plain, err := json.Marshal(name)
		if err != nil || !json.Valid([]byte(value)) || string(plain) != `"`+name+`"` {
			return // not the name of a field of a description, or not a value
		}
		var escaped jx.Encoder
		escaped.Str(text)
		build := func(open wire.Encoder) wire.Encoder {
			return object{{"0", wire.JSON(escaped.Bytes())}, {name, open}, {"1", wire.JSON(value)}}
		}
		fragment := wire.EncodeFragment(func(open wire.Item) wire.Encoder { return build(open) })
		got := string(fragment.Append(nil, wire.Field{Name: name, Value: []byte(value)}))
		if want := string(wire.Bytes(build(wire.JSON(value)))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// A fragment allocates nothing while it is written.
func TestFragmentAllocates(t *testing.T) {
	f := wire.EncodeFragment(func(open wire.Item) wire.Encoder { return object{{"x", wire.Int(1)}, {"can", open}} })
	line, can := make([]byte, 0, 100), []byte("null")
	if n := testing.AllocsPerRun(100, func() { line = f.Append(line[:0], wire.Field{Name: "can", Value: can}) }); n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}
