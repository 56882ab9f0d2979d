package web

import (
	"encoding/json"
	"net/http"
)

// longestOptions is how many options a field offers at once.
const longestOptions = 20

// Option is something that a field offers to complete what is typed.
type Option struct {
	Value string `json:"value"` // what the field takes
	Label string `json:"label"`
	Hint  string `json:"hint,omitempty"` // to know it by, beside its label
}

// Options answers the script of a field that completes what is typed.
func (v *Visit) Options(options []Option) error {
	if options == nil {
		options = []Option{}
	}
	return v.JSON(http.StatusOK, options[:min(len(options), longestOptions)])
}

// JSON answers a script. It is never kept.
func (v *Visit) JSON(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return v.answerWith(status, "application/json", "no-store", body)
}

// made answers with a value as JSON of a kind, and says how long it may be kept.
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
	_, _ = v.W.Write(body) // the client has gone; nothing to do
	return nil
}
