// Package files receives uploads, and serves files and their resized versions. Their addresses need
// no token because they cannot be guessed (behaviour.md sections 3 and 10).
package files

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/content"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
)

// Prefixes of the two kinds of paths.
const (
	FilesPath   = "/files/"
	UploadsPath = "/uploads/"
)

// Options are the dependencies of the Handler.
type Options struct {
	App *app.App
	// PartTimeout is the timeout for each part of an upload; 0 means 30 s.
	PartTimeout time.Duration
	Log         *slog.Logger
}

// Handler serves FilesPath and UploadsPath.
type Handler struct{ Options }

// New creates a handler.
func New(o Options) *Handler {
	if o.PartTimeout == 0 {
		o.PartTimeout = 30 * time.Second
	}
	return &Handler{o}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := middleware.From(r.Context())
	if key, ok := strings.CutPrefix(r.URL.Path, UploadsPath); ok {
		x.Operation = "putUpload"
		if r.Method != http.MethodPut {
			httpedge.JSON.MethodNotAllowed(w, r, http.MethodPut)
			return
		}
		h.receive(w, r, key)
		return
	}
	x.Operation = "getFile"
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		httpedge.JSON.MethodNotAllowed(w, r, http.MethodGet)
		return
	}
	h.serve(w, r, strings.TrimPrefix(r.URL.Path, FilesPath))
}

// serve answers GET and HEAD with a file or a version of it, including ranges and conditions (RFC
// 9110 sections 13 and 14). Caches keep it forever, unless it depends on whether metadata is removed.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, path string) {
	key, name, _ := strings.Cut(path, "/")
	f, err := h.open(r, key, name)
	if err != nil {
		if content.IsMissing(err) {
			h.Log.WarnContext(r.Context(), "a file is not in the storage", "error", err)
		}
		w.Header().Set("Cache-Control", "no-store")
		httpedge.JSON.Fail(r.Context(), w, r, err)
		return
	}
	defer func() { _ = f.Content.Close() }()
	header := w.Header()
	tag := key + "-" + name
	if f.Variant != "" {
		tag += "-" + f.Variant
	}
	header.Set("ETag", `"`+tag+`"`)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if f.Changeable {
		header.Set("Cache-Control", "public, max-age=3600")
	}
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	httpedge.DescribeFile(header, f)
	httpedge.ServeContent(w, r, f.Content, httpedge.JSON.Render)
}

// open opens the file, version or page of a document with a name below a key.
func (h *Handler) open(r *http.Request, key, name string) (content.OpenedFile, error) {
	if n, ok := content.PageNumber(name); ok {
		return h.App.Content.OpenPage(r.Context(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), key, n)
	}
	return h.App.Content.OpenShown(r.Context(), key, name)
}

// receive stores the bytes of an upload.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, key string) {
	err := h.App.Content.ReceiveUpload(r.Context(), content.SentFile{Key: key, Query: r.URL.Query(),
		ContentType: r.Header.Get("Content-Type"), Length: r.ContentLength,
		Body: middleware.SlowBody(w, r, h.PartTimeout)})
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		httpedge.JSON.Fail(r.Context(), w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}
