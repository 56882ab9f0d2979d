package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"vitrine/internal/database/dbtest"
)

// behindPooler returns the settings of a program that uses a PgBouncer in transaction mode, and the
// address of the database itself.
func behindPooler(t *testing.T) (direct string, settings []string) {
	t.Helper()
	direct = dbtest.PostgresURL(t)
	return direct, []string{"VITRINE_DATABASE_URL=" + dbtest.Pooler(t, direct), "VITRINE_DATABASE_DIRECT_URL=" + direct}
}

// Many clients write concurrently through a pooler with four sessions, and the program is killed in
// between: every acknowledged write exists once.
func TestPoolerKill(t *testing.T) {
	t.Parallel()
	path := build(t)
	direct, settings := behindPooler(t)
	killAgainAndAgain(t, newProgram(t, path, direct, settings...), [][2]int{{50, 150}, {150, 300}})
}

// Two servers and workers share a pooler. Readers that hang up during a request do not affect
// others, and every job is done once.
func TestPoolerNodes(t *testing.T) {
	t.Parallel()
	path := build(t)
	direct, settings := behindPooler(t)
	r := read(t, path, direct, settings...)
	second, workers := r.p.serve(), r.p.work()
	const all = 40
	r.must(r.post(all / 2))
	for _, s := range []*process{r.s, second} {
		for range 20 {
			r.hangUp(s.url, "/v3/search?query=page")
		}
	}
	r.must(r.post(all))
	r.settle()
	r.terminate(second)
	r.terminate(workers)
	r.verify(all)
}

// hangUp sends a request and disconnects before the response.
func (r *reader) hangUp(server, path string) {
	r.t.Helper()
	address := strings.TrimPrefix(server, "http://")
	conn, err := net.Dial("tcp", address)
	r.must(err)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, address, r.token)
	r.must(err)
	r.must(conn.Close())
}

// If only the pooler is configured, the program reports the missing setting at once.
func TestPoolerAlone(t *testing.T) {
	t.Parallel()
	path := build(t)
	_, settings := behindPooler(t)
	cmd := exec.CommandContext(t.Context(), path, "serve", "--addr=127.0.0.1:0", "--data-dir="+t.TempDir())
	cmd.Env = append(os.Environ(), settings[0])
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--database-direct-url") {
		t.Errorf("%v: %s", err, out)
	}
}
