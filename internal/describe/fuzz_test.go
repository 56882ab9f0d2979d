package describe_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCheckBody compares CheckBody with encoding/json. It must never panic, and a body without
// violations must be JSON that the database can store.
func FuzzCheckBody(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{}`, `[]`, `null`, `{"value":"a","channel_ids":[1,"b"]}`, `{"value":1,"channels":[{"id":1.0}]}`,
		`{"value":"\u0000","channel_ids":[1],"channels":[]}`, `{"value":"\ud83d","channel_ids":[-0,1e400]}`,
		`{"title":"\ud83d\ude00","metadata":{"a b":[]}}`, "{\"title\":\"\xff\"}", `{"title":01}`, `{"title":"a",}`,
		`{"title":"\\\u0000"}`, `{"position":1,"movement":"insert_at","unknown":1e400}`, strings.Repeat("[", 100), `{"title":"a"}x`,
		"{\"title\":\"a\x00\"}", "\ufeff{\"title\":\"a\"}",
	} {
		f.Add([]byte(seed))
	}
	ops := []string{"createBlock", "createChannel", "createConnection", "updateBlock", "moveConnection"}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, id := range ops {
			found := operation(t, id).CheckBody(body)
			valid := json.Valid(body) && utf8.Valid(body)
			if len(found) == 0 && (!valid || !storable(body)) {
				t.Errorf("%s: nothing found in %q", id, body)
			}
			text := lines(found)
			if valid && strings.Contains(text, "is not valid JSON") || !utf8.ValidString(text) {
				t.Errorf("%s: %q is JSON, yet: %s", id, body, text)
			}
			if len(found) > 101 {
				t.Errorf("%s: %d violations", id, len(found))
			}
		}
	})
}

// storable reports whether no string in a JSON text contains NUL or was repaired by the decoder,
// which inserts U+FFFD.
func storable(body []byte) bool {
	var value any
	numbers := json.NewDecoder(bytes.NewReader(body))
	numbers.UseNumber()
	if numbers.Decode(&value) != nil {
		return false
	}
	whole, err := json.Marshal(value)
	if err != nil || bytes.Contains(bytes.ReplaceAll(whole, []byte(`\\`), nil), []byte(`\u0000`)) {
		return false
	}
	written := bytes.Contains(body, []byte("\ufffd")) || bytes.Contains(bytes.ToLower(body), []byte(`\ufffd`))
	return written || !bytes.Contains(whole, []byte("\ufffd"))
}

func BenchmarkCheckBody(b *testing.B) {
	op := operation(b, "createBlock")
	body := []byte(`{"value":"A line of Markdown, **bold** and all.","title":"A note","description":"Why it is kept",` +
		`"original_source_url":"https://example.org/notes/1","alt_text":"","channel_ids":[12,"reading-list",845001],` +
		`"insert_at":3,"metadata":{"rating":4.5,"read":true,"shelf":"north"}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if found := op.CheckBody(body); found != nil {
			b.Fatal(found)
		}
	}
}

func BenchmarkCheckBodyLong(b *testing.B) {
	op := operation(b, "createBlock")
	body := []byte(`{"value":"` + strings.Repeat("Sätze über Sätze. ", 5000) + `","channel_ids":[12]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if found := op.CheckBody(body); found != nil {
			b.Fatal(found)
		}
	}
}
