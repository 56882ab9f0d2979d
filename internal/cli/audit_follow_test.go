package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"vitrine/internal/cli"
)

// --follow prints each new entry once, after the existing ones, until it is interrupted.
func TestAuditFollow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.operator()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		out, in := io.Pipe()
		var errs bytes.Buffer
		code := make(chan int, 1)
		go func() {
			code <- cli.Run(ctx, append([]string{"vitrine", "audit", "--follow"}, p.flags...), in, &errs)
			_ = in.Close()
		}()
		defer func() { _ = out.Close() }() // ends the command, because nobody reads its output
		lines := bufio.NewScanner(out)
		expect := func(act string) {
			t.Helper()
			if !lines.Scan() || !strings.Contains(lines.Text(), `"act":"`+act+`"`) {
				t.Fatalf("%q is told of, not %s (%v)", lines.Text(), act, lines.Err())
			}
		}
		expect("account.created")
		p.run("user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org").ok()
		expect("account.created")
		p.run("user", "suspend", "ada").ok()
		expect("account.suspended")
		stop()
		if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 || <-code != 0 {
			t.Errorf("in the end: %q, %v, %s", rest, err, &errs)
		}
	})
}
