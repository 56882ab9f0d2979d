package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
)

// `vitrine work` runs the jobs of a server that does not, and finishes running jobs when it is
// stopped.
func TestWork(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		r := apptest.Boot(t, p.database())
		r.Listen()
		asked, answer := make(chan struct{}), make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			close(asked)
			<-answer
			apptest.Serve("text/html", []byte("<title>Slow</title>"))(w, req)
		}))
		t.Cleanup(web.Close)
		ctx, stop := context.WithCancel(t.Context())
		out, in := io.Pipe()
		var errs bytes.Buffer
		code := make(chan int, 1)
		go func() {
			args := append([]string{"vitrine", "work", "--fetch-allow", "127.0.0.0/8"}, p.flags...)
			code <- cli.Run(ctx, args, in, &errs)
			_ = in.Close()
		}()
		lines := bufio.NewReader(out)
		if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, "Vitrine runs the jobs in ") {
			t.Fatalf("%q (%v)", first, err)
		}
		channel := r.Channel("ada", "Links", "public")
		id := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": web.URL, "channel_ids": []int64{channel}}).Want(201).Int("id")
		<-asked
		stop()
		close(answer)
		if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
			t.Errorf("%q (%v)", rest, err)
		}
		if c := <-code; c != 0 || strings.Count(errs.String(), "shutting down") != 1 || strings.Count(errs.String(), `msg="working jobs" database=`) != 1 {
			t.Errorf("exit code %d: %s", c, &errs)
		}
		if res := r.Get("ada", "/v3/blocks/%d", id); res.Str("state") != "available" || res.Str("title") != "Slow" {
			t.Errorf("the block is %s", res.Body)
		}
	})
}
