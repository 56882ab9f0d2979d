package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/database/dbtest"
)

// A tiny run covers every case and every peer that needs no other program. The run itself checks that all give the same
// answers; this test checks the answers.
func TestPeers(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		runTwice(t, "", "PocketBase")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		runTwice(t, dbtest.PostgresURL(t))
	})
}

func runTwice(t *testing.T, url string, missing ...string) {
	dir := t.TempDir()
	cmd := command{DataDir: dir, DatabaseURL: url, Users: 20, Channels: 10, Blocks: 700, Connections: 900, Large: 300, Seed: 1, Rounds: 1, Requests: 16, Time: time.Minute, Clients: 2,
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
	if !slices.Equal(got.Missing, missing) || len(got.Cases) != len(cases) {
		t.Fatalf("%d cases, %v not installed", len(got.Cases), got.Missing)
	}
	want := map[string]answer{getBlock: {1, 0}, deepPage: {24, 300}, newBlock: {1, 0}, newBlocks: {1, 0}}
	const peers = 4
	for _, f := range got.Cases {
		w := want[f.Case]
		if f.Case == wordFound || f.Case == firstPage { // random numbers
			w = answer{min(per, int(f.Answer.Total)), max(1, f.Answer.Total)}
		}
		if f.Answer != w || len(f.Peers) != peers {
			t.Errorf("%s: %+v of %d, want %+v of %d", f.Case, f.Answer, len(f.Peers), w, peers)
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
	if n := strings.Count(out.String(), "\n|"); n != 2+2+len(cases)*(1+peers) || strings.Contains(out.String(), "not installed") != (len(missing) > 0) {
		t.Errorf("%d lines of tables:\n%s", n, out.String())
	}
}
