package config_test

import (
	"strings"
	"testing"

	"vitrine/internal/config"
)

// Search by meaning needs the endpoint's own address and a model. Errors contain no secrets.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	cfg, found := parse(t, "--embeddings-url=http://127.0.0.1:11434/v1/embeddings", "--embeddings-model=small", "--embeddings-key=k", "--embeddings-private=true").Resolve()
	if want := (config.Embeddings{URL: "http://127.0.0.1:11434/v1/embeddings", Model: "small", Key: "k", Private: true}); len(found) > 0 || cfg.Embeddings != want {
		t.Errorf("%+v, %v", cfg.Embeddings, found)
	}
	for args, want := range map[string]string{
		"--embeddings-url=127.0.0.1:11434/v1/embeddings":  "--embeddings-url (VITRINE_EMBEDDINGS_URL): want the address of the endpoint itself",
		"--embeddings-url=http://ollama:11434":            "want the address of the endpoint itself",
		"--embeddings-url=ftp://ollama/v1/embeddings":     "want the address of the endpoint itself",
		"--embeddings-url=http://u:s3cret@o/embeddings":   "--embeddings-key-file",
		"--embeddings-url=http://o/embeddings?key=s3cret": "--embeddings-key-file",
		"--embeddings-model=a\nb":                         "--embeddings-model (VITRINE_EMBEDDINGS_MODEL): want the name of a model on one line",
		"--embeddings-key=s3cret\n":                       "--embeddings-key (VITRINE_EMBEDDINGS_KEY): must not contain line breaks",
	} {
		all := []string{args}
		if strings.HasPrefix(args, "--embeddings-url") {
			all = append(all, "--embeddings-model=small")
		}
		if _, found := parse(t, all...).Resolve(); len(found) != 1 || !strings.Contains(found[0].Error(), want) || strings.Contains(found[0].Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", args, found, want)
		}
	}
	if _, found := parse(t, "--embeddings-url=http://o/v1/embeddings").Resolve(); len(found) != 1 || !strings.Contains(found[0].Error(), "--embeddings-model") {
		t.Errorf("without a model: %v", found)
	}
}
