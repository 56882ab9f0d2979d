// Command copy keeps a copy of a channel in a folder, a JSON file for each block, and follows what changes. It stores the cursor
// with the copy, so it can be stopped at any time and continues there. Run it with -once to stop when the copy is up to date.
//
//	go run ./examples/copy -base https://vitrine.example -channel field-notes -dir copy
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vitrine/client"
	"vitrine/client/ext"
)

func main() {
	base := flag.String("base", "http://127.0.0.1:8080", "address of the server")
	channel := flag.String("channel", "", "slug or id of the channel")
	dir := flag.String("dir", "copy", "folder of the copy")
	once := flag.Bool("once", false, "stop when the copy is up to date")
	flag.Parse()
	if err := run(context.Background(), *base, client.Ref(*channel), *dir, *once); err != nil {
		fmt.Fprintln(os.Stderr, "copy:", err)
		os.Exit(1)
	}
}

// mirror is a copy of a channel.
type mirror struct {
	x    *ext.Client
	id   int64
	dir  string
	once bool
}

func run(ctx context.Context, base string, ref client.Ref, dir string, once bool) error {
	c, err := client.New(base, client.WithToken(os.Getenv("TOKEN")))
	if err != nil {
		return err
	}
	channel, err := c.GetChannel(ctx, ref)
	if err != nil {
		return err
	}
	m := mirror{ext.New(c), channel.ID, dir, once}
	for {
		err := m.follow(ctx)
		if !errors.Is(err, ext.ErrStartAgain) {
			return err
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
}

// follow applies all changes after the stored cursor. Without one it reads the whole channel, after it has asked for the cursor.
func (m mirror) follow(ctx context.Context) error {
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return err
	}
	stored, err := os.ReadFile(filepath.Join(m.dir, "cursor"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cursor := string(stored)
	for batch, err := range m.x.Follow(ctx, ext.FollowParams{Cursor: cursor, Channel: m.id, NoWait: m.once}) {
		if err != nil {
			return err
		}
		if cursor == "" {
			err = m.readAll(ctx)
		} else {
			err = m.apply(ctx, batch.Changes)
		}
		if err != nil {
			return err
		}
		cursor = batch.Cursor
		if err := os.WriteFile(filepath.Join(m.dir, "cursor"), []byte(cursor), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readAll copies all blocks. The list returns each exactly once, however much others write.
func (m mirror) readAll(ctx context.Context) error {
	for item, err := range m.x.AllChannelContents(ctx, client.ID(m.id), &ext.ListChannelContentsParams{Limit: 100}) {
		if err != nil {
			return err
		}
		if item.Block != nil {
			if err := m.write(item.Block.ID, item.JSON); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply copies the blocks that changed again, and removes those that are not in the channel any more.
func (m mirror) apply(ctx context.Context, changes []ext.Change) error {
	for _, c := range changes {
		id, gone := c.ID, c.Kind == "deleted"
		switch {
		case c.Type == "Connection" && c.Item != nil && c.Item.Type == "Block" && c.ChannelID != nil && *c.ChannelID == m.id:
			id, gone = c.Item.ID, c.Kind == "disconnected"
		case c.Type != "Block":
			continue
		}
		item, err := m.x.ShowBlock(ctx, id, nil)
		switch {
		case gone || client.IsNotFound(err):
			err = os.RemoveAll(m.path(id))
		case err == nil:
			err = m.write(id, item.JSON)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m mirror) path(id int64) string { return filepath.Join(m.dir, fmt.Sprintf("%d.json", id)) }

func (m mirror) write(id int64, text []byte) error {
	return os.WriteFile(m.path(id), []byte(strings.TrimSpace(string(text))+"\n"), 0o644)
}
