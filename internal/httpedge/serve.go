package httpedge

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"vitrine/internal/app/content"
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

// contentType names the character set of text, so that browsers do not guess.
func contentType(t string) string {
	if strings.HasPrefix(t, "text/") && !strings.Contains(t, "charset") {
		return t + "; charset=utf-8"
	}
	return t
}

// shown are the kinds of files that browsers show in place. Everything else is
// offered for saving.
var shown = []string{"image/", "audio/", "video/", "application/pdf", "text/plain"}

// DescribeFile says what a file that somebody sent is, and keeps it from running as part of this
// site: it may load nothing, and what is not an image, sound, film, PDF or plain text is not shown
// at all. An SVG is shown without running.
func DescribeFile(header http.Header, f content.OpenedFile) {
	header.Set("Content-Type", contentType(f.ContentType))
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; frame-ancestors 'none'"
	if f.ContentType != "application/pdf" { // the viewers of some browsers do not run in a sandbox
		policy += "; sandbox"
	}
	header.Set("Content-Security-Policy", policy)
	disposition := "attachment"
	for _, prefix := range shown {
		if strings.HasPrefix(f.ContentType, prefix) {
			disposition = "inline"
		}
	}
	name := f.File.Name
	if f.Original {
		if path.Ext(name) == "" && f.File.Extension != "" { // programs open a file by its extension
			name += "." + f.File.Extension
		}
	} else {
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			name = name[:i]
		}
		name += "." + f.File.Resized
	}
	if value := mime.FormatMediaType(disposition, map[string]string{"filename": name}); value != "" {
		disposition = value
	}
	header.Set("Content-Disposition", disposition)
}
