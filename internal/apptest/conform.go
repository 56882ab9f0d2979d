package apptest

import (
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
)

// conform holds a response against the description of its operation, if the address
// is that of one.
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
				return // the public description does not say what behaviour.md section 1 has for read-only tokens
			}
			if res.Status == http.StatusUnprocessableEntity && strings.Contains(string(res.Body), accounts.IdempotencyHeader+": ") {
				return // keys of requests are ours, and refused the same whatever the operation (behaviour.md section 1)
			}
			for _, v := range doc.CheckResponse(op.ID, res.Status, res.Header, res.Body) {
				r.T.Errorf("%s %s: %d: the response breaks the description: %s\n%s", req.Method, req.URL, res.Status, v, res.Body)
			}
			return
		}
	}
}

// plain gives a path as its description has it: without a slash at the end, and of version 2
// with single slashes, and what it begins with in the plural.
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

// matches reports whether a path fits a template; literal segments win over
// parameters because descriptions list them so that only one fits.
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
