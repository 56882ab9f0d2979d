// Package webhook verifies the messages that webhooks send (https://www.standardwebhooks.com).
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how much the time of a message may differ from the clock. It bounds replays.
const Tolerance = 5 * time.Minute

// Errors of messages.
var (
	ErrTime      = errors.New("webhook: the timestamp is not current")
	ErrSignature = errors.New("webhook: no signature matches")
)

// Event is a message.
type Event struct {
	ID        string          `json:"-"`         // a message that arrives twice has the same id both times
	Type      string          `json:"type"`      // such as channel.updated, or ping
	Timestamp time.Time       `json:"timestamp"` // of the change
	Data      json.RawMessage `json:"data"`      // with the fields of ext.Change
}

// Verifier verifies messages that are signed with one of some secrets.
type Verifier struct {
	keys [][]byte
	now  func() time.Time
}

// New returns a verifier. Several secrets are for the time in which one replaces another.
func New(secrets ...string) (*Verifier, error) {
	v := &Verifier{now: time.Now}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("webhook: a secret is not whsec_ followed by base64")
		}
		v.keys = append(v.keys, key)
	}
	if len(v.keys) == 0 {
		return nil, errors.New("webhook: there is no secret")
	}
	return v, nil
}

// Verify checks the signature and the time of a message, and returns its event. body has the bytes as received.
func (v *Verifier) Verify(header http.Header, body []byte) (*Event, error) {
	id, at := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := v.now().Sub(time.Unix(seconds, 0)); err != nil || id == "" || age > Tolerance || age < -Tolerance {
		return nil, ErrTime
	}
	if !v.signed(header.Get("Webhook-Signature"), id+"."+at+".", body) {
		return nil, ErrSignature
	}
	e := &Event{ID: id}
	if err := json.Unmarshal(body, e); err != nil {
		return nil, fmt.Errorf("webhook: the body is no event: %w", err)
	}
	return e, nil
}

// signed reports whether one of the signatures was made with one of the keys.
func (v *Verifier) signed(signatures, prefix string, body []byte) bool {
	for _, key := range v.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(body)
		want := mac.Sum(nil)
		for signature := range strings.FieldsSeq(signatures) {
			version, text, _ := strings.Cut(signature, ",")
			if sum, err := base64.StdEncoding.DecodeString(text); err == nil && version == "v1" && hmac.Equal(sum, want) {
				return true
			}
		}
	}
	return false
}
