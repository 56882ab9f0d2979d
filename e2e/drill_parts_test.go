package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// needs are the third-party programs of the drill with their sources.
var needs = [...]struct{ name, from string }{
	{"initdb", "apt-get install postgresql"},
	{"haproxy", "apt-get install haproxy"},
	{"pgbouncer", "apt-get install pgbouncer"},
	{"valkey-server", "apt-get install valkey-server, or redis-server"},
	{"versitygw", "go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"},
}

// tools finds all of them, and reports all that are missing.
func tools(t *testing.T) map[string]string {
	t.Helper()
	places := []string{"", "/usr/sbin", "/usr/local/bin"}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian's path; the pattern is valid
	slices.Reverse(found)                                  // newest first
	places = append(places, found...)
	where := map[string]string{}
	for _, need := range needs {
		names := []string{need.name}
		if need.name == "valkey-server" {
			names = append(names, "redis-server")
		}
		for _, name := range names {
			for _, place := range places {
				path, err := exec.LookPath(filepath.Join(place, name))
				if err == nil && where[need.name] == "" {
					where[need.name] = path
				}
			}
		}
		if where[need.name] == "" {
			t.Errorf("the drill needs %s: %s", need.name, need.from)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return where
}

// part is a running third-party program with all its child processes.
type part struct {
	t    *testing.T
	name string
	port int
	run  func() *exec.Cmd

	cmd   *exec.Cmd
	ended chan struct{}
	log   string // a file
}

// begin starts the part, and waits until its port is open.
func (p *part) begin() {
	p.t.Helper()
	p.cmd = p.run()
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan struct{})
	p.ended = ended
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(ended) }(p.cmd)
	for end := time.Now().Add(time.Minute); ; {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-ended:
		case <-time.After(50 * time.Millisecond):
			if time.Now().Before(end) {
				continue
			}
		}
		text, _ := os.ReadFile(p.log)
		p.t.Fatalf("%s does not begin\n%s", p.name, text)
	}
}

// kill ends the part with all its processes, like a power failure.
func (p *part) kill() {
	if p.cmd == nil {
		return
	}
	all := append(children(p.cmd.Process.Pid), p.cmd.Process.Pid)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	<-p.ended
}

// children returns the child processes of a process, according to Linux. Each of PostgreSQL's has
// its own process group.
func children(parent int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // missing if the thread has ended
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(append(pids, pid), children(pid)...)
			}
		}
	}
	return pids
}

// newPart prepares a part; it is killed when the test ends.
func newPart(t *testing.T, name string, port int, run func() *exec.Cmd) *part {
	p := &part{t: t, name: name, port: port, run: run, log: filepath.Join(t.TempDir(), name+".log")}
	t.Cleanup(p.kill)
	return p
}

// cluster is PostgreSQL: a primary and its replicas, by number.
type cluster struct {
	t       *testing.T
	bin     string // folder of its programs
	folder  string
	as      *syscall.Credential // user to run as: PostgreSQL refuses root
	servers []*part
	primary int
}

// newCluster starts a primary, a synchronous replica and an asynchronous one. All sync to the disk.
func newCluster(t *testing.T, initdb string) *cluster {
	t.Helper()
	folder, err := os.MkdirTemp("", "vitrine-drill-") // accessible to PostgreSQL's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil { // the other programs are in the same folder
		t.Fatal(err)
	}
	c := &cluster{t: t, bin: filepath.Dir(initdb), folder: folder}
	if os.Geteuid() == 0 {
		them, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(them.Uid)
		gid, _ := strconv.Atoi(them.Gid)
		c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"pg1", "pg2", "pg3"} {
		c.servers = append(c.servers, newPart(t, name, freePort(t), func() *exec.Cmd { return c.postgres(i) }))
	}
	c.command("initdb", "-D", c.data(0), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
	c.servers[0].begin()
	c.ready(0)
	for i := range c.servers[1:] {
		c.command("pg_basebackup", "-D", c.data(i+1), "-d", c.address(0), "-X", "stream", "-c", "fast")
		c.follow(i + 1)
	}
	c.sql(0, "ALTER SYSTEM SET synchronous_standby_names = 'pg2'")
	c.sql(0, "SELECT pg_reload_conf()")
	c.sql(0, "CREATE DATABASE vitrine")
	c.until(0, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'async')", "2")
	return c
}

func (c *cluster) data(i int) string { return filepath.Join(c.folder, c.servers[i].name) }

func (c *cluster) address(i int) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres", c.servers[i].port)
}

// url lists all servers. The program connects to the writable one.
func (c *cluster) url() string {
	var hosts []string
	for _, s := range c.servers {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", s.port))
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/vitrine?target_session_attrs=read-write&connect_timeout=2"
}

func (c *cluster) postgres(i int) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, "postgres"), "-D", c.data(i), "-p", strconv.Itoa(c.servers[i].port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200",
		"-c", "wal_keep_size=1GB", "-c", "wal_receiver_timeout=5s", "-c", "shared_buffers=64MB", "-c", "hot_standby=on", "-c", "log_min_messages=warning")
	cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: c.as}, c.folder
	return cmd
}

// follow lets a server follow the primary among the others.
func (c *cluster) follow(i int) {
	c.t.Helper()
	var ports []string
	for j, s := range c.servers {
		if j != i {
			ports = append(ports, strconv.Itoa(s.port))
		}
	}
	settings := fmt.Sprintf("primary_conninfo = 'host=127.0.0.1%s port=%s user=postgres application_name=%s target_session_attrs=read-write tcp_user_timeout=3000'\nsynchronous_standby_names = ''\n",
		strings.Repeat(",127.0.0.1", len(ports)-1), strings.Join(ports, ","), c.servers[i].name)
	f, err := os.OpenFile(filepath.Join(c.data(i), "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(settings)
		f.Close()
	}
	if err == nil {
		path := filepath.Join(c.data(i), "standby.signal")
		if err = os.WriteFile(path, nil, 0o600); err == nil && c.as != nil {
			err = os.Chown(path, int(c.as.Uid), int(c.as.Gid))
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.servers[i].begin()
	c.ready(i)
}

// anew replaces a stopped server with a replica of the primary.
func (c *cluster) anew(i int) {
	c.t.Helper()
	if err := os.RemoveAll(c.data(i)); err != nil {
		c.t.Error(err)
	}
	c.command("pg_basebackup", "-D", c.data(i), "-d", c.address(c.primary), "-X", "stream", "-c", "fast")
	c.follow(i)
}

// stray returns the error of a replica that was ahead of the promoted one, "" for one that was not.
func (c *cluster) stray(i int) string {
	for range 100 {
		if got, err := c.ask(c.primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name = '"+c.servers[i].name+"'"); err == nil && got == "1" {
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(c.servers[i].log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], "\n")
}

// command runs a PostgreSQL program and returns its output.
func (c *cluster) command(name string, args ...string) string {
	c.t.Helper()
	out, err := c.try(name, args...)
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

func (c *cluster) try(name string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: c.as}, c.folder
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// sql runs a statement and returns its result.
func (c *cluster) sql(i int, statement string) string {
	c.t.Helper()
	got, err := c.ask(i, statement)
	if err != nil {
		c.t.Fatalf("%s: %s: %v", c.servers[i].name, statement, err)
	}
	return got
}

func (c *cluster) ask(i int, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // works in cleanups too
	defer cancel()
	conn, err := pgx.Connect(ctx, c.address(i))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	results, err := conn.PgConn().Exec(ctx, statement).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// now returns the time of a server.
func (c *cluster) now(i int) string { c.t.Helper(); return c.sql(i, "SELECT clock_timestamp()") }

// ready waits until a server accepts statements.
func (c *cluster) ready(i int) { c.t.Helper(); c.until(i, "SELECT 1", "1") }

// until waits until a statement returns the wanted result.
func (c *cluster) until(i int, statement, want string) {
	c.t.Helper()
	var got string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var err error
		if got, err = c.ask(i, statement); err == nil && got == want {
			return
		}
	}
	text, _ := os.ReadFile(c.servers[i].log)
	c.t.Fatalf("%s: %s gives %s, want %s\n%s", c.servers[i].name, statement, got, want, text)
}

// promote makes a replica the primary, and waits until it is.
func (c *cluster) promote(i int) {
	c.t.Helper()
	c.sql(i, "SELECT pg_promote()")
	c.primary = i
}

// replica is the asynchronous server, which the program reads from.
const replica = 2

// only returns the address of a single server.
func (c *cluster) only(i int) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/vitrine?connect_timeout=2", c.servers[i].port)
}

// newValkey prepares Valkey or Redis without persistence.
func newValkey(t *testing.T, path string) *part {
	port, folder := freePort(t), t.TempDir()
	return newPart(t, "valkey", port, func() *exec.Cmd {
		return exec.Command(path, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder)
	})
}

// Credentials of the storage.
const s3Key, s3Secret = "vitrine-drill", "vitrine-drill-secret"

// newS3 prepares a storage with a bucket named vitrine.
func newS3(t *testing.T, path string) *part {
	port, folder := freePort(t), t.TempDir()
	for _, name := range []string{"data/vitrine", "meta"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return newPart(t, "s3", port, func() *exec.Cmd {
		cmd := exec.Command(path, "--quiet", "--port", fmt.Sprintf("127.0.0.1:%d", port), "posix", "--sidecar", filepath.Join(folder, "meta"), filepath.Join(folder, "data"))
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+s3Key, "ROOT_SECRET_ACCESS_KEY="+s3Secret)
		return cmd
	})
}

// newHAProxy prepares HAProxy with the file of deploy/ and other addresses.
func newHAProxy(t *testing.T, path string, nodes []int) *part {
	t.Helper()
	text, err := os.ReadFile("../deploy/haproxy/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	replace := func(pattern, by string) {
		re := regexp.MustCompile(pattern)
		if !re.Match(text) {
			t.Fatalf("haproxy.cfg has no %s", pattern)
		}
		text = re.ReplaceAll(text, []byte(by))
	}
	replace(`(?m)^    bind :80$`, fmt.Sprintf("    bind 127.0.0.1:%d", port))
	replace(`bind 127.0.0.1:8404`, fmt.Sprintf("bind 127.0.0.1:%d", freePort(t)))
	replace(`log stdout format raw local0`, "")
	for i, node := range nodes {
		replace(fmt.Sprintf(`10\.0\.0\.1%d:8080`, i+1), fmt.Sprintf("127.0.0.1:%d", node))
	}
	if bytes.Contains(text, []byte("10.0.0.")) {
		t.Fatal("haproxy.cfg has more than three nodes")
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return newPart(t, "haproxy", port, func() *exec.Cmd { return exec.Command(path, "-db", "-f", file) })
}

// canCutOff reports whether the test can block a port of this machine, which requires root and
// iptables.
func canCutOff(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() == 0 && exec.Command("iptables", "-n", "-L", "INPUT").Run() == nil {
		return true
	}
	t.Log("NOT DRILLED: a primary that is gone without a word, which takes root and iptables")
	return false
}

// cutOff blocks all traffic to and from a port of this machine until reach is called.
func cutOff(t *testing.T, port int) (reach func()) {
	t.Helper()
	rule := func(do, which string) error {
		return exec.Command("iptables", "-w", do, "INPUT", "-p", "tcp", which, strconv.Itoa(port), "-j", "DROP").Run()
	}
	ports := []string{"--dport", "--sport"}
	reach = sync.OnceFunc(func() {
		for _, which := range ports {
			if err := rule("-D", which); err != nil {
				t.Errorf("iptables: the rule for port %d stays: %v", port, err)
			}
		}
	})
	t.Cleanup(reach)
	for _, which := range ports {
		if err := rule("-I", which); err != nil {
			t.Fatal(err)
		}
	}
	return reach
}
