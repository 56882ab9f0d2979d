package httpedge

import (
	"io"
	"mime"
	"net/http"
	"time"

	"vitrine/internal/middleware"
)

// ServeContent is http.ServeContent, ranges and conditions included (RFC 9110 sections 13 and 14),
// but that errors are answered by refuse: in the shape of the door.
func ServeContent(w http.ResponseWriter, r *http.Request, content io.ReadSeeker, refuse middleware.Renderer) {
	// net/http reads ahead for the next request, and would take the end of its time for a lost client.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every writer has a connection
	if middleware.From(r.Context()).HeadOnly {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodHead
	}
	served := &refusable{ResponseWriter: w}
	http.ServeContent(served, r, "", time.Time{}, content)
	if served.refused == 0 {
		return
	}
	header := w.Header()
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Length", "ETag", "Last-Modified"} {
		header.Del(name)
	}
	header.Set("Cache-Control", "no-store")
	message := ""
	switch served.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		message = "The file has no such range of bytes"
	case http.StatusPreconditionFailed:
		message = "The file is not the one that the condition names"
	}
	refuse(w, r, served.refused, message)
}

// refusable keeps errors from being written in words of net/http.
type refusable struct {
	http.ResponseWriter
	refused int // the status of an error
}

// WriteHeader implements http.ResponseWriter.
func (w *refusable) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *refusable) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *refusable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ServeExport answers its owner with the file of an export.
func ServeExport(w http.ResponseWriter, r *http.Request, e Saved, content io.ReadSeeker, refuse middleware.Renderer) {
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Filename()}))
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", `"`+e.Tag()+`"`)
	ServeContent(w, r, content, refuse)
}

// Saved is a file that is saved under a name, and has a tag that is its content's alone.
type Saved interface {
	Filename() string
	Tag() string
}
