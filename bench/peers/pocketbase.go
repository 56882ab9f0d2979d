package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// pocketBase is a running PocketBase with the same data in two collections. It has its default settings: commits are
// synced by `NORMAL`, and LIKE is its only search.
type pocketBase struct {
	program, dir, addr string
	token              string
	process            *exec.Cmd
}

const (
	pocketUser, pocketPassword = "bench@example.org", "a password of the bench"
	pocketBlocks               = "/api/collections/blocks/records"
	pocketConnections          = "/api/collections/connections/records"
)

// pocketCollections are its collections; everybody may read and create.
var pocketCollections = []string{
	`{"name":"blocks","type":"base","listRule":"","viewRule":"","createRule":"","fields":[{"name":"kind","type":"text"},
		{"name":"title","type":"text"},{"name":"markdown","type":"text","max":1000000},{"name":"html","type":"text","max":1000000},
		{"name":"source","type":"text"},{"name":"user","type":"text"},{"name":"open","type":"bool"},{"name":"made","type":"number"}]}`,
	`{"name":"connections","type":"base","listRule":"","viewRule":"","createRule":"","fields":[{"name":"channel","type":"text"},
		{"name":"item","type":"text"},{"name":"block","type":"relation","collectionId":%q,"maxSelect":1},{"name":"position","type":"number"}],
		"indexes":["CREATE INDEX idx_connections_position ON connections (channel, position)"]}`,
}

// pocketCopies fills it from the small server's file, which is attached as p.
var pocketCopies = []string{
	`INSERT INTO blocks (id, kind, title, markdown, html, source, user, open, made) SELECT printf('b%014d', b.id), b.type, COALESCE(b.title, ''),
		COALESCE(b.markdown, ''), COALESCE(b.html, ''), COALESCE(b.source, ''), u.slug, b.open, b.created_at
		FROM p.blocks b JOIN p.users u ON u.id = b.user_id`,
	`INSERT INTO connections (id, channel, item, block, position) SELECT printf('c%014d', c.id), h.slug, c.item_type || ' ' || c.item_id,
		CASE c.item_type WHEN 'Block' THEN printf('b%014d', c.item_id) ELSE '' END, c.position
		FROM p.connections c JOIN p.channels h ON h.id = c.channel_id WHERE c.open AND NOT h.private`,
}

// startPocketBase starts PocketBase with the data if it is installed, and otherwise records that it is missing.
func (b *bench) startPocketBase(ctx context.Context) error {
	const name = "PocketBase"
	program, err := exec.LookPath(b.PocketBase)
	if err != nil {
		fmt.Fprintf(b.notes, "%s: not installed (%v)\n", name, err)
		b.missing = append(b.missing, name)
		return nil
	}
	p := &pocketBase{program: program, dir: filepath.Join(filepath.Dir(b.data.plain), "pocketbase")}
	b.closers = append(b.closers, p.stop)
	if _, err := os.Stat(filepath.Join(p.dir, "filled")); err != nil {
		if err := p.fill(ctx, b.data.plain); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := p.start(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	run := time.Now().Unix() // each run needs other ids for new blocks
	b.peers = append(b.peers[:len(b.peers)-1], &peer{name: name, dial: least(p.addr), read: readPocket, outside: true,
		requests: func(name string, n int) []drive.Request { return b.inPocket(name, n, run) }}, b.peers[len(b.peers)-1])
	return nil
}

// inPocket returns the requests to PocketBase. A block and its connection are created in one batch, which is a
// transaction.
func (b *bench) inPocket(name string, n int, run int64) (all []drive.Request) {
	made := b.data.made
	list := func(at, filter, more string, page int) []drive.Request {
		q := url.Values{"filter": {filter}, "page": {fmt.Sprint(page)}, "perPage": {fmt.Sprint(per)}}
		return []drive.Request{drive.Get(at + "?" + q.Encode() + more)}
	}
	switch name {
	case getBlock:
		for _, id := range b.blocks {
			all = append(all, drive.Get(fmt.Sprintf("%s/b%014d", pocketBlocks, id)))
		}
	case firstPage:
		return list(pocketConnections, fmt.Sprintf("channel=%q", made.Middle.Slug), "&sort=position&expand=block", 1)
	case deepPage:
		return list(pocketConnections, fmt.Sprintf("channel=%q", made.Large.Slug), "&sort=position&expand=block", b.deep())
	case wordFound:
		return list(pocketBlocks, fmt.Sprintf("open=true && (markdown~%q || title~%[1]q)", dataset.Uncommon), "&sort=-made", 1)
	case newBlock, newBlocks:
		for range n {
			text, channel := b.text(name)
			id := fmt.Sprintf("n%010d", run) + fmt.Sprintf("%04x", b.written%0x10000)
			all = append(all, drive.Request{Method: http.MethodPost, Path: "/api/batch", Body: fmt.Sprintf(`{"requests":[
				{"method":"POST","url":%q,"body":{"id":%q,"kind":"Text","markdown":%q,"html":%q,"user":"bench","open":true,"made":1}},
				{"method":"POST","url":%q,"body":{"channel":"written-to-%[7]d","item":"Block","block":%[2]q,"position":%[6]d}}]}`,
				pocketBlocks, id, text, "<p>"+text+"</p>", pocketConnections, b.written, channel)})
		}
	}
	return all
}

// readPocket reads a response.
func readPocket(name string, body []byte) (a answer, err error) {
	if name == newBlock || name == newBlocks { // one response for each request of the batch
		var made []json.RawMessage
		err = json.Unmarshal(body, &made)
		return answer{Items: len(made) / 2}, err
	}
	var page struct {
		ID    string            `json:"id"`
		Items []json.RawMessage `json:"items"`
		Total int64             `json:"totalItems"`
	}
	err = json.Unmarshal(body, &page)
	a = answer{len(page.Items), page.Total}
	if page.ID != "" {
		a.Items = 1
	}
	return a, err
}

// fill creates the collections in a new folder, and the records by SQL while the program is stopped.
func (p *pocketBase) fill(ctx context.Context, from string) (err error) {
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, p.program, "superuser", "upsert", pocketUser, pocketPassword, "--dir", p.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	if err := p.collect(); err != nil {
		return err
	}
	if err := p.stop(); err != nil {
		return err
	}
	db, err := openPlain(filepath.Join(p.dir, "data.db"), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "ATTACH $1 AS p", from); err != nil {
		return err
	}
	if err := inTx(ctx, db, func(tx *sql.Tx) error {
		for _, s := range pocketCopies {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "filled"), nil, 0o600)
}

// collect creates the collections and enables batches.
func (p *pocketBase) collect() error {
	var signed struct {
		Token string `json:"token"`
	}
	err := p.ask(http.MethodPost, "/api/collections/_superusers/auth-with-password",
		fmt.Sprintf(`{"identity":%q,"password":%q}`, pocketUser, pocketPassword), &signed)
	if err != nil {
		return err
	}
	p.token = signed.Token
	var made struct {
		ID string `json:"id"`
	}
	if err := p.ask(http.MethodPost, "/api/collections", pocketCollections[0], &made); err != nil {
		return err
	}
	if err := p.ask(http.MethodPost, "/api/collections", fmt.Sprintf(pocketCollections[1], made.ID), nil); err != nil {
		return err
	}
	return p.ask(http.MethodPatch, "/api/settings", `{"batch":{"enabled":true,"maxRequests":50,"timeout":30}}`, nil)
}

func (p *pocketBase) ask(method, path, body string, to any) (err error) {
	req, err := http.NewRequest(method, "http://"+p.addr+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		req.Header.Set("Authorization", p.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, text)
	}
	if err != nil || to == nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// start starts it on a free port and waits until it responds.
func (p *pocketBase) start(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.addr = l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	p.process = exec.CommandContext(ctx, p.program, "serve", "--dir", p.dir, "--http", p.addr)
	p.process.Stderr = os.Stderr
	if err := p.process.Start(); err != nil {
		p.process = nil
		return err
	}
	for range 600 {
		if err = p.ask(http.MethodGet, "/api/health", "", nil); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// stop ends the process, if any.
func (p *pocketBase) stop() error {
	if p.process == nil {
		return nil
	}
	err := p.process.Process.Signal(os.Interrupt)
	_ = p.process.Wait() // reports the interrupt
	p.process = nil
	return err
}
