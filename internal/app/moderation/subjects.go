package moderation

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// SubjectDetails is a reported thing as shown to an operator.
type SubjectDetails struct {
	About domain.AuditTarget // its name
	Owner domain.UserID      // who is responsible for it
	Text  string             // a short excerpt
	What  domain.Entity      // the thing itself
}

// Maximum characters of an excerpt, and of an excerpt that replaces a missing title.
const (
	excerpt = 1_000
	label   = 80
)

// shortened returns the beginning of a text.
func shortened(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// readVisible reads a thing that a viewer sees, or returns NotFound.
func readVisible(ctx context.Context, q store.Queries, viewer domain.UserID, what domain.Subject) (SubjectDetails, error) {
	return read(ctx, q, what, viewer, false, q.Blocks().Block)
}

// readAny reads a thing regardless of its visibility. It returns NotFound if the thing no longer exists.
func readAny(ctx context.Context, q store.Queries, what domain.Subject) (SubjectDetails, error) {
	var viewer domain.UserID
	if what.Type == domain.SubjectChannel {
		var err error
		if viewer, err = q.Moderation().ChannelAnswers(ctx, domain.ChannelID(what.ID)); err != nil {
			return SubjectDetails{}, err
		}
	}
	return read(ctx, q, what, viewer, true, func(ctx context.Context, _ domain.UserID, id domain.BlockID) (domain.Block, error) {
		return q.Blocks().AnyBlock(ctx, id)
	})
}

// read reads a thing as a viewer. It reads blocks, including those of comments, with block. If whole is set, it also
// reads hidden comments.
func read(ctx context.Context, q store.Queries, what domain.Subject, viewer domain.UserID, whole bool,
	block func(context.Context, domain.UserID, domain.BlockID) (domain.Block, error)) (t SubjectDetails, err error) {
	switch what.Type {
	case domain.SubjectBlock:
		var b domain.Block
		if b, err = block(ctx, viewer, domain.BlockID(what.ID)); err == nil {
			t = aboutBlock(&b)
		}
	case domain.SubjectChannel:
		var c domain.Channel
		if c, err = q.Channels().Channel(ctx, viewer, domain.Ref{ID: what.ID}); err == nil {
			t = SubjectDetails{What: domain.Entity{Channel: &c}, Text: c.Title + plain(c.Description), About: domain.AuditTarget{Label: c.Title}}
			t.Owner, err = q.Moderation().ChannelAnswers(ctx, c.ID)
		}
	case domain.SubjectComment:
		var c domain.Comment
		c, err = q.Comments().Comment(ctx, domain.CommentID(what.ID))
		if whole && domain.KindOf(err) == domain.NotFound {
			c, err = hiddenComment(ctx, q, domain.CommentID(what.ID))
		}
		if err == nil {
			t = SubjectDetails{What: domain.Entity{Comment: &c}, Text: c.Body.Plain, Owner: domain.UserID(c.Author.ID),
				About: domain.AuditTarget{Label: shortened(c.Body.Plain, label)}}
			_, err = block(ctx, viewer, c.BlockID)
		}
	case domain.SubjectUser:
		var u domain.User
		if u, err = q.Users().User(ctx, domain.Ref{ID: what.ID}); err == nil {
			t = SubjectDetails{What: domain.Entity{User: &u}, Text: u.Name + plain(u.Bio), Owner: u.ID, About: domain.AboutUser(u)}
		}
	case domain.SubjectGroup:
		var g domain.Group
		if g, err = q.Groups().Group(ctx, viewer, domain.Ref{ID: what.ID}); err == nil {
			t = SubjectDetails{What: domain.Entity{Group: &g}, Text: g.Name + plain(g.Description), Owner: domain.UserID(g.Owner.ID),
				About: domain.AuditTarget{Label: g.Name}}
		}
	default:
		err = domain.NewNotFound()
	}
	if err != nil {
		return SubjectDetails{}, err
	}
	t.Text = shortened(t.Text, excerpt)
	t.About.Kind, t.About.ID = string(what.Type), what.ID
	t.About = t.About.Kept()
	return t, nil
}

// hiddenComment reads a hidden comment without the details that only its page shows.
func hiddenComment(ctx context.Context, q store.Queries, id domain.CommentID) (c domain.Comment, err error) {
	c.ID = id
	c.Author.Type = domain.TypeUser
	c.Author.ID, c.BlockID, c.Body.Plain, err = q.Hiding().KeptComment(ctx, id)
	return c, err
}

// aboutBlock describes a block by its title, its URL or its text.
func aboutBlock(b *domain.Block) SubjectDetails {
	t := SubjectDetails{What: domain.Entity{Block: b}, Owner: domain.UserID(b.Author.ID)}
	address := b.SourceURL
	if address == nil {
		address = b.ValueURL
	}
	switch {
	case b.Content.Shown():
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

// plain returns a text as another paragraph, or "" for nil.
func plain(t *domain.Text) string {
	if t == nil || t.Plain == "" {
		return ""
	}
	return "\n\n" + t.Plain
}
