package config

import "strings"

// topics are the groups of settings in the help and the manual, by the names of settings or their
// prefixes.
var topics = []struct {
	name  string
	flags []string // a trailing hyphen makes it a prefix
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

// Topics returns the names of the groups of settings in display order.
func Topics() []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.name
	}
	return names
}

// Topic returns the group of a setting, or "" for flags that are not settings.
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

// Choices returns the possible values of a setting for shell completion, if there are few.
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
