package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// costs assigns the time of a transaction to its statements.
type costs struct {
	last      time.Time
	document  bool // the last statement was about a document
	all, docs time.Duration
}

// see records the beginning of a statement, which is the end of the previous one.
func (l *costs) see(query string) {
	now := time.Now()
	if !l.last.IsZero() {
		l.all += now.Sub(l.last)
		if l.document {
			l.docs += now.Sub(l.last)
		}
	}
	l.last = now
	l.document = strings.Contains(query, "search_documents") || strings.Contains(query, "search_words")
}

// writes measures the share of a block's search document in the time of creating and connecting the block. It excludes
// the time to write it to disk, but includes that of reading it again. It changes the data.
func (cmd command) writes(ctx context.Context, cfg config.Config) error {
	const rounds = 2_000
	url := cfg.DatabaseURL
	if url == "" {
		url = "sqlite:" + cfg.SQLitePath()
	}
	var l costs
	db, err := database.Open(ctx, database.Options{URL: url, Synchronous: "OFF",
		Observe: func(_ context.Context, query string, _ bool) { l.see(query) }})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing can be lost
	a := app.New(app.Options{Store: store.New(db)})
	text := strings.Repeat("amber water stone alphabet river light harbour window garden morning ", 5)
	l = costs{}
	for i := range rounds {
		_, err := a.Collections.CreateBlock(ctx, domain.Actor{UserID: domain.UserID(cmd.Viewer), Tier: domain.TierSupporter, Scope: domain.ScopeWrite}, collections.CreateBlockInput{
			BlockInput: collections.BlockInput{Value: fmt.Sprint(text, i)}, Targets: []collections.Target{{Channel: domain.Ref{ID: 1}}}})
		if err != nil {
			return err
		}
		l.see("")
		l.last = time.Time{}
	}
	fmt.Printf("a block of 50 words, made and connected: %.2f ms, of which its document %.2f ms (%.0f %%)\n",
		ms(l.all)/rounds, ms(l.docs)/rounds, 100*float64(l.docs)/float64(l.all))
	return nil
}
