package site_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/media/mediatest"
)

// An audio file shows what it says about itself: title, artist, length and cover.
func TestSounds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		frame := func(id, data string) string {
			n := len(data)
			return id + string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + "\x00\x00" + data
		}
		song := func(cover []byte) []byte {
			tags := frame("TIT2", "\x00Moss <song>") + frame("TPE1", "\x00The Ferns") + frame("APIC", "\x00image/jpeg\x00\x03\x00"+string(cover))
			n := len(tags)
			return []byte("ID3\x03\x00\x00" + string([]byte{byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}) + tags +
				"\xff\xfb\x90\x00" + strings.Repeat("\x00", 16_000*67))
		}
		channel, guest := r.Channel("ada", "Songs", "public"), newBrowser(t, r)
		cover := mediatest.JPEG(t, mediatest.Painted(image.NewRGBA(image.Rect(0, 0, 300, 300))))
		id := uploadedFile(t, r, channel, "a.mp3", song(cover))
		for range 2 { // once more after it is written again
			p := guest.get(fmt.Sprint("/block/", id)).want(200).says("Moss <song>", "<dt>Artist</dt><dd dir=\"auto\">The Ferns</dd>", "<dt>Length</dt><dd>1:07</dd>", "<audio controls")
			small := strings.TrimPrefix(strings.Replace(p.find(`<img src="([^"]+/large\.[a-z]+)"`), "/large.", "/small.", 1), apptest.Base)
			guest.get("/ada/songs").says(small)
			r.Get("", "%s", small)
			r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", id), map[string]any{"description": "by ear"}).Want(200)
		}
		p := guest.get(fmt.Sprint("/block/", uploadedFile(t, r, channel, "b.mp3", song([]byte("no picture"))))).want(200).says("The Ferns", "<audio controls")
		if strings.Contains(p.body, `class="held"`) {
			t.Error("a broken cover is shown")
		}
	})
}
