package config

import (
	"strings"
	"time"
)

// minReplicaLag is the smallest lag that can be enforced, because a replica is checked several
// times within it.
const minReplicaLag = time.Second

func parseMaxLag(text string) (time.Duration, error) {
	d, err := parseDuration(text)
	if err == nil && d < minReplicaLag {
		err = quotedError(text, "want 1s or more")
	}
	return d, err
}

// parseReplicas parses the addresses of replicas, which may also be on separate lines of a file.
func parseReplicas(text string) (urls []string, err error) {
	for url := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }) {
		if err := checkDatabaseURL(url); err != nil {
			return nil, err
		}
		urls = append(urls, url)
	}
	return urls, nil
}

// redactURLs hides the passwords of addresses that are separated by commas.
func redactURLs(urls string) string {
	items := strings.Split(urls, ",")
	for i, url := range items {
		items[i] = redactURL(url)
	}
	return joinTexts(items)
}
