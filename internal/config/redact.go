package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hidden replaces secrets.
const hidden = "REDACTED"

// Setting is one setting as text.
type Setting struct {
	Flag   string // without the dashes
	Value  string
	Origin string // such as "flag --addr"; empty if unknown
}

// Settings is a printable configuration in a fixed order.
type Settings []Setting

// Redacted returns all settings in effect, with secrets hidden.
func (c Config) Redacted() Settings {
	var all Settings
	for _, d := range settings {
		if d.print != nil {
			all = append(all, Setting{Flag: d.Flag, Value: d.print(&c)})
		}
	}
	return all
}

// String returns the settings as environment variables, one NAME=value per line.
func (s Settings) String() string {
	var b strings.Builder
	for _, setting := range s {
		b.WriteString(envName(setting.Flag) + "=" + setting.Value + "\n")
	}
	return b.String()
}

// MarshalJSON returns an object with the flags as keys, in the same order.
func (s Settings) MarshalJSON() ([]byte, error) {
	return s.object(func(setting Setting) []byte { return jsonString(setting.Value) }), nil
}

func (s Settings) object(value func(Setting) []byte) []byte {
	b := []byte{'{'}
	for i, setting := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, jsonString(setting.Flag)...), ':'), value(setting)...)
	}
	return append(b, '}')
}

func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// redactText replaces a secret unless it is empty.
func redactText(secret string) string {
	if secret == "" {
		return ""
	}
	return hidden
}

// redactBucket hides secrets in the address of a bucket, but not in the path of a folder.
func redactBucket(to string) string {
	if strings.HasPrefix(to, "s3:") {
		return redactURL(to)
	}
	return to
}

// redactURL hides the passwords of a database URL, in the authority and in the query (libpq reads
// password and sslpassword there). It hides the whole URL if it cannot be parsed.
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

// TOML returns the settings as a configuration file, with the origin of each as a comment.
func (s Settings) TOML() string {
	declared := map[string]Declaration{}
	for _, d := range settings {
		declared[d.Flag] = d
	}
	var b strings.Builder
	for _, setting := range s {
		value := setting.Value
		if value == "" || !declared[setting.Flag].literal() {
			value = strings.ReplaceAll(string(jsonString(value)), "\x7f", `\u007f`) // is also a TOML string
		}
		b.WriteString(setting.Flag + " = " + value + "  # " + setting.Origin + "\n")
	}
	return b.String()
}

// Origins returns the values and origins by setting, in the same order as JSON.
func (s Settings) Origins() json.Marshaler { return origins(s) }

// origins is Settings whose JSON contains the origins.
type origins Settings

// MarshalJSON returns an object with the flags as keys, in the same order.
func (s origins) MarshalJSON() ([]byte, error) {
	return Settings(s).object(func(setting Setting) []byte {
		return fmt.Appendf(nil, `{"value":%s,"origin":%s}`, jsonString(setting.Value), jsonString(setting.Origin))
	}), nil
}

// Conceal replaces the secrets of the configuration in a text, such as an error of a library.
func (c Config) Conceal(text string) string {
	secrets := []string{c.Blob.SecretKey, c.Backup.SecretKey, c.SMTP.password(), c.OIDC.ClientSecret, c.Embeddings.Key, c.SetupCode}
	for _, raw := range append([]string{c.DatabaseURL, c.DatabaseDirectURL, c.RedisURL, c.Blob.URL, c.Backup.To}, c.Replicas.URLs...) {
		secrets = append(secrets, passwordsOf(raw)...)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may be the beginning of another
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, hidden)
		}
	}
	return text
}

// passwordsOf returns the passwords in a URL, as they are written and decoded.
func passwordsOf(raw string) (all []string) {
	u, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	if password, has := u.User.Password(); has {
		all = append(all, password, url.QueryEscape(password), url.PathEscape(password))
	}
	for name, values := range u.Query() {
		if strings.Contains(strings.ToLower(name), "password") {
			all = append(all, values...)
		}
	}
	return all
}
