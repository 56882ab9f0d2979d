package middleware

import (
	"net/http"
	"time"
)

const (
	// stall is how long a client may accept no data.
	stall = 30 * time.Second
	// paceStep is the number of bytes written per deadline and call. It is up to twice as large if
	// a client at the minimum rate needs less than half of stall for it, so that a usual page is
	// sent at once.
	paceStep = 32 << 10
)

func stepAt(rate int64) int {
	return int(max(paceStep, min(2*paceStep, rate*int64(stall/2/time.Second))))
}

// Pace closes the connection if the client accepts nothing for half a minute, or fewer than rate
// bytes per second on average. It counts only the time that writes block, not the handler's own
// time. It must be outermost because the deadlines belong to the connection, or to the stream in
// HTTP/2.
func Pace(rate int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := &pacer{ResponseWriter: w, control: http.NewResponseController(w), rate: rate}
			p.extend(0) // a reused connection has the deadline of its last response
			next.ServeHTTP(p, r)
			p.extend(0) // net/http has yet to send its buffer
		})
	}
}

type pacer struct {
	http.ResponseWriter
	control *http.ResponseController
	rate    int64
	sent    int64
	waited  time.Duration
	failed  error // of a write; further writes would continue the body after a gap
}

// extend sets the deadline for the next n bytes.
func (p *pacer) extend(n int64) {
	left := stall + time.Duration(float64(p.sent+n)/float64(p.rate)*float64(time.Second)) - p.waited
	_ = p.control.SetWriteDeadline(time.Now().Add(min(stall, left))) // not every writer has a connection
}

func (p *pacer) Write(b []byte) (done int, err error) {
	for first := true; first || done < len(b); first = false {
		if p.failed != nil {
			return done, p.failed
		}
		part := b[done:min(len(b), done+stepAt(p.rate))]
		p.extend(int64(len(part)))
		begin := time.Now()
		n, err := p.ResponseWriter.Write(part)
		p.waited += time.Since(begin)
		p.sent += int64(n)
		done += n
		p.failed = err
	}
	return done, p.failed
}

// Flush implements http.Flusher.
func (p *pacer) Flush() {
	if p.failed == nil {
		p.extend(0)
		flush(p.ResponseWriter)
	}
}

// Unwrap supports http.ResponseController.
func (p *pacer) Unwrap() http.ResponseWriter { return p.ResponseWriter }
