package config

import (
	"cmp"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// SMTP configures a mail server.
type SMTP struct {
	Host     string
	Port     int
	User     string // empty: do not log in
	Password string // secret
	Security string // starttls, tls or none

	TokenFile string // file with an access token, which replaces Password; empty for none
}

// MailIn configures how mails for channels are received. Without a folder and an address, the server receives none.
type MailIn struct {
	Folder  string // a Maildir
	Address string // to listen on for LMTP
	Domain  string // of the addresses
}

// parseMailIn parses the address to listen on, or the path of a folder.
func parseMailIn(c *Config, text string) error {
	address, lmtp := strings.CutPrefix(text, lmtpScheme)
	_, socket := SocketPath(text)
	switch {
	case socket:
		c.MailIn.Address = text
	case lmtp:
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return quotedError(text, "want lmtp://host:port, such as lmtp://127.0.0.1:2424")
		}
		c.MailIn.Address = address
	case strings.Contains(text, "://"):
		return quotedError(text, "want lmtp://host:port, unix:PATH or the path of a folder")
	default:
		c.MailIn.Folder = text
	}
	return nil
}

const lmtpScheme = "lmtp://"

// printMailIn prints --mail-in.
func printMailIn(c *Config) string {
	if _, socket := SocketPath(c.MailIn.Address); c.MailIn.Address != "" && !socket {
		return lmtpScheme + c.MailIn.Address
	}
	return c.MailIn.Folder + c.MailIn.Address
}

func checkMailDomain(text string) error {
	if _, err := mail.ParseAddress("a@" + text); text != "" && (err != nil || strings.ContainsAny(text, "@ <>\"")) {
		return quotedError(text, "want a domain such as mail.example.org")
	}
	return nil
}

func checkSender(text string) error {
	if _, err := mail.ParseAddress(text); err != nil {
		return quotedError(text, "want an address such as Vitrine <vitrine@example.org>")
	}
	return nil
}

// completeMail derives the sender and adds the credentials of the mail server.
func (c *Config) completeMail(given Texts, found *problems) {
	c.MailFrom = cmp.Or(c.MailFrom, defaultSender(c.SiteURL))
	if (given["mail-in"] == "") != (given["mail-in-domain"] == "") {
		found.add("mail-in-domain", "is required with --mail-in, and has no effect without it")
	}
	password := given["smtp-password"]
	token, err := secret("", given["smtp-token-file"]) // only reports a missing file at start; the file is read again for each mail
	found.addErr("smtp-token-file", err)
	if password != "" && token != "" {
		found.add("smtp-token-file", "set a password or a token, not both")
	}
	switch {
	case c.SMTP != nil:
		c.SMTP.Password, c.SMTP.TokenFile = password, given["smtp-token-file"]
		if password != "" && c.SMTP.User == "" {
			found.add("smtp-password", "requires a user in --smtp-url, such as smtp://user@host:587")
		}
		if token != "" && c.SMTP.User == "" {
			found.add("smtp-token-file", "requires a user in --smtp-url, such as smtp://user@host:587")
		}
	case given["smtp-url"] == "":
		if password != "" {
			found.add("smtp-password", "requires --smtp-url")
		}
		if token != "" {
			found.add("smtp-token-file", "needs --smtp-url")
		}
	}
}

// defaultSender returns a no-reply address at the host of the website.
func defaultSender(siteURL string) string {
	host := "localhost"
	if u, err := url.Parse(siteURL); err == nil && u.Hostname() != "" {
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			host = u.Hostname()
		}
	}
	return "Vitrine <no-reply@" + host + ">"
}

// parseSMTP parses the URL of a mail server. Its errors do not contain the URL, which may include a
// password by mistake.
func parseSMTP(raw string) (*SMTP, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("not a URL (percent-encode special characters in the user name)")
	}
	if _, has := u.User.Password(); has {
		return nil, errors.New("must not contain the password: use --smtp-password-file or VITRINE_SMTP_PASSWORD")
	}
	s := &SMTP{Host: u.Hostname(), User: u.User.Username(), Port: 587}
	query := u.Query()
	starttls := query.Get("starttls")
	query.Del("starttls")
	switch {
	case s.Host == "" || u.Path != "" && u.Path != "/" || len(query) > 0 || u.Fragment != "":
		return nil, errors.New("want smtp://user@host:587, smtp://host:587?starttls=never or smtps://user@host:465")
	case u.Scheme == "smtps" && starttls == "":
		s.Security, s.Port = "tls", 465
	case u.Scheme != "smtp":
		return nil, errors.New("want smtp:// or, without starttls, smtps://")
	case starttls == "never", starttls == "" && isLoopback(s.Host):
		s.Security = "none"
	case starttls == "", starttls == "required":
		s.Security = "starttls"
	default:
		return nil, errors.New("want starttls=required or starttls=never")
	}
	if s.Security == "none" && s.User != "" && !isLoopback(s.Host) {
		return nil, errors.New("starttls=never would send the password unencrypted: use TLS, or remove the user")
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return nil, errors.New("the port is not a number from 1 to 65535")
		}
		s.Port = int(port)
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// URL returns the value of --smtp-url, without the password.
func (s *SMTP) URL() string {
	if s == nil {
		return ""
	}
	u := url.URL{Scheme: "smtp", Host: net.JoinHostPort(s.Host, strconv.Itoa(s.Port))}
	if s.User != "" {
		u.User = url.User(s.User)
	}
	switch s.Security {
	case "tls":
		u.Scheme = "smtps"
	case "none":
		u.RawQuery = "starttls=never"
	default:
		u.RawQuery = "starttls=required"
	}
	return u.String()
}

// password returns the password, or "" if s is nil.
func (s *SMTP) password() string {
	if s == nil {
		return ""
	}
	return s.Password
}

// tokenFile returns the path of the token, or "".
func (s *SMTP) tokenFile() string {
	if s == nil {
		return ""
	}
	return s.TokenFile
}
