// Command webhook receives the events of a webhook, checks their signatures (https://www.standardwebhooks.com), and prints
// their types.
//
//	SECRET=whsec_… go run ./examples/webhook -listen :8090
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxBody   = 1 << 20
	tolerance = 5 * time.Minute
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address to listen at")
	flag.Parse()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("webhook: SECRET is not the secret of a webhook")
	}
	r := &receiver{key: key, seen: map[string]time.Time{}, now: time.Now, handle: func(kind string) { fmt.Println(kind) }}
	s := &http.Server{Addr: *listen, Handler: r, ReadTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

type receiver struct {
	key    []byte
	now    func() time.Time
	handle func(kind string)

	mu   sync.Mutex
	seen map[string]time.Time // by id; a program with a database stores them there
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	if err := r.verify(req.Header, body); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var event struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	if r.first(req.Header.Get("Webhook-Id")) {
		r.handle(event.Type)
	}
	w.WriteHeader(http.StatusNoContent)
}

// verify checks the signature and the time of a message.
func (r *receiver) verify(h http.Header, body []byte) error {
	seconds, err := strconv.ParseInt(h.Get("Webhook-Timestamp"), 10, 64)
	if age := r.now().Sub(time.Unix(seconds, 0)); err != nil || age > tolerance || age < -tolerance {
		return fmt.Errorf("the timestamp is not current")
	}
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "%s.%d.%s", h.Get("Webhook-Id"), seconds, body)
	for _, signature := range strings.Fields(h.Get("Webhook-Signature")) {
		version, text, _ := strings.Cut(signature, ",")
		if sum, err := base64.StdEncoding.DecodeString(text); err == nil && version == "v1" && hmac.Equal(sum, mac.Sum(nil)) {
			return nil
		}
	}
	return fmt.Errorf("no signature matches")
}

// first reports whether a message is new. It forgets those that are older than four days, after which none is sent again.
func (r *receiver) first(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for old, at := range r.seen {
		if r.now().Sub(at) > 96*time.Hour {
			delete(r.seen, old)
		}
	}
	_, again := r.seen[id]
	r.seen[id] = r.now()
	return !again
}
