package cli_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		out := filepath.Join(t.TempDir(), "ada.zip")
		if err := os.WriteFile(out+".partial", []byte("what a kill has left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := p.run("export", "--user", "ada", "--out", out).ok(); !strings.HasPrefix(r.out, "Wrote "+out+": 0 channels, 0 blocks") {
			t.Errorf("%q", r.out)
		}
		z, err := zip.OpenReader(out)
		if err != nil {
			t.Fatal(err)
		}
		_ = z.Close()
		before, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		p.run("export", "--user", "ada", "--out", out).fails(1, "--out: the file "+out+" already exists; replace it with --force")
		p.run("export", "--user", "nobody", "--out", out, "--force").fails(1, `there is no account "nobody"`)
		if after, err := os.ReadFile(out); err != nil || string(after) != string(before) {
			t.Errorf("a refused export changed the file (%v)", err)
		}
		r := p.run("export", "--user", "ada", "--out", out, "--force", "--json").ok()
		var last struct {
			State, File string
			Size        int64
		}
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.State != "done" || last.File != out || last.Size == 0 {
			t.Errorf("%q: %+v (%v)", r.out, last, err)
		}
		nowhere := filepath.Join(t.TempDir(), "no", "ada.zip")
		p.run("export", "--user", "ada", "--out", nowhere).fails(1, "--out: open "+nowhere+".partial: no such file or directory")
		left, err := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
		if err != nil || len(left) != 1 {
			t.Errorf("%q is left (%v)", left, err)
		}
		info, err := os.Stat(out)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others may read it: %v (%v)", info.Mode(), err)
		}
	})
}
