package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/database/dbtest"
)

// spans are the minimum and maximum numbers of acknowledged writes in a round before the kill. One
// round is long, to find losses that occur only after a server has run for a while.
var spans = [][2]int{{1, 40}, {50, 150}, {150, 300}, {600, 900}}

// killsEnv is the variable for the number of TestKill's rounds, which then have 32 writers. By
// default there is one round of each span with 8.
const killsEnv = "VITRINE_TEST_KILLS"

// roundsOfKills returns the number of writers, and the span of each round.
func roundsOfKills(t *testing.T, random *rand.Rand, spans [][2]int) (writers int, rounds [][2]int) {
	n := len(spans)
	if writers = 8; os.Getenv(killsEnv) != "" {
		var err error
		if n, err = strconv.Atoi(os.Getenv(killsEnv)); err != nil {
			t.Fatalf("%s: %v", killsEnv, err)
		}
		writers = 32
	}
	for len(rounds) < n {
		for _, i := range random.Perm(len(spans)) {
			rounds = append(rounds, spans[i])
		}
	}
	return writers, rounds[:n]
}

// The program is killed during many writes, several times on the same database. After each restart
// every acknowledged write must exist, a write in flight completely or not at all, no refused one,
// and every derived value must be correct.
func TestKill(t *testing.T) {
	t.Parallel()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killAgainAndAgain(t, newProgram(t, path, ""), spans)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killAgainAndAgain(t, newProgram(t, path, dbtest.PostgresURL(t)), spans)
	})
}

func killAgainAndAgain(t *testing.T, p program, spans [][2]int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	writers, rounds := roundsOfKills(t, random, spans)
	all := make([]*writer, writers)
	for i := range all {
		slug := fmt.Sprintf("writer%d", i)
		all[i] = newWriter(t, slug, p.user(slug), rand.New(rand.NewPCG(seed, uint64(i+1))))
	}
	s := p.serve()
	shared := all[0].channel(s.url, "Shared", "public")
	for _, w := range all {
		w.own, w.shared = w.channel(s.url, "Own", "private"), shared
	}
	for round, span := range rounds {
		acks := killWhileWriting(t, s, all, span[0]+random.IntN(span[1]-span[0]))
		if t.Failed() {
			t.Fatalf("round %d, seed %d\n%s", round, seed, s.log)
		}
		s = p.serve()
		items := 0
		for _, w := range all {
			w.verify(s.url)
			items += len(w.items)
		}
		p.run("check")
		t.Logf("round %d: killed after %d writes, %d items in the writers' channels", round, acks, items)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// killWhileWriting lets all writers write until the server stops responding. The server is killed
// after a number of acknowledged writes. It returns the number of writes acknowledged in the end.
func killWhileWriting(t *testing.T, s *process, all []*writer, after int) int {
	t.Helper()
	var acks atomic.Int64
	var killed atomic.Bool
	acknowledged := func() {
		if acks.Add(1) == int64(after) {
			killed.Store(true)
			if err := s.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: len(all)}
	defer transport.CloseIdleConnections()
	var writing sync.WaitGroup
	for _, w := range all {
		w.to(s.url, transport)
		writing.Go(func() {
			err := w.write(acknowledged)
			if err == nil {
				t.Errorf("%s has stopped writing", w.name)
			} else if !killed.Load() {
				t.Errorf("%s, before the kill: %v", w.name, err)
				_ = s.cmd.Process.Kill()
			}
		})
	}
	writing.Wait()
	if code := s.ended(t); code != -1 {
		t.Errorf("the server ended by itself, exit code %d", code)
	}
	return int(acks.Load())
}
