package main

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The message and its signature are the example of the libraries of Standard Webhooks.
func TestReceiver(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	const id, at, signature, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", `{"test": 2432232314}`
	handled := 0
	r := &receiver{key: key, seen: map[string]time.Time{}, now: func() time.Time { return time.Unix(1614265330, 0) }, handle: func(string) { handled++ }}
	for _, c := range []struct {
		what, id, at, signature, body string
		status, handled               int
	}{
		{"valid", id, at, signature, body, 204, 1},
		{"sent again", id, at, signature, body, 204, 1},
		{"with a second secret", id + "2", at, "v1,AAAA " + signature, body, 401, 1},
		{"among several", id, at, "v1,AAAA v1a,x " + signature, body, 204, 1},
		{"old", id, "1614265000", signature, body, 401, 1},
		{"from the future", id, "1614265700", signature, body, 401, 1},
		{"changed", id, at, signature, body + " ", 401, 1},
		{"of another version", id, at, "v2" + signature[2:], body, 401, 1},
		{"without a signature", id, at, "", body, 401, 1},
		{"too large", id, at, signature, strings.Repeat("x", maxBody+1), 400, 1},
	} {
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		req.Header.Set("Webhook-Id", c.id)
		req.Header.Set("Webhook-Timestamp", c.at)
		req.Header.Set("Webhook-Signature", c.signature)
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code != c.status || handled != c.handled {
			t.Errorf("%s: %d, handled %d", c.what, w.Code, handled)
		}
	}
}
