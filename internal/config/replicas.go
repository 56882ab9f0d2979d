package config

import (
	"errors"
	"strings"
	"time"
)

// leastReplicaLag is below what a replica can be held to: it is asked several times in it.
const leastReplicaLag = time.Second

// resolveReplicas reads the addresses of replicas, which are those of PostgreSQL alone.
func (s Server) resolveReplicas(cfg *Config, found *problems) {
	var err error
	cfg.Replicas.MaxLag, err = parseDuration(s.ReplicaMaxLag)
	if err == nil && cfg.Replicas.MaxLag < leastReplicaLag {
		err = quotedError(s.ReplicaMaxLag, "want 1s or more")
	}
	found.addErr("database-replica-max-lag", err)
	text, err := secret(s.ReplicaURLs, s.ReplicaURLsFile)
	found.addErr("database-replica-urls-file", err)
	for url := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }) {
		found.addErr("database-replica-urls", checkDatabaseURL(url))
		cfg.Replicas.URLs = append(cfg.Replicas.URLs, url)
	}
	if len(cfg.Replicas.URLs) > 0 && cfg.DatabaseURL == "" {
		found.addErr("database-replica-urls", errors.New("SQLite has no replicas: give --database-url, too"))
	}
}

func redactURLs(urls []string) (redacted []string) {
	for _, url := range urls {
		redacted = append(redacted, redactURL(url))
	}
	return redacted
}
