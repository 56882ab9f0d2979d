package middleware

import "net/http"

// headerHook calls before once, right before the final status is written, so that headers can still
// be changed. Informational responses do not trigger it.
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

// Flush implements http.Flusher, which gzhttp requires.
func (w *headerHook) Flush() {
	w.ensure()
	flush(w.ResponseWriter)
}

// Unwrap supports http.ResponseController.
func (w *headerHook) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ensure sends 200, like net/http, if no status has been sent.
func (w *headerHook) ensure() {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
}

// flush flushes w if it supports that.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
