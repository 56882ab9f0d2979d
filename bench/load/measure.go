package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// bound ends one measurement: after so many requests or so long, whichever is first.
type bound struct {
	requests int
	time     time.Duration
}

// measure sends requests in turn from a number of clients, each waiting for its
// answer before it sends the next, and gives the requests answered per second. The
// bodies are kept if that is asked for. Any status but want is an error.
func measure(addr string, clients int, requests [][]byte, want int, b bound, keep bool) (rate float64, bodies [][]byte, err error) {
	conns := make([]*client, clients)
	for i := range conns {
		if conns[i], err = dial(addr); err != nil {
			return 0, nil, err
		}
		defer conns[i].conn.Close()
	}
	var next, done atomic.Int64
	kept, errs := make([][][]byte, clients), make([]error, clients)
	var wg sync.WaitGroup
	runtime.GC() // so that nobody pays for the garbage of the one before
	began := time.Now()
	for i, c := range conns {
		wg.Go(func() {
			for time.Since(began) < b.time {
				k := int(next.Add(1)) - 1
				if k >= b.requests {
					return
				}
				var body *bytes.Buffer
				if keep {
					body = new(bytes.Buffer)
				}
				status, err := c.do(requests[k%len(requests)], body)
				if err != nil || status != want {
					errs[i] = errors.Join(err, fmt.Errorf("status %d, want %d, for %.200q", status, want, requests[k%len(requests)]))
					return
				}
				done.Add(1)
				if keep {
					kept[i] = append(kept[i], body.Bytes())
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	return float64(done.Load()) / took.Seconds(), slices.Concat(kept...), errors.Join(errs...)
}

// readResponse reads an answer with net/http.
func readResponse(conn net.Conn, method string) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
}

// middle is the median and the range of measurements.
type middle struct{ median, least, most float64 }

func middleOf(values []float64) middle {
	if len(values) == 0 {
		return middle{}
	}
	s := slices.Sorted(slices.Values(values))
	m := s[len(s)/2]
	if len(s)%2 == 0 {
		m = (s[len(s)/2-1] + m) / 2
	}
	return middle{m, s[0], s[len(s)-1]}
}

// over divides pair by pair.
func over(a, b []float64) []float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return ratios
}
