package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBody is the maximum size of request bodies in bytes. URLs and secrets are short.
const maxBody = 64 << 10

// secrets are parameters that must not be in a URL, because logs and histories store URLs (RFC 6749 section
// 2.3.1).
var secrets = []string{"client_secret", "code", "code_verifier", "token", "client_assertion", "password", "refresh_token"}

const (
	formType      = "application/x-www-form-urlencoded"
	jsonType      = "application/json"
	multipartType = "multipart/form-data" // meant for forms with files, but some clients use it for all forms
)

// params reads the parameters of an endpoint from a form or a JSON object. A parameter without a value
// counts as missing (RFC 6749 section 3.1), and unknown ones are ignored.
func params(w http.ResponseWriter, r *http.Request, names ...string) (map[string]string, error) {
	query, _ := url.ParseQuery(r.URL.RawQuery)
	for _, name := range secrets {
		if query.Has(name) {
			return nil, refuse(name + " must be in the body, not in the address")
		}
	}
	return bodyParams(w, r, names)
}

// paramsAnywhere reads the parameters of an endpoint from the URL, as version 2 clients send them, from the
// body like params, or from both. Our logs do not contain queries.
func paramsAnywhere(w http.ResponseWriter, r *http.Request, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse("The query of the address is not form-encoded")
	}
	given, err := formParams(query, names)
	if err != nil || r.ContentLength == 0 {
		return given, err
	}
	body, err := bodyParams(w, r, names)
	if err != nil {
		return nil, err
	}
	for name, value := range body {
		switch was := given[name]; {
		case was == "":
			given[name] = value
		case value != "" && value != was:
			return nil, refuse(name + " is another in the body than in the address")
		}
	}
	return given, nil
}

// bodyParams reads parameters from the body.
func bodyParams(w http.ResponseWriter, r *http.Request, names []string) (map[string]string, error) {
	kind, body, err := read(w, r, formType, jsonType, multipartType)
	if err != nil {
		return nil, err
	}
	if kind == jsonType {
		return jsonParams(body, names)
	}
	form, err := url.ParseQuery(string(body))
	if kind == multipartType {
		form, err = parts(body, r.Header.Get("Content-Type"))
	}
	if err != nil {
		return nil, refuse("The body is not a form")
	}
	return formParams(form, names)
}

// read reads a whole body with one of the media types.
func read(w http.ResponseWriter, r *http.Request, kinds ...string) (kind string, body []byte, err error) {
	kind, _, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(kinds, kind) {
		return "", nil, &failure{http.StatusUnsupportedMediaType, "invalid_request", "Send the body as " + strings.Join(kinds, " or ")}
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return "", nil, &failure{http.StatusRequestEntityTooLarge, "invalid_request", "The body is too large"}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", nil, &failure{http.StatusRequestTimeout, "temporarily_unavailable", "The body came too slowly"}
	}
	if err != nil {
		return "", nil, refuse("The body cannot be read to its end")
	}
	if !utf8.Valid(body) {
		return "", nil, refuse("The body is not UTF-8")
	}
	return kind, body, nil
}

// parts parses a multipart form. Every part must be a named field, not a file.
func parts(body []byte, contentType string) (url.Values, error) {
	_, of, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, err
	}
	form, in := url.Values{}, multipart.NewReader(bytes.NewReader(body), of["boundary"])
	for {
		part, err := in.NextPart()
		if err == io.EOF {
			return form, nil
		}
		if err != nil {
			return nil, err
		}
		if part.FormName() == "" || part.FileName() != "" {
			return nil, errors.New("a part is not a form field")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		form.Add(part.FormName(), string(value))
	}
}

func formParams(form url.Values, names []string) (values map[string]string, err error) {
	values = map[string]string{}
	for _, name := range names {
		if len(form[name]) > 1 {
			return nil, refuse(name + " was given more than once")
		}
		if values[name], err = clean(name, form.Get(name)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func jsonParams(body []byte, names []string) (map[string]string, error) {
	object, err := decodeObject(body)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, name := range names {
		var text *string
		if raw, ok := object[name]; ok && json.Unmarshal(raw, &text) != nil {
			return nil, refuse(name + " must be a string")
		}
		if text == nil {
			continue
		}
		if values[name], err = clean(name, *text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// clean rejects values with control characters or invalid UTF-8.
func clean(name, value string) (string, error) {
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return "", refuse(name + " contains invalid characters")
	}
	return value, nil
}

// decodeObject decodes the fields of a JSON object. It rejects duplicate fields, because programs disagree
// about which one counts.
func decodeObject(body []byte) (map[string]json.RawMessage, error) {
	bad := refuse("The body must be one JSON object without duplicate fields")
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, bad
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, bad
		}
		if _, twice := fields[name]; twice {
			return nil, bad
		}
		fields[name] = value
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, bad
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad
	}
	return fields, nil
}
