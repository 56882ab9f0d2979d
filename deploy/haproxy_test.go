package deploy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// node starts a fake server whose /readyz fails unless the request excludes all checks in lacks.
func node(t *testing.T, name string, lacks ...string) (addr string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			_, _ = io.WriteString(w, name)
			return
		}
		for _, lack := range lacks {
			if !slices.Contains(r.URL.Query()["exclude"], lack) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// If no node is ready, HAProxy uses nodes that lack a dependency, but never a node that is too old
// for the schema of the database.
func TestHAProxyPassesOverNodesLeftBehind(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		if program = "/usr/sbin/haproxy"; exec.Command(program, "-v").Run() != nil {
			t.Skip("haproxy is not installed")
		}
	}
	for _, file := range []string{"haproxy/haproxy.cfg", "compose/haproxy.cfg"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			addr := l.Addr().String()
			cfg, _, _ := strings.Cut(string(text), "frontend status")
			cfg = regexp.MustCompile(`(?s)^.*?\ndefaults`).ReplaceAllString(cfg, "defaults") // no user, no log
			cfg = regexp.MustCompile(`(?m)^    bind :\d+$`).ReplaceAllString(cfg, "    bind "+addr)
			cfg = regexp.MustCompile(`(?m) resolvers docker init-addr libc,none$|^    log .*$`).ReplaceAllString(cfg, "")
			cfg = strings.ReplaceAll(cfg, "inter 2s", "inter 20ms")
			for name, at := range map[string]string{"node1": node(t, "left behind", "schema"), "node2": node(t, "lacks", "storage", "database"),
				"node3": node(t, "stops", "stopping")} {
				cfg = regexp.MustCompile(`server `+name+` \S+`).ReplaceAllString(cfg, "server "+name+" "+at)
			}
			path := filepath.Join(t.TempDir(), "haproxy.cfg")
			if err := os.WriteFile(path, []byte(cfg), 0o600); err != nil {
				t.Fatal(err)
			}
			_ = l.Close() // HAProxy listens there next
			cmd := exec.CommandContext(t.Context(), program, "-db", "-q", "-f", path)
			out := new(strings.Builder)
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			defer func() {
				_ = cmd.Process.Kill()
				<-ended
			}()
			// HAProxy needs a few checks to find out which nodes it can use. Then it uses only one.
			last := ""
			for row := 0; row < 20; {
				select {
				case err := <-ended:
					ended <- err
					t.Fatalf("%v\n%s\n%s", err, out, cfg)
				case <-t.Context().Done():
					t.Fatal(last)
				default:
				}
				if last = ask(addr); last == "200 lacks" {
					row++
				} else {
					row = 0
				}
			}
		})
	}
}

func ask(addr string) string {
	res, err := http.Get("http://" + addr + "/v3/ping")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return fmt.Sprintf("%d %s", res.StatusCode, body)
}
