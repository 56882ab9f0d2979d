package core

import (
	"context"
	"errors"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
	"vitrine/internal/weburl"
)

// CheckURL returns the canonical form of the URL in a field, and adds a fault if it is invalid.
func CheckURL(f *domain.Faults, field, address string, limit int) string {
	if !f.Text(field, address, limit) {
		return ""
	}
	link, err := weburl.Canonical(address)
	if err != nil && !errors.Is(err, weburl.ErrTooLong) {
		f.Add(field, domain.FieldMalformed, "must be an absolute http or https URL")
	} else if err != nil || len(link) > limit {
		f.Add(field, domain.FieldTooLong, "must be at most "+strconv.Itoa(limit)+" characters long")
	} else {
		CheckCredentials(f, field, link)
	}
	return link
}

// CheckCredentials refuses a URL that contains a user name or password: everyone who sees the
// URL would see them.
func CheckCredentials(f *domain.Faults, field, address string) {
	if u, err := weburl.Parse(address); err == nil && u.User != nil {
		f.Add(field, domain.FieldForbidden, "a URL must not contain a user name or password")
	}
}

// OptionalURL returns the canonical form of a URL that CheckURL has accepted, or nil for nil or "".
func OptionalURL(address *string) *string {
	if address == nil || *address == "" {
		return nil
	}
	link, err := weburl.Canonical(*address)
	if err != nil {
		return nil
	}
	return &link
}

var absoluteURL = regexp.MustCompile(`^(?i:https?)://[^/\\\s]`)

// AbsoluteURL reports whether a value, which may also be a text, is a single absolute http or https
// URL, and returns its canonical form. Browsers also accept spaces in a URL, but most texts that
// begin with a URL continue with words. So a URL with spaces must end in a file name:
// "http://example.org/a b.png". A URL that is too long to be parsed is returned unchanged.
func AbsoluteURL(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if !absoluteURL.MatchString(value) {
		return "", false
	}
	if strings.ContainsFunc(value, unicode.IsSpace) && !namesFile(value) {
		return "", false
	}
	link, err := weburl.Canonical(value)
	if errors.Is(err, weburl.ErrTooLong) {
		return value, true
	}
	return link, err == nil
}

// namesFile reports whether a URL with spaces ends in the name of a file.
func namesFile(value string) bool {
	if len(value) > domain.MaxURL || strings.Count(value, "://") > 1 || strings.ContainsAny(value, "?#") {
		return false
	}
	other := func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }
	extension := strings.TrimPrefix(strings.ToLower(path.Ext(value)), ".")
	return !strings.ContainsFunc(value, other) && slices.Contains(domain.FileExtensions, extension)
}

// AddressOf returns the mail address of a user.
func AddressOf(u domain.User) mail.Address {
	return mail.Address{Name: mail.Harmless(u.Name), Email: u.Email}
}

// CheckEmail checks that a text is a bare address, and returns its canonical form. A text that is
// not an address is returned in lower case.
func CheckEmail(f *domain.Faults, text string) string {
	const why = "must be an address such as ada@example.org"
	if len(text) > domain.MaxEmail {
		f.Add("email", domain.FieldTooLong, why)
		return strings.ToLower(text)
	}
	email, err := domain.CanonicalEmail(text)
	if err != nil {
		f.Add("email", domain.FieldMalformed, why)
		return strings.ToLower(text)
	}
	return email
}

// EmailAddress is CheckEmail for a single field. The error is Invalid and names `email`.
func EmailAddress(text string) (string, error) {
	var f domain.Faults
	email := CheckEmail(&f, text)
	return email, f.Err()
}

// CanonicalEmail is CheckEmail for a text that was or will be checked elsewhere.
func CanonicalEmail(text string) string {
	return CheckEmail(new(domain.Faults), text)
}

// Each check of the blocklist is one statement at the time of input, so an entry applies on every server as soon as it
// is committed.

// HostName returns a host in the form that the blocklist stores: in ASCII and lower case, without a trailing dot. It
// returns "" if the text is not a host.
func HostName(host string) string {
	u, err := weburl.Parse("http://" + strings.TrimSpace(host))
	if err != nil || u.User != nil || u.Port() != "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	return strings.TrimSuffix(u.Hostname(), ".")
}

// domainsOf returns a canonical host and all its parent domains.
func domainsOf(host string) (all []string) {
	for host = strings.TrimSuffix(host, "."); host != ""; {
		all = append(all, host)
		_, host, _ = strings.Cut(host, ".")
	}
	return all
}

// SiteBlocked is the fault of a URL of a blocked site.
const SiteBlocked = "leads to a site that is blocked here"

// BlockedSites reports which of several URLs are of a blocked site, in their order. Invalid URLs are not blocked.
func (a *Core) BlockedSites(ctx context.Context, addresses ...string) (blocked []bool, err error) {
	above := make([][]string, len(addresses))
	var all []string
	for i, address := range addresses {
		if u, err := weburl.Parse(address); err == nil {
			above[i] = domainsOf(u.Hostname())
			all = append(all, above[i]...)
		}
	}
	blocked = make([]bool, len(addresses))
	if len(all) == 0 {
		return blocked, nil
	}
	listed, err := a.Store.Moderation().BlockedAmong(ctx, moderation.BlockedSite, all)
	for i := range above {
		blocked[i] = slices.ContainsFunc(above[i], func(d string) bool { return slices.Contains(listed, d) })
	}
	return blocked, err
}

// Link is the URL in a field.
type Link struct{ Field, Address string }

// CheckSites refuses URLs of blocked sites in several fields, with one statement. The error is Invalid and names the
// fields.
func (a *Core) CheckSites(ctx context.Context, links ...Link) error {
	addresses := make([]string, len(links))
	for i, l := range links {
		addresses[i] = l.Address
	}
	blocked, err := a.BlockedSites(ctx, addresses...)
	if err != nil {
		return err
	}
	var f domain.Faults
	for i, l := range links {
		if blocked[i] {
			f.Add(l.Field, domain.FieldForbidden, SiteBlocked)
		}
	}
	return f.Err()
}

// CheckFile returns Unprocessable for a file whose SHA-256 is blocked.
func (a *Core) CheckFile(ctx context.Context, sum string) error {
	listed, err := a.Store.Moderation().BlockedAmong(ctx, moderation.BlockedFile, []string{sum})
	if len(listed) > 0 {
		err = domain.NewUnprocessable("This file is blocked here")
	}
	return err
}

// CheckMail refuses an address of a blocked provider. The error names `email`.
func (a *Core) CheckMail(ctx context.Context, email string) error {
	_, host, _ := strings.Cut(domain.EmailInASCII(email), "@") // blocked domains are stored in ASCII
	listed, err := a.Store.Moderation().BlockedAmong(ctx, moderation.BlockedMail, domainsOf(host))
	if len(listed) > 0 {
		err = domain.InvalidField("email", domain.FieldForbidden, "is of a provider that is blocked here")
	}
	return err
}

// CheckNetwork returns Forbidden for a visitor from a blocked network.
func (a *Core) CheckNetwork(ctx context.Context, q store.Queries, from netip.Addr) error {
	from = from.Unmap().WithZone("")
	if !from.IsValid() {
		return nil
	}
	var all []string
	for bits := range from.BitLen() + 1 {
		if p, err := from.Prefix(bits); err == nil {
			all = append(all, p.String())
		}
	}
	listed, err := q.Moderation().BlockedAmong(ctx, moderation.BlockedNetwork, all)
	if len(listed) > 0 {
		err = errNetwork
	}
	return err
}

var errNetwork = domain.NewForbidden("Signing in from your network is blocked here")
