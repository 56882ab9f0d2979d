package config

import (
	"errors"
	"strings"
	"time"
)

// minReplicaLag is the smallest lag that can be enforced, because a replica is checked several
// times within it.
const minReplicaLag = time.Second

// resolveReplicas parses the addresses of replicas, which only PostgreSQL can have.
func (s Server) resolveReplicas(cfg *Config, found *problems) {
	var err error
	cfg.Replicas.MaxLag, err = parseDuration(s.ReplicaMaxLag)
	if err == nil && cfg.Replicas.MaxLag < minReplicaLag {
		err = quotedError(s.ReplicaMaxLag, "want 1s or more")
	}
	found.addErr("database-replica-max-lag", err)
	text, err := secret(s.ReplicaURLs, s.ReplicaURLsFile)
	found.addErr("database-replica-urls-file", err)
	for url := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }) {
		if err = checkDatabaseURL(url); err != nil {
			found.addErr("database-replica-urls", err)
			return
		}
		cfg.Replicas.URLs = append(cfg.Replicas.URLs, url)
	}
	if len(cfg.Replicas.URLs) > 0 && cfg.DatabaseURL == "" {
		found.addErr("database-replica-urls", errors.New("SQLite has no replicas: also set --database-url"))
	}
}

func redactURLs(urls []string) (redacted []string) {
	for _, url := range urls {
		redacted = append(redacted, redactURL(url))
	}
	return redacted
}
