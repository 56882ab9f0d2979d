package httpedge_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/scope"
)

// A body is charged to its client's memory, with and without a Content-Length, and is refused if
// memory is short.
func TestBodiesAreCharged(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"announced": func(r io.Reader) io.Reader { return r },
		"in chunks": func(r io.Reader) io.Reader { return struct{ io.Reader }{r} },
	} {
		memory := budget.New(4 << 20)
		read := func() (*budget.Account, error) {
			a := memory.Open(func() any { return "ada" })
			r := httptest.NewRequest("POST", "/", wrap(strings.NewReader(strings.Repeat("x", 400<<10))))
			body, err := httpedge.ReadBody(r.WithContext(scope.With(t.Context(), &scope.Scope{Memory: a})))
			if err == nil && len(body) != 400<<10 {
				t.Errorf("%s: %d bytes", name, len(body))
			}
			return a, err
		}
		first, err := read()
		if err != nil || memory.Used() < 700<<10 {
			t.Errorf("%s: %v, %d bytes are charged", name, err, memory.Used())
		}
		second, err := read()
		if domain.KindOf(err) != domain.Unavailable {
			t.Errorf("%s: a second request gets %v", name, err)
		}
		second.Close()
		first.Close()
		if memory.Used() != 0 {
			t.Errorf("%s: %d bytes are never released", name, memory.Used())
		}
	}
}
