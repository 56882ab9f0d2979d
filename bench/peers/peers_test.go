package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// A tiny run covers every case and every peer that needs no other program. The run itself checks that all give the same
// answers; this test checks the answers.
func TestPeers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := command{DataDir: dir, Users: 20, Channels: 10, Blocks: 700, Connections: 900, Large: 300, Seed: 1, Rounds: 1, Requests: 16, Time: time.Minute, Clients: 2,
		PocketBase: "no-such-program", JSON: true}
	var out strings.Builder
	if err := cmd.run(t.Context(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Missing []string `json:"not_installed"`
		Cases   []figure `json:"cases"`
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Missing) != 1 || len(got.Cases) != len(cases) {
		t.Fatalf("%d cases, %v not installed", len(got.Cases), got.Missing)
	}
	want := map[string]struct {
		answer
		peers int
	}{
		getBlock: {answer{1, 0}, 3}, firstPage: {answer{24, 0}, 3}, deepPage: {answer{24, 300}, 3},
		wordFound: {answer{0, 0}, 4}, newBlock: {answer{1, 0}, 4},
	}
	for _, f := range got.Cases {
		w := want[f.Case]
		if f.Case == wordFound || f.Case == firstPage { // random numbers
			w.answer = answer{min(per, int(f.Answer.Total)), max(1, f.Answer.Total)}
		}
		if f.Answer != w.answer || len(f.Peers) != w.peers {
			t.Errorf("%s: %+v of %d, want %+v of %d", f.Case, f.Answer, len(f.Peers), w.answer, w.peers)
		}
		for name, r := range f.Peers {
			if r.Rate <= 0 || r.Vitrine <= 0 || r.P99 < r.P50 {
				t.Errorf("%s, %s: %+v", f.Case, name, r)
			}
		}
	}
	// The data is used again, and the tables have a line for each case and each figure.
	cmd.JSON = false
	out.Reset()
	if err := cmd.run(t.Context(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n|"); n != 2+2+len(cases)+3*3+2*4 || !strings.Contains(out.String(), "not installed") {
		t.Errorf("%d lines of tables:\n%s", n, out.String())
	}
}
