package arena

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// repeated returns a reader of a text that is repeated n times between two others.
func repeated(before, text string, times int, after string) io.Reader {
	block := strings.Repeat(text, 1000)
	parts := []io.Reader{strings.NewReader(before)}
	for range times / 1000 {
		parts = append(parts, strings.NewReader(block))
	}
	return io.MultiReader(append(parts, strings.NewReader(after))...)
}

// A hostile response takes little more memory than one of its items, and its readable items are
// imported.
func TestHostileAnswersTakeLittleMemory(t *testing.T) {
	var keys strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&keys, `"k%d":0,`, i)
	}
	for name, tt := range map[string]struct {
		answer io.Reader
		items  int
		why    string
		most   uint64 // bytes allocated
	}{
		"numbers instead of items":   {repeated(`{"data":[0`, ",0", 16_000_000, "]}"), 0, "more than 1000 items", 8 << 20},
		"numbers beside items":       {repeated(`{"x":[0`, ",0", 16_000_000, `],"data":[]}`), 0, "larger", 64 << 20},
		"an endless item":            {repeated(`{"data":[{"id":1,"x":[0`, ",0", 16_000_000, "]}]}"), 0, "larger", 64 << 20},
		"metadata of a million keys": {strings.NewReader(`{"data":[{"id":1,"type":"Text","content":{"markdown":"a"},"metadata":{` + keys.String() + `"z":0}}]}`), 1, "", 64 << 20},
	} {
		r := newRig(t)
		r.answer("/v3/channels/c1", channelJSON(1, ""))
		r.mux.HandleFunc("/v3/channels/1/contents", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, tt.answer) })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := r.read(t, Options{What: []string{"c1"}})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if told := fmt.Sprint(n.left); len(n.items["1"]) != tt.items || !strings.Contains(told, tt.why) {
			t.Errorf("%s: %d items, left out %s", name, len(n.items["1"]), told)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > tt.most {
			t.Errorf("%s: %d MiB allocated", name, grown>>20)
		}
	}
}
