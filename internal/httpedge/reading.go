package httpedge

import (
	"maps"
	"net/http"

	"vitrine/internal/domain"
	"vitrine/internal/reads"
)

// readSomewhere lets the door of a request say by Reading where it reads.
func readSomewhere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(reads.With(r.Context())))
	})
}

// Reading answers a request of somebody. Where there are replicas of the database and it only
// reads, and lagging says that what it shows may be a little old, it may be read at one of them;
// if that fails before any of the answer is sent, serve is called once more and reads at the
// primary.
func Reading(w http.ResponseWriter, r *http.Request, who domain.Actor, lagging bool, serve func(http.ResponseWriter, *http.Request)) {
	q := reads.From(r.Context())
	q.For(reads.Asks{Account: int64(who.UserID), Writes: who.Writes})
	if q == nil || !lagging || r.Method != http.MethodGet && r.Method != http.MethodHead {
		serve(w, r)
		return
	}
	q.Lag()
	before := w.Header().Clone()
	first := &repeatable{ResponseWriter: w, request: q}
	serve(first, r)
	if first.decide(); !first.dropped {
		return
	}
	clear(w.Header())
	maps.Copy(w.Header(), before)
	serve(w, r)
}

// repeatable drops an answer, before any of it is sent, that a replica has failed.
type repeatable struct {
	http.ResponseWriter
	request          *reads.Request
	decided, dropped bool
}

// decide finds out whether the answer is dropped, when it begins.
func (w *repeatable) decide() {
	if !w.decided {
		w.decided, w.dropped = true, w.request.Repeat()
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *repeatable) WriteHeader(status int) {
	if w.decide(); !w.dropped {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (w *repeatable) Write(p []byte) (int, error) {
	if w.decide(); w.dropped {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *repeatable) Unwrap() http.ResponseWriter { return w.ResponseWriter }
