package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/importing"
	"vitrine/internal/importing/arena"
	"vitrine/internal/importing/source"
	"vitrine/internal/weburl"
)

type importArenaCmd struct {
	importFlags
	From       string   `placeholder:"URL" default:"https://api.are.na" help:"Address of the API to import from; any server with version 3."`
	TokenFile  string   `name:"token-file" placeholder:"FILE" help:"File with a token of that server. Without one, only content that guests can see there is imported."`
	Deep       bool     `help:"Also import the channels inside these channels, and so on."`
	Visibility string   `help:"Who can see the channels that this import creates, if the other server does not define it: public, closed or private." default:"private" enum:"public,closed,private"`
	What       []string `arg:"" help:"Slugs or addresses of channels, @name for all channels of a person that the token can read, group/name for all channels of a group."`
}

// Run imports.
func (cmd *importArenaCmd) Run(c *console) error {
	token, err := secretOf("--token-file", cmd.TokenFile)
	if err != nil {
		return usageError{err}
	}
	if _, err := arena.New(arena.Options{From: cmd.From}); err != nil {
		return usageError{fmt.Errorf("--from: %w", err)}
	}
	return cmd.run(c, importing.Options{Visibility: domain.Visibility(cmd.Visibility)}, func(ctx context.Context, cfg config.Config) (source.Source, error) {
		named, err := addressesOf(ctx, cmd.From)
		if err != nil {
			return nil, err
		}
		return arena.New(arena.Options{From: cmd.From, Token: token, What: cmd.What, Deep: cmd.Deep, MaxFile: cfg.UploadLimit,
			Client: fetch.New(fetch.Options{Allow: append(named, cfg.FetchAllow...), UserAgent: "Vitrine import (+" + cfg.SiteURL + ")",
				Timeout: time.Hour, PerHost: 8, Wait: time.Minute})})
	})
}

// addressesOf are those of a host that the operator has named: it may be in a private network,
// which nothing else may be that is read.
func addressesOf(ctx context.Context, address string) (all []netip.Prefix, err error) {
	u, err := weburl.Parse(address)
	if err != nil {
		return nil, errors.New("--from: the address is not valid")
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	for _, addr := range found {
		addr = addr.Unmap().WithZone("")
		all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
	}
	return all, nil
}
