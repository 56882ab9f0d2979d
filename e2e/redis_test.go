package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomodule/redigo/redis"

	"vitrine/internal/redis/redistest"
)

// The program counts in a Redis that requires TLS and a password, with a private certificate
// authority (SSL_CERT_FILE) and a URL from a file.
func TestRedisTLS(t *testing.T) {
	t.Parallel()
	path := build(t)
	server := redistest.ServeTLS(t, "--requirepass", "a-secret")
	address := filepath.Join(t.TempDir(), "redis")
	if err := os.WriteFile(address, []byte("rediss://:a-secret@"+server.Address+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newProgram(t, path, "", "VITRINE_REDIS_URL_FILE="+address, "SSL_CERT_FILE="+server.Authority, "VITRINE_RATE_LIMITS=guest=1000").serve()
	conn, err := redis.Dial("tcp", server.Address, redis.DialUseTLS(true), redis.DialTLSSkipVerify(true), redis.DialPassword("a-secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	until(t, "a request is counted in Redis", func() bool { // on a slow machine, the first one may time out
		res, err := http.Get(s.url + "/v3/ping")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("ping: %d", res.StatusCode)
		}
		keys, err := redis.Strings(conn.Do("KEYS", "vitrine:limit:*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(keys) == 1
	})
}
