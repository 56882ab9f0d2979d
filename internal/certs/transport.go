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

// mostAnswer is how much of an authority's answer is read.
const mostAnswer = 1 << 20 // bytes

// transport asks an authority, and mends two things on the way of its answers. Why it
// refuses, finds a challenge unmet or does not answer is logged: the client keeps that for itself where it
// renews, and it is what an operator needs. And an answer to the end of an order is given the order's address,
// which the client counts on and some authorities leave out.
type transport struct {
	http.RoundTripper
	log    *slog.Logger
	orders sync.Map // addresses of orders by those to end them at
}

// refusals is how the types of an authority's refusals begin. One of them clients expect, and ask again.
const (
	refusals = "urn:ietf:params:acme:error:"
	badNonce = refusals + "badNonce"
)

// answer is what may be in the JSON of an authorisation or an order (RFC 8555, 7.1), or of a refusal (6.7).
type answer struct {
	Type, Detail string
	Identifier   struct{ Value string }
	Challenges   []struct {
		Type  string
		Error struct{ Detail string }
	}
	Finalize string
}

// RoundTrip asks once.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		t.log.WarnContext(r.Context(), "the authority for certificates does not answer", "error", err)
		return res, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	var a answer
	known := json.Unmarshal(body, &a) == nil
	if res.StatusCode >= http.StatusBadRequest && a.Type != badNonce {
		t.log.WarnContext(r.Context(), "the authority for certificates refuses", "status", res.StatusCode, "type", strings.TrimPrefix(a.Type, refusals), "reason", a.Detail)
	}
	if !known {
		return res, nil // certificates are no JSON
	}
	t.explain(r, a)
	t.locate(r, res, a)
	return res, nil
}

func (t *transport) explain(r *http.Request, a answer) {
	for _, c := range a.Challenges {
		if c.Error.Detail != "" {
			t.log.WarnContext(r.Context(), "the authority could not verify that the domain is ours",
				"domain", a.Identifier.Value, "challenge", c.Type, "reason", c.Error.Detail)
		}
	}
}

func (t *transport) locate(r *http.Request, res *http.Response, a answer) {
	if at, known := t.orders.Load(r.URL.String()); known {
		if res.StatusCode == http.StatusOK { // else the client may ask again
			t.orders.Delete(r.URL.String())
		}
		res.Header.Set("Location", at.(string))
		return
	}
	if at := res.Header.Get("Location"); at != "" && a.Finalize != "" {
		t.orders.Store(a.Finalize, at)
	}
}
