package config

import (
	"errors"
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

// quota is the kind of "free=1GiB,premium=0". Guests store nothing, so they have no quota.
func quota(at func(*Config) *map[string]int64) kind {
	return byTier(at, tiers()[1:], "want TIER=SIZE, such as free=1GiB", formatQuotas, func(text string) (int64, error) {
		n, err := parseSizeOrNone(text)
		if err != nil {
			err = errors.New("want a size such as 512MiB, or 0 (unlimited)")
		}
		return n, err
	})
}

// formatQuotas prints quotas in the order of the tiers.
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
