package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// client sends JSON with a token.
type client struct {
	base  string
	token string
	key   string // Idempotency-Key of a POST, "" for none
	http  http.Client
	allow string // Accept of the request, "" for none
}

// fields are a JSON object.
type fields map[string]any

// statusError is a response with an error status.
type statusError struct {
	status int
	body   string
}

func (e statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// to connects the client to a server.
func (c *client) to(base string, transport http.RoundTripper) {
	c.base, c.http = base, http.Client{Transport: transport}
}

// send sends a request and decodes the response into out, unless that is nil. A request without an
// error is acknowledged: its response was complete and has a 2xx status.
func (c *client) send(method, path string, body fields, out any) error {
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(encoded)
	}
	req, err := http.NewRequest(method, c.base+path, text)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.allow != "" {
		req.Header.Set("Accept", c.allow)
	}
	if method == http.MethodPost && c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return statusError{res.StatusCode, string(answer)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
