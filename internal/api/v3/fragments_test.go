package v3

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// hostile contains what a fragment consists of.
const hostile = "{\"can\":null,\"connection\":null,\"position\":0}\\\",\"can\":{\x00\u2028\xff<&>"

var noon = time.Date(2026, 5, 1, 12, 0, 0, 1_500_000, time.UTC)

// blocks returns blocks of every type, state and visibility, by users and a group: with every field missing, with plain
// texts, and with hostile texts.
func blocks() (all []domain.Block) {
	text := func(s string) *domain.Text {
		return &domain.Text{Markdown: s, HTML: "<p>" + s + "</p>", Plain: s}
	}
	for _, kind := range []domain.BlockType{domain.TextBlock, domain.ImageBlock, domain.LinkBlock, domain.AttachmentBlock, domain.EmbedBlock, domain.PendingBlock} {
		for _, state := range []domain.BlockState{domain.Processing, domain.Available, domain.Failed} {
			for i, s := range []string{"", "plain", hostile} {
				for channels := range int64(3) {
					b := domain.Block{ID: domain.BlockID(len(all) + 1), Type: kind, State: state, OpenCount: channels / 2, PrivateCount: channels % 2,
						Author: principals[(i+int(channels))%len(principals)], Version: 1, CreatedAt: noon, UpdatedAt: noon.Add(time.Hour)}
					file := &domain.File{ID: 1, Key: "key", Name: s, ContentType: "image/png", Extension: "png", Size: 10, CreatedAt: noon}
					switch kind {
					case domain.ImageBlock:
						b.Image = file
					case domain.AttachmentBlock:
						b.File = file
					case domain.EmbedBlock:
						b.Embed = &domain.Embed{URL: s, Title: s, HTML: s}
					case domain.TextBlock:
						b.Content = text(s)
					case domain.LinkBlock, domain.PendingBlock:
					}
					if s != "" {
						source := "https://www.example.org/" + s
						b.Title, b.Description, b.SourceURL, b.SourceTitle, b.AltText = &s, text(s), &source, &s, &s
						b.Metadata = domain.Metadata(fmt.Sprintf(`{"can":null,"connection":{"position":%d}}`, i))
						file.Blurhash, file.Width, file.Height, file.Resized = &s, 40, 20, "jpg"
						if kind != domain.TextBlock {
							b.Image, b.Content = file, text(s)
						}
					}
					all = append(all, b)
				}
			}
		}
	}
	return all
}

var (
	avatar     = hostile
	principals = []domain.Principal{
		{PrincipalRef: domain.UserRef(1), Name: "Ada", Slug: "ada"},
		{PrincipalRef: domain.UserRef(2), Name: hostile, Slug: "bob", Avatar: &avatar, Version: 7},
		{PrincipalRef: domain.PrincipalRef{Type: domain.TypeGroup, ID: 3}, Name: hostile, Slug: "crew", Avatar: &avatar},
		{PrincipalRef: domain.PrincipalRef{Type: domain.TypeGroup, ID: 4}, Slug: "quiet"},
	}
	viewers = []domain.Actor{{}, {UserID: 1, Scope: domain.ScopeRead}, {UserID: 1, Scope: domain.ScopeWrite}, {UserID: 2, Scope: domain.ScopeWrite}}
)

// items returns every block, and channels of every visibility, with their connections.
func items() (all []domain.Entity) {
	for _, b := range blocks() {
		all = append(all, domain.Entity{Block: &b})
	}
	for _, v := range []domain.Visibility{domain.Public, domain.Closed, domain.Private} {
		for i, owner := range principals {
			c := domain.Channel{ID: domain.ChannelID(len(all)), Slug: "notes", Title: owner.Name, Visibility: v, Owner: owner, Blocks: 3, CreatedAt: noon, UpdatedAt: noon}
			if i%2 == 1 {
				c.Description = &domain.Text{Markdown: hostile, HTML: hostile, Plain: hostile}
				c.Metadata = domain.Metadata(`{"connection":null}`)
			}
			all = append(all, domain.Entity{Channel: &c})
		}
	}
	return all
}

func newHandler() *handler {
	return &handler{at: &present.Addresses{API: "https://api.example.org", Site: "https://example.org", Files: "https://files.example.org"},
		fragments: fragments.New(16 << 20)}
}

// A block that is assembled from its fragment equals one that is encoded directly, for every viewer.
func TestFragmentsOfBlocks(t *testing.T) {
	t.Parallel()
	h := newHandler()
	for _, b := range blocks() {
		if fragment := h.blockFragment(&b); fragment == nil {
			t.Fatalf("%s block %d has no fragment", b.Type, b.ID)
		}
		cached, ok := h.fragments.Get(blockKey(b.Revision()))
		if !ok {
			t.Fatalf("the fragment of %s block %d is not cached", b.Type, b.ID)
		}
		for _, who := range viewers {
			got, want := wire.Bytes(blockItem(who, b.Revision(), cached)), wire.Bytes(h.fullBlock(who, b))
			if string(got) != string(want) {
				t.Errorf("%s block, %s, for %+v:\n%s\nwant\n%s", b.Type, b.State, who, got, want)
			}
		}
	}
}

// A page of contents that is assembled from fragments equals one that is encoded directly, no matter which of the fragments
// are cached.
func TestFragmentsOfContents(t *testing.T) {
	t.Parallel()
	var l domain.List[collections.Content]
	for i, item := range items() {
		c := domain.Connection{ID: domain.ConnectionID(i + 1), Maker: principals[i%2], Position: int64(i) * 1_000_003, Pinned: i%3 == 0, Version: 1, CreatedAt: noon}
		if i%4 > 0 {
			c.Metadata = domain.Metadata(`{"position":0,"text":"` + "\\\"position\\\":0}" + `"}`)
		}
		l.Items = append(l.Items, collections.Content{Connection: c, Entity: item})
	}
	l.Total = int64(len(l.Items))
	for name, isCached := range map[string]func(i int) (block, connection bool){
		"none":             func(int) (bool, bool) { return false, false },
		"only blocks":      func(int) (bool, bool) { return true, false },
		"only connections": func(int) (bool, bool) { return false, true },
		"some":             func(i int) (bool, bool) { return i%2 == 0, i%3 == 0 },
		"all":              func(int) (bool, bool) { return true, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandler()
			page, found := domain.List[collections.KnownContent]{Total: l.Total}, known{h.fragments}
			for i, content := range l.Items {
				k := collections.KnownContent{Position: content.Connection.Position, Content: &content}
				block, connection := isCached(i)
				if connection {
					moved := content.Connection
					moved.Position++ // since it was cached
					h.connectionFragment(&moved)
					k.Connection = found.Connection(moved.Revision())
				}
				if block && content.Block != nil {
					h.blockFragment(content.Block)
					k.Block = found.Block(content.Block.Revision())
				}
				page.Items = append(page.Items, k)
			}
			at := domain.Page{Number: 1, Per: l.Total}
			assembled, err := h.knownList(t.Context(), page, at)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := wire.Bytes(assembled), wire.Bytes(h.contents(l, at)); string(got) != string(want) {
				t.Errorf("assembled:\n%s\nwant\n%s", got, want)
			}
		})
	}
}
