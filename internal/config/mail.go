package config

import (
	"cmp"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
)

// SMTP is a server that takes mail.
type SMTP struct {
	Host     string
	Port     int
	User     string // empty: without logging in
	Password string // secret
	Security string // starttls, tls or none

	TokenFile string // of the access token to log in with instead of Password; empty for none
}

// resolveMail reads the settings of mail.
func (s Server) resolveMail(cfg *Config, found *problems) {
	var err error
	cfg.MailFrom = cmp.Or(s.MailFrom, defaultSender(cfg.SiteURL))
	if _, err := mail.ParseAddress(cfg.MailFrom); err != nil && s.MailFrom != "" {
		found.addErr("mail-from", quotedError(cfg.MailFrom, "want an address such as Vitrine <vitrine@example.org>"))
	}
	password, err := secret(s.SMTPPassword, s.SMTPPasswordFile)
	found.addErr("smtp-password-file", err)
	token, err := secret("", s.SMTPTokenFile) // to report a missing file at start; it is read again for each mail
	found.addErr("smtp-token-file", err)
	if password != "" && token != "" {
		found.add("smtp-token-file", "give a password or a token, not both")
	}
	if s.SMTPURL == "" {
		if password != "" {
			found.add("smtp-password", "there is no --smtp-url that it would be for")
		}
		if token != "" {
			found.add("smtp-token-file", "needs --smtp-url")
		}
		return
	}
	cfg.SMTP, err = parseSMTP(s.SMTPURL)
	found.addErr("smtp-url", err)
	if err != nil {
		return
	}
	if cfg.SMTP.Password = password; password != "" && cfg.SMTP.User == "" {
		found.add("smtp-password", "the --smtp-url names no user that it would be for")
	}
	if cfg.SMTP.TokenFile = s.SMTPTokenFile; token != "" && cfg.SMTP.User == "" {
		found.add("smtp-token-file", "needs a user in --smtp-url, such as smtp://user@host:587")
	}
}

// defaultSender is an address at the host of the website.
func defaultSender(siteURL string) string {
	host := "localhost"
	if u, err := url.Parse(siteURL); err == nil && u.Hostname() != "" {
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			host = u.Hostname()
		}
	}
	return "Vitrine <no-reply@" + host + ">"
}

// parseSMTP reads the URL of a mail server. Its errors never repeat the URL, in which
// somebody may have written a password.
func parseSMTP(raw string) (*SMTP, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("not a URL (percent-encode what is special in the user name)")
	}
	if _, has := u.User.Password(); has {
		return nil, errors.New("must not hold the password: use --smtp-password-file or VITRINE_SMTP_PASSWORD")
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
		return nil, errors.New("starttls is required or never")
	}
	if s.Security == "none" && s.User != "" && !isLoopback(s.Host) {
		return nil, errors.New("with starttls=never the password would be read on the way: log in over TLS only")
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return nil, errors.New("the port is none")
		}
		s.Port = int(port)
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// URL writes the settings as --smtp-url takes them, without the password.
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

// password is "" where there is no server.
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

// redactText reports whether there is a secret.
func redactText(secret string) string {
	if secret == "" {
		return ""
	}
	return hidden
}
