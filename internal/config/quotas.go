package config

import (
	"slices"
	"strconv"
	"strings"
)

// DiskReserve is the space to keep free on a disk: bytes or a percentage.
type DiskReserve struct {
	Bytes   int64
	Percent float64
}

// String returns the setting's text, which parseDiskReserve parses.
func (r DiskReserve) String() string {
	switch {
	case r.Percent > 0:
		return strconv.FormatFloat(r.Percent, 'f', -1, 64) + "%"
	case r.Bytes == 0:
		return "0"
	}
	return formatSize(r.Bytes)
}

func parseDiskReserve(text string) (DiskReserve, error) {
	if text == "0" {
		return DiskReserve{}, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(percent > 0 && percent < 100) {
			return DiskReserve{}, quotedError(text, "want a share of the disk above 0% and below 100%")
		}
		return DiskReserve{Percent: percent}, nil
	}
	n, err := parseSize(text)
	if err != nil {
		err = quotedError(text, "want a size such as 512MiB, a share of the disk such as 5%, or 0")
	}
	return DiskReserve{Bytes: n}, err
}

// parseQuotas parses "free=1GiB,premium=0". Missing tiers keep their default.
func parseQuotas(flag, defaults, text string, found *problems) map[string]int64 {
	quotas := map[string]int64{}
	readQuotas(flag, defaults, quotas, found)
	readQuotas(flag, text, quotas, found)
	return quotas
}

// readQuotas parses text into quotas. Guests store nothing, so they have no quota.
func readQuotas(flag, text string, quotas map[string]int64, found *problems) {
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		tier, size, ok := strings.Cut(item, "=")
		tier, size = strings.TrimSpace(tier), strings.TrimSpace(size)
		n, err := int64(0), error(nil)
		if size != "0" {
			n, err = parseSize(size)
		}
		switch {
		case !ok:
			found.addErr(flag, quotedError(item, "want TIER=SIZE, such as free=1GiB"))
		case !slices.Contains(tiers()[1:], tier):
			found.addErr(flag, quotedError(tier, "no such tier, want "+orList(tiers()[1:])))
		case seen[tier]:
			found.addErr(flag, quotedError(tier, "given twice"))
		case err != nil:
			found.addErr(flag, quotedError(item, "want a size such as 512MiB, or 0 (unlimited)"))
		default:
			quotas[tier] = n
		}
		seen[tier] = true
	}
}

// formatQuotas is the inverse of parseQuotas.
func formatQuotas(quotas map[string]int64) string {
	var items []string
	for _, tier := range tiers() {
		if n, ok := quotas[tier]; ok && n == 0 {
			items = append(items, tier+"=0")
		} else if ok {
			items = append(items, tier+"="+formatSize(n))
		}
	}
	return strings.Join(items, ",")
}
