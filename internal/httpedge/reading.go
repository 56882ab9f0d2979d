package httpedge

import (
	"maps"
	"net/http"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/reads"
)

// Reading calls serve to respond to a request of who. If the database has replicas and the request
// only reads, lagging allows it to read slightly old data from one. If the replica fails before the
// response starts, serve is called again and reads from the primary.
func Reading(w http.ResponseWriter, r *http.Request, who domain.Actor, lagging bool, serve func(http.ResponseWriter, *http.Request)) {
	q := middleware.From(r.Context()).Scope.Reads
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

// repeatable drops a response if the replica failed before it started.
type repeatable struct {
	http.ResponseWriter
	request          *reads.Request
	decided, dropped bool
}

// decide decides whether to drop the response, at its start.
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

// Unwrap supports http.ResponseController.
func (w *repeatable) Unwrap() http.ResponseWriter { return w.ResponseWriter }
