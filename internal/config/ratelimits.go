package config

import (
	"slices"
	"strconv"
	"strings"
)

// parseRateLimits parses "guest=30,free=120". Missing tiers keep their default.
func parseRateLimits(text string, found *problems) map[string]int {
	var defaults Server
	fillDefaults(&defaults)
	limits := map[string]int{}
	readRateLimits(defaults.RateLimits, limits, found)
	readRateLimits(text, limits, found)
	return limits
}

// readRateLimits parses text into limits.
func readRateLimits(text string, limits map[string]int, found *problems) {
	const flag = "rate-limits"
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		tier, number, ok := strings.Cut(item, "=")
		tier = strings.TrimSpace(tier)
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		switch {
		case !ok:
			found.addErr(flag, quotedError(item, "want TIER=NUMBER, such as guest=30"))
		case !slices.Contains(tiers(), tier):
			found.addErr(flag, quotedError(tier, "no such tier, want "+orList(tiers())))
		case seen[tier]:
			found.addErr(flag, quotedError(tier, "given twice"))
		case err != nil || n < 0:
			found.addErr(flag, quotedError(item, "want a whole number from 0 (unlimited)"))
		default:
			limits[tier] = int(n)
		}
		seen[tier] = true
	}
}

// formatRateLimits is the inverse of parseRateLimits.
func formatRateLimits(limits map[string]int) string {
	var items []string
	for _, tier := range tiers() {
		if n, ok := limits[tier]; ok {
			items = append(items, tier+"="+strconv.Itoa(n))
		}
	}
	return strings.Join(items, ",")
}
