package v2

import (
	"errors"
	"net/http"
	"slices"

	"github.com/go-faster/jx"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
)

// Errors is the shape of version 2: the status, its phrase and a sentence. Programs compare
// those of 401 and 404 word by word.
var Errors = httpedge.Errors{Write: writeError}

// What is said of the two statuses whose sentences are part of the contract.
var sentences = map[int]string{
	http.StatusUnauthorized: "Invalid credentials.",
	http.StatusNotFound:     "The resource you are looking for does not exist.",
}

// names are what version 2 calls fields of the use cases.
var names = map[string]string{
	"visibility": "status", "value": "content", "channels[0].position": "position", "collaborator_ids": "ids",
	"query": "q",
}

// renamed gives an error of a use case by the names of version 2.
func renamed(err error) error {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Fields == nil {
		return err
	}
	fields := slices.Clone(known.Fields)
	for i, f := range fields {
		if name, ok := names[f.Path]; ok {
			fields[i].Path = name
		}
	}
	again := domain.NewInvalid(fields...)
	again.Kind = known.Kind
	return again
}

func writeError(w http.ResponseWriter, r *http.Request, status int, e *domain.Error) {
	sentence, fixed := sentences[status]
	if !fixed {
		sentence = e.Message
	}
	if status == http.StatusUnauthorized {
		httpedge.Challenge(w, r)
	}
	var body jx.Encoder
	p := pen{&body}
	p.object(func() {
		p.int("code", int64(status))
		p.text("message", http.StatusText(status))
		p.text("description", sentence)
	})
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only when the client is gone
}
