package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// credentials matches the user and password in an address, even if the address is malformed.
var credentials = regexp.MustCompile(`(?s)://[^:]*:.*@`)

// quotedError returns an error with the given value and the expected one. It hides passwords in
// addresses and shortens long values.
func quotedError(value, want string) error {
	return fmt.Errorf("%.200q: %s", credentials.ReplaceAllString(value, "://"+hidden+"@"), want)
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// checkDatabaseURL checks a database URL. Its errors do not contain the URL, which may include a
// password.
func checkDatabaseURL(raw string) error {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("not a URL (percent-encode special characters in the password)")
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		return errors.New("want postgres://…, or leave it empty for SQLite")
	case u.Host == "" && !u.Query().Has("host"):
		return errors.New("the host is missing")
	}
	return nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, quotedError(text, "want a duration above zero, such as 15s or 1m30s")
	}
	return d, nil
}

// parseDelay is parseDuration, but allows zero.
func parseDelay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, quotedError(text, "want a duration such as 10s, or 0s")
	}
	return d, nil
}

// minAuditKeep is the age below which the database does not allow deleting from the audit log.
const minAuditKeep = 30 * 24 * time.Hour

func parseAuditKeep(text string) (time.Duration, error) {
	d, err := parseDelay(text)
	if err == nil && d != 0 && d < minAuditKeep {
		err = quotedError(text, "want at least 720h, or 0s to keep the log forever")
	}
	return d, err
}

func parseBackupEvery(text string) (time.Duration, error) {
	d, err := parseDuration(text)
	if err == nil && d < time.Minute {
		err = quotedError(text, "want at least 1m")
	}
	return d, err
}

func parseBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, quotedError(text, "want true or false")
}

func parseTrashDays(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 3650 {
		return 0, quotedError(text, "want a number of days from 0 to 3650")
	}
	return n, nil
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		return 0, quotedError(text, "want a number from 1 to 1000")
	}
	return n, nil
}

func parseStreams(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 100_000 {
		return 0, quotedError(text, "want a number from 1 to 100000")
	}
	return n, nil
}

// sizeUnits returns the units of sizes, the largest first.
func sizeUnits() []sizeUnit {
	return []sizeUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}
}

type sizeUnit struct {
	name  string
	bytes int64
}

func parseSize(text string) (int64, error) {
	for _, unit := range sizeUnits() {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n <= 0 || n > (1<<62)/unit.bytes {
			break
		}
		return n * unit.bytes, nil
	}
	return 0, quotedError(text, "want a size above zero, such as 1048576, 512KiB or 1MiB")
}

// parseSizeOrNone parses a size, or 0 for none.
func parseSizeOrNone(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	return parseSize(text)
}

// parseMemoryLimit parses a size, auto, or off.
func parseMemoryLimit(text string) (int64, error) {
	switch text {
	case "auto":
		return AutoMemory, nil
	case "off", "0":
		return 0, nil
	}
	n, err := parseSize(text)
	if err != nil {
		return 0, quotedError(text, "want auto, off or a size, such as 1GiB")
	}
	return n, nil
}

func formatMemoryLimit(n int64) string {
	switch n {
	case AutoMemory:
		return "auto"
	case 0:
		return "off"
	}
	return formatSize(n)
}

// formatSize formats a size with the largest unit that divides it.
func formatSize(n int64) string {
	for _, unit := range sizeUnits() {
		if unit.bytes > 1 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// parsePrefixes parses a comma-separated list of addresses and networks.
func parsePrefixes(text string) ([]netip.Prefix, error) { return each(text, parsePrefix) }

// maxLanguages is how many languages a site may have.
const maxLanguages = 8

// parseLanguages returns language tags in their standard form.
func parseLanguages(text string) (string, error) {
	var tags []string
	for item := range strings.SplitSeq(text, ",") {
		tag, err := language.Parse(strings.TrimSpace(item))
		if err != nil || tag == language.Und {
			return "", quotedError(item, "want language tags, such as de-AT,en")
		}
		tags = append(tags, tag.String())
	}
	if len(tags) > maxLanguages {
		return "", fmt.Errorf("want at most %d languages", maxLanguages)
	}
	return strings.Join(tags, ","), nil
}

func parsePrefix(item string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(item)
	if addr, addrErr := netip.ParseAddr(item); addrErr == nil && addr.Zone() == "" {
		p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	switch {
	case err != nil:
		return netip.Prefix{}, quotedError(item, "want an address or a network, such as 10.0.0.0/8")
	case p.Addr().Is4In6():
		return netip.Prefix{}, quotedError(item, "write it as IPv4")
	}
	return p.Masked(), nil
}
