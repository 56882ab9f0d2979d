package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// settings finds settings that contradict each other. Each has been checked on its own before.
func (d *Doctor) settings(context.Context) (found []Result) {
	c := d.o.Config
	for _, rule := range []func(config.Config) []Result{addressRules, limitRules, peopleRules, placeRules} {
		found = append(found, rule(c)...)
	}
	if found == nil {
		found = []Result{ok("settings", "The settings do not contradict each other.")}
	}
	return found
}

// hostOf returns the host and scheme of a public address.
func hostOf(address string) (scheme, host string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	return u.Scheme, u.Hostname()
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

func addressRules(c config.Config) (found []Result) {
	scheme, host := hostOf(c.SiteURL)
	baseScheme, baseHost := hostOf(c.BaseURL)
	if scheme == "http" && !isLocal(host) {
		found = append(found, warning("settings.insecure-address", "--site-url begins with http://, so passwords and cookies are sent unencrypted, and passkeys do not work.",
			"Use TLS, with a proxy or --tls-domain, and set --site-url to the https:// address."))
	}
	if scheme != baseScheme && !isLocal(host) && !isLocal(baseHost) {
		found = append(found, warning("settings.mixed-schemes", "One of --site-url and --base-url begins with http://, the other with https://.",
			"Use https:// for both."))
	}
	if isLocal(host) != isLocal(baseHost) {
		found = append(found, warning("settings.local-address", "One of --site-url and --base-url is an address of this machine, the other is not.",
			"Set both to the addresses that people use."))
	}
	_, socket := config.SocketPath(c.Addr)
	if scheme == "https" && !c.TLS.On() && !socket && len(c.TrustedProxies) == 0 {
		found = append(found, failure("settings.proxy-unnamed", "--site-url begins with https://, so there is a proxy, but --trusted-proxies does not name it: all visitors share one address, and its limits.",
			"Set --trusted-proxies to the address of the proxy, such as 127.0.0.1."))
	}
	if slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Bits() == 0 }) {
		found = append(found, failure("settings.proxies-everyone", "--trusted-proxies contains every address, so everyone can choose the address that limits count.",
			"Name only the addresses of your proxies."))
	}
	if c.TLS.On() && !slices.Contains(c.TLS.Domains, host) {
		found = append(found, failure("settings.tls-domain", fmt.Sprintf("--tls-domain does not contain %s, the host of --site-url.", host),
			"Add the host to --tls-domain, or correct --site-url."))
	}
	if at, _, err := net.SplitHostPort(c.MetricsAddr); err == nil {
		if ip, err := netip.ParseAddr(at); at == "" || err == nil && ip.IsUnspecified() {
			found = append(found, warning("settings.metrics-exposed", "--metrics-addr listens on all addresses of this machine, and its profiles need no password.",
				"Use 127.0.0.1 or a private address, unless a firewall protects the port."))
		}
	}
	return found
}

func limitRules(c config.Config) (found []Result) {
	if c.ResponseMemory > 0 && c.BodyLimit > c.ResponseMemory {
		found = append(found, failure("settings.body-memory", "--body-limit is larger than --response-memory, so the largest requests always get 503.",
			"Raise --response-memory, or lower --body-limit."))
	}
	if needs := 2*c.ImageMemory + c.ResponseMemory + c.CacheSize; c.MemoryLimit > 0 && needs > c.MemoryLimit {
		found = append(found, warning("settings.memory", fmt.Sprintf("--image-memory, --response-memory and --cache-size allow %s, more than --memory-limit.", domain.FormatBytes(needs)),
			"Lower them, or raise --memory-limit."))
	}
	for _, tier := range []string{"free", "premium", "supporter"} {
		if quota := c.Quota[tier]; quota > 0 && quota < c.UploadLimit {
			found = append(found, warning("settings.upload-quota", fmt.Sprintf("--upload-limit is larger than the --quota of the tier %s, so the largest files are always refused there.", tier),
				"Lower --upload-limit, or raise the quota."))
		}
	}
	if c.RequestTimeout > c.ShutdownTimeout {
		found = append(found, warning("settings.timeouts", "--request-timeout is longer than --shutdown-timeout, so a restart cuts off slow requests.",
			"Make --shutdown-timeout the longer one."))
	}
	return found
}

func peopleRules(c config.Config) (found []Result) {
	if c.SignUp == "open" && c.SMTP == nil {
		found = append(found, warning("settings.signup-mail", "--signup is open, but without --smtp-url nobody can confirm an address or reset a password.",
			"Set --smtp-url, or use --signup invitation."))
	}
	if c.GuestsClosed && c.IndexClosed {
		found = append(found, warning("settings.index-closed", "--index-closed has no effect, because --guests closed shows nothing to search engines.",
			"Remove one of them."))
	}
	if c.Snapshots == "never" && c.BrowserURL != "" {
		found = append(found, warning("settings.browser-unused", "--browser-url is not used, because --snapshots is never.",
			"Remove --browser-url, or set --snapshots to on-request."))
	}
	return found
}

func placeRules(c config.Config) (found []Result) {
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil
	}
	if within(data, os.TempDir()) && c.Addr != "" {
		found = append(found, warning("settings.temporary-folder", "--data-dir is in a folder for temporary files, which the system may empty.",
			"Move the data to a lasting folder, such as /var/lib/vitrine."))
	}
	to := c.Backup.To
	if to == "" || strings.HasPrefix(to, "s3:") {
		return found
	}
	if to, err = filepath.Abs(to); err == nil && within(to, data) {
		found = append(found, warning("settings.backup-place", "--backup-to is in the data folder, so whatever destroys the data destroys the backups.",
			"Use a folder on another machine, or a bucket."))
	}
	return found
}

// within reports whether a path is a folder or in it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
