package describe

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var errEncoding = errors.New("is not encoded as URLs are (percent signs, semicolons)")

// CheckParams returns every violation of the declared path and query parameters in an address,
// sorted by name. It ignores unknown query parameters, except for metadata[…]. A list may be
// comma-separated and repeated; other parameters must not be repeated.
//
// noSuchID is true if a path parameter cannot identify anything: it is empty, an id below 1 or of
// more than 64 bits, or text that no database can contain (NUL, not UTF-8). The caller should
// respond with 404; such a parameter is not among the violations.
func (o *Operation) CheckParams(u *url.URL) (found []Violation, noSuchID bool) {
	if len(o.pathParams) > 0 {
		found, noSuchID = o.checkPath(u.EscapedPath())
	}
	given, found := o.queryValues(u.RawQuery, found)
	for i, p := range o.query {
		values := given[i]
		switch {
		case values == nil && p.required:
			found = append(found, Violation{p.name, "is required"})
		case values == nil:
		case !p.array && len(values) > 1:
			found = append(found, Violation{p.name, "is given more than once"})
		case p.array:
			found = append(found, p.check(split(values), o.schemas)...)
		default:
			found = append(found, p.check(p.scalar(values[0]), o.schemas)...)
		}
	}
	return tidy(found, 0), noSuchID
}

// PathValues returns the unescaped path parameters of an escaped path, and whether the path
// matches the template.
func (o *Operation) PathValues(path string) (values map[string]string, ok bool) {
	segments := strings.Split(path, "/")
	if len(segments) != len(o.segments) {
		return nil, false
	}
	for i, segment := range o.segments {
		if !strings.HasPrefix(segment, "{") {
			if segment != segments[i] {
				return nil, false
			}
			continue
		}
		text, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, false
		}
		if values == nil {
			values = map[string]string{}
		}
		values[strings.Trim(segment, "{}")] = text
	}
	return values, true
}

// checkPath checks the parameters in a path. It checks nothing if the path does not match the
// template.
func (o *Operation) checkPath(path string) (found []Violation, noSuchID bool) {
	segments := strings.Split(path, "/")
	if len(segments) != len(o.segments) {
		return nil, false
	}
	for i, segment := range o.segments {
		p, ok := o.pathParams[strings.Trim(segment, "{}")]
		if !ok || !strings.HasPrefix(segment, "{") {
			continue
		}
		text, err := url.PathUnescape(segments[i])
		switch {
		case err != nil:
			found = append(found, Violation{p.name, errEncoding.Error()})
		case text == "" || strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text), p.integer && impossible(text):
			noSuchID = true
		default:
			found = append(found, p.check(p.scalar(text), o.schemas)...)
		}
	}
	return found, noSuchID
}

// impossible reports whether a text is a number that cannot be an id.
func impossible(text string) bool {
	id, err := strconv.ParseInt(text, 10, 64)
	return errors.Is(err, strconv.ErrRange) || err == nil && id < 1
}

// queryValues returns the values of each declared query parameter, by its index in o.query. A
// value that cannot be decoded is a violation.
func (o *Operation) queryValues(query string, found []Violation) (map[int][]string, []Violation) {
	var given map[int][]string
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		i := slices.IndexFunc(o.query, func(p param) bool { return p.name == name })
		if err == nil && i < 0 && strings.HasPrefix(name, "metadata[") { // ignoring a filter would return everything
			found = append(found, Violation{strings.ToValidUTF8(name, "?"), "is not supported: this server cannot filter by metadata"})
		}
		if err != nil || i < 0 {
			continue
		}
		text, err := url.QueryUnescape(value)
		switch {
		case err != nil || strings.Contains(pair, ";"):
			found = append(found, Violation{name, errEncoding.Error()})
		case strings.IndexByte(text, 0) >= 0:
			found = append(found, Violation{name, "must not contain NUL"})
		case !utf8.ValidString(text):
			found = append(found, Violation{name, errUTF8.Error()})
		default:
			if given == nil {
				given = map[int][]string{}
			}
			given[i] = append(given[i], text)
		}
	}
	return given, found
}

// split splits repeated and comma-separated values into one list.
func split(values []string) []any {
	var list []any
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			list = append(list, part)
		}
	}
	return list
}

// scalar converts a text to the declared type. If that is impossible, it returns the text, which
// the schema then rejects.
func (p param) scalar(text string) any {
	if p.boolean {
		if b, err := strconv.ParseBool(text); err == nil { // like the generated decoder
			return b
		}
	}
	if !p.integer {
		return text
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return float64(i)
	}
	if err != nil {
		return text
	}
	return i
}

func (p param) check(value any, schemas index) []Violation {
	x := explainer{value: value, prefix: []step{{key: p.name, index: -1}}, schemas: schemas}
	return x.check(p.schema)
}
