package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

// pooler is a PgBouncer in front of the primary of a cluster.
type pooler struct {
	*part
	file string // settings
}

// The password for the pooler. PostgreSQL itself requires none.
const poolerPassword = "vitrine-drill-secret"

// primaryLine matches the line of deploy/'s file that names the primary.
var primaryLine = regexp.MustCompile(`(?m)^vitrine = host=\S+ port=\d+$`)

// newPooler prepares PgBouncer with the file of deploy/ and other addresses, and the role from
// docs/operations.md.
func newPooler(t *testing.T, path string, db *cluster) *pooler {
	t.Helper()
	text, err := os.ReadFile("../deploy/pgbouncer/pgbouncer.ini")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(db.folder, "pgbouncer")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	port, users := freePort(t), filepath.Join(folder, "users.txt")
	for of, by := range map[string]string{"listen_addr = *": "listen_addr = 127.0.0.1", "listen_port = 6432": "listen_port = " + strconv.Itoa(port),
		"auth_file = /etc/pgbouncer/users.txt": "auth_file = " + users} {
		if !bytes.Contains(text, []byte(of)) {
			t.Fatalf("pgbouncer.ini has no %s", of)
		}
		text = bytes.ReplaceAll(text, []byte(of), []byte(by))
	}
	p := &pooler{file: filepath.Join(folder, "pgbouncer.ini")}
	for file, content := range map[string][]byte{p.file: text, users: fmt.Appendf(nil, "%q %q\n", "postgres", poolerPassword)} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if db.as != nil {
		for _, name := range []string{folder, p.file, users} {
			if err := os.Chown(name, int(db.as.Uid), int(db.as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, setting := range []string{"jit = off", "client_connection_check_interval = '1s'"} {
		db.sql(db.primary, "ALTER ROLE postgres SET "+setting)
	}
	p.part = newPart(t, "pgbouncer", port, func() *exec.Cmd {
		cmd := exec.Command(path, "-q", p.file)
		cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: db.as}, folder
		return cmd
	})
	p.point(db)
	return p
}

// point writes the address of the primary into the settings.
func (p *pooler) point(db *cluster) {
	text, err := os.ReadFile(p.file)
	if err == nil && !primaryLine.Match(text) {
		p.t.Fatal("pgbouncer.ini has no line of the database vitrine")
	}
	if err == nil {
		err = os.WriteFile(p.file, primaryLine.ReplaceAll(text, fmt.Appendf(nil, "vitrine = host=127.0.0.1 port=%d", db.servers[db.primary].port)), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// lead switches the pooler to the current primary, as described in docs/operations.md.
func (p *pooler) lead(db *cluster) {
	p.point(db)
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pooler) url() string {
	return fmt.Sprintf("postgres://postgres:%s@127.0.0.1:%d/vitrine?pool_max_conns=40", poolerPassword, p.port)
}
