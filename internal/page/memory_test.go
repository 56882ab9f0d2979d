package page_test

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"vitrine/internal/page"
)

// A page or a response with many small values takes little more memory than its text.
func TestManyValuesTakeLittleMemory(t *testing.T) {
	var fields strings.Builder
	for i := 0; fields.Len() < 900_000; i++ {
		fmt.Fprintf(&fields, `"k%d":{},`, i)
	}
	at, _ := url.Parse("https://example.org/")
	for name, tt := range map[string]struct {
		read func() error
		most uint64 // bytes allocated
	}{
		"oEmbed in JSON": {func() error {
			_, err := page.ReadOEmbed([]byte(`{`+fields.String()+`"type":"video"}`), "application/json")
			return err
		}, 16 << 20},
		"JSON-LD": {func() error {
			_, err := page.Read(at, "text/html", []byte(`<script type="application/ld+json">[`+strings.Repeat(`{"a":0},`, 80_000)+`{}]</script>`))
			return err
		}, 16 << 20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := tt.read()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > tt.most {
			t.Errorf("%s: %d KiB allocated", name, grown>>10)
		}
	}
}
