package oauth_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine/internal/apptest"
)

// FuzzToken sends arbitrary input to the endpoints. The response is never a 500, and always valid JSON.
func FuzzToken(f *testing.F) {
	w := newWorld(apptest.New(f, registering))
	r := asks(w.web)
	form := exchanges(w.web, r, w.code("ada", r)).Encode()
	for _, seed := range [][3]string{
		{"application/x-www-form-urlencoded", form, ""}, {"application/x-www-form-urlencoded", "grant_type=client_credentials", basic(w.web.ClientID, w.web.secret)},
		{"application/json", `{"grant_type":"authorization_code","client_id":"` + w.native.ClientID + `","code":"vitrine_cod_x","code_verifier":"` + verifier + `"}`, ""},
		{"application/json", `{"redirect_uris":["https://app.test"],"client_name":"x"}`, ""}, {"text/plain", "\x00\xff", "Bearer x"}, {"", "{", "Basic !"},
		{"application/x-www-form-urlencoded", "token=x&client_id=" + w.web.ClientID + "&client_secret=" + w.web.secret, ""},
	} {
		f.Add(seed[0], []byte(seed[1]), seed[2])
	}
	handler := w.S.Handler() // the rig belongs to the outer test
	f.Fuzz(func(t *testing.T, contentType string, body []byte, authorization string) {
		for _, path := range []string{tokenPath, tokenPathV2, revokePath, introspectPath, registerPath} {
			req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			if path == tokenPathV2 {
				req.URL.RawQuery = string(body)
			}
			req.Header.Set("Content-Type", contentType)
			if authorization != "" {
				req.Header.Set("Authorization", authorization)
			}
			res := httptest.NewRecorder()
			handler.ServeHTTP(res, req)
			if res.Code >= http.StatusInternalServerError {
				t.Fatalf("%s: %d %s", path, res.Code, res.Body)
			}
			var said struct{ Error *string }
			if res.Code >= http.StatusBadRequest && (json.Unmarshal(res.Body.Bytes(), &said) != nil || said.Error == nil) {
				t.Fatalf("%s: %d %s", path, res.Code, res.Body)
			}
		}
	})
}
