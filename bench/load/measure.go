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

// speed is what one measurement gives.
type speed struct {
	rate float64 // requests answered in a second
	cpu  float64 // seconds of processor time for a request, the client's included

	p50, p99 float64 // seconds that half of the requests, and all but a hundredth, took at most
}

// measure sends requests in turn from a number of clients, each waiting for its
// answer before it sends the next. The bodies are kept if that is asked for. Any
// status but want is an error.
func measure(dial func() (sender, error), clients int, requests []prepared, want int, b bound, keep bool) (s speed, bodies [][]byte, err error) {
	conns := make([]sender, clients)
	for i := range conns {
		if conns[i], err = dial(); err != nil {
			return s, nil, err
		}
		defer conns[i].close()
	}
	var next atomic.Int64
	kept, errs, took := make([][][]byte, clients), make([]error, clients), make([][]time.Duration, clients)
	var wg sync.WaitGroup
	runtime.GC() // so that nobody pays for the garbage of the one before
	began, used := time.Now(), cpuTime()
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
				start := time.Now()
				status, err := c.do(requests[k%len(requests)], body)
				if err != nil || status != want {
					errs[i] = errors.Join(err, fmt.Errorf("status %d, want %d, for %+.200v", status, want, requests[k%len(requests)].request))
					return
				}
				took[i] = append(took[i], time.Since(start))
				if keep {
					kept[i] = append(kept[i], body.Bytes())
				}
			}
		})
	}
	wg.Wait()
	s = speedOf(slices.Concat(took...), time.Since(began), cpuTime()-used)
	return s, slices.Concat(kept...), errors.Join(errs...)
}

// speedOf sums requests up.
func speedOf(took []time.Duration, elapsed, cpu time.Duration) speed {
	if len(took) == 0 {
		return speed{}
	}
	slices.Sort(took)
	n := float64(len(took))
	return speed{rate: n / elapsed.Seconds(), cpu: cpu.Seconds() / n,
		p50: took[len(took)/2].Seconds(), p99: took[min(len(took)-1, len(took)*99/100)].Seconds()}
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

func rate(s speed) float64 { return s.rate }
func cpu(s speed) float64  { return s.cpu }
func p50(s speed) float64  { return s.p50 }
func p99(s speed) float64  { return s.p99 }

// of takes one figure of each measurement.
func of(all []speed, figure func(speed) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = figure(s)
	}
	return values
}

// over divides a figure of measurements pair by pair.
func over(a, b []speed, figure func(speed) float64) []float64 {
	ratios := of(a, figure)
	for i, divisor := range of(b, figure) {
		ratios[i] /= divisor
	}
	return ratios
}
