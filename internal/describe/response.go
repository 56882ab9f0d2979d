package describe

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// anywhere lists the statuses that any operation may return without declaring them, because
// middleware returns them (behaviour.md sections 1 and 9).
var anywhere = []int{
	http.StatusNotModified, http.StatusBadRequest, http.StatusUnauthorized, http.StatusMethodNotAllowed,
	http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	http.StatusPreconditionFailed, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// CheckResponse returns, for tests, every violation in a response of an operation: an undeclared
// status, another content type, a body that does not match its schema, and undeclared fields at
// any depth. Times must have the form of behaviour.md section 1, and an error must repeat its
// status. The response must be that of the method itself, not of HEAD.
func (d *Description) CheckResponse(operationID string, status int, header http.Header, body []byte) []Violation {
	all := must(d.responses())
	declared, ok := all.byID[operationID]
	if !ok {
		return []Violation{{"operation", fmt.Sprintf("%q is not declared", operationID)}}
	}
	content, ok := all.content(declared, status)
	if !ok {
		return []Violation{{"status", fmt.Sprintf("%d is not declared", status)}}
	}
	if len(content) == 0 {
		if len(body) > 0 {
			return []Violation{{"body", "must be empty"}}
		}
		return nil
	}
	got := mediaType(header.Get("Content-Type"))
	schema := content[got]
	if schema == nil {
		return []Violation{{"Content-Type", fmt.Sprintf("%q is not declared", got)}}
	}
	if strings.HasSuffix(got, "zip") && len(body) > 0 { // including EPUB: the body is binary
		return nil
	}
	if got != jsonType {
		return checkText(body)
	}
	value, found, more, ok := decode(body, nil)
	if !ok {
		return found
	}
	x := explainer{value: value, root: "body", schemas: all.schemas, found: found}
	x.check(schema)
	x.undeclared([]*jsonschema.Schema{schema}, value, nil)
	if all.errorSchema != nil && target(schema) == all.errorSchema {
		x.status(status)
	}
	return tidy(x.found, more)
}

// content returns the schemas of a response by media type, and whether the status is allowed. If
// an operation, such as the token endpoint, declares a 401 of its own, that also applies to all
// errors that it does not declare.
func (all *responses) content(of map[string]response, status int) (map[string]*jsonschema.Schema, bool) {
	if declared, ok := of[strconv.Itoa(status)]; ok {
		return declared.content, true
	}
	own, ok := of["401"]
	if ok && slices.Contains(anywhere, status) && target(own.content[jsonType]) != all.errorSchema {
		return own.content, true
	}
	switch {
	case !slices.Contains(anywhere, status):
		return nil, false
	case status == http.StatusNotModified:
		return nil, true
	case status == http.StatusTooManyRequests:
		return map[string]*jsonschema.Schema{jsonType: all.rateLimitSchema}, true
	}
	return map[string]*jsonschema.Schema{jsonType: all.errorSchema}, true
}

func checkText(body []byte) []Violation {
	if len(body) == 0 {
		return []Violation{{"body", "is empty"}}
	}
	if !utf8.Valid(body) {
		return []Violation{{"body", errUTF8.Error()}}
	}
	return nil
}

// status checks that an error repeats its status (behaviour.md section 1).
func (x *explainer) status(status int) {
	if code := at(x.value, []string{"code"}); code != int64(status) {
		x.add([]string{"code"}, fmt.Sprintf("must be the status, %d", status))
	}
	phrase := "error"
	if _, ok := at(x.value, []string{"message"}).(string); ok { // version 2
		phrase = "message"
	}
	if at(x.value, []string{phrase}) != http.StatusText(status) {
		x.add([]string{phrase}, fmt.Sprintf("must be the phrase of the status, %q", http.StatusText(status)))
	}
}
