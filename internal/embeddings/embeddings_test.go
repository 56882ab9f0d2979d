package embeddings_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine/internal/embeddings"
	"vitrine/internal/embeddings/embeddingstest"
)

// Vectors are returned in the order of the texts, and the key is sent.
func TestEmbed(t *testing.T) {
	t.Parallel()
	s := embeddingstest.New(t)
	c := embeddings.New(embeddings.Options{URL: s.Endpoint(), Model: "small", Key: "secret"})
	texts := []string{"moss", "a dog and a boat", ""}
	got, err := c.Embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatal(got, err)
	}
	for i, text := range texts {
		if want := embeddingstest.Vector(text, embeddingstest.Dimension); !reflect.DeepEqual(got[i], want) {
			t.Errorf("%q: %v, want %v", text, got[i], want)
		}
	}
	if keys := s.Keys(); len(keys) != 1 || keys[0] != "Bearer secret" {
		t.Errorf("keys %q", keys)
	}
	if want := strings.TrimPrefix(s.URL, "http://"); c.Host() != want || c.Model() != "small" {
		t.Errorf("%s, %s", c.Host(), c.Model())
	}
}

// Every bad answer is an error with a code, and no error contains the key or a text.
func TestEmbedFailures(t *testing.T) {
	t.Parallel()
	s := embeddingstest.New(t)
	c := embeddings.New(embeddings.Options{URL: s.Endpoint(), Model: "small", Key: "hidden-key"})
	status := func(code int) string { return fmt.Sprintf("!%d", code) }
	for answer, want := range map[string]embeddings.Code{
		status(400): embeddings.Refused, status(401): embeddings.Unauthorized, status(403): embeddings.Unauthorized, status(404): embeddings.Failing,
		status(413): embeddings.Refused, status(422): embeddings.Refused, status(429): embeddings.Busy, status(500): embeddings.Failing, status(302): embeddings.Redirected, status(204): embeddings.Failing,
		"": embeddings.Malformed, "{": embeddings.Malformed, `[]`: embeddings.Malformed, `{"data": "hidden-text"}`: embeddings.Malformed,
		`{}`: embeddings.Count, `{"data": []}`: embeddings.Count, `{"data": [{"embedding": [1, 2]}]}`: embeddings.Count,
		`{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]}`:  embeddings.Count,
		`{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 2, "embedding": [1, 2]}]}`:  embeddings.Count,
		`{"data": [{"index": -1, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]}`: embeddings.Count,
		`{"data": [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}]}`:                       embeddings.Values,
		`{"data": [{"embedding": []}, {"embedding": []}]}`:                                  embeddings.Values,
		`{"data": [{"embedding": [1, 2]}, {"embedding": [0, 0]}]}`:                          embeddings.Values,
		`{"data": [{"embedding": [1, 2]}, {"embedding": [NaN, 0]}]}`:                        embeddings.Malformed,
		`{"data": [{"embedding": [1, 2]}, {"embedding": [1e999, 0]}]}`:                      embeddings.Malformed,
		`{"data": [{"embedding": [1, 2]}, {"embedding": null}]}`:                            embeddings.Values,
		strings.Repeat(" ", 33<<20):                                                         embeddings.TooLarge,
	} {
		s.Answer(func(w http.ResponseWriter, r *http.Request, _ []string) bool {
			var code int
			if _, err := fmt.Sscanf(answer, "!%d", &code); err == nil {
				w.Header().Set("Location", s.Endpoint())
				w.WriteHeader(code)
			} else {
				_, _ = io.WriteString(w, answer)
			}
			return true
		})
		got, err := c.Embed(t.Context(), []string{"hidden-text", "b"})
		if got != nil || embeddings.CodeOf(err) != want || err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%.80q: %v, %v; want %s", answer, got, err, want)
		}
	}
}

// A slow or absent endpoint ends with the deadline, and a cancelled request at once.
func TestEmbedSlow(t *testing.T) {
	t.Parallel()
	s := embeddingstest.New(t)
	s.Answer(func(w http.ResponseWriter, r *http.Request, _ []string) bool { <-r.Context().Done(); return true })
	c := embeddings.New(embeddings.Options{URL: s.Endpoint(), Model: "small"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Embed(ctx, []string{"a"}); embeddings.CodeOf(err) != embeddings.Slow {
		t.Errorf("slow: %v", err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Embed(cancelled, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.Close()
	if _, err := c.Embed(t.Context(), []string{"a"}); embeddings.CodeOf(err) != embeddings.Unreachable {
		t.Errorf("absent: %v", err)
	}
}
