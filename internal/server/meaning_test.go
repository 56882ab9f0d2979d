package server_test

import (
	"net/http"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/embeddings/embeddingstest"
)

// A server computes vectors in the background, and does not wait for a slow endpoint when it
// stops.
func TestEmbedsInBackground(t *testing.T) {
	t.Parallel()
	s := embeddingstest.New(t)
	asked := make(chan struct{})
	s.Answer(func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
		close(asked)
		<-r.Context().Done()
		return true
	})
	r := apptest.New(t, func(c *config.Config) { c.Embeddings.URL, c.Embeddings.Model = s.Endpoint(), "small" })
	channel := r.Channel("ada", "Moss", "public")
	r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "green moss", "channel_ids": []int64{channel}}).Want(http.StatusCreated)
	if err := r.S.StartWork(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
