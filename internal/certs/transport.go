package certs

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
)

// maxAnswer limits the size of a response.
const maxAnswer = 1 << 20 // bytes

// transport wraps the connection to the authority for two reasons. It logs refusals, failed
// challenges and connection errors, which the ACME client does not report during renewals. And it
// adds the Location header to the response to an order's finalization: the client needs it, and
// some authorities omit it.
type transport struct {
	http.RoundTripper
	log    *slog.Logger
	orders sync.Map // URLs of orders by their finalization URLs
}

// refusals is the prefix of ACME error types. Clients retry after badNonce, so it is not logged.
const (
	refusals = "urn:ietf:params:acme:error:"
	badNonce = refusals + "badNonce"
)

// answer holds the fields that we use of an authorization or order (RFC 8555, 7.1) or a problem
// document (6.7).
type answer struct {
	Type, Detail string
	Identifier   struct{ Value string }
	Challenges   []struct {
		Type  string
		Error struct{ Detail string }
	}
	Finalize string
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		t.log.WarnContext(r.Context(), "the certificate authority does not answer", "error", err)
		return res, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	var a answer
	known := json.Unmarshal(body, &a) == nil
	if res.StatusCode >= http.StatusBadRequest && a.Type != badNonce {
		t.log.WarnContext(r.Context(), "the certificate authority refuses the request", "status", res.StatusCode, "type", strings.TrimPrefix(a.Type, refusals), "reason", a.Detail)
	}
	if !known {
		return res, nil // a certificate, which is not JSON
	}
	t.explain(r, a)
	t.locate(r, res, a)
	return res, nil
}

func (t *transport) explain(r *http.Request, a answer) {
	for _, c := range a.Challenges {
		if c.Error.Detail != "" {
			t.log.WarnContext(r.Context(), "the certificate authority could not verify the domain",
				"domain", a.Identifier.Value, "challenge", c.Type, "reason", c.Error.Detail)
		}
	}
}

func (t *transport) locate(r *http.Request, res *http.Response, a answer) {
	if at, known := t.orders.Load(r.URL.String()); known {
		if res.StatusCode == http.StatusOK { // otherwise the client may retry
			t.orders.Delete(r.URL.String())
		}
		res.Header.Set("Location", at.(string))
		return
	}
	if at := res.Header.Get("Location"); at != "" && a.Finalize != "" {
		t.orders.Store(a.Finalize, at)
	}
}
