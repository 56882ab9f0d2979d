package describe_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// An invalid body of a megabyte takes little memory, whichever part of it is undeclared.
func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	const size = 1 << 20
	many := func(part string) string { return strings.TrimSuffix(strings.Repeat(part+",", size/len(part)), ",") }
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format+",", i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	v2, err := describe.Load(description.V2)
	if err != nil {
		t.Fatal(err)
	}
	create, sort := operation(t, "createBlock"), v2.Operation("sortChannel")
	for _, tt := range []struct {
		name string
		op   *describe.Operation
		body string
	}{
		{"objects instead of ids", create, `{"value":"a","channel_ids":[` + many(`{"a":{}}`) + `]}`},
		{"ids", create, `{"value":"a","channel_ids":[` + many(`1`) + `]}`},
		{"places", create, `{"value":"a","channels":[` + many(`{"id":1}`) + `]}`},
		{"metadata", create, `{"value":"a","channel_ids":[1],"metadata":{` + numbered(`"k%d":1`) + `}}`},
		{"nested metadata", create, `{"value":"a","channel_ids":[1],"metadata":{"a":[` + many(`{}`) + `]}}`},
		{"unknown fields", create, `{"value":"a","channel_ids":[1],` + numbered(`"u%d":{}`) + `}`},
		{"unknown fields within", create, `{"value":"a","channel_ids":[1],"u":{` + numbered(`"u%d":{}`) + `}}`},
		{"an unknown list", create, `{"value":"a","channel_ids":[1],"u":[` + many(`[]`) + `]}`},
		{"a list", create, `[` + many(`{}`) + `]`},
		{"NULs", create, `{"value":"a","channel_ids":[1],"u":[` + many(`"\u0000"`) + `]}`},
		{"a long list of objects", sort, `{"ids":[` + many(`{"a":{}}`) + `]}`},
		{"objects at the end of a list", sort, `{"ids":[` + strings.Repeat(`1,`, 1000) + many(`{"a":{}}`) + `]}`},
	} {
		tt.op.CheckBody([]byte(`{}`)) // builds the parts of the description
		text := []byte(tt.body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := tt.op.CheckBody(text)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*size {
			t.Errorf("%s: %d KiB allocated", tt.name, grown>>10)
		}
		if answer := lines(found); len(found) > 101 || len(answer) > 64<<10 {
			t.Errorf("%s: %d violations of %d bytes", tt.name, len(found), len(answer))
		}
	}
}

// The name of a field is cut, even if its keys are long and deeply nested.
func TestViolationsAreShort(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("é", 100_000)
	body := `{"value":"a","channel_ids":[1]` + strings.Repeat(`,"`+key+`":{"`+key, 1) + strings.Repeat(`":{"`+strings.Repeat(`\t`, 50), 60) + `":"\u0000"` + strings.Repeat("}", 62)
	for _, v := range operation(t, "createBlock").CheckBody([]byte(body)) {
		if len(v.Field) > 1000 {
			t.Errorf("a field of %d bytes", len(v.Field))
		}
	}
}

// The descriptions limit the number of values in every body of the API.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"v3": description.V3, "v2": description.V2, "ext": description.Ext, "compat": description.Compat} {
		doc, err := describe.Load(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range doc.Operations() {
			if n := op.MostValues(); n > 200_000 {
				t.Errorf("%s: a body of %s may hold %d values", name, op.ID, n)
			}
		}
	}
}
