package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Traces configures tracing. Without an Endpoint it is off.
type Traces struct {
	Endpoint    string
	HeadersFile string      // source of Header; empty for none
	Header      http.Header // secret; nil for none
	Ratio       float64     // 0 to 1
}

func parseRatio(text string) (float64, error) {
	ratio, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) { // false for NaN
		return 0, quotedError(text, "want a share from 0 to 1, such as 0.01")
	}
	return ratio, nil
}

func formatRatio(ratio float64) string { return strconv.FormatFloat(ratio, 'g', -1, 64) }

// checkEndpoint checks the collector's address. Its errors do not contain the address, which may
// include a password.
func checkEndpoint(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("want the collector's address, such as http://127.0.0.1:4318")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("must not contain a user, query or fragment: put a token into --otel-headers-file")
	}
	return nil
}

func (t *Traces) complete(found *problems) {
	if t.HeadersFile == "" {
		return
	}
	if t.Endpoint == "" {
		found.add("otel-endpoint", "is required for the headers")
		return
	}
	var err error
	t.Header, err = readHeaders(t.HeadersFile)
	found.addErr("otel-headers-file", err)
}

// maxHeaders is the maximum size of a file of headers in bytes.
const maxHeaders = 64 << 10

// readHeaders reads a file with one "Name: value" per line. Its errors contain line numbers but
// nothing from the file.
func readHeaders(path string) (http.Header, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeaders {
		return nil, fmt.Errorf("the file %s is too large: want at most %d bytes of headers", path, maxHeaders)
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
			return nil, fmt.Errorf("line %d of %s: %s is set by Vitrine", n, path, name)
		}
		h.Add(name, value)
	}
	if len(h) == 0 {
		return nil, fmt.Errorf("the file %s is empty", path)
	}
	return h, nil
}
