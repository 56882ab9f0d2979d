package apptest

import (
	"net/http"
	"strings"
)

// conform holds a response against the description of its operation, if the address
// is that of one.
func (r *Rig) conform(req *http.Request, res *Response) {
	r.T.Helper()
	if req.Method == http.MethodHead || req.Method == http.MethodOptions || res.Header.Get("Content-Encoding") != "" {
		return
	}
	for _, doc := range r.Descriptions() {
		for _, op := range doc.Operations() {
			if op.Method != req.Method || !matches(op.Path, req.URL.EscapedPath()) {
				continue
			}
			if res.Status == http.StatusForbidden && op.ID == "presignUpload" {
				return // the public description does not say what behaviour.md section 1 has for read-only tokens
			}
			for _, v := range doc.CheckResponse(op.ID, res.Status, res.Header, res.Body) {
				r.T.Errorf("%s %s: %d: the response breaks the description: %s\n%s", req.Method, req.URL, res.Status, v, res.Body)
			}
			return
		}
	}
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
