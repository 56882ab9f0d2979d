package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// plain is a handwritten server for exactly these requests: handlers, statements, structs. Visibility is a column. It
// renders no Markdown, keeps no counts except those of channels, and has no ETags, limits or log.
type plain struct {
	plainDB
	plainSearch
}

// plainDB is SQLite (plain_data.go) or PostgreSQL (plain_postgres.go).
type plainDB interface {
	plainConn
	rows(ctx context.Context, text string, args ...any) (plainRows, error)
	// inTx calls do in a transaction.
	inTx(ctx context.Context, do func(tx plainConn) error) error
	close() error
}

// plainConn runs prepared statements.
type plainConn interface {
	row(ctx context.Context, text string, args ...any) interface{ Scan(dest ...any) error }
	exec(ctx context.Context, text string, args ...any) error
}

// plainRows is implemented by sql.Rows.
type plainRows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// plainSearch contains the statements that differ between the databases.
type plainSearch struct {
	found, search, ids, addWords string
	query                        func(text string) string // without operators
}

const (
	blockColumns = "b.id, b.type, b.title, b.description, b.markdown, b.html, b.source, b.created_at, b.updated_at, u.id, u.slug, u.name"
	// Channels in channels have no block, so their own owner and title are used.
	itemColumns = `c.id, c.item_type, c.position, c.created_at, COALESCE(b.id, o.id), COALESCE(b.type, 'Channel'), COALESCE(b.title, o.title),
		b.description, b.markdown, b.html, b.source, COALESCE(b.created_at, o.created_at), COALESCE(b.updated_at, o.created_at), u.id, u.slug, u.name`

	plainByID      = "SELECT " + blockColumns + " FROM blocks b JOIN users u ON u.id = b.user_id WHERE b.id = $1 AND b.open"
	plainChannelBy = "SELECT id FROM channels WHERE slug = $1 AND NOT private"
	plainCount     = "SELECT count(*) FROM connections WHERE channel_id = $1 AND open"
	plainPage      = "SELECT " + itemColumns + ` FROM (SELECT * FROM connections WHERE channel_id = $1 AND open
			ORDER BY position LIMIT $2 OFFSET $3) c LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
		LEFT JOIN channels o ON c.item_type = 'Channel' AND o.id = c.item_id JOIN users u ON u.id = COALESCE(b.user_id, o.user_id)
		ORDER BY c.position`
	plainUserOf   = "SELECT user_id FROM tokens WHERE token = $1"
	plainAddBlock = `INSERT INTO blocks (user_id, type, open, markdown, html, created_at, updated_at)
		VALUES ($1, 'Text', TRUE, $2, $3, $4, $4) RETURNING id`
	plainPlace   = "UPDATE channels SET items = items + 1 WHERE id = $1 RETURNING items"
	plainConnect = `INSERT INTO connections (channel_id, item_type, item_id, open, position, user_id, created_at)
		VALUES ($1, 'Block', $2, TRUE, $3, $4, $5)`
)

// serve serves the handler at a listener.
func (p *plain) serve(l net.Listener) *http.Server {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(r *http.Request) (any, error){
		"GET /blocks/{id}": p.getBlock, "GET /channels/{slug}/contents": p.getContents, "GET /search": p.getSearch, "POST /blocks": p.postBlock,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			answer, err := handle(r)
			status := http.StatusOK
			switch {
			case errors.Is(err, sql.ErrNoRows): // pgx.ErrNoRows wraps it
				status, answer = http.StatusNotFound, map[string]string{"error": "not found"}
			case err != nil:
				status, answer = http.StatusInternalServerError, map[string]string{"error": err.Error()}
			case r.Method == http.MethodPost:
				status = http.StatusCreated
			}
			text, err := json.Marshal(answer)
			if err != nil {
				panic(err) // encoding the structs below cannot fail
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			w.WriteHeader(status)
			_, _ = w.Write(text)
		})
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { _ = s.Serve(l) }() // until Close
	return s
}

type plainUser struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

type plainConnection struct {
	ID        int64     `json:"id"`
	Position  int64     `json:"position"`
	CreatedAt time.Time `json:"created_at"`
}

type plainBlock struct {
	ID          int64            `json:"id"`
	BaseType    string           `json:"base_type"`
	Type        string           `json:"type"`
	Title       *string          `json:"title"`
	Description *string          `json:"description"`
	Markdown    *string          `json:"markdown"`
	HTML        *string          `json:"html"`
	Source      *string          `json:"source"`
	User        plainUser        `json:"user"`
	CreatedAt   time.Time        `json:"created_at"`
	UpdatedAt   time.Time        `json:"updated_at"`
	Connection  *plainConnection `json:"connection,omitempty"`
}

type plainList struct {
	Data []plainBlock `json:"data"`
	Meta plainMeta    `json:"meta"`
}

type plainMeta struct {
	Total int64 `json:"total_count"`
	Page  int64 `json:"current_page"`
	Per   int64 `json:"per_page"`
}

// fields returns the destinations for the columns of a block, except the times.
func (b *plainBlock) fields(made, changed *int64) []any {
	return []any{&b.ID, &b.Type, &b.Title, &b.Description, &b.Markdown, &b.HTML, &b.Source, made, changed, &b.User.ID, &b.User.Slug, &b.User.Name}
}

func scanBlock(scan func(...any) error) (b plainBlock, err error) {
	var made, changed int64
	err = scan(b.fields(&made, &changed)...)
	b.BaseType, b.CreatedAt, b.UpdatedAt = "Block", time.UnixMicro(made).UTC(), time.UnixMicro(changed).UTC()
	return b, err
}

func scanItem(scan func(...any) error) (b plainBlock, err error) {
	var connected, made, changed int64
	b.Connection = new(plainConnection)
	err = scan(append([]any{&b.Connection.ID, &b.BaseType, &b.Connection.Position, &connected}, b.fields(&made, &changed)...)...)
	b.Connection.CreatedAt, b.CreatedAt, b.UpdatedAt = time.UnixMicro(connected).UTC(), time.UnixMicro(made).UTC(), time.UnixMicro(changed).UTC()
	return b, err
}

func (p *plain) getBlock(r *http.Request) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, sql.ErrNoRows
	}
	return p.block(r.Context(), id)
}

func (p *plain) block(ctx context.Context, id int64) (plainBlock, error) {
	return scanBlock(p.row(ctx, plainByID, id).Scan)
}

func (p *plain) getContents(r *http.Request) (any, error) {
	at, n := pageOf(r)
	return p.contents(r.Context(), r.PathValue("slug"), at, n)
}

func (p *plain) contents(ctx context.Context, slug string, at, n int64) (any, error) {
	var channel int64
	if err := p.row(ctx, plainChannelBy, slug).Scan(&channel); err != nil {
		return nil, err
	}
	return p.list(ctx, plainCount, plainPage, scanItem, channel, at, n)
}

func (p *plain) getSearch(r *http.Request) (any, error) {
	if _, err := p.userOf(r); err != nil {
		return nil, err
	}
	at, n := pageOf(r)
	return p.list(r.Context(), p.found, p.search, scanBlock, p.query(r.FormValue("query")), at, n)
}

// pageOf returns the page and its size.
func pageOf(r *http.Request) (at, n int64) {
	at, n = 1, per
	for name, to := range map[string]*int64{"page": &at, "per": &n} {
		if v, err := strconv.ParseInt(r.FormValue(name), 10, 32); err == nil && v > 0 {
			*to = v
		}
	}
	return at, n
}

// list counts, and reads a page.
func (p *plain) list(ctx context.Context, count, page string, scan func(func(...any) error) (plainBlock, error), of any, at, n int64) (l plainList, err error) {
	l = plainList{Data: []plainBlock{}, Meta: plainMeta{Page: at, Per: n}}
	if err := p.row(ctx, count, of).Scan(&l.Meta.Total); err != nil {
		return l, err
	}
	rows, err := p.rows(ctx, page, of, n, (at-1)*n)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		b, err := scan(rows.Scan)
		if err != nil {
			return l, err
		}
		l.Data = append(l.Data, b)
	}
	return l, rows.Err()
}

func (p *plain) postBlock(r *http.Request) (any, error) {
	var in struct {
		Value    string  `json:"value"`
		Channels []int64 `json:"channel_ids"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	user, err := p.userOf(r)
	if err != nil {
		return nil, err
	}
	id, err := p.create(r.Context(), user, in.Value, in.Channels)
	if err != nil {
		return nil, err
	}
	return p.block(r.Context(), id)
}

// userOf returns the user of a request.
func (p *plain) userOf(r *http.Request) (id int64, err error) {
	err = p.row(r.Context(), plainUserOf, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")).Scan(&id)
	return id, err
}

// create creates a block with its words and connects it at the end of channels, in one transaction, which locks each
// channel as late as possible. The measurement of the database itself uses it too.
func (p *plain) create(ctx context.Context, user int64, text string, channels []int64) (id int64, err error) {
	now := time.Now().UnixMicro()
	err = p.inTx(ctx, func(tx plainConn) error {
		if err := tx.row(ctx, plainAddBlock, user, text, "<p>"+html.EscapeString(text)+"</p>", now).Scan(&id); err != nil {
			return err
		}
		if err := tx.exec(ctx, p.addWords, id, text); err != nil {
			return err
		}
		for _, channel := range channels {
			var position int64
			if err := tx.row(ctx, plainPlace, channel).Scan(&position); err != nil {
				return fmt.Errorf("channel %d: %w", channel, err)
			}
			if err := tx.exec(ctx, plainConnect, channel, id, position, user, now); err != nil {
				return err
			}
		}
		return nil
	})
	return id, err
}
