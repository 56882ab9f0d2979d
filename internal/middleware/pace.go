package middleware

import (
	"net/http"
	"time"
)

const (
	// stall is how long a client may take nothing of what is sent to it.
	stall = 30 * time.Second
	// paceStep is how many bytes are sent under one deadline, and so in one call: up to twice as
	// many where who takes them at the rate needs half of stall. A usual page is sent at once then.
	paceStep = 32 << 10
)

func stepAt(rate int64) int {
	return int(max(paceStep, min(2*paceStep, rate*int64(stall/2/time.Second))))
}

// Pace ends responses whose client takes nothing for half a minute, or fewer than rate
// bytes a second on the whole: the connection is closed. Only the time that writing
// waits is counted, not what the handler takes. It stands outermost: the deadlines are
// those of the connection, and of the stream on HTTP/2.
func Pace(rate int64) Piece {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := &pacer{ResponseWriter: w, control: http.NewResponseController(w), rate: rate}
			p.extend(0) // a connection that is used again has the deadline of the last response
			next.ServeHTTP(p, r)
			p.extend(0) // net/http has yet to send what it holds
		})
	}
}

type pacer struct {
	http.ResponseWriter
	control *http.ResponseController
	rate    int64
	sent    int64
	waited  time.Duration
	failed  error // of a write; what came after it would be taken for the rest of the body
}

// extend gives the next n bytes their time.
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

// Unwrap serves http.ResponseController.
func (p *pacer) Unwrap() http.ResponseWriter { return p.ResponseWriter }
