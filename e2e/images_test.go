package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// pictureTime is the time limit for all pictures that are sent at once.
const pictureTime = 6 * time.Minute

// Whichever pictures are uploaded, the process needs at most its idle memory plus twice
// --image-memory plus 100 MB, and ordinary pictures are processed in the end.
func TestMemoryOfHostilePictures(t *testing.T) {
	alone(t)
	const imageMemory = 128 << 20
	p := newProgram(t, build(t), "")
	p.env = append(p.env, "VITRINE_IMAGE_MEMORY=128MiB")
	mallory, ada := client{token: p.user("mallory")}, client{token: p.user("ada")}
	s := p.serve()
	mallory.to(s.url, &http.Transport{})
	ada.to(s.url, &http.Transport{})
	status := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	if _, err := os.Stat(status + "clear_refs"); err != nil {
		t.Skip("this system does not tell of a process's peak: ", err)
	}
	idle := memoryOf(t, status, "VmRSS")
	limit := idle + 2*imageMemory + 100_000_000
	var seed uint64
	t.Logf("idle: %d MB; limit: %d MB", idle/1e6, limit/1e6)
	measure := func(name string, hostile [][]byte, ordinary int) (kinds []string) {
		t.Helper()
		if err := os.WriteFile(status+"clear_refs", []byte("5"), 0); err != nil { // resets the peak
			t.Skip(err)
		}
		var theirs, others []int64
		for _, file := range hostile {
			theirs = append(theirs, mallory.picture(t, name, file))
		}
		for range ordinary {
			seed++
			others = append(others, ada.picture(t, "ordinary.png", ordinaryPicture(seed)))
		}
		for _, id := range others {
			if kind := ada.settled(t, id); kind != "Image" {
				t.Errorf("beside %s: an ordinary picture is of type %s", name, kind)
			}
		}
		for _, id := range theirs {
			kinds = append(kinds, mallory.settled(t, id))
		}
		peak := memoryOf(t, status, "VmHWM")
		t.Logf("%-45s %v: peak %d MB", name, kinds, peak/1e6)
		if peak > limit {
			t.Errorf("%s: the peak is %d MB, the limit %d MB", name, peak/1e6, limit/1e6)
		}
		return kinds
	}
	var all [][]byte
	for _, hostile := range hostilePictures() {
		file := hostile.file()
		kind := measure(hostile.name, [][]byte{file}, 1)[0]
		if hostile.kind != "" && kind != hostile.kind {
			t.Errorf("%s is of type %s, want %s", hostile.name, kind, hostile.kind)
		}
		if kind == "Image" && len(file) < 10<<20 { // refused files cost nothing
			all = append(all, append(file, '\n')) // other bytes, so that the file is decoded again
		}
	}
	measure("all at once", all, 10)
}

// memoryOf returns a number of bytes from a process's status.
func memoryOf(t *testing.T, process, name string) int64 {
	t.Helper()
	status, err := os.ReadFile(process + "status")
	if err != nil {
		t.Skip("the memory of a process is known on Linux alone")
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this system does not tell " + name)
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// picture uploads a file and creates a block of it.
func (c *client) picture(t *testing.T, name string, file []byte) (id int64) {
	t.Helper()
	var channel, made struct{ ID int64 }
	if err := c.send(http.MethodPost, "/v3/channels", fields{"title": name, "visibility": "private"}, &channel); err != nil {
		t.Fatal(err)
	}
	value, err := c.upload(name, "application/octet-stream", file) // the content determines the type
	if err != nil {
		t.Fatal(err)
	}
	if err := c.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": []int64{channel.ID}}, &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// settled waits until a block has its content, and returns its type.
func (c *client) settled(t *testing.T, id int64) string {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(pictureTime); ; {
		var block struct{ Type string }
		if err := c.send(http.MethodGet, fmt.Sprintf("/v3/blocks/%d", id), nil, &block); err != nil {
			t.Fatal(err)
		}
		if block.Type != "PendingBlock" {
			return block.Type
		}
		select {
		case <-end:
			t.Fatalf("the block %d still waits", id)
		case <-tick.C:
		}
	}
}

// ordinaryPicture returns a unique picture, which is not stored yet.
func ordinaryPicture(seed uint64) []byte {
	random := rand.New(rand.NewPCG(1, seed))
	img := image.NewNRGBA(image.Rect(0, 0, 600, 450))
	for i := range img.Pix {
		img.Pix[i] = byte(i>>12) ^ byte(random.IntN(4))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		panic(err)
	}
	return file.Bytes()
}
