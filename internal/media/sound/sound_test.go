package sound

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/media/mediatest"
)

func be(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
func le(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

// id3 returns an ID3v2.3 tag of frames given as pairs of id and data.
func id3(frames ...string) string {
	body := ""
	for i := 0; i < len(frames); i += 2 {
		body += frames[i] + be(len(frames[i+1])) + "\x00\x00" + frames[i+1]
	}
	n := len(body)
	return "ID3\x03\x00\x00" + string([]byte{byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}) + body
}

// frame begins a frame of 128 kbit/s at 44,100 Hz.
const frame = "\xff\xfb\x90\x00"

func box(name string, parts ...string) string {
	body := strings.Join(parts, "")
	return be(8+len(body)) + name + body
}

func text(name, value string) string { return box(name, box("data", be(1), be(0), value)) }

func flac(comments ...string) string {
	list := le(0) + le(len(comments))
	for _, c := range comments {
		list += le(len(c)) + c
	}
	rate := binary.BigEndian.AppendUint64(nil, 44100<<44|1<<41|15<<36|44100*65)
	info := strings.Repeat("\x00", 10) + string(rate) + strings.Repeat("\x00", 16)
	return "fLaC\x00\x00\x00\x22" + info + "\x84" + be(len(list))[1:] + list + strings.Repeat("\x00", 64)
}

func files() map[string]string {
	cover := "\x00image/jpeg\x00\x03\x00" + "a cover"
	return map[string]string{
		"mp3":  id3("TIT2", "\x00Moss\x00", "TPE1", "\x00Ada  and\nEve", "APIC", cover) + frame + strings.Repeat("\x00", 48_000-4),
		"xing": frame + strings.Repeat("\x00", 32) + "Xing" + be(1) + be(383*60) + strings.Repeat("\x00", 300),
		"flac": flac("TITLE=Fern", "ARTIST=Eve"),
		"m4a": box("ftyp", "M4A ", be(0), "M4A ") + box("mdat", strings.Repeat("x", 99)) +
			box("moov", box("mvhd", be(0), be(0), be(0), be(1000), be(61_400), strings.Repeat("\x00", 80)),
				box("udta", box("meta", be(0), box("ilst", text("\xa9nam", "Lichen"), text("\xa9ART", "Bob"))))),
		"ogg": "OggS" + strings.Repeat("\x00", 24) + "\x01vorbis" + be(0) + "\x02" + le(48_000) + strings.Repeat("\x00", 40) +
			"OggS\x00\x04" + le(48_000*5) + le(0) + strings.Repeat("\x00", 30),
		"wav":     "RIFF" + le(16_000) + "WAVEfmt " + le(16) + "\x01\x00\x01\x00" + le(8000) + le(8000) + strings.Repeat("\x00", 16_000),
		"nothing": "",
		"text":    strings.Repeat("words ", 99),
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Info{
		"mp3": {Title: "Moss", Artist: "Ada and Eve", Seconds: 3, Cover: []byte("a cover")}, "xing": {Seconds: 600}, "flac": {Title: "Fern", Artist: "Eve", Seconds: 65},
		"m4a": {Title: "Lichen", Artist: "Bob", Seconds: 61}, "ogg": {Seconds: 5}, "wav": {Seconds: 2}, "nothing": {}, "text": {},
	} {
		got, err := Read(t.Context(), strings.NewReader(files()[name]))
		if err != nil || got.Title != want.Title || got.Artist != want.Artist || got.Seconds != want.Seconds || !bytes.Equal(got.Cover, want.Cover) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	long, err := Read(t.Context(), strings.NewReader(id3("TIT2", "\x00"+strings.Repeat("x", 1000), "APIC", "\x00image/png\x00\x03\x00"+strings.Repeat("x", MaxCover+1))))
	if err != nil || len([]rune(long.Title)) != maxText || long.Cover != nil {
		t.Errorf("%d characters and a cover of %d bytes, %v", len(long.Title), len(long.Cover), err)
	}
}

// Broken files never stop the program, and are read within the limits.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	broken := []string{"ID3\x04\x00\xff\x7f\x7f\x7f\x7f", "fLaC\x84\xff\xff\xff", "OggS", "DSD ", be(0) + "ftyp" + be(0) + be(0),
		box("ftyp") + be(0) + "moov" + be(0), box("ftyp") + strings.Repeat(be(8)+"moov", 5000), box("ftyp") + be(1) + "moov" + strings.Repeat("\xff", 40),
		id3("APIC", "\x01"), id3("APIC", ""), id3("TIT2", ""), id3("TIT2", "\x01\xff"), id3("COMM", "\x01"), id3("UFID", "a")}
	for _, whole := range files() {
		for n := 0; n < len(whole) && n < 400; n++ {
			broken = append(broken, whole[:n])
		}
		for range 400 {
			b := []byte(whole)
			for range min(len(b), 1+random.IntN(4)) {
				b[random.IntN(min(len(b), 400))] = byte(random.IntN(256))
			}
			broken = append(broken, string(b))
		}
	}
	for _, file := range broken {
		got, err := Read(t.Context(), strings.NewReader(file))
		if err != nil || len(got.Cover) > MaxCover || got.Seconds < 0 || got.Seconds > maxSeconds || len([]rune(got.Title)) > maxText || len([]rune(got.Artist)) > maxText {
			t.Errorf("%.40q: %+v, %v", file, got, err)
		}
	}
}

func TestReadFailures(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Read(stopped, strings.NewReader(files()["mp3"])); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	failure := errors.New("the disk is gone")
	if _, err := Read(t.Context(), mediatest.Failing{File: strings.NewReader(files()["mp3"]), Err: failure}); !errors.Is(err, failure) {
		t.Errorf("of a file that cannot be read: %v", err)
	}
}
