package config

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// rateLimits is the kind of "guest=30,free=120". Missing tiers keep their default.
func rateLimits(at func(*Config) *map[string]int) kind {
	return byTier(at, tiers(), "want TIER=NUMBER, such as guest=30", formatRateLimits, func(text string) (int, error) {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 {
			err = errors.New("want a whole number from 0 (unlimited)")
		}
		return int(n), err
	})
}

// byTier returns the kind of a list of a value for each tier. Missing tiers keep the value that they
// have, since the default is parsed first.
func byTier[T any](at func(*Config) *map[string]T, allowed []string, want string, print func(map[string]T) string, parse func(string) (T, error)) kind {
	return kind{
		print: func(c *Config) string { return print(*at(c)) },
		parse: func(c *Config, text string) error {
			values := map[string]T{}
			var errs []error
			for item := range strings.SplitSeq(text, ",") {
				tier, value, ok := strings.Cut(item, "=")
				tier = strings.TrimSpace(tier)
				one, err := parse(strings.TrimSpace(value))
				_, again := values[tier]
				switch {
				case !ok:
					err = quotedError(item, want)
				case !slices.Contains(allowed, tier):
					err = quotedError(tier, "no such tier, want "+orList(allowed))
				case again:
					err = quotedError(tier, "given twice")
				case err != nil:
					err = quotedError(item, err.Error())
				}
				errs = append(errs, err)
				values[tier] = one
			}
			if err := errors.Join(errs...); err != nil {
				return err
			}
			if *at(c) == nil {
				*at(c) = map[string]T{}
			}
			maps.Copy(*at(c), values)
			return nil
		},
	}
}

// formatRateLimits prints limits in the order of the tiers.
func formatRateLimits(limits map[string]int) string {
	var items []string
	for _, tier := range tiers() {
		if n, ok := limits[tier]; ok {
			items = append(items, tier+"="+strconv.Itoa(n))
		}
	}
	return strings.Join(items, ",")
}
