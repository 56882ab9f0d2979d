// Package files is the edge at which bytes come and go: uploads arrive, and files and
// their resized versions are served, at addresses that need no token because nobody
// guesses them (behaviour.md sections 3 and 10).
package files

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/middleware"
)

// Paths of the two kinds of addresses, without what follows.
const (
	FilesPath   = "/files/"
	UploadsPath = "/uploads/"
)

// Options are what the edge stands on.
type Options struct {
	App *app.App
	// Fail answers with an error.
	Fail func(ctx context.Context, w http.ResponseWriter, r *http.Request, err error)
	// Render answers with a status and a message.
	Render middleware.Renderer
	// MethodNotAllowed answers a method that an address does not take.
	MethodNotAllowed func(w http.ResponseWriter, r *http.Request, allow string)
	// Patience is for how long each part of an upload is waited for; 0 means 30 s.
	Patience time.Duration
	Log      *slog.Logger
}

// Handler serves FilesPath and UploadsPath.
type Handler struct{ Options }

// New makes a handler.
func New(o Options) *Handler {
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	return &Handler{o}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := middleware.From(r.Context())
	if key, ok := strings.CutPrefix(r.URL.Path, UploadsPath); ok {
		x.Operation = "putUpload"
		if r.Method != http.MethodPut {
			h.MethodNotAllowed(w, r, http.MethodPut)
			return
		}
		h.receive(w, r, key)
		return
	}
	x.Operation = "getFile"
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.MethodNotAllowed(w, r, http.MethodGet)
		return
	}
	h.serve(w, r, strings.TrimPrefix(r.URL.Path, FilesPath))
}

// serve answers GET and HEAD with a file or a version of it: ranges and conditions
// included (RFC 9110 sections 13 and 14), for ever the same.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, path string) {
	key, name, _ := strings.Cut(path, "/")
	f, err := h.App.OpenFile(r.Context(), key, name)
	if err != nil {
		if app.IsMissing(err) {
			h.Log.WarnContext(r.Context(), "a file is not in the storage", "error", err)
		}
		w.Header().Set("Cache-Control", "no-store")
		h.Fail(r.Context(), w, r, err)
		return
	}
	defer func() { _ = f.Content.Close() }()
	header := w.Header()
	header.Set("Content-Type", contentType(f.ContentType))
	header.Set("ETag", `"`+key+"-"+name+`"`)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	setPolicy(header, f)
	served := &refusable{ResponseWriter: w}
	http.ServeContent(served, r, "", time.Time{}, f.Content)
	if served.refused != 0 {
		h.refuse(w, r, served.refused)
	}
}

// refuse answers a request that http.ServeContent refused: in the shape of all errors.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Length", "ETag", "Last-Modified"} {
		header.Del(name)
	}
	header.Set("Cache-Control", "no-store")
	message := ""
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		message = "The file has no such range of bytes"
	case http.StatusPreconditionFailed:
		message = "The file is not the one that the condition names"
	}
	h.Render(w, r, status, message)
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

// setPolicy keeps a file that somebody sent from running as part of this site: it may
// load nothing, and what is not an image, sound, film, PDF or plain text is not shown
// at all. An SVG is shown without running.
func setPolicy(header http.Header, f app.OpenedFile) {
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
	if !f.Original {
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

// receive takes the bytes of an upload.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, key string) {
	err := h.App.ReceiveUpload(r.Context(), app.SentFile{Key: key, Query: r.URL.Query(),
		ContentType: r.Header.Get("Content-Type"), Length: r.ContentLength,
		Body: &patient{r: r, controller: http.NewResponseController(w), patience: h.Patience}})
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not waited for
		h.Fail(r.Context(), w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// leastPart is how many bytes must come in the time of the patience: 2 KiB a second, which
// the slowest of phones does.
const leastPart = 64 << 10

// patient is a body that may take long, as long as its parts come one after the other.
type patient struct {
	r          *http.Request
	controller *http.ResponseController
	patience   time.Duration
	left       int64 // bytes until there is time anew
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	if p.left <= 0 {
		err := p.controller.SetReadDeadline(time.Now().Add(p.patience))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
		p.left = leastPart
	}
	n, err := p.r.Body.Read(b)
	p.left -= int64(n)
	return n, err
}
