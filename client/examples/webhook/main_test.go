package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/client/webhook"
)

// A message is handled once, and only if it is signed.
func TestReceiver(t *testing.T) {
	t.Parallel()
	verifier, err := webhook.New("whsec_" + base64.StdEncoding.EncodeToString([]byte("key")))
	if err != nil {
		t.Fatal(err)
	}
	handled := 0
	r := &receiver{verifier: verifier, seen: map[string]time.Time{}, handle: func(string) { handled++ }}
	for _, c := range []struct {
		id, key, body   string
		status, handled int
	}{
		{"1", "key", `{"type": "ping"}`, 204, 1},
		{"1", "key", `{"type": "ping"}`, 204, 1},
		{"2", "another key", `{"type": "ping"}`, 401, 1},
		{"2", "key", "no JSON", 401, 1},
		{"2", "key", strings.Repeat("x", maxBody+1), 400, 1},
		{"2", "key", `{"type": "ping"}`, 204, 2},
	} {
		at := time.Now().Unix()
		mac := hmac.New(sha256.New, []byte(c.key))
		fmt.Fprintf(mac, "%s.%d.%s", c.id, at, c.body)
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		req.Header.Set("Webhook-Id", c.id)
		req.Header.Set("Webhook-Timestamp", fmt.Sprint(at))
		req.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code != c.status || handled != c.handled {
			t.Errorf("%.40s: %d, handled %d", c.body, w.Code, handled)
		}
	}
}
