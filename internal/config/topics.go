package config

import "strings"

// topics are the groups in which help and the manual show settings: by name, or by how
// the names begin.
var topics = []struct {
	name  string
	flags []string // one that ends in a hyphen stands for all that begin with it
}{
	{"Data", []string{"data-dir", "database-", "sqlite-"}},
	{"Addresses", []string{"addr", "socket-mode", "base-url", "site-url", "files-url", "trusted-proxies"}},
	{"TLS", []string{"tls-"}},
	{"Files", []string{"blob-", "fetch-allow", "language", "upload-limit", "disk-reserve", "keep-metadata", "quota", "quota-"}},
	{"Backups", []string{"backup-"}},
	{"Mail", []string{"smtp-", "mail-"}},
	{"People", []string{"default-tier", "signup", "setup-code", "setup-code-file", "guests", "index-closed", "security-contact", "invitation-", "oauth-", "oidc-"}},
	{"Limits", []string{"rate-limits", "redis-", "body-limit", "request-timeout", "min-send-rate", "response-memory", "cache-size", "image-memory", "memory-limit"}},
	{"Jobs, starting and stopping", []string{"work", "job-", "wait-for", "shutdown-timeout", "drain-delay"}},
	{"Log, metrics and traces", []string{"log-", "metrics-", "otel-", "audit-keep"}},
}

// Topics gives the names of the groups of settings, in the order in which they are shown.
func Topics() []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.name
	}
	return names
}

// Topic gives the group that a setting belongs to, empty for flags that are no settings.
func Topic(flag string) string {
	for _, t := range topics {
		for _, name := range t.flags {
			if flag == name || strings.HasSuffix(name, "-") && strings.HasPrefix(flag, name) {
				return t.name
			}
		}
	}
	return ""
}

// Choices gives the words that a setting may be, if there are few, for shells to complete.
func Choices(flag string) []string {
	switch flag {
	case "default-tier":
		return tiers()[1:]
	case "guests":
		return []string{"open", "closed"}
	case "log-format":
		return []string{"text", "json"}
	case "log-level":
		return []string{"debug", "info", "warn", "error"}
	case "oidc-email":
		return []string{"ask", "trust"}
	case "oidc-sign-up":
		return []string{"follow", "yes", "no"}
	case "signup":
		return []string{"open", "invitation", "closed"}
	case "sqlite-synchronous":
		return []string{"full", "normal"}
	case "work", "oauth-registration", "index-closed", "keep-metadata", "oidc-only":
		return []string{"true", "false"}
	}
	return nil
}
