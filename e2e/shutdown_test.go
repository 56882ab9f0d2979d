package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"syscall"
	"testing"
	"time"
)

// On SIGTERM, a request whose body is still being sent gets a response, and no new connection is
// accepted. Then the program ends gracefully.
func TestShutdownFinishesRequests(t *testing.T) {
	t.Parallel()
	p := newProgram(t, build(t), "")
	token := p.user("ada")
	s := p.serve()

	body, send := io.Pipe()
	reading := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error { close(reading); return nil },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v3/channels", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue") // shows when the server reads the body
	answered := make(chan int, 1)
	go func() {
		res, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(req)
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		answered <- res.StatusCode
		_ = res.Body.Close()
	}()

	<-reading
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitUntilRefused(t, strings.TrimPrefix(s.url, "http://"))
	if _, err := io.WriteString(send, `{"title":"Last words"}`); err != nil {
		t.Fatal(err)
	}
	if err := send.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-answered; status != http.StatusCreated {
		t.Errorf("the request in flight was answered %d", status)
	}
	if code := s.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
	p.run("check")
}

// waitUntilRefused dials until connections are refused.
func waitUntilRefused(t *testing.T, addr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if ctx.Err() != nil {
			t.Fatal("the server goes on listening")
		}
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}
