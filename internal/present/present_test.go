package present_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

var at = &present.Addresses{API: "https://api.test", Site: "https://site.test", Files: "https://files.test/files"}

func ptr[T any](v T) *T { return &v }

// same compares an actual value with the expected one.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func user(id int64, name, slug string) domain.Principal {
	return domain.Principal{PrincipalRef: domain.UserRef(domain.UserID(id)), Name: name, Slug: slug}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	ada := user(1815, "Ada Lovelace", "ada-lovelace")
	engines := domain.Group{ID: 7, Name: "Engines", Slug: "engines"}
	group := engines.Principal()
	block := at.Block(&domain.Block{ID: 1843})
	channel := at.Channel(&domain.Channel{ID: 31, Slug: "notes", Owner: group})
	same(t, "user", at.User(&domain.User{Slug: "ada-lovelace"}).URL(), "https://site.test/ada-lovelace")
	same(t, "embedded user", at.Principal(&ada).URL(), "https://site.test/ada-lovelace")
	same(t, "group", at.Group(&engines).URL(), "https://site.test/group/engines")
	same(t, "embedded group", at.Principal(&group).URL(), "https://site.test/group/engines")
	same(t, "channel", channel.URL(), "https://site.test/engines/notes")
	same(t, "block", block.URL(), "https://site.test/block/1843")
	same(t, "invite", at.GroupInvite(&domain.GroupInvite{Code: "c0de"}, &engines).URL(), "https://site.test/group/engines/invite/c0de")
	same(t, "no picture", at.Picture(nil), "")
	same(t, "picture", at.Picture(ptr("key/square-2x.jpg")), "https://files.test/files/key/square-2x.jpg")
	same(t, "picture elsewhere", at.Picture(ptr("https://elsewhere.test/a.png")), "https://elsewhere.test/a.png")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  []present.Rel
		want []present.Rel
	}{
		{"block", at.Block(&domain.Block{ID: 5}).Links(),
			[]present.Rel{{"self", "/v3/blocks/5"}, {"connections", "/v3/blocks/5/connections"}}},
		{"channel", at.Channel(&domain.Channel{ID: 5}).Links(),
			[]present.Rel{{"self", "/v3/channels/5"}, {"contents", "/v3/channels/5/contents"}, {"connections", "/v3/channels/5/connections"}}},
		{"connection of a block", at.Connection(&domain.Connection{ID: 1, ChannelID: 2, Item: domain.BlockRef(3)}).Links(),
			[]present.Rel{{"self", "/v3/connections/1"}, {"channel", "/v3/channels/2"}, {"item", "/v3/blocks/3"}}},
		{"connection of a channel", at.Connection(&domain.Connection{ID: 1, ChannelID: 2, Item: domain.ChannelRef(3)}).Links(),
			[]present.Rel{{"self", "/v3/connections/1"}, {"channel", "/v3/channels/2"}, {"item", "/v3/channels/3"}}},
		{"user", at.User(&domain.User{ID: 5}).Links(), []present.Rel{{"self", "/v3/users/5"}}},
		{"group", at.Group(&domain.Group{ID: 5}).Links(), []present.Rel{{"self", "/v3/groups/5"}, {"members", "/v3/groups/5/members"}}},
		{"comment", at.Comment(&domain.Comment{ID: 5, BlockID: 6, Author: user(7, "", "")}).Links(),
			[]present.Rel{{"self", "/v3/comments/5"}, {"user", "/v3/users/7"}, {"block", "/v3/blocks/6"}}},
		{"invitation", at.Invitation(&domain.Invitation{ID: 5, Group: domain.Principal{PrincipalRef: domain.GroupRef(6)}}).Links(),
			[]present.Rel{{"self", "/v3/groups/6/invitations/5"}}},
		{"invite", at.GroupInvite(&domain.GroupInvite{}, &domain.Group{ID: 6}).Links(), []present.Rel{{"self", "/v3/groups/6/invite"}}},
	} {
		same(t, c.name, c.got, c.want)
	}
}

func TestHeading(t *testing.T) {
	t.Parallel()
	text := func(plain string) *domain.Text { return &domain.Text{Markdown: plain, Plain: plain} }
	for _, c := range []struct {
		name  string
		block domain.Block
		want  string
	}{
		{"title", domain.Block{Title: ptr("Moss"), Content: text("A text")}, "Moss"},
		{"empty title", domain.Block{Title: ptr(""), Content: text("A text")}, "A text"},
		{"text of lines", domain.Block{Content: text("\n A \n\n text\n")}, "A text"},
		{"source", domain.Block{Content: text(" \n"), BlockTexts: domain.BlockTexts{SourceTitle: ptr("A page")}}, "A page"},
		{"document", domain.Block{Content: &domain.Text{Plain: "A text"}, BlockTexts: domain.BlockTexts{SourceTitle: ptr("A page")}}, "A page"},
		{"nothing", domain.Block{BlockTexts: domain.BlockTexts{SourceTitle: ptr("")}}, "Untitled"},
		{"link", domain.Block{Type: domain.LinkBlock, State: domain.Failed, SourceURL: ptr("https://www.xn--exmple-cua.org/%C3%A4/?b=c#d")}, "exämple.org/ä/?b=c#d"},
		{"home", domain.Block{Type: domain.LinkBlock, SourceURL: ptr("https://example.org/")}, "example.org"},
		{"pending", domain.Block{Type: domain.PendingBlock, SourceURL: ptr("http://example.org:8080/a")}, "example.org:8080/a"},
		{"long", domain.Block{Type: domain.LinkBlock, SourceURL: ptr("https://example.org/" + strings.Repeat("x", 100))}, "example.org/" + strings.Repeat("x", 68) + "…"},
		{"image", domain.Block{Type: domain.ImageBlock, SourceURL: ptr("https://example.org/a")}, "Untitled"},
	} {
		same(t, c.name, at.Block(&c.block).Heading(), c.want)
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one two", "one two"},
		{"one two1", "one…"},
		{"ünü twö", "ünü twö"},
		{"onetwothree", "onetwot…"},
		{"sevench x", "sevench…"},
	} {
		same(t, c.text, present.Excerpt(c.text, 7), c.want)
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source *string
		want   present.Provider
	}{
		{nil, present.Provider{}},
		{ptr("https://www.Moss.test/a?b"), present.Provider{Name: "moss.test", URL: "https://www.moss.test"}},
		{ptr("HTTP://moss.test:8080/"), present.Provider{Name: "moss.test", URL: "http://moss.test:8080"}},
		{ptr("mailto:a@moss.test"), present.Provider{}},
		{ptr("://"), present.Provider{}},
	} {
		s := at.Block(&domain.Block{SourceURL: c.source, BlockTexts: domain.BlockTexts{SourceTitle: ptr("A page")}}).Source()
		same(t, "provider", s.Provider, c.want)
		if c.source != nil {
			same(t, "source", s, present.Source{URL: *c.source, Title: s.Title, Provider: c.want})
		}
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	b := domain.Block{BlockTexts: domain.BlockTexts{AltText: ptr("Moss")}, Image: &domain.File{Key: "key", Extension: "png", Resized: "jpg", Width: 4000, Height: 3000}}
	i := at.Block(&b).Image()
	same(t, "original", i.Src(), "https://files.test/files/key/original.png")
	same(t, "alternative text", *i.AltText, "Moss")
	same(t, "aspect ratio", i.AspectRatio(), 1.3333)
	for name, v := range map[string]present.Version{"small": i.Small(), "medium": i.Medium(), "large": i.Large(), "square": i.Square()} {
		same(t, name, v.Src, "https://files.test/files/key/"+name+".jpg")
		same(t, name, v.Src2x, "https://files.test/files/key/"+name+"-2x.jpg")
	}
	large, square := i.Large(), i.Square()
	same(t, "large", []int64{large.Width, large.Height}, []int64{1200, 900})
	same(t, "square", []int64{square.Width, square.Height}, []int64{400, 400})
	same(t, "srcset", square.Srcset(), square.Src+" 1x, "+square.Src2x+" 2x")

	b.Image = &domain.File{Key: "key", Extension: "svg"} // without resized versions
	i = at.Block(&b).Image()
	same(t, "aspect ratio", i.AspectRatio(), 0.0)
	same(t, "small", i.Small(), present.Version{Src: i.Src(), Src2x: i.Src()})
	same(t, "srcset", i.Small().Srcset(), i.Src())
}

func TestAttachment(t *testing.T) {
	t.Parallel()
	b := domain.Block{File: &domain.File{Key: "key"}}
	same(t, "address", at.Block(&b).Attachment().URL(), "https://files.test/files/key/original")
}

// Inviting an address does not reveal its owner.
func TestInvitee(t *testing.T) {
	t.Parallel()
	ada := user(1, "Ada", "ada")
	same(t, "a user", at.Invitation(&domain.Invitation{Invitee: &ada}).Invitee(), &ada)
	i := at.Invitation(&domain.Invitation{Invitee: &ada, Email: ptr("ada@vitrine.test")})
	if i.Invitee() != nil {
		t.Error("the invitee of an address is shown")
	}
}

func TestThing(t *testing.T) {
	t.Parallel()
	ada := user(1, "Ada", "ada")
	for _, c := range []struct {
		thing         domain.Entity
		heading, path string
	}{
		{domain.Entity{}, "", ""},
		{domain.Entity{Block: &domain.Block{ID: 3}}, "Untitled", "/block/3"},
		{domain.Entity{Channel: &domain.Channel{Title: "Moss", Slug: "moss", Owner: ada}}, "Moss", "/ada/moss"},
		{domain.Entity{User: &domain.User{Name: "Ada", Slug: "ada"}}, "Ada", "/ada"},
		{domain.Entity{Group: &domain.Group{Name: "Engines", Slug: "engines"}}, "Engines", "/group/engines"},
		{domain.Entity{Principal: &ada}, "Ada", "/ada"},
		{domain.Entity{Comment: &domain.Comment{BlockID: 3, Body: domain.Text{Plain: "Yes."}}}, "Yes.", "/block/3"},
	} {
		same(t, "heading", at.Entity(c.thing).Heading(), c.heading)
		same(t, "path", at.Entity(c.thing).Path(), c.path)
	}
}

// Every kind of activity reads as a sentence.
func TestActivity(t *testing.T) {
	t.Parallel()
	ada, ben := user(1, "Ada", "ada"), user(2, "Ben", "ben")
	group := domain.Principal{PrincipalRef: domain.GroupRef(3), Name: "Engines"}
	channel := domain.Entity{Channel: &domain.Channel{Title: "Moss"}}
	block := domain.Entity{Block: &domain.Block{Title: ptr("Fern")}}
	comment := domain.Entity{Comment: &domain.Comment{Body: domain.Text{Plain: "Yes."}}}
	for _, c := range []struct {
		kind         domain.ActivityKind
		item, target domain.Entity
		want         string
	}{
		{domain.FollowedUser, domain.Entity{Principal: &ben}, domain.Entity{}, "Ada followed Ben"},
		{domain.FollowedChannel, channel, domain.Entity{}, "Ada followed Moss"},
		{domain.FollowedGroup, domain.Entity{Principal: &group}, domain.Entity{}, "Ada followed Engines"},
		{domain.AddedBlock, block, channel, "Ada added Fern to Moss"},
		{domain.AddedChannel, channel, channel, "Ada added Moss to Moss"},
		{domain.CreatedChannel, channel, domain.Entity{}, "Ada created Moss"},
		{domain.CollaboratingUser, domain.Entity{Principal: &ben}, channel, "Ada is collaborating with Ben on Moss"},
		{domain.CollaboratingGroup, domain.Entity{Principal: &group}, channel, "Ada is collaborating with Engines on Moss"},
		{domain.AddedToGroup, domain.Entity{Principal: &ben}, domain.Entity{Principal: &group}, "Ada added Ben to Engines"},
		{domain.Commented, comment, block, "Ada commented on Fern"},
		{domain.Mentioned, comment, domain.Entity{}, "Ada mentioned you"},
	} {
		a := at.Activity(&domain.Story{Activity: domain.Activity{Kind: c.kind}, Actor: ada, Item: c.item, Target: c.target})
		got := a.Actor().Name + " " + a.Action()
		switch {
		case c.kind == domain.Commented:
			got += " " + a.Target().Heading()
		case c.kind != domain.Mentioned:
			got += " " + a.Item().Heading()
		}
		if a.Connector() != "" {
			got += " " + a.Connector() + " " + a.Target().Heading()
		}
		same(t, string(c.kind), got, c.want)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ number, per, total, pages, prev, next int64 }{
		{1, 24, 0, 0, 0, 0},
		{1, 24, 24, 1, 0, 0},
		{1, 24, 25, 2, 0, 2},
		{2, 24, 25, 2, 1, 0},
		{9, 24, 25, 2, 2, 0},
		{9, 24, 0, 0, 1, 0},
	} {
		p := present.Page{Page: domain.Page{Number: c.number, Per: c.per}, Total: c.total}
		same(t, "page", []int64{p.Pages(), p.Prev(), p.Next()}, []int64{c.pages, c.prev, c.next})
	}
	query := url.Values{"q": {"a&b"}, "page": {"7"}}
	same(t, "address", present.PageAddress("/list", query, 3), "/list?page=3&q=a%26b")
	same(t, "query", query.Get("page"), "7")
	same(t, "no query", present.PageAddress("/list", nil, 3), "/list?page=3")
	same(t, "no page", present.PageAddress("/list", query, 0), "")
}

func TestDates(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, time.March, 4, 1, 5, 9, 0, time.FixedZone("", 2*60*60))
	same(t, "machine", present.Machine(when), "2026-03-03T23:05:09Z")
}
