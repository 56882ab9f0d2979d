package httpedge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"vitrine/internal/middleware"
)

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
