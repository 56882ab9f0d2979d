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

// streamBuffer is how much of a body that is made as it is sent goes out at once.
const streamBuffer = 64 << 10

// errHeaderOnly ends the making of a body that nobody wants.
var errHeaderOnly = errors.New("only the header was asked for")

// headerOnly is where the body of a response to HEAD goes.
type headerOnly struct{}

func (headerOnly) Write([]byte) (int, error) { return 0, errHeaderOnly }

// Stream answers with a file that is made as it is sent. Write calls begin, with a name and a
// media type, once it is sure that there is one, and writes it to what that gives. An error before
// is returned, to be answered as any other; after it the connection is cut, so that no client
// takes a part for the whole. The mount must not hold such a response back (Door.Downloads).
func Stream(ctx context.Context, w http.ResponseWriter, write func(begin func(filename, contentType string) io.Writer) error) error {
	var out *bufio.Writer
	err := write(func(filename, contentType string) io.Writer {
		// net/http reads ahead for the next request, and would take the end of its time for a lost client.
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
