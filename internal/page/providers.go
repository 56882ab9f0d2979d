package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/weburl"
)

const (
	maxList    = 8 << 20 // bytes of a list of providers
	embedWidth = 1_280   // maximum width in pixels that we request
)

//go:embed providers.json
var embeddedList []byte

// Endpoint is the address of a page's oEmbed response.
type Endpoint struct {
	URL      string // the whole request
	Provider string // its name in the list; empty if the page links to it
}

// Same reports whether two endpoints return the same response. It ignores the scheme, "www.", the
// order of the parameters, the maximum size of the player, and "format=json", which is the default.
func (e Endpoint) Same(other Endpoint) bool {
	a, errA := url.Parse(e.URL)
	b, errB := url.Parse(other.URL)
	if errA != nil || errB != nil {
		return false
	}
	x, y := newTarget(a), newTarget(b)
	return x.host == y.host && x.path == y.path && maps.EqualFunc(question(a), question(b), slices.Equal)
}

// question returns the parameters of an endpoint that distinguish responses.
func question(endpoint *url.URL) url.Values {
	query := endpoint.Query()
	query.Del("maxwidth")
	query.Del("maxheight")
	if query.Get("format") == "json" {
		query.Del("format")
	}
	return query
}

// Directory is a list of oEmbed providers. It is immutable and safe for concurrent use.
type Directory struct{ rules []rule }

// rule is one scheme of a provider.
type rule struct {
	pattern
	provider string
	endpoint string // with "{format}" replaced
}

// Providers returns the built-in list. PROVIDERS.md names its source.
func Providers() (*Directory, error) {
	return LoadProviders(bytes.NewReader(embeddedList))
}

// LoadProviders reads a list in the format of https://oembed.com/providers.json. It skips endpoints
// and schemes other than HTTP(S). It fails if the list is longer than 8 MiB, has another format, or
// contains nothing usable.
func LoadProviders(r io.Reader) (*Directory, error) {
	list, err := io.ReadAll(io.LimitReader(r, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read the list of oEmbed providers: %w", err)
	}
	if len(list) > maxList {
		return nil, errors.New("the list of oEmbed providers is too long")
	}
	var providers []struct {
		Name      string `json:"provider_name"`
		Endpoints []struct {
			URL     string   `json:"url"`
			Schemes []string `json:"schemes"`
		} `json:"endpoints"`
	}
	if err := json.Unmarshal(list, &providers); err != nil {
		return nil, fmt.Errorf("read the list of oEmbed providers: %w", err)
	}
	var d Directory
	for _, provider := range providers {
		for _, endpoint := range provider.Endpoints {
			d.add(line(provider.Name, maxName), endpoint.URL, endpoint.Schemes)
		}
	}
	if len(d.rules) == 0 {
		return nil, errors.New("the list of oEmbed providers is empty")
	}
	return &d, nil
}

func (d *Directory) add(provider, endpoint string, schemes []string) {
	endpoint = strings.ReplaceAll(endpoint, "{format}", "json")
	if u, err := weburl.Parse(endpoint); err != nil || u.User != nil {
		return
	}
	for _, scheme := range schemes {
		if p, ok := newPattern(scheme); ok {
			d.rules = append(d.rules, rule{p, provider, endpoint})
		}
	}
}

// Find returns the endpoint for a page: that of the first matching scheme in the list. The request
// is for JSON with a maximum width of 1,280 pixels.
func (d *Directory) Find(page *url.URL) (Endpoint, bool) {
	if page == nil || !web(page) || len(page.String()) > maxAddress {
		return Endpoint{}, false
	}
	target := newTarget(page)
	for _, r := range d.rules {
		if r.matches(target) {
			return Endpoint{URL: r.request(page), Provider: r.provider}, true
		}
	}
	return Endpoint{}, false
}

// request returns the URL of the request for a page (oembed.com section 2.2).
func (r rule) request(page *url.URL) string {
	separator := "?"
	if strings.Contains(r.endpoint, "?") {
		separator = "&"
	}
	query := url.Values{
		"url":      {page.String()},
		"format":   {"json"},
		"maxwidth": {strconv.Itoa(embedWidth)},
	}
	return r.endpoint + separator + query.Encode()
}
