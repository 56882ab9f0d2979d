package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// Account is an account of the data set with its tokens, which everyone knows.
type Account struct {
	ID    int64  `json:"id"`
	Slug  string `json:"slug"`
	Read  string `json:"read_token"`
	Write string `json:"write_token"`
}

// Password is the password of all accounts.
const Password = "sandbox sandbox"

// started is the time of the first thing in the data set. Each later one is a minute younger.
var started = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

// Clock is the clock while the data set is made.
type Clock struct{ now time.Time }

// NewClock returns a clock at the start of the data set.
func NewClock() *Clock { return &Clock{started} }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.now }

// world makes the data set. Its methods do nothing after the first error.
type world struct {
	ctx   context.Context
	app   *app.App
	clock *Clock
	err   error
}

// Build makes the data set: always the same accounts, tokens, channels, blocks, ids and dates. Only the addresses of
// files and the id of the application differ. Run all jobs afterwards.
func Build(ctx context.Context, a *app.App, clock *Clock) (all []Account, clientID string, err error) {
	w := &world{ctx: ctx, app: a, clock: clock}
	ada, accountOfAda := w.person("ada", "Ada", domain.TierPremium)
	ben, accountOfBen := w.person("ben", "Ben", domain.TierFree)
	cy, accountOfCy := w.person("cy", "Cy", domain.TierFree)
	w.describe(ada, "Collects **field notes**, maps and quiet colours.")
	w.describe(ben, "Reads more than he writes.")
	readers := w.group(ada, "Reading Group", "A group that shares one library.", ben)

	notes := w.channel(ada, "Field Notes", "Notes from walks, with *pictures* and links.", domain.Public, nil)
	colours := w.channel(ada, "Quiet Colours", "Only pictures.", domain.Closed, nil)
	drafts := w.channel(ada, "Drafts", "Nobody else sees this.", domain.Private, nil)
	shelf := w.channel(ben, "Open Shelf", "Everyone may add to it.", domain.Public, nil)
	long := w.channel(ben, "A Long List", "More than a page, to test paging.", domain.Public, nil)
	library := w.channel(ada, "Library", "Owned by a group.", domain.Closed, &readers)
	w.channel(cy, "An Empty Channel", "", domain.Public, nil)

	w.texts(ada, notes)
	w.pictures(ada, notes, colours)
	w.links(ada, notes, shelf)
	w.files(ada, notes)
	w.text(ada, "Not finished yet.", "A first sentence", drafts)
	for i := range 120 {
		w.text(ben, fmt.Sprintf("Entry %d of 120.", i+1), fmt.Sprintf("Entry %d", i+1), long)
	}
	for i, address := range []string{"https://example.org/books/the-atlas-of-small-rivers", "https://example.org/books/a-grammar-of-moss"} {
		w.block(ben, collections.BlockInput{Value: address, Metadata: fmt.Appendf(nil, `{"year": %d, "read": %t}`, 1972+i, i == 0)}, library)
	}
	w.nest(ada, notes, colours, long)
	w.nest(ben, shelf, notes)
	w.collaborate(ada, colours, ben)
	w.follow(ben, domain.SubjectUser, int64(ada.UserID))
	w.follow(cy, domain.SubjectUser, int64(ada.UserID))
	w.follow(cy, domain.SubjectChannel, int64(shelf))
	w.follow(ada, domain.SubjectChannel, int64(long))
	talked := w.text(ada, "What should we read next?", "A question", notes, library)
	w.comment(ben, talked, "The atlas, I think. @ada, do you still have it?")
	w.comment(ada, talked, "Yes, it is in the library.")
	clientID = w.createClient(ada)
	return []Account{accountOfAda, accountOfBen, accountOfCy}, clientID, w.err
}

// step runs one action, a minute after the one before.
func (w *world) step(do func() error) {
	if w.err == nil {
		w.clock.now = w.clock.now.Add(time.Minute)
		w.err = do()
	}
}

func (w *world) person(slug, name string, tier domain.Tier) (actor domain.Actor, made Account) {
	w.step(func() error {
		u, err := w.app.Accounts.CreateUser(w.ctx, accounts.CreateUserInput{Slug: slug, Name: name, Email: slug + "@example.org", Password: Password, Tier: tier})
		if err != nil {
			return err
		}
		actor = domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
		made = Account{ID: int64(u.ID), Slug: u.Slug}
		if made.Read, err = w.app.Accounts.CreateKnownToken(w.ctx, u.ID, slug, domain.ScopeRead); err != nil {
			return err
		}
		made.Write, err = w.app.Accounts.CreateKnownToken(w.ctx, u.ID, slug, domain.ScopeWrite)
		return err
	})
	return actor, made
}

func (w *world) describe(who domain.Actor, bio string) {
	w.step(func() error {
		_, err := w.app.People.UpdateMe(w.ctx, who, people.UpdateMeInput{Bio: core.Patch{Set: true, Value: &bio}})
		return err
	})
}

func (w *world) group(owner domain.Actor, name, description string, members ...domain.Actor) (group domain.PrincipalRef) {
	w.step(func() error {
		g, err := w.app.People.CreateGroup(w.ctx, owner, people.CreateGroupInput{Name: name, Description: &description})
		if err != nil {
			return err
		}
		group = domain.PrincipalRef{Type: domain.TypeGroup, ID: int64(g.ID)}
		ref := domain.Ref{ID: int64(g.ID)}
		invite, _, err := w.app.People.CreateGroupInvite(w.ctx, owner, ref)
		for _, m := range members {
			if err == nil {
				_, _, err = w.app.People.JoinGroup(w.ctx, m, ref, invite.Code)
			}
		}
		return err
	})
	return group
}

func (w *world) channel(owner domain.Actor, title, description string, v domain.Visibility, of *domain.PrincipalRef) (id domain.ChannelID) {
	w.step(func() error {
		in := collections.CreateChannelInput{Title: title, Visibility: v, Owner: of}
		if description != "" {
			in.Description = &description
		}
		c, err := w.app.Collections.CreateChannel(w.ctx, owner, in)
		id = c.ID
		return err
	})
	return id
}

func (w *world) block(author domain.Actor, in collections.BlockInput, channels ...domain.ChannelID) (id domain.BlockID) {
	w.step(func() error {
		var targets []collections.Target
		for _, c := range channels {
			targets = append(targets, collections.Target{Channel: domain.Ref{ID: int64(c)}})
		}
		b, err := w.app.Collections.CreateBlock(w.ctx, author, collections.CreateBlockInput{BlockInput: in, Targets: targets})
		id = b.ID
		return err
	})
	return id
}

func (w *world) text(author domain.Actor, text, title string, channels ...domain.ChannelID) domain.BlockID {
	return w.block(author, collections.BlockInput{Value: text, Title: &title}, channels...)
}

// texts covers Markdown, other scripts, an empty title and long texts.
func (w *world) texts(author domain.Actor, channel domain.ChannelID) {
	w.text(author, "# Wet meadows\n\nThe path ends at the *second* gate.\n\n- reeds\n- sedge\n- one [heron](https://example.org/birds/grey-heron)\n\n> Come back in May.", "Wet meadows", channel)
	w.text(author, "湿地を歩く。鷺が一羽。", "湿地", channel)
	w.text(author, "مشينا على الضفة حتى المساء.", "الضفة", channel)
	w.text(author, "A heron 🪶, and `code`, and 5 < 7 & \"quotes\".", "Characters 🪶", channel)
	w.block(author, collections.BlockInput{Value: "This one has no title."}, channel)
	w.text(author, strings.Repeat("The river is low, and the stones are dry. ", 400), "A long text", channel)
}

// pictures adds uploaded images. The first ones are in two channels.
func (w *world) pictures(author domain.Actor, notes, colours domain.ChannelID) {
	for i, name := range []string{"First light", "The second gate", "Low water", "Reeds", "After the rain", "Slate"} {
		at := []domain.ChannelID{colours}
		if i < 3 {
			at = append(at, notes)
		}
		alt := "Hills below a low sun, drawn in four colours"
		w.upload(author, collections.BlockInput{Title: &name, AltText: &alt}, strings.ReplaceAll(strings.ToLower(name), " ", "-")+".png", "image/png",
			picture(uint64(i), 900, 600), at...)
	}
}

func (w *world) upload(author domain.Actor, in collections.BlockInput, name, contentType string, body []byte, channels ...domain.ChannelID) {
	w.step(func() (err error) {
		file, err := w.app.Content.ReceiveFile(w.ctx, author, content.FormFile{Name: name, ContentType: contentType, Body: bytes.NewReader(body)})
		in.Value = file.Value
		return err
	})
	w.block(author, in, channels...)
}

// links adds pages of the sandbox's web, one that does not exist, and a player.
func (w *world) links(author domain.Actor, notes, shelf domain.ChannelID) {
	for _, address := range []string{"https://example.org/birds/grey-heron", "https://example.org/maps/drainage-plan-of-1898", "https://example.org/notes/how-to-read-a-hedge"} {
		w.block(author, collections.BlockInput{Value: address}, notes, shelf)
	}
	w.block(author, collections.BlockInput{Value: "https://example.org/status/404"}, shelf)
	w.block(author, collections.BlockInput{Value: "https://vimeo.com/76979871"}, shelf)
}

func (w *world) files(author domain.Actor, channel domain.ChannelID) {
	title := "Water levels"
	w.upload(author, collections.BlockInput{Title: &title}, "water-levels.csv", "text/csv", []byte("week,level_cm\n1,42\n2,40\n3,37\n"), channel)
}

func (w *world) nest(who domain.Actor, into domain.ChannelID, channels ...domain.ChannelID) {
	for _, c := range channels {
		w.step(func() error {
			_, err := w.app.Collections.Connect(w.ctx, who, domain.ItemRef{Type: domain.ItemChannel, ID: int64(c)},
				[]collections.Target{{Channel: domain.Ref{ID: int64(into)}}})
			return err
		})
	}
}

func (w *world) collaborate(owner domain.Actor, channel domain.ChannelID, who domain.Actor) {
	w.step(func() error {
		_, _, err := w.app.Collections.AddCollaborator(w.ctx, owner, domain.Ref{ID: int64(channel)}, domain.PrincipalRef{Type: domain.TypeUser, ID: int64(who.UserID)})
		return err
	})
}

func (w *world) follow(who domain.Actor, kind domain.SubjectType, id int64) {
	w.step(func() error {
		return w.app.People.Follow(w.ctx, who, people.FollowTarget{Type: kind, Ref: domain.Ref{ID: id}})
	})
}

func (w *world) comment(who domain.Actor, block domain.BlockID, text string) {
	w.step(func() error {
		_, err := w.app.Collections.CreateComment(w.ctx, who, block, text)
		return err
	})
}
