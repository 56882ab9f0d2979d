package config_test

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTraceHeaders(t *testing.T) {
	t.Parallel()
	if _, found := parse(t, "--otel-headers-file=/etc/hostname").Resolve(); len(found) != 1 || !strings.Contains(found[0].Error(), "--otel-endpoint") {
		t.Errorf("headers for nobody: %v", found)
	}
	file := filepath.Join(t.TempDir(), "headers")
	for text, want := range map[string]http.Header{
		"authorization: Bearer s3cret\n\nX-Scope: a:b \r\n": {"Authorization": {"Bearer s3cret"}, "X-Scope": {"a:b"}},
		"a: 1\na: 2":                          {"A": {"1", "2"}},
		"":                                    nil,
		"\n \n":                               nil,
		"Bearer s3cret":                       nil,
		"Authorization:":                      nil,
		"s3 cret: x":                          nil,
		"A: s3cret\x00":                       nil,
		"host: s3cret":                        nil,
		"Content-Type: x":                     nil,
		": s3cret":                            nil,
		strings.Repeat("s3cret: x\n", 10_000): nil,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, found := parse(t, "--otel-endpoint=http://otel:4318", "--otel-headers-file="+file).Resolve()
		if want != nil && (len(found) > 0 || !reflect.DeepEqual(cfg.Traces.Header, want)) {
			t.Errorf("%q: %v, %v", text, cfg.Traces.Header, found)
		}
		if want == nil && (len(found) != 1 || !strings.Contains(found[0].Error(), "--otel-headers-file") || !strings.Contains(found[0].Error(), file) || strings.Contains(found[0].Error(), "s3cret")) {
			t.Errorf("%.40q: %v", text, found)
		}
		if strings.Contains(cfg.Redacted().String(), "s3cret") {
			t.Error("the headers are printed")
		}
	}
}
