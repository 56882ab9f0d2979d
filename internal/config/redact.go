package config

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// hidden stands where a secret was.
const hidden = "REDACTED"

// Setting is one setting in its text form.
type Setting struct {
	Flag  string // without the dashes
	Value string
}

// Settings is a printable configuration, in a fixed order.
type Settings []Setting

// Redacted lists every setting as it is in effect, secrets hidden.
func (c Config) Redacted() Settings {
	return Settings{
		{"data-dir", c.DataDir},
		{"database-url", redactURL(c.DatabaseURL)},
		{"database-direct-url", redactURL(c.DatabaseDirectURL)},
		{"sqlite-synchronous", c.SQLiteSynchronous},
		{"default-tier", c.DefaultTier},
		{"log-format", c.LogFormat},
		{"log-level", c.LogLevel},
		{"addr", c.Addr},
		{"socket-mode", formatFileMode(c.SocketMode)},
		{"base-url", c.BaseURL},
		{"site-url", c.SiteURL},
		{"tls-domain", strings.Join(c.TLS.Domains, ",")},
		{"tls-email", c.TLS.Email},
		{"tls-http-addr", c.TLS.printHTTPAddr()},
		{"tls-directory-url", c.TLS.DirectoryURL},
		{"tls-directory-ca", c.TLS.DirectoryCA},
		{"rate-limits", formatRateLimits(c.RateLimits)},
		{"trusted-proxies", formatPrefixes(c.TrustedProxies)},
		{"request-timeout", c.RequestTimeout.String()},
		{"body-limit", formatSize(c.BodyLimit)},
		{"shutdown-timeout", c.ShutdownTimeout.String()},
		{"database-replica-urls", strings.Join(redactURLs(c.Replicas.URLs), ",")},
		{"database-replica-max-lag", c.Replicas.MaxLag.String()},
		{"redis-url", redactURL(c.RedisURL)},
		{"wait-for", c.WaitFor.String()},
		{"drain-delay", c.DrainDelay.String()},
		{"response-memory", formatSize(c.ResponseMemory)},
		{"cache-size", formatSize(c.CacheSize)},
		{"min-send-rate", formatSize(c.MinSendRate)},
		{"audit-keep", c.AuditKeep.String()},
		{"invitation-ttl", c.InvitationTTL.String()},
		{"metrics-addr", c.MetricsAddr},
		{"otel-endpoint", c.Traces.Endpoint},
		{"otel-sample-ratio", strconv.FormatFloat(c.Traces.Ratio, 'g', -1, 64)},
		{"work", strconv.FormatBool(c.Work)},
		{"job-concurrency", strconv.Itoa(c.JobConcurrency)},
		{"job-timeout", c.JobTimeout.String()},
		{"files-url", c.FilesURL},
		{"blob-url", redactURL(c.Blob.URL)},
		{"blob-access-key", c.Blob.AccessKey},
		{"blob-secret-key", redactText(c.Blob.SecretKey)},
		{"upload-limit", formatSize(c.UploadLimit)},
		{"quota-unused", formatQuotas(c.QuotaUnused)},
		{"quota", formatQuotas(c.Quota)},
		{"disk-reserve", c.DiskReserve.String()},
		{"keep-metadata", strconv.FormatBool(c.KeepMetadata)},
		{"fetch-allow", formatPrefixes(c.FetchAllow)},
		{"language", c.Language},
		{"image-memory", formatSize(c.ImageMemory)},
		{"memory-limit", formatMemoryLimit(c.MemoryLimit)},
		{"backup-to", c.Backup.printTo()},
		{"backup-every", c.Backup.Every.String()},
		{"backup-keep", strconv.Itoa(c.Backup.Keep)},
		{"backup-access-key", c.Backup.AccessKey},
		{"backup-secret-key", redactText(c.Backup.SecretKey)},
		{"mail-from", c.MailFrom},
		{"smtp-url", c.SMTP.URL()},
		{"signup", c.SignUp},
		{"setup-code", redactText(c.SetupCode)},
		{"oauth-registration", strconv.FormatBool(c.OAuthRegistration)},
		{"guests", c.guests()},
		{"index-closed", strconv.FormatBool(c.IndexClosed)},
		{"security-contact", strings.Join(c.SecurityContacts, ",")},
		{"oidc-issuer", c.OIDC.Issuer},
		{"oidc-client-id", c.OIDC.ClientID},
		{"oidc-client-secret", redactText(c.OIDC.ClientSecret)},
		{"oidc-name", c.OIDC.Name},
		{"oidc-scopes", strings.Join(c.OIDC.Scopes, ",")},
		{"oidc-sign-up", c.OIDC.SignUp},
		{"oidc-email", c.OIDC.Email},
		{"oidc-only", strconv.FormatBool(c.OIDC.Only)},
		{"oidc-groups-claim", c.OIDC.GroupsClaim},
		{"oidc-group-map", formatGroupMap(c.OIDC.Groups)},
		{"smtp-password", redactText(c.SMTP.password())},
		{"smtp-token-file", c.SMTP.tokenFile()},
	}
}

// printTo hides what should not be in the address of a bucket.
func (b Backup) printTo() string {
	if strings.HasPrefix(b.To, "s3:") {
		return redactURL(b.To)
	}
	return b.To
}

// guests is the flag for what guests see.
func (c Config) guests() string {
	if c.GuestsClosed {
		return "closed"
	}
	return "open"
}

// String is the environment form: NAME=value, a line each.
func (s Settings) String() string {
	var b strings.Builder
	for _, setting := range s {
		b.WriteString(envName(setting.Flag) + "=" + setting.Value + "\n")
	}
	return b.String()
}

// MarshalJSON is an object of strings by flag name, in the same order.
func (s Settings) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, setting := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, jsonString(setting.Flag)...), ':'), jsonString(setting.Value)...)
	}
	return append(b, '}'), nil
}

func jsonString(s string) []byte {
	b, _ := json.Marshal(s) // a string always encodes
	return b
}

// redactURL hides the passwords of a database URL, in the authority and in the
// query (libpq takes password and sslpassword there), and all of what it cannot read.
func redactURL(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return hidden
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Opaque != "" || u.Host == "" && len(query) == 0 {
		return hidden
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), hidden)
	}
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") {
			query.Set(name, hidden)
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}

func formatPrefixes(prefixes []netip.Prefix) string {
	items := make([]string, len(prefixes))
	for i, p := range prefixes {
		items[i] = p.String()
		if p.IsSingleIP() {
			items[i] = p.Addr().String()
		}
	}
	return strings.Join(items, ",")
}
