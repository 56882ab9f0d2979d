package httpedge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/middleware"
)

// ServeContent is like http.ServeContent, including ranges and conditions (RFC 9110 sections 13 and
// 14), but writes errors with refuse.
func ServeContent(w http.ResponseWriter, r *http.Request, content io.ReadSeeker, refuse middleware.Renderer) {
	// net/http reads ahead for the next request and would treat an expired deadline as a lost
	// client.
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
		message = "The file does not have the requested range of bytes"
	case http.StatusPreconditionFailed:
		message = "The file does not match the precondition"
	}
	refuse(w, r, served.refused, message)
}

// refusable suppresses the error responses of net/http.
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

// ServeExport responds with the file of an export.
func ServeExport(w http.ResponseWriter, r *http.Request, e Saved, content io.ReadSeeker, refuse middleware.Renderer) {
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Filename()}))
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", `"`+e.Tag()+`"`)
	ServeContent(w, r, content, refuse)
}

// Saved is a file with a name and a tag that identifies its content.
type Saved interface {
	Filename() string
	Tag() string
}

// contentType adds the charset to text types, so that browsers do not guess.
func contentType(t string) string {
	if strings.HasPrefix(t, "text/") && !strings.Contains(t, "charset") {
		return t + "; charset=utf-8"
	}
	return t
}

// shown lists the types that browsers display. Others are offered as a download.
var shown = []string{"image/", "audio/", "video/", "application/pdf", "text/plain"}

// DescribeFile sets the headers of an uploaded file so that it cannot run as part of this site. It
// may not load anything. Only images, audio, video, PDF and plain text are displayed; an SVG is
// displayed without scripts.
func DescribeFile(header http.Header, f content.OpenedFile) {
	header.Set("Content-Type", contentType(f.ContentType))
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; frame-ancestors 'none'"
	if f.ContentType != "application/pdf" { // some browsers' PDF viewers do not run in a sandbox
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

// streamBuffer is the size of the buffer of streamed responses.
const streamBuffer = 64 << 10

// errHeaderOnly stops generating the body of a response to HEAD.
var errHeaderOnly = errors.New("only the header was asked for")

// headerOnly is the writer of responses to HEAD.
type headerOnly struct{}

func (headerOnly) Write([]byte) (int, error) { return 0, errHeaderOnly }

// Stream responds with a file that is generated while it is sent. When write is sure that there is
// a file, it calls begin with a name and a media type and writes to the returned writer. Errors
// before that are returned to the caller. An error afterwards cuts the connection, so that the
// client does not mistake a partial file for a complete one. The mount must not buffer such a
// response (Handler.Downloads).
func Stream(ctx context.Context, w http.ResponseWriter, write func(begin func(filename, contentType string) io.Writer) error) error {
	var out *bufio.Writer
	err := write(func(filename, contentType string) io.Writer {
		// net/http reads ahead for the next request and would treat an expired deadline as a lost
		// client.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every writer has a connection
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filename}))
		h.Set("X-Robots-Tag", "noindex")
		w.WriteHeader(http.StatusOK)
		out = bufio.NewWriterSize(w, streamBuffer)
		if middleware.From(ctx).HeadOnly {
			return headerOnly{}
		}
		return out
	})
	if out == nil {
		return err
	}
	if errors.Is(err, errHeaderOnly) {
		return nil
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		middleware.From(ctx).Error = err
		panic(http.ErrAbortHandler)
	}
	return nil
}
