package moderation

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// Thing is something that is or was reported, as an operator sees it.
type Thing struct {
	About domain.AuditTarget // as it is called
	Owner domain.UserID      // who answers for it
	Text  string             // what it says, in short
	What  domain.Thing       // it
}

// How many characters of a text an operator is shown, and of what has no title stand for one.
const (
	excerpt = 1_000
	label   = 80
)

// shortened is the beginning of a text.
func shortened(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// seen reads a thing that a viewer sees; NotFound where they do not.
func seen(ctx context.Context, q store.Queries, viewer domain.UserID, what domain.Subject) (Thing, error) {
	return read(ctx, q, what, viewer, false, q.Block)
}

// whole reads a thing whoever sees it; NotFound where it is gone.
func whole(ctx context.Context, q store.Queries, what domain.Subject) (Thing, error) {
	var viewer domain.UserID
	if what.Type == domain.SubjectChannel {
		var err error
		if viewer, err = q.ChannelAnswers(ctx, domain.ChannelID(what.ID)); err != nil {
			return Thing{}, err
		}
	}
	return read(ctx, q, what, viewer, true, func(ctx context.Context, _ domain.UserID, id domain.BlockID) (domain.Block, error) {
		return q.AnyBlock(ctx, id)
	})
}

// read reads a thing as a viewer, and blocks, also those that comments are on, as block does. What
// is read whole may be a comment that is hidden.
func read(ctx context.Context, q store.Queries, what domain.Subject, viewer domain.UserID, whole bool,
	block func(context.Context, domain.UserID, domain.BlockID) (domain.Block, error)) (t Thing, err error) {
	switch what.Type {
	case domain.SubjectBlock:
		var b domain.Block
		if b, err = block(ctx, viewer, domain.BlockID(what.ID)); err == nil {
			t = aboutBlock(&b)
		}
	case domain.SubjectChannel:
		var c domain.Channel
		if c, err = q.Channel(ctx, viewer, domain.Ref{ID: what.ID}); err == nil {
			t = Thing{What: domain.Thing{Channel: &c}, Text: c.Title + plain(c.Description), About: domain.AuditTarget{Label: c.Title}}
			t.Owner, err = q.ChannelAnswers(ctx, c.ID)
		}
	case domain.SubjectComment:
		var c domain.Comment
		c, err = q.Comment(ctx, domain.CommentID(what.ID))
		if whole && domain.KindOf(err) == domain.NotFound {
			c, err = hiddenComment(ctx, q, domain.CommentID(what.ID))
		}
		if err == nil {
			t = Thing{What: domain.Thing{Comment: &c}, Text: c.Body.Plain, Owner: domain.UserID(c.Author.ID),
				About: domain.AuditTarget{Label: shortened(c.Body.Plain, label)}}
			_, err = block(ctx, viewer, c.BlockID)
		}
	case domain.SubjectUser:
		var u domain.User
		if u, err = q.User(ctx, domain.Ref{ID: what.ID}); err == nil {
			t = Thing{What: domain.Thing{User: &u}, Text: u.Name + plain(u.Bio), Owner: u.ID, About: domain.AboutUser(u)}
		}
	case domain.SubjectGroup:
		var g domain.Group
		if g, err = q.Group(ctx, viewer, domain.Ref{ID: what.ID}); err == nil {
			t = Thing{What: domain.Thing{Group: &g}, Text: g.Name + plain(g.Description), Owner: domain.UserID(g.Owner.ID),
				About: domain.AuditTarget{Label: g.Name}}
		}
	default:
		err = domain.NewNotFound()
	}
	if err != nil {
		return Thing{}, err
	}
	t.Text = shortened(t.Text, excerpt)
	t.About.Kind, t.About.ID = string(what.Type), what.ID
	t.About = t.About.Kept()
	return t, nil
}

// hiddenComment reads a comment that is hidden, without what only its page shows.
func hiddenComment(ctx context.Context, q store.Queries, id domain.CommentID) (c domain.Comment, err error) {
	c.ID = id
	c.Author.Type = domain.TypeUser
	c.Author.ID, c.BlockID, c.Body.Plain, err = q.KeptComment(ctx, id)
	return c, err
}

// aboutBlock names a block by its title, its address or its words.
func aboutBlock(b *domain.Block) Thing {
	t := Thing{What: domain.Thing{Block: b}, Owner: domain.UserID(b.Author.ID)}
	address := b.SourceURL
	if address == nil {
		address = b.ValueURL
	}
	switch {
	case b.Content != nil:
		t.Text = b.Content.Plain
	case address != nil:
		t.Text = weburl.Readable(*address)
	}
	t.About.Label = shortened(t.Text, label)
	if b.Title != nil {
		t.About.Label = *b.Title
	}
	t.Text += plain(b.Description)
	return t
}

// plain is a text as a further paragraph, "" for none.
func plain(t *domain.Text) string {
	if t == nil || t.Plain == "" {
		return ""
	}
	return "\n\n" + t.Plain
}
