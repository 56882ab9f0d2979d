package content

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"golang.org/x/net/html/charset"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/page"
	"vitrine/internal/weburl"
)

// receiveSnapshot stages a body.
func (a *Content) receiveSnapshot(ctx context.Context, in SnapshotInput) (*blob.Staged, error) {
	if err := a.spare(max(in.Length, 0)); err != nil {
		return nil, err
	}
	staged, err := a.staging.Receive(ctx, &sparing{a: a, r: in.Body}, a.snapshots.Limit)
	known, ours := errors.AsType[*domain.Error](err)
	_, cut := errors.AsType[*http.MaxBytesError](err)
	switch {
	case ours:
		return nil, known
	case errors.Is(err, blob.ErrTooLarge), cut:
		return nil, a.snapshotTooLarge(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, domain.Wrap(domain.Timeout, "The body came too slowly", err)
	case errors.Is(err, blob.ErrSource):
		return nil, domain.Wrap(domain.Invalid, "The body ended before its time", err)
	}
	return staged, err
}

// snapshotType returns the media type of a staged copy, or an error if its format is not that of its kind.
func snapshotType(staged *blob.Staged, in SnapshotInput) (string, error) {
	f, err := staged.Open()
	if err != nil {
		return "", err
	}
	defer closing(f)
	head := make([]byte, maxHead)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	head = head[:n]
	is := http.DetectContentType(head)
	switch in.Kind {
	case domain.SnapshotScreenshot:
		if is != "image/png" && is != "image/jpeg" && is != "image/webp" {
			return "", malformed("must be an image in PNG, JPEG or WebP")
		}
	case domain.SnapshotPDF:
		if is != "application/pdf" {
			return "", malformed("must be a PDF file")
		}
	default:
		if is = htmlType(in.ContentType); !page.IsHTML(is, head) {
			return "", malformed("must be an HTML page")
		}
	}
	return is, nil
}

// readPage reads the title and text of a staged page.
func (a *Content) readPage(ctx context.Context, staged *blob.Staged, s *domain.Snapshot) error {
	f, err := staged.Open()
	if err != nil {
		return err
	}
	defer closing(f)
	if err := a.reading.Enter(ctx, struct{}{}); err != nil {
		return err
	}
	defer a.reading.Leave(struct{}{})
	text, err := io.ReadAll(io.LimitReader(&withoutData{r: bufio.NewReader(f)}, maxPage))
	if err != nil {
		return err
	}
	at, err := weburl.Parse(s.Address)
	if err != nil {
		return err
	}
	p, err := page.Read(at, s.ContentType, text)
	if err != nil {
		return err
	}
	if s.Title == "" && p.Titled {
		s.Title = cut(p.Title)
	}
	if s.Text, s.Article = p.Markdown, true; s.Text == "" {
		s.Text, s.Article = page.Text(s.ContentType, text), false
	}
	return nil
}

func malformed(reason string) error {
	return domain.InvalidField("file", domain.FieldMalformed, reason)
}

// htmlType returns the media type of an HTML page, with the character set that its sender declared, if it is known.
func htmlType(declared string) string {
	_, params, err := mime.ParseMediaType(declared)
	if err != nil {
		return "text/html"
	}
	if known, name := charset.Lookup(params["charset"]); known != nil {
		return "text/html; charset=" + name
	}
	return "text/html"
}

// withoutData omits base64 data from a page, which would otherwise use up the limit for its text.
type withoutData struct {
	r       *bufio.Reader
	marker  int // bytes of dataMarker that were just read
	inside  bool
	pending error
}

const dataMarker = ";base64,"

func (d *withoutData) Read(p []byte) (n int, err error) {
	for n < len(p) && d.pending == nil {
		c, err := d.r.ReadByte()
		if err != nil {
			d.pending = err
			break
		}
		if d.inside && (c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("+/=%-_", c) >= 0) {
			continue
		}
		switch d.inside = false; {
		case c == dataMarker[d.marker]:
			d.marker++
		case c == dataMarker[0]:
			d.marker = 1
		default:
			d.marker = 0
		}
		if d.marker == len(dataMarker) {
			d.inside, d.marker = true, 0
		}
		p[n] = c
		n++
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, d.pending
}
