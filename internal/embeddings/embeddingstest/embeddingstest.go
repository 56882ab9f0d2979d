// Package embeddingstest runs an endpoint of embeddings with a small deterministic model.
package embeddingstest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// meanings are words with the same meaning: each line is one.
const meanings = `moss lichen bryophyte
dog hound puppy
boat ship vessel
bread loaf baguette
sad unhappy sorrowful`

// Dimension is the number of values of a vector.
const Dimension = 48

// Server is an endpoint. A test may change its behaviour between requests.
type Server struct {
	*httptest.Server

	mu     sync.Mutex
	texts  []string
	models []string
	keys   []string
	answer func(w http.ResponseWriter, r *http.Request, texts []string) bool
}

// New starts an endpoint.
func New(t testing.TB) *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Endpoint returns the address to send requests to.
func (s *Server) Endpoint() string { return s.URL + "/v1/embeddings" }

// Answer replaces the answers for which f returns true. nil restores the model.
func (s *Server) Answer(f func(w http.ResponseWriter, r *http.Request, texts []string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Texts returns the texts that were received since the last call, sorted.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.texts
	s.texts = nil
	slices.Sort(all)
	return all
}

// Keys returns the values of the header Authorization so far.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil || r.Method != http.MethodPost || in.Model == "" {
		http.Error(w, "malformed request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.texts, s.models, s.keys = append(s.texts, in.Input...), append(s.models, in.Model), append(s.keys, r.Header.Get("Authorization"))
	answer := s.answer
	s.mu.Unlock()
	if answer == nil || !answer(w, r, in.Input) {
		Write(w, in.Input, Dimension)
	}
}

// Write writes the answer of the model for texts.
func Write(w http.ResponseWriter, texts []string, dimension int) {
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Object string `json:"object"`
		Data   []item `json:"data"`
	}
	out.Object = "list"
	for i, text := range slices.Backward(texts) { // the order is that of the indexes
		out.Data = append(out.Data, item{"embedding", i, Vector(text, dimension)})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

// Vector returns the model's vector of a text: the sum of a direction for each meaning of its words.
func Vector(text string, dimension int) []float32 {
	v := make([]float32, dimension)
	v[0] = 0.01 // texts without words have a direction too
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		for line := range strings.SplitSeq(meanings, "\n") {
			if slices.Contains(strings.Fields(line), word) {
				word = line
			}
		}
		h := fnv.New64a()
		_, _ = io.WriteString(h, word) // it never fails
		for i, sum := 0, h.Sum64(); i < 4; i++ {
			v[sum%uint64(dimension)]++
			sum /= uint64(dimension)
		}
	}
	return v
}
