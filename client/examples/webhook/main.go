// Command webhook receives the events of a webhook, checks their signatures (https://www.standardwebhooks.com), and prints
// their types.
//
//	SECRET=whsec_… go run ./examples/webhook -listen :8090
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"vitrine/client/webhook"
)

const maxBody = 1 << 20

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address to listen at")
	flag.Parse()
	verifier, err := webhook.New(strings.Fields(os.Getenv("SECRET"))...)
	if err != nil {
		log.Fatal(err)
	}
	r := &receiver{verifier: verifier, seen: map[string]time.Time{}, handle: func(kind string) { fmt.Println(kind) }}
	s := &http.Server{Addr: *listen, Handler: r, ReadTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

type receiver struct {
	verifier *webhook.Verifier
	handle   func(kind string)

	mu   sync.Mutex
	seen map[string]time.Time // by id; a program with a database stores them there
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	event, err := r.verifier.Verify(req.Header, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	if r.first(event.ID) {
		r.handle(event.Type)
	}
	w.WriteHeader(http.StatusNoContent)
}

// first reports whether a message is new. It forgets those that are older than four days, after which none is sent again.
func (r *receiver) first(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for old, at := range r.seen {
		if time.Since(at) > 96*time.Hour {
			delete(r.seen, old)
		}
	}
	_, again := r.seen[id]
	r.seen[id] = time.Now()
	return !again
}
