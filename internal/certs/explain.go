package certs

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
)

// mostAnswer is how much of an authority's answer is read here.
const mostAnswer = 1 << 20 // bytes

// explainer logs why an authority finds a challenge unmet: its client keeps that for
// itself, and it is what an operator needs.
type explainer struct {
	http.RoundTripper
	log *slog.Logger
}

// RoundTrip asks, and looks at the answer on its way.
func (e explainer) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := e.RoundTripper.RoundTrip(r)
	if err != nil {
		return res, err
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(answer))
	var authorisation struct {
		Identifier struct{ Value string }
		Challenges []struct {
			Type  string
			Error struct{ Detail string }
		}
	}
	if json.Unmarshal(answer, &authorisation) != nil {
		return res, nil // certificates are no JSON
	}
	for _, c := range authorisation.Challenges {
		if c.Error.Detail != "" {
			e.log.WarnContext(r.Context(), "the authority could not see that the domain is ours",
				"domain", authorisation.Identifier.Value, "challenge", c.Type, "reason", c.Error.Detail)
		}
	}
	return res, nil
}
