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

// PoolerEnv is the environment variable with the URL, without a database, of a PgBouncer in transaction
// mode for the server of Env. If it is set, Each and Postgres connect through it.
const PoolerEnv = "VITRINE_TEST_PGBOUNCER"

// RequirePoolerEnv is the environment variable that, if not empty, makes tests fail instead of skipping
// them when pgbouncer is not installed.
const RequirePoolerEnv = "VITRINE_TEST_REQUIRE_PGBOUNCER"

// poolerSettings limit the server sessions, so that a client rarely gets the same one twice.
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

// poolerTries is the number of attempts to find a port: another program may take a free one first.
const poolerTries = 5

// Pooler starts a PgBouncer in transaction mode, with four sessions per database, for the server of a
// URL. It returns the URL of that database through the pooler. The pooler is stopped at the end of the
// test, which fails if the pooler exits earlier. The test is skipped if pgbouncer is not installed.
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
		t.Skip("pgbouncer is not installed")
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
	t.Fatal("pgbouncer does not start")
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
	if server.Password != "" { // PgBouncer rejects an empty one
		password = " password='" + server.Password + "'"
	}
	settings := fmt.Appendf(nil, poolerSettings, server.Host, server.Port, server.User, password, l.Addr().(*net.TCPAddr).Port)
	_ = l.Close() // frees the port for the pooler
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
	if os.Geteuid() == 0 { // pgbouncer refuses to run as root
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
		_ = cmd.Wait() // fails because it is killed
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
			t.Errorf("pgbouncer exited\n%s", out.Bytes())
		default:
		}
		_ = cmd.Process.Kill()
		<-ended
	})
	return address, true
}

// through changes the options to connect through the pooler of the environment.
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
