package middleware

import "net/http"

// headerHook calls before once, just ahead of the final status line, so that
// the header fields can still be changed. Informational responses pass by.
type headerHook struct {
	http.ResponseWriter
	before func(status int)
	done   bool
}

func (w *headerHook) WriteHeader(status int) {
	if status >= http.StatusOK && !w.done {
		w.done = true
		w.before(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *headerHook) Write(p []byte) (int, error) {
	w.ensure()
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which compression looks for.
func (w *headerHook) Flush() {
	w.ensure()
	flush(w.ResponseWriter)
}

// Unwrap serves http.ResponseController.
func (w *headerHook) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ensure sends 200 if no status has been sent, as net/http would.
func (w *headerHook) ensure() {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
}

// flush flushes w if it can; a connection that cannot flush just sends later.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
