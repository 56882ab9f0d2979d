package dbtest

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/database"
)

// PoolerEnv names the variable that holds the URL of a PgBouncer in transaction mode before
// the server of Env, with any database: what Each and Postgres give then goes through it.
const PoolerEnv = "VITRINE_TEST_PGBOUNCER"

// RequirePoolerEnv names the variable that, when not empty, makes tests fail that would be
// skipped for want of the program pgbouncer.
const RequirePoolerEnv = "VITRINE_TEST_REQUIRE_PGBOUNCER"

// poolerSettings lend out few sessions, so that a client rarely has the same one twice.
const poolerSettings = `[databases]
* = host='%s' port=%d user='%s'%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
`

// poolerTries is how many ports are tried: another program may take one that was free.
const poolerTries = 5

// Pooler starts a PgBouncer in transaction mode before the server of a URL, which lends out
// four sessions for each database, and gives the URL of that database through it. It ends with
// the test, which fails if it has ended before. Where there is no pgbouncer, the test is skipped.
func Pooler(t testing.TB, direct string) (pooled string) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		if os.Getenv(RequirePoolerEnv) != "" {
			t.Fatal(err)
		}
		t.Skip("no pgbouncer to test on")
	}
	server, err := pgx.ParseConfig(direct)
	if err != nil {
		t.Fatal(err)
	}
	for range poolerTries {
		if address, ok := startPooler(t, program, server); ok {
			u := url.URL{Scheme: "postgres", User: url.User(server.User), Host: address, Path: "/" + server.Database, RawQuery: "sslmode=disable"}
			return u.String()
		}
	}
	t.Fatal("no pgbouncer would start")
	return ""
}

func startPooler(t testing.TB, program string, server *pgx.ConnConfig) (address string, ok bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	var password string
	if server.Password != "" { // PgBouncer takes no empty one
		password = " password='" + server.Password + "'"
	}
	settings := fmt.Appendf(nil, poolerSettings, server.Host, server.Port, server.User, password, l.Addr().(*net.TCPAddr).Port)
	_ = l.Close() // so that the pooler can have the port
	folder, err := os.MkdirTemp("", "vitrine-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	file := filepath.Join(folder, "pgbouncer.ini")
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-q", file)
	if os.Geteuid() == 0 { // as whom it refuses to run
		if out, err := exec.Command("chown", "-R", "postgres", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd = exec.Command("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program, "-q", file)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			break
		}
		select {
		case <-ended:
			return "", false
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Cleanup(func() {
		select {
		case <-ended:
			t.Errorf("pgbouncer has ended by itself\n%s", out.Bytes())
		default:
		}
		_ = cmd.Process.Kill()
		<-ended
	})
	return address, true
}

// through puts the pooler of the environment before a database.
func through(t testing.TB, o *database.Options) {
	t.Helper()
	pooled, err := url.Parse(os.Getenv(PoolerEnv))
	if err != nil {
		t.Fatalf("dbtest: %s is not a URL", PoolerEnv)
	}
	direct, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	pooled.Path = direct.Path
	o.URL, o.DirectURL = pooled.String(), o.URL
}
