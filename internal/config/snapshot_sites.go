package config

import (
	"maps"
	"slices"
	"strings"

	"vitrine/internal/weburl"
)

// snapshotPolicies say when a server takes copies of pages.
var snapshotPolicies = []string{"never", "on-request", "always"}

// parseSnapshotSites parses "example.com=never,news.example=always".
func parseSnapshotSites(text string) (map[string]string, error) {
	sites := map[string]string{}
	_, err := each(text, func(item string) (struct{}, error) {
		host, policy, ok := strings.Cut(item, "=")
		host, policy = strings.TrimSpace(host), strings.TrimSpace(policy)
		u, err := weburl.Parse("https://" + host)
		if !ok || err != nil || u.Port() != "" || strings.ContainsAny(host, "/?#@\\") {
			return struct{}{}, quotedError(item, "want HOST=WHEN, such as example.com=never")
		}
		name := strings.TrimSuffix(u.Hostname(), ".")
		if was, ok := sites[name]; ok && was != policy {
			return struct{}{}, quotedError(item, "the host has two policies")
		}
		sites[name] = policy
		return struct{}{}, oneOf(policy, snapshotPolicies)
	})
	return sites, err
}

// formatSnapshotSites prints policies in the order of the hosts.
func formatSnapshotSites(sites map[string]string) string {
	var items []string
	for _, host := range slices.Sorted(maps.Keys(sites)) {
		items = append(items, host+"="+sites[host])
	}
	return strings.Join(items, ",")
}
