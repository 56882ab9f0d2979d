package page

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The providers in docs/formats.md are supported, with the addresses that it gives as examples.
func TestProvidersAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Players\n")
	section, _, _ = strings.Cut(section, "\n## ")
	list, err := os.ReadFile("providers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	if count := fmt.Sprintf("with %d providers", len(all)); !strings.Contains(section, count) {
		t.Errorf("it should say %q", count)
	}
	directory, err := Providers()
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| ([^|]+) \\| `(https://[^`]+)` \\|$").FindAllStringSubmatch(section, -1)
	for _, row := range rows {
		at, err := url.Parse(row[2])
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := directory.Find(at); !ok {
			t.Errorf("%s: no provider is known for %s", row[1], at)
		}
	}
	if len(rows) < 10 {
		t.Errorf("only %d providers are named", len(rows))
	}
}
