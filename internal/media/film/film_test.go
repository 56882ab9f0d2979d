package film

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program writes a shell script in place of ffmpeg.
func program(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "ffmpeg")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPicture(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ script, kind, want, logged string }{
		"the first second":    {`printf picture`, "video/mp4", "picture", ""},
		"a short video":       {`case "$*" in *"-ss 0"*) printf first;; esac`, "video/webm", "first", ""},
		"its format":          {`case "$*" in *"-protocol_whitelist file,pipe "*"-f avi "*"-i file:a film.avi "*) printf yes;; esac`, "video/x-msvideo", "yes", ""},
		"nothing of the host": {`printf "%s" "${HOME:-none}"`, "video/mp4", "none", ""},
		"no video":            {`printf picture`, "audio/mpeg", "", ""},
		"a playlist":          {`printf picture`, "application/vnd.apple.mpegurl", "", ""},
		"nothing":             {`exit 0`, "video/mp4", "", "took no picture"},
		"a failure":           {`printf half; echo no moov >&2; exit 1`, "video/mp4", "", "no moov"},
		"too much":            {`exec /bin/cat /dev/zero`, "video/mp4", "", "took no picture"},
		"many messages":       {`while echo again >&2; do :; done`, "video/mp4", "", "took no picture"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			c := Camera{Program: program(t, row.script), Log: slog.New(slog.NewTextHandler(&log, nil))}
			got := c.Picture(t.Context(), "a film.avi", row.kind)
			if string(got) != row.want || !strings.Contains(log.String(), row.logged) || row.logged == "" && log.Len() > 0 {
				t.Errorf("%q, want %q, and the log is %s", got, row.want, log.String())
			}
		})
	}
	if got := (Camera{}).Picture(t.Context(), "a film.avi", "video/mp4"); got != nil {
		t.Errorf("without a program: %q", got)
	}
}
