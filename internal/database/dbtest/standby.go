package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pair is a temporary PostgreSQL server with a standby. They listen on sockets in their own folder, and
// are stopped at the end of the test.
type Pair struct {
	t      testing.TB
	folder string
	tools  string // folder with PostgreSQL's programs
}

// The members of a pair.
const (
	Primary = "primary"
	Standby = "standby"
)

// NewPair starts a pair without test databases. If PostgreSQL's programs are not installed, it skips the
// test, or fails it if RequireEnv is set.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")                   // the pattern is valid
	if path, err := exec.LookPath("pg_basebackup"); err == nil && len(found) == 0 { // other distributions
		found = append(found, path)
	}
	if len(found) == 0 {
		missing(t)
	}
	folder, err := os.MkdirTemp("", "vitrine-pair-") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	p := &Pair{t: t, folder: folder, tools: filepath.Dir(found[len(found)-1])}
	if os.Geteuid() == 0 {
		p.must(exec.Command("chown", "postgres:", folder))
	}
	p.run("initdb", "-D", p.Folder(Primary), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
	p.Start(Primary)
	p.run("pg_basebackup", "-D", p.Folder(Standby), "-h", folder, "-p", port(Primary), "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync")
	p.Start(Standby)
	return p
}

func port(member string) string {
	if member == Primary {
		return "5432"
	}
	return "5433"
}

// Folder returns the data folder of a member.
func (p *Pair) Folder(member string) string { return filepath.Join(p.folder, member) }

// run runs a PostgreSQL program, as another user if the test runs as root, which PostgreSQL refuses.
func (p *Pair) run(program string, args ...string) {
	p.t.Helper()
	args = append([]string{filepath.Join(p.tools, program)}, args...)
	if os.Geteuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.folder
	p.must(cmd)
}

// must runs a command with its output in a file, because a server that it starts keeps the output open.
func (p *Pair) must(cmd *exec.Cmd) {
	p.t.Helper()
	out, err := os.CreateTemp(p.t.TempDir(), "out")
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		p.t.Fatalf("dbtest: %v: %v\n%s", cmd.Args, err, said)
	}
}

// Start starts a member and waits until it accepts connections.
func (p *Pair) Start(member string) {
	p.t.Helper()
	p.run("pg_ctl", "-D", p.Folder(member), "-l", filepath.Join(p.folder, member+".log"), "-w", "-t", "120", "start", "-o",
		fmt.Sprintf("-k '%s' -p %s -c listen_addresses='' -c fsync=off -c shared_buffers=32MB -c wal_retrieve_retry_interval=100ms", p.folder, port(member)))
	p.t.Cleanup(func() {
		cmd := exec.Command(filepath.Join(p.tools, "pg_ctl"), "-D", p.Folder(member), "-m", "immediate", "stop")
		if os.Geteuid() == 0 {
			cmd = exec.Command("runuser", append([]string{"-u", "postgres", "--"}, cmd.Args...)...)
		}
		_ = cmd.Run() // it may have stopped already
	})
}

// Kill stops a member like a crash.
func (p *Pair) Kill(member string) {
	p.t.Helper()
	p.run("pg_ctl", "-D", p.Folder(member), "-m", "immediate", "-w", "-t", "120", "stop")
}

// Promote promotes the standby to a primary.
func (p *Pair) Promote() {
	p.t.Helper()
	p.run("pg_ctl", "-D", p.Folder(Standby), "-w", "-t", "120", "promote")
}

// URL returns the URL of a database on a member.
func (p *Pair) URL(member, database string) string {
	return "postgres://postgres@/" + database + "?" + url.Values{"host": {p.folder}, "port": {port(member)}}.Encode()
}

// Exec runs a statement in the database postgres of a member.
func (p *Pair) Exec(member, query string) {
	p.t.Helper()
	p.scan(member, query)
}

// scan runs a statement and returns the first column of its first row.
func (p *Pair) scan(member, query string) (value string) {
	p.t.Helper()
	ctx := context.WithoutCancel(p.t.Context())
	conn, err := pgx.Connect(ctx, p.URL(member, "postgres"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		p.t.Fatal(err)
	}
	defer rows.Close()
	if rows.Next() {
		value = strings.TrimSpace(string(rows.RawValues()[0]))
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		p.t.Fatalf("dbtest: %s: %v", query, err)
	}
	return value
}

// Pause stops replay on the standby until Resume. The standby still receives the log.
func (p *Pair) Pause() {
	p.t.Helper()
	p.Exec(Standby, "SELECT pg_wal_replay_pause()")
	for p.scan(Standby, "SELECT pg_get_wal_replay_pause_state()") != "paused" {
		time.Sleep(time.Millisecond)
	}
}

// Resume continues replay after Pause.
func (p *Pair) Resume() {
	p.t.Helper()
	p.Exec(Standby, "SELECT pg_wal_replay_resume()")
}

// Catch waits until the standby has replayed everything that is committed now.
func (p *Pair) Catch() {
	p.t.Helper()
	at := p.scan(Primary, "SELECT pg_current_wal_flush_lsn()")
	for p.scan(Standby, "SELECT pg_last_wal_replay_lsn() >= '"+at+"'") != "t" {
		time.Sleep(5 * time.Millisecond)
	}
}
