package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
)

const (
	maxAnswer = 1 << 20 // bytes of an oEmbed answer
	maxPixels = 20_000
)

// oEmbedFields are the fields of a response that are read. Others are dropped, since a hostile
// response may have many.
var oEmbedFields = []string{"type", "title", "author_name", "author_url", "provider_name", "provider_url", "html", "url",
	"thumbnail_url", "width", "height"}

// ErrNoOEmbed means that a response is not valid oEmbed.
var ErrNoOEmbed = errors.New("page: no oEmbed answer")

// OEmbed is the response of a provider (oembed.com section 2.3). Texts are clean, on one line and
// at most as long as those of a Page. Addresses are absolute HTTP(S) URLs or empty. HTML is the
// original and must not be shown: see SafeHTML.
type OEmbed struct {
	Type                      string // "photo", "video", "link" or "rich"
	Title                     string
	AuthorName, AuthorURL     string
	ProviderName, ProviderURL string
	HTML                      string
	URL                       string // of a photo
	ThumbnailURL              string
	Width, Height             int // pixels, 0 if unknown or relative
}

// ReadOEmbed reads a response in JSON or XML, depending on its content. It fails with ErrNoOEmbed
// if it is neither or does not have one of the four types.
func ReadOEmbed(body []byte, contentType string) (OEmbed, error) {
	if len(body) > maxAnswer {
		return OEmbed{}, fmt.Errorf("%w: too long", ErrNoOEmbed)
	}
	values, err := readValues(body, contentType)
	if err != nil {
		return OEmbed{}, fmt.Errorf("%w: %w", ErrNoOEmbed, err)
	}
	kind := strings.ToLower(strings.TrimSpace(values["type"]))
	if !slices.Contains([]string{"photo", "video", "link", "rich"}, kind) {
		return OEmbed{}, fmt.Errorf("%w: the type %q", ErrNoOEmbed, line(kind, 20))
	}
	return OEmbed{
		Type:         kind,
		Title:        line(html.UnescapeString(values["title"]), maxTitle),
		AuthorName:   line(html.UnescapeString(values["author_name"]), maxName),
		AuthorURL:    webAddress(values["author_url"]),
		ProviderName: line(html.UnescapeString(values["provider_name"]), maxName),
		ProviderURL:  webAddress(values["provider_url"]),
		HTML:         strings.ToValidUTF8(strings.ReplaceAll(values["html"], "\x00", ""), "\uFFFD"),
		URL:          webAddress(values["url"]),
		ThumbnailURL: webAddress(values["thumbnail_url"]),
		Width:        pixels(values["width"]),
		Height:       pixels(values["height"]),
	}, nil
}

// Pictures returns the URLs of images that represent the page, best first.
func (o OEmbed) Pictures() (all []string) {
	if o.ThumbnailURL != "" {
		all = append(all, o.ThumbnailURL)
	}
	if o.Type == "photo" && o.URL != "" {
		all = append(all, o.URL)
	}
	return all
}

// IsCard reports whether the response only shows a part of the page in a frame, as WordPress does
// for the posts of every site. The page itself contains more.
func (o OEmbed) IsCard() bool { return strings.Contains(o.HTML, "wp-embedded-content") }

// readValues detects the format. XML may declare its character set; a byte order mark and
// contentType take precedence.
func readValues(body []byte, contentType string) (map[string]string, error) {
	charsets := charset.NewReaderLabel
	_, _, certain := charset.DetermineEncoding(body, contentType)
	if certain || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		body = Decode(contentType, body)
		charsets = func(_ string, decoded io.Reader) (io.Reader, error) { return decoded, nil }
	}
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("<")) {
		return readXML(body, charsets)
	}
	return readJSON(body)
}

// readJSON returns the strings and numbers of an object. It skips other values, because providers send
// null, false or arrays for unknown values.
func readJSON(body []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(errors.New("not an object"), err)
	}
	values := map[string]string{}
	var raw json.RawMessage // reused for each value
	for d.More() {
		name, err := d.Token()
		if err == nil {
			err = d.Decode(&raw)
		}
		if err != nil {
			return nil, err
		}
		if name, _ := name.(string); slices.Contains(oEmbedFields, name) {
			addValue(values, name, raw)
		}
	}
	_, err := d.Token() // the closing brace
	return values, err
}

// addValue adds the value of a field if it is a string or a number.
func addValue(values map[string]string, name string, raw json.RawMessage) {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		values[name] = text
	case json.Unmarshal(raw, &number) == nil:
		values[name] = number.String()
	}
}

// webAddress returns an absolute HTTP(S) address, or "". The default scheme is https.
func webAddress(s string) string {
	u, ok := absolute(nil, s)
	if !ok {
		return ""
	}
	return u.String()
}

// pixels parses a width or height: "640", "640px", 640.0. It returns 0 for relative or invalid
// values.
func pixels(s string) int {
	s = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "px")
	number, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(number >= 1 && number <= maxPixels) {
		return 0
	}
	return int(number)
}
