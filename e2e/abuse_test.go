package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/database/dbtest"
)

const (
	abuseEnv       = "VITRINE_ABUSE" // duration, such as 5m
	briefAbuse     = 20 * time.Second
	abuseClients   = 8
	abuseSockets   = 200
	abuseDiskBytes = 3 << 30 // size of the disk that is filled
	abuseP99       = time.Second
)

// TestAbuse runs all attacks at once, together with eight ordinary clients: hostile pictures,
// readers that do not read, a batch of addresses that drip, guessed tokens, invitations to
// strangers, echoed forms, bodies that no operation accepts, a hostile import source, long texts
// and a full disk. No acknowledged write may be lost, no read may fail, and all derived and stored
// data must be correct afterwards.
//
// It is brief by default. With VITRINE_ABUSE set to a duration (make abuse: five minutes) it also
// requires a p99 of one second for reads, which a brief run cannot measure.
func TestAbuse(t *testing.T) {
	alone(t)
	duration, whole := briefAbuse, false
	if setting := os.Getenv(abuseEnv); setting != "" {
		var err error
		if duration, err = time.ParseDuration(setting); err != nil {
			t.Fatalf("%s: %v", abuseEnv, err)
		}
		whole = true
	}
	path := build(t)
	t.Run("sqlite", func(t *testing.T) { abuse(t, path, "", duration, whole) })
	if whole {
		t.Run("postgres", func(t *testing.T) { abuse(t, path, dbtest.PostgresURL(t), duration, whole) })
	}
}

// abuser is an account with a write token, and its targets.
type abuser struct {
	client
	web      string // a site that drips
	public   int64  // a channel of long blocks
	private  int64
	group    int64
	pictures [][]byte // hostile pictures
	source   string   // URL of a hostile API server
}

func abuse(t *testing.T, path, databaseURL string, duration time.Duration, whole bool) {
	p := newProgram(t, path, databaseURL)
	disk := mountDisk(t, p.dataDir)
	p.env = append(p.env, "VITRINE_FETCH_ALLOW=127.0.0.0/8", "VITRINE_IMAGE_MEMORY=128MiB",
		"VITRINE_RATE_LIMITS=guest=0,free=300,premium=600,supporter=0", "VITRINE_DISK_RESERVE=64MiB",
		"VITRINE_QUOTA_UNUSED=premium=256MiB", "VITRINE_QUOTA=premium=1GiB") // mallory's quota is smaller than the disk
	p.run("migrate")
	mallory := &abuser{client: client{token: p.userOf("mallory", "premium")}}
	for _, hostile := range hostilePictures() {
		mallory.pictures = append(mallory.pictures, hostile.file())
	}
	trudy := &abuser{client: client{token: p.userOf("trudy", "premium")}, source: newHostileSource(t)}
	victor := &abuser{client: client{token: p.userOf("victor", "premium")}}
	people := make([]*person, abuseClients)
	for i := range people {
		slug := fmt.Sprintf("person%d", i)
		people[i] = &person{name: slug, client: client{token: p.userOf(slug, "supporter")}}
	}
	s := p.serve()
	mallory.web = newWeb(t).url + "/drip"
	mallory.prepare(t, s.url)
	victor.prepareTexts(t, s.url)
	for _, person := range people {
		person.prepare(t, s.url)
		person.public = mallory.public
	}
	idle := peak(t, s)

	ctx, stop := context.WithTimeout(t.Context(), duration)
	defer stop()
	var full atomic.Bool // writes may be refused while it is set
	var abuses, work sync.WaitGroup
	for _, attack := range []func(context.Context, string) string{
		mallory.sendPictures, mallory.leaveUploads, mallory.readNothing, mallory.beginBatches, mallory.invite, mallory.guessTokens,
		trudy.echoForms, trudy.sendUndecoded, trudy.importHostile, victor.postLongTexts,
	} {
		abuses.Go(func() { t.Log(attack(ctx, s.url)) })
	}
	abuses.Go(func() { disk.fillUp(ctx, t, duration, &full) })
	for _, person := range people {
		work.Go(func() { person.live(ctx, s.url, &full) })
	}
	work.Wait()
	abuses.Wait()

	t.Logf("peak of memory %d MiB, idle %d MiB", peak(t, s)>>20, idle>>20)
	var latencies []time.Duration
	for _, person := range people {
		person.verify(t, s.url)
		latencies = append(latencies, person.latencies...)
	}
	slices.Sort(latencies)
	p99 := latencies[len(latencies)*99/100]
	t.Logf("%d reads: p50 %s, p99 %s, longest %s", len(latencies), latencies[len(latencies)/2], p99, latencies[len(latencies)-1])
	if whole && p99 > abuseP99 {
		t.Errorf("the p99 of ordinary reads is %s", p99)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.ended(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.run("check", "--files")
	if strings.Contains(s.log.String(), "panic") {
		t.Error("something panicked")
	}
}

// disk is a separate disk for the data, which can be filled up.
type disk struct{ path string }

// mountDisk mounts a small disk in a folder if the test runs as root; otherwise the test continues
// without it.
func mountDisk(t *testing.T, folder string) disk {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("the disk is not filled up: mounting one takes root")
		return disk{}
	}
	err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", int64(abuseDiskBytes)))
	if err != nil {
		t.Logf("the disk is not filled up: %v", err)
		return disk{}
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return disk{path: folder}
}

// fillUp fills the disk during the third fifth of the time.
func (d disk) fillUp(ctx context.Context, t *testing.T, duration time.Duration, full *atomic.Bool) {
	if d.path == "" || !pause(ctx, duration*2/5) {
		return
	}
	full.Store(true)
	ballast := filepath.Join(d.path, "ballast")
	f, err := os.OpenFile(ballast, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	for size := int64(0); err == nil; size += 64 << 20 { // faster than writing so much
		err = syscall.Fallocate(int(f.Fd()), 0, size, 64<<20)
	}
	chunk := make([]byte, 1<<20)
	for err = nil; err == nil; {
		_, err = f.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("filling the disk: %v", err)
	}
	// Also fill space that others free in the meantime.
	for until := time.Now().Add(duration / 5); time.Now().Before(until) && pause(ctx, 100*time.Millisecond); {
		_, _ = f.Write(chunk)
	}
	if err := errors.Join(f.Close(), os.Remove(ballast)); err != nil {
		t.Error(err)
	}
	full.Store(false)
}

// pause waits, and returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
