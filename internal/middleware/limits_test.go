package middleware

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	var received string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		received = string(body)
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			received += fmt.Sprint(" then more than ", tooLarge.Limit)
		}
	})
	tests := map[string]struct {
		body    io.Reader
		chunked bool
		want    string
	}{
		"none":             {nil, false, ""},
		"at the limit":     {strings.NewReader("12345"), false, "12345"},
		"announced":        {strings.NewReader("123456"), false, " then more than 5"},
		"chunked at limit": {strings.NewReader("12345"), true, "12345"},
		"chunked too long": {strings.NewReader("123456"), true, "12345 then more than 5"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", tt.body)
			if tt.chunked {
				r.ContentLength = -1
			}
			if serve(BodyLimit(5)(handler), r); received != tt.want {
				t.Errorf("received %q, want %q", received, tt.want)
			}
		})
	}
}
