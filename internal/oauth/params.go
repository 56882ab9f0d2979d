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

// maxBody bounds the bodies of all endpoints, in bytes: addresses and secrets are short.
const maxBody = 64 << 10

// secrets are the parameters that must not be in an address, which logs and histories
// keep (RFC 6749 section 2.3.1).
var secrets = []string{"client_secret", "code", "code_verifier", "token", "client_assertion", "password", "refresh_token"}

const (
	formType      = "application/x-www-form-urlencoded"
	jsonType      = "application/json"
	multipartType = "multipart/form-data" // of forms with files in the standard; some clients send all forms so
)

// params reads the parameters that an endpoint knows from a form or an object of JSON.
// One without a value is as if it were not there (RFC 6749 section 3.1); others are
// ignored.
func params(w http.ResponseWriter, r *http.Request, names ...string) (map[string]string, error) {
	query, _ := url.ParseQuery(r.URL.RawQuery)
	for _, name := range secrets {
		if query.Has(name) {
			return nil, refuse(name + " must be in the body, not in the address")
		}
	}
	return bodyParams(w, r, names)
}

// paramsAnywhere reads the parameters that an endpoint knows from the address, as clients
// of version 2 send them, or from a body as params does, or from both. Our log has no
// queries.
func paramsAnywhere(w http.ResponseWriter, r *http.Request, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse("The address has a query that is not written as a form")
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

// bodyParams reads the parameters with some names from the body.
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

// read takes a body of one of the media types whole.
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

// parts reads a form of several parts. Parameters are no files, and every part says of
// which field it is.
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
			return nil, errors.New("a part is no field")
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

// clean refuses what no parameter holds: control characters and what is not UTF-8.
func clean(name, value string) (string, error) {
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return "", refuse(name + " has characters that it cannot have")
	}
	return value, nil
}

// decodeObject reads the fields of one object of JSON, of which none may come twice:
// programs disagree which of two counts.
func decodeObject(body []byte) (map[string]json.RawMessage, error) {
	bad := refuse("The body is not one object of JSON, each of its fields given once")
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
