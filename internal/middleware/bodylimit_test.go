package middleware

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			renderText(w, r, http.StatusInsufficientStorage, tooLarge.Error())
			return
		}
		_, _ = w.Write(body)
	})
	tests := map[string]struct {
		body    io.Reader
		chunked bool
		want    string
	}{
		"none":             {nil, false, ""},
		"at the limit":     {strings.NewReader("12345"), false, "12345"},
		"announced":        {strings.NewReader("123456"), false, "413 The request body may have at most 5 bytes"},
		"chunked at limit": {strings.NewReader("12345"), true, "12345"},
		"chunked too long": {strings.NewReader("123456"), true, "507 http: request body too large"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/", tt.body)
			if tt.chunked {
				r.ContentLength = -1
			}
			if got := serve(BodyLimit(5, renderText)(handler), r).Body.String(); got != tt.want {
				t.Errorf("answer = %q, want %q", got, tt.want)
			}
		})
	}
}
