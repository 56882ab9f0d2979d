package config

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Traces are sent to an OpenTelemetry collector, and nowhere without an Endpoint.
type Traces struct {
	Endpoint string
	Header   http.Header // secret; nil for none
	Ratio    float64     // 0 to 1
}

func (s Server) resolveTraces(cfg *Config, found *problems) {
	ratio, err := strconv.ParseFloat(s.OTelSampleRatio, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) { // which is so of no NaN
		found.addErr("otel-sample-ratio", quotedError(s.OTelSampleRatio, "want a share from 0 to 1, such as 0.01"))
	}
	cfg.Traces = Traces{Endpoint: s.OTelEndpoint, Ratio: ratio}
	if s.OTelEndpoint == "" {
		if s.OTelHeadersFile != "" {
			found.add("otel-endpoint", "is missing: there are headers for it")
		}
		return
	}
	u, err := url.Parse(s.OTelEndpoint)
	switch { // the address is not repeated, since it may hold a password
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		found.add("otel-endpoint", "want the collector's address, such as http://127.0.0.1:4318")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		found.add("otel-endpoint", "must hold no user, query or fragment: a token goes into --otel-headers-file")
	}
	if s.OTelHeadersFile != "" {
		cfg.Traces.Header, err = readHeaders(s.OTelHeadersFile)
		found.addErr("otel-headers-file", err)
	}
}

// mostHeaders is how many bytes a file of headers may have.
const mostHeaders = 64 << 10

// readHeaders reads a file of "Name: value", a line each. Its errors name lines, and tell nothing
// that is in them.
func readHeaders(path string) (http.Header, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > mostHeaders {
		return nil, fmt.Errorf("the file %s is no file of headers: it has more than %d bytes", path, mostHeaders)
	}
	h, n := http.Header{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch name = http.CanonicalHeaderKey(name); {
		case !ok || value == "" || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return nil, fmt.Errorf("line %d of %s: want Name: value", n, path)
		case name == "Host" || name == "Content-Type" || name == "Content-Length" || name == "Content-Encoding" || name == "Transfer-Encoding" || name == "User-Agent":
			return nil, fmt.Errorf("line %d of %s: %s is ours to send", n, path, name)
		}
		h.Add(name, value)
	}
	if len(h) == 0 {
		return nil, fmt.Errorf("the file %s is empty", path)
	}
	return h, nil
}
