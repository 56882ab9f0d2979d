package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"vitrine/bench/drive"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// signIn signs in two browsers and stores their cookies, since accounts of a data set have no passwords: that of the
// owner of the large channel, and that of a user who follows hundreds of others.
func (b *bench) signIn(ctx context.Context, s *server.Server) error {
	u, err := s.App.People.User(ctx, domain.Ref{Slug: b.made.User})
	if err != nil {
		return err
	}
	for to, id := range map[*string]domain.UserID{&b.cookie: u.ID, &b.followsCookie: domain.UserID(b.made.Reader)} {
		secret, hash, _ := auth.NewToken(auth.Session)
		now := time.Now()
		err = s.Store.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Account().CreateSession(ctx, domain.Session{UserID: id, Agent: "bench", CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)}, hash)
			return err
		})
		if err != nil {
			return err
		}
		*to = "Cookie: vitrine=" + secret
	}
	return nil
}

// website returns requests for pages like those of browsers: each as a guest and signed in, and again with the ETag of
// the first response.
func (b *bench) website() (all []group) {
	pages := []struct {
		name, path string
		cookie     string // of the signed-in browser
		users      bool   // guests do not have the page
		once       bool   // it has no ETag, or one that changes while measuring, as new items grow older
	}{
		{name: "a channel", path: "/" + b.made.User + "/" + b.made.Large.Slug, cookie: b.cookie},
		{name: "a channel as a list", path: "/" + b.made.User + "/" + b.made.Large.Slug + "?view=list", cookie: b.cookie},
		{name: "related channels", path: "/" + b.made.User + "/" + b.made.Large.Slug + "/related", cookie: b.cookie},
		{name: "a block", path: fmt.Sprintf("/block/%d", b.items[0][0]), cookie: b.cookie},
		{name: "a profile", path: "/" + b.made.User, cookie: b.cookie, once: true},
		{name: "a profile's blocks", path: "/" + b.made.User + "?view=blocks", cookie: b.cookie},
		{name: "explore", path: "/explore", cookie: b.cookie, once: true},
		{name: "explore with blocks only", path: "/explore?type=blocks", cookie: b.cookie},
		{name: "the feed", path: "/feed", cookie: b.followsCookie, users: true},
		{name: "a search", path: "/search?q=amber", cookie: b.cookie, once: true},
	}
	for _, p := range pages {
		as := []struct {
			who     string
			headers []string
		}{{"guest", nil}, {"signed in", []string{p.cookie}}}
		if p.users {
			as = as[1:]
		}
		for _, by := range as {
			name := "page of " + p.name + ", " + by.who
			all = append(all, group{subjects: []subject{read(name, drive.Get(p.path, by.headers...))}})
			if p.once {
				continue
			}
			unchanged := subject{name: name + ", 304", status: http.StatusNotModified}
			unchanged.round = func() ([]drive.Request, error) { // anew each time, since a page shows the ages of its items
				current, err := drive.Record(b.addr, drive.Get(p.path, by.headers...))
				return []drive.Request{drive.Get(p.path, append(slices.Clone(by.headers), "If-None-Match: "+current.Header.Get("ETag"))...)}, err
			}
			all = append(all, group{subjects: []subject{unchanged}})
		}
	}
	return all
}
