package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// Part is a file of a form.
type Part struct {
	Field, Name, ContentType string
	Body                     io.Reader
}

// The limits of a form with files, in addition to those of the files themselves.
const (
	partTimeout = 30 * time.Second
	maxParts    = 300
	maxPartHead = 16 << 10 // bytes between the contents of two parts
)

// HasParts reports whether the form contains files, so that the page must call Parts. Other forms
// are read before the page's handler is called.
func (v *Visit) HasParts() bool {
	return v.R.Method == http.MethodPost && mediaType(v.R) == "multipart/form-data"
}

// Parts reads a form with files as a stream. It calls take for each file, which need not read it to
// the end. Form contains the fields that precede the file. The form may be large and slow; the page
// limits the size of files. Parts returns the first error of take, and ErrEnded if the form ended
// too early.
func (v *Visit) Parts(take func(Part) error) error {
	v.R.PostForm = url.Values{}
	body := &headLimited{in: middleware.SlowBody(v.W, v.R, partTimeout)}
	v.R.Body = io.NopCloser(body)
	parts, err := v.R.MultipartReader()
	if err != nil {
		return domain.Wrap(domain.Invalid, v.T("web.error.unreadable"), err)
	}
	left := v.maxForm
	for range maxParts {
		body.begin(maxPartHead)
		part, err := parts.NextPart()
		body.end()
		switch {
		case errors.Is(err, errPartHead):
			return domain.Wrap(domain.TooLarge, v.T("web.error.too-large"), err)
		case err == io.EOF: // only this: an end before the last boundary is a wrapped error
			return nil
		case err != nil:
			return errors.Join(ErrEnded, err)
		}
		if part.FileName() != "" {
			err = take(Part{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), part})
		} else {
			err = v.field(part, &left)
		}
		if err == nil { // skipping the rest of a part must not count as a head
			_, err = io.Copy(io.Discard, part)
			if err != nil {
				err = errors.Join(ErrEnded, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return domain.Wrap(domain.TooLarge, v.T("web.error.too-large"), nil)
}

// field reads a part that is not a file.
func (v *Visit) field(part *multipart.Part, left *int64) error {
	value, err := io.ReadAll(io.LimitReader(part, *left+1))
	if err != nil {
		return errors.Join(ErrEnded, err)
	}
	if *left -= int64(len(value)); *left < 0 {
		return domain.Wrap(domain.TooLarge, v.T("web.error.too-large"), nil)
	}
	if err := v.charge(len(value)); err != nil {
		return err
	}
	if !clean(part.FormName()) || !clean(string(value)) {
		return domain.InvalidField("", domain.FieldMalformed, v.T("web.error.not-text"))
	}
	v.R.PostForm.Add(part.FormName(), string(value))
	return nil
}

// errPartHead is returned if the head of a part is too large.
var errPartHead = errors.New("site: the head of a part of a form is too large")

// headLimited limits the bytes read between begin and end. The multipart reader keeps the whole
// head of a part in memory, and its own limit is megabytes.
type headLimited struct {
	in      io.Reader
	bounded bool
	left    int
}

func (h *headLimited) begin(limit int) { h.bounded, h.left = true, limit }

func (h *headLimited) end() { h.bounded = false }

// Read implements io.Reader.
func (h *headLimited) Read(p []byte) (int, error) {
	if !h.bounded {
		return h.in.Read(p)
	}
	if h.left <= 0 {
		return 0, errPartHead
	}
	n, err := h.in.Read(p[:min(len(p), h.left)])
	h.left -= n
	return n, err
}

// ErrEnded is returned if a form with files ended too early or arrived too slowly.
var ErrEnded = errors.New("site: the form ended before its time")
