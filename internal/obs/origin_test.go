package obs_test

import (
	"testing"

	"vitrine/internal/obs"
)

func TestTraceID(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for trace, want := range map[string]string{
		"00-" + id + "-00f067aa0ba902b7-01":                       id,
		"cc-" + id + "-00f067aa0ba902b7-01-what-is":               id, // a later version
		"ff-" + id + "-00f067aa0ba902b7-01":                       "",
		"00-" + id + "-00f067aa0ba902b7":                          "",
		"00-" + id + "-00f067aa0ba902b7-0\n":                      "",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01": "",
		"00_" + id + "_00f067aa0ba902b7_01":                       "",
		"":                                                        "",
	} {
		if got := (obs.Origin{Trace: trace}).TraceID(); got != want {
			t.Errorf("%q: %q, want %q", trace, got, want)
		}
	}
}
