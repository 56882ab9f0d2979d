package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/capture/capturetest"
)

// sites serves the websites of the tests, each at many addresses: 127.0.R.P is round R of website P.
type sites struct {
	server *http.Server
	port   string
	all    []capturetest.Files
	given  int // addresses that were given
}

func serveSites() (*sites, error) {
	pages := capturetest.Pages()
	s := &sites{}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		s.all = append(s.all, pages[name])
	}
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve)}
	l, err := net.Listen("tcp4", "0.0.0.0:0") // all addresses of the loopback network
	if err != nil {
		return nil, err
	}
	s.port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	go func() { _ = s.server.Serve(l) }() // it ends with close
	return s, nil
}

func (s *sites) close() error { return s.server.Close() }

// next returns the address of a page that was not given before.
func (s *sites) next() string {
	n := s.given
	s.given++
	return fmt.Sprintf("http://127.%d.%d.%d:%s/", 1+n/len(s.all)/250, 1+n/len(s.all)%250, 1+n%len(s.all), s.port)
}

func (s *sites) serve(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	n, err := strconv.Atoi(host[strings.LastIndexByte(host, '.')+1:])
	if err != nil || n < 1 || n > len(s.all) {
		http.NotFound(w, r)
		return
	}
	f, ok := s.all[n-1][r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.ContentType)
	_, _ = w.Write([]byte(f.Body))
}
