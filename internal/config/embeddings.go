package config

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

// Embeddings configures search by meaning. Without a URL it is off.
type Embeddings struct {
	URL     string
	Model   string
	Key     string // secret
	Private bool   // send private content too
}

// maxModelName is the maximum length of the name of a model.
const maxModelName = 200

// checkEmbeddingsURL checks the endpoint's address. Its errors do not contain the address, which may include a password.
func checkEmbeddingsURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !strings.HasSuffix(u.Path, "/embeddings"):
		return errors.New("want the address of the endpoint itself, such as http://127.0.0.1:11434/v1/embeddings")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("must not contain a user, query or fragment: put a key into --embeddings-key-file")
	}
	return nil
}

func checkEmbeddingsModel(name string) error {
	if len(name) > maxModelName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) {
		return errors.New("want the name of a model on one line, of at most " + strconv.Itoa(maxModelName) + " bytes")
	}
	return nil
}

// checkEmbeddingsKey checks that a key can be sent in a header. Its error does not contain the key.
func checkEmbeddingsKey(key string) error {
	if !httpguts.ValidHeaderFieldValue(key) {
		return errors.New("must not contain line breaks or control characters")
	}
	return nil
}

func (e *Embeddings) complete(found *problems) {
	if e.URL != "" && e.Model == "" && !found.on("embeddings-url") && !found.on("embeddings-model") {
		found.add("embeddings-model", "is required with --embeddings-url, for example nomic-embed-text")
	}
}
