package main

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// signIn signs a browser in as the owner of the large channel, and keeps its cookie: the
// accounts of a data set have no passwords.
func (b *bench) signIn(ctx context.Context, s *server.Server) error {
	u, err := s.App.User(ctx, domain.Ref{Slug: b.made.User})
	if err != nil {
		return err
	}
	secret, hash, _ := auth.NewToken(auth.Session)
	now := time.Now()
	err = s.Store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateSession(ctx, domain.Session{UserID: u.ID, Agent: "bench", CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)}, hash)
		return err
	})
	b.cookie = "Cookie: vitrine=" + secret
	return err
}

// website are pages as browsers get them.
func (b *bench) website() ([]group, error) {
	channel := "/" + b.made.User + "/" + b.made.Large.Slug
	block := fmt.Sprintf("/block/%d", b.items[0][0])
	current, err := record(b.addr, get(channel))
	if err != nil {
		return nil, err
	}
	unchanged := read("page of a channel, If-None-Match: 304", get(channel, "If-None-Match: "+current.header.Get("ETag")))
	unchanged.status = 304
	return []group{
		{subjects: []subject{read("page of a channel, guest", get(channel))}},
		{subjects: []subject{read("page of a channel, signed in", get(channel, b.cookie))}},
		{subjects: []subject{unchanged}},
		{subjects: []subject{read("page of a block, guest", get(block))}},
		{subjects: []subject{read("page of a block, signed in", get(block, b.cookie))}},
	}, nil
}
