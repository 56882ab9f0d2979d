package main

import (
	"context"
	"fmt"
	"time"

	"vitrine/bench/drive"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// signIn signs a browser in as the owner of the large channel and stores its cookie, since accounts of a data set have
// no passwords.
func (b *bench) signIn(ctx context.Context, s *server.Server) error {
	u, err := s.App.People.User(ctx, domain.Ref{Slug: b.made.User})
	if err != nil {
		return err
	}
	secret, hash, _ := auth.NewToken(auth.Session)
	now := time.Now()
	err = s.Store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Account().CreateSession(ctx, domain.Session{UserID: u.ID, Agent: "bench", CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)}, hash)
		return err
	})
	b.cookie = "Cookie: vitrine=" + secret
	return err
}

// website returns requests for pages like those of browsers.
func (b *bench) website() ([]group, error) {
	channel := "/" + b.made.User + "/" + b.made.Large.Slug
	block := fmt.Sprintf("/block/%d", b.items[0][0])
	current, err := drive.Record(b.addr, drive.Get(channel))
	if err != nil {
		return nil, err
	}
	unchanged := read("page of a channel, If-None-Match: 304", drive.Get(channel, "If-None-Match: "+current.Header.Get("ETag")))
	unchanged.status = 304
	return []group{
		{subjects: []subject{read("page of a channel, guest", drive.Get(channel))}},
		{subjects: []subject{read("page of a channel, signed in", drive.Get(channel, b.cookie))}},
		{subjects: []subject{unchanged}},
		{subjects: []subject{read("page of a block, guest", drive.Get(block))}},
		{subjects: []subject{read("page of a block, signed in", drive.Get(block, b.cookie))}},
	}, nil
}
