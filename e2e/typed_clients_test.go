package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

var sandboxed = regexp.MustCompile(`sandbox: open (\S+)`)

// The typed clients and their examples work against a sandbox.
func TestTypedClients(t *testing.T) {
	t.Parallel()
	p := newProgram(t, build(t), "")
	p.env = append(p.env, "VITRINE_SANDBOX=true", "VITRINE_WEBHOOK_HOSTS=127.0.0.1")
	s := p.start("serve", sandboxed)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./...")
	cmd.Dir = "../client"
	cmd.Env = append(os.Environ(), "VITRINE_SANDBOX_URL="+s.url)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	end(t, s)
}
