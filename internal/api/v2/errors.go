package v2

import (
	"errors"
	"net/http"
	"slices"

	"github.com/go-faster/jx"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
)

// Errors writes errors in version 2's form: the status, its phrase and a sentence. Clients compare those of 401 and 404
// word by word.
var Errors = httpedge.Errors{Write: writeError}

// The sentences of the two statuses for which the contract fixes them.
var sentences = map[int]string{
	http.StatusUnauthorized: "Invalid credentials.",
	http.StatusNotFound:     "The resource you are looking for does not exist.",
}

// names maps fields of the use cases to the names of version 2.
var names = map[string]string{
	"visibility": "status", "value": "content", "channels[0].position": "position", "collaborator_ids": "ids",
	"query": "q",
}

// renamed returns an error of a use case with the field names of version 2.
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
	p := jsonWriter{&body}
	p.object(func() {
		p.int("code", int64(status))
		p.text("message", http.StatusText(status))
		p.text("description", sentence)
	})
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only if the client is gone
}
