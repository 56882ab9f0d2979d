package web

import (
	"encoding/json"
	"net/http"
	"strings"
)

// longestOptions is the maximum number of suggestions for a field.
const longestOptions = 20

// Option is a suggestion for a field.
type Option struct {
	Value string `json:"value"` // the field's value
	Label string `json:"label"`
	Hint  string `json:"hint,omitempty"` // distinguishes similar labels
}

// Options sends suggestions to the script of a field.
func (v *Visit) Options(options []Option) error {
	if options == nil {
		options = []Option{}
	}
	return v.JSON(http.StatusOK, options[:min(len(options), longestOptions)])
}

// WantsJSON reports whether a script sent the request and reads JSON.
func (v *Visit) WantsJSON() bool {
	return strings.HasPrefix(v.R.Header.Get("Accept"), "application/json")
}

// JSON answers a script. The response is never cached.
func (v *Visit) JSON(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return v.answerWith(status, "application/json", "no-store", body)
}

// made sends a value as JSON with a content type and a caching policy.
func (v *Visit) made(contentType, caching string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return v.answerWith(http.StatusOK, contentType, caching, body)
}

func (v *Visit) answerWith(status int, contentType, caching string, body []byte) error {
	h := v.W.Header()
	h.Set("Cache-Control", caching)
	h.Set("Content-Type", contentType)
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body) // fails only if the client is gone
	return nil
}
