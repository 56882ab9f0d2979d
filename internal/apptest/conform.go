package apptest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/httpedge"
)

// conform validates a response if a description contains its operation.
func (r *Rig) conform(req *http.Request, res *Response) {
	r.T.Helper()
	if req.Method == http.MethodHead || req.Method == http.MethodOptions || res.Header.Get("Content-Encoding") != "" {
		return
	}
	path := plain(req.URL.EscapedPath())
	for _, doc := range append(r.Descriptions(), r.S.API.V2) {
		for _, op := range doc.Operations() {
			if op.Method != req.Method || !matches(op.Path, path) {
				continue
			}
			if res.Status == http.StatusForbidden && op.ID == "presignUpload" {
				return // the public description does not contain the status for read-only tokens in behaviour.md section 1
			}
			if res.Status == http.StatusUnprocessableEntity && strings.Contains(string(res.Body), accounts.IdempotencyHeader+": ") {
				return // idempotency keys are an extension, and are refused in the same way for all operations (behaviour.md section 1)
			}
			if res.Status == http.StatusForbidden && (strings.Contains(string(res.Body), httpedge.ErrLimits.Message) ||
				strings.Contains(string(res.Body), httpedge.ErrChannels.Message)) {
				return // limits of tokens are an extension, and are refused in the same way for all operations (behaviour.md section 8)
			}
			body := res.Body
			if op.ID == "createOAuthToken" {
				body = withoutExpiry(body)
			}
			for _, v := range doc.CheckResponse(op.ID, res.Status, res.Header, body) {
				r.T.Errorf("%s %s: %d: the response breaks the description: %s\n%s", req.Method, req.URL, res.Status, v, res.Body)
			}
			return
		}
	}
}

// withoutExpiry removes from a response of the token endpoint what only applications with tokens that expire get. The
// public description does not contain it (behaviour.md section 8).
func withoutExpiry(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	delete(fields, "expires_in")
	delete(fields, "refresh_token")
	rest, _ := json.Marshal(fields) // was JSON before
	return rest
}

// plain returns a path as in its description: without a trailing slash and, for version 2, with
// single slashes and the first segment in the plural.
func plain(path string) string {
	below, ok := strings.CutPrefix(path, "/v2/")
	if !ok {
		return strings.TrimSuffix(path, "/")
	}
	parts := slices.DeleteFunc(strings.Split(below, "/"), func(part string) bool { return part == "" })
	if len(parts) > 0 && slices.Contains([]string{"channel", "block", "user", "group"}, parts[0]) {
		parts[0] += "s"
	}
	return "/v2/" + strings.Join(parts, "/")
}

// matches reports whether a path matches a template. Literal segments take precedence over
// parameters, because descriptions are ordered so that only one matches.
func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}
