package core

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
	"vitrine/internal/weburl"
)

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
