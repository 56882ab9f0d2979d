package core

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// The blocklist is asked where something comes in, by one statement each: so an entry holds on
// every server from the moment that it is committed.

// HostName gives a host as the blocklist has it: in ASCII and lower case, without a dot at its
// end; "" for what is none.
func HostName(host string) string {
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.TrimSpace(host), "."))
	if err != nil {
		return ""
	}
	return strings.ToLower(ascii)
}

// domainsOf are a host and all domains that it is below.
func domainsOf(host string) (all []string) {
	for host = HostName(host); host != ""; {
		all = append(all, host)
		_, host, _ = strings.Cut(host, ".")
	}
	return all
}

// CheckSite refuses the address in a field if it leads to a blocked site. The error is Invalid and
// names the field.
func (a *Core) CheckSite(ctx context.Context, field, address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" {
		return nil
	}
	blocked, err := a.Store.AnyBlocked(ctx, moderation.BlockedSite, domainsOf(u.Hostname()))
	if err == nil && blocked {
		err = domain.InvalidField(field, domain.FieldForbidden, "leads to a site that is blocked here")
	}
	return err
}

// CheckFile refuses a file whose SHA-256 is blocked, as Unprocessable.
func (a *Core) CheckFile(ctx context.Context, sum string) error {
	blocked, err := a.Store.AnyBlocked(ctx, moderation.BlockedFile, []string{sum})
	if err == nil && blocked {
		err = domain.NewUnprocessable("This file is blocked here")
	}
	return err
}

// CheckMail refuses an address of a blocked provider. The error names `email`.
func (a *Core) CheckMail(ctx context.Context, email string) error {
	_, host, _ := strings.Cut(email, "@")
	blocked, err := a.Store.AnyBlocked(ctx, moderation.BlockedMail, domainsOf(host))
	if err == nil && blocked {
		err = domain.InvalidField("email", domain.FieldForbidden, "is of a provider that is blocked here")
	}
	return err
}

// CheckNetwork refuses who comes from a blocked network, as Forbidden.
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
	blocked, err := q.AnyBlocked(ctx, moderation.BlockedNetwork, all)
	if err == nil && blocked {
		err = domain.NewForbidden("Signing in from your network is blocked here")
	}
	return err
}
