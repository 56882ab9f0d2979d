package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is enough for a database and little more.
const smallDisk = 24 << 20

// On a full disk, writes and uploads are refused with an error that advises to retry, and reads
// continue. When there is space again, writes work without a restart. Exactly the acknowledged
// writes exist.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: a full disk, since mounting one takes root")
	}
	p := newProgram(t, build(t), "")
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", smallDisk)); err != nil {
		t.Skipf("NOT TESTED: a full disk, since none can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	p.dataDir = folder
	p.env = append(p.env, "VITRINE_DATA_DIR="+folder, "VITRINE_DISK_RESERVE=0")
	p.run("migrate")
	ada := client{token: p.user("ada")}
	s := p.serve()
	ada.to(s.url, &http.Transport{})
	var channel struct{ ID int64 }
	if err := ada.send(http.MethodPost, "/v3/channels", fields{"title": "Own"}, &channel); err != nil {
		t.Fatal(err)
	}
	var acknowledged []int64
	write := func() error {
		var made struct{ ID int64 }
		err := ada.send(http.MethodPost, "/v3/blocks", fields{"value": strings.Repeat("many words ", 1000), "channel_ids": []int64{channel.ID}}, &made)
		if err == nil {
			acknowledged = append(acknowledged, made.ID)
		}
		return err
	}
	read := func() {
		t.Helper()
		for _, path := range []string{"/v3/me", fmt.Sprintf("/v3/channels/%d/contents?per=24", channel.ID)} {
			if err := ada.send(http.MethodGet, path, nil, nil); err != nil {
				t.Errorf("GET %s: %v", path, err)
			}
		}
	}
	refusedForNow := func(err error) bool {
		refused, ok := errors.AsType[statusError](err)
		return ok && refused.status == http.StatusServiceUnavailable && strings.Contains(refused.body, "try again")
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(folder, "ballast")
	fill(t, ballast)
	refused := 0
	for range 2000 {
		if err := write(); refusedForNow(err) {
			refused++
		} else if err != nil {
			t.Fatalf("a write on a full disk: %v", err)
		}
		if refused == 3 {
			break
		}
	}
	if refused < 3 {
		t.Fatalf("%d writes were refused", refused)
	}
	read()
	if _, err := ada.upload("picture.png", "image/png", ordinaryPicture(rand.Uint64())); !refusedForNow(err) {
		t.Errorf("an upload on a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("a write when there is room again: %v", err)
	}
	read()
	if _, err := ada.upload("picture.png", "image/png", ordinaryPicture(rand.Uint64())); err != nil {
		t.Errorf("an upload when there is room again: %v", err)
	}
	there := scribe{client: ada, own: channel.ID}
	if ids, _, err := there.contents(); err != nil || fmt.Sprint(ids) != fmt.Sprint(acknowledged) {
		t.Errorf("there is %v, acknowledged was %v (%v)", ids, acknowledged, err)
	}
	s.terminate(t)
	p.run("check", "--files")
}

// fill fills a disk completely.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	for size := 1 << 20; err == nil && size > 0; {
		var n int
		if n, err = f.Write(make([]byte, size)); n < size { // a smaller write may still fit
			size /= 2
			if errors.Is(err, syscall.ENOSPC) {
				err = nil
			}
		}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
