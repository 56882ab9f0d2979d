package webhook

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// The message and its signature are the example of the libraries of Standard Webhooks.
func TestVerify(t *testing.T) {
	t.Parallel()
	const secret, id, at, signature, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", `{"test": 2432232314}`
	for _, c := range []struct {
		what, id, at, signature, body string
		err                           error
	}{
		{"valid", id, at, signature, body, nil},
		{"another id", id + "2", at, signature, body, ErrSignature},
		{"among several", id, at, "v1,AAAA v1a,x " + signature, body, nil},
		{"old", id, "1614265000", signature, body, ErrTime},
		{"from the future", id, "1614265700", signature, body, ErrTime},
		{"no time", id, "", signature, body, ErrTime},
		{"no id", "", at, signature, body, ErrTime},
		{"changed", id, at, signature, body + " ", ErrSignature},
		{"of another version", id, at, "v2" + signature[2:], body, ErrSignature},
		{"without a signature", id, at, "", body, ErrSignature},
	} {
		for _, secrets := range [][]string{{secret}, {"whsec_AAAA", secret}} {
			v, err := New(secrets...)
			if err != nil {
				t.Fatal(err)
			}
			v.now = func() time.Time { return time.Unix(1614265330, 0) }
			h := http.Header{"Webhook-Id": {c.id}, "Webhook-Timestamp": {c.at}, "Webhook-Signature": {c.signature}}
			e, err := v.Verify(h, []byte(c.body))
			if !errors.Is(err, c.err) || c.err == nil && (err != nil || e.ID != c.id) {
				t.Errorf("%s with %d secrets: %v", c.what, len(secrets), err)
			}
		}
	}
	for _, bad := range [][]string{nil, {""}, {"whsec_"}, {"whsec_?"}, {secret, "x"}} {
		if _, err := New(bad...); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
