package drive

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

// Bound limits a measurement by number of requests and by time, whichever is reached first.
type Bound struct {
	Requests int
	Time     time.Duration
}

// Speed is the result of one measurement.
type Speed struct {
	Rate float64         // requests per second
	CPU  float64         // seconds of processor time per request, including the client's
	Took []time.Duration // per request, unordered
}

// Measure sends requests in turn from several clients. Each waits for its response before it sends the next request. The
// bodies are returned if keep is set. Any status other than want is an error.
func Measure(dial func() (Sender, error), clients int, requests []Prepared, want int, b Bound, keep bool) (s Speed, bodies [][]byte, err error) {
	conns := make([]Sender, clients)
	for i := range conns {
		if conns[i], err = dial(); err != nil {
			return s, nil, err
		}
		defer conns[i].Close()
	}
	var next atomic.Int64
	kept, took, errs := make([][][]byte, clients), make([][]time.Duration, clients), make([]error, clients)
	var wg sync.WaitGroup
	runtime.GC() // so that no measurement pays for earlier garbage
	began, used := time.Now(), CPUTime()
	for i, c := range conns {
		wg.Go(func() {
			for time.Since(began) < b.Time {
				k := int(next.Add(1)) - 1
				if k >= b.Requests {
					return
				}
				var body *bytes.Buffer
				if keep {
					body = new(bytes.Buffer)
				}
				sent := time.Now()
				status, err := c.Do(requests[k%len(requests)], body)
				if err != nil || status != want {
					errs[i] = errors.Join(err, fmt.Errorf("status %d, want %d, for %+.200v", status, want, requests[k%len(requests)].Request))
					return
				}
				took[i] = append(took[i], time.Since(sent))
				if keep {
					kept[i] = append(kept[i], body.Bytes())
				}
			}
		})
	}
	wg.Wait()
	s = Speed{Took: slices.Concat(took...)}
	n := float64(len(s.Took))
	s.Rate, s.CPU = n/time.Since(began).Seconds(), (CPUTime()-used).Seconds()/n
	return s, slices.Concat(kept...), errors.Join(errs...)
}

// readResponse reads a response with net/http.
func readResponse(conn net.Conn, method string) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
}

// Middle is the median and the range of measurements.
type Middle struct{ Median, Least, Most float64 }

// MiddleOf computes them; without values they are 0.
func MiddleOf(values []float64) Middle {
	if len(values) == 0 {
		return Middle{}
	}
	s := slices.Sorted(slices.Values(values))
	m := s[len(s)/2]
	if len(s)%2 == 0 {
		m = (s[len(s)/2-1] + m) / 2
	}
	return Middle{m, s[0], s[len(s)-1]}
}

// Rate and CPU return values of a measurement.
func Rate(s Speed) float64 { return s.Rate }
func CPU(s Speed) float64  { return s.CPU }

// Of returns one value of each measurement.
func Of(all []Speed, figure func(Speed) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = figure(s)
	}
	return values
}

// Over divides the values of two series of measurements pair by pair.
func Over(a, b []Speed, figure func(Speed) float64) []float64 {
	ratios := Of(a, figure)
	for i, divisor := range Of(b, figure) {
		ratios[i] /= divisor
	}
	return ratios
}

// At returns the time that a fraction (0..1) of the requests did not exceed, or 0 without requests.
func At(took []time.Duration, share float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(took))
	return s[min(int(share*float64(len(s))), len(s)-1)]
}
