package config

import (
	"net/netip"
	"slices"
	"strings"

	"vitrine/internal/weburl"
)

// PrivateHosts are hosts in private networks, by address or by name.
type PrivateHosts struct {
	Networks []netip.Prefix
	Names    []string
}

// parsePrivateHosts parses "10.0.0.0/8,bot.internal".
func parsePrivateHosts(text string) (h PrivateHosts, err error) {
	_, err = each(text, func(item string) (struct{}, error) {
		if network, err := parsePrefix(item); err == nil {
			h.Networks = append(h.Networks, network)
			return struct{}{}, nil
		}
		u, err := weburl.Parse("https://" + item)
		if err != nil || u.Port() != "" || strings.ContainsAny(item, "/?#@\\:") {
			return struct{}{}, quotedError(item, "want a host, an address or a network, such as bot.internal or 10.0.0.0/8")
		}
		if name := strings.TrimSuffix(u.Hostname(), "."); !slices.Contains(h.Names, name) {
			h.Names = append(h.Names, name)
		}
		return struct{}{}, nil
	})
	return h, err
}

func formatPrivateHosts(h PrivateHosts) string {
	items := slices.Clone(h.Names)
	if len(h.Networks) > 0 {
		items = append(items, formatPrefixes(h.Networks))
	}
	return strings.Join(items, ",")
}
