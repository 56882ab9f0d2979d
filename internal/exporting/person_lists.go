package exporting

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// signIn returns how the person signs in, or nil if only by password.
func (p *person) signIn(ctx context.Context) (*signInLine, error) {
	factor, err := p.e.o.App.Accounts.SecondFactor(ctx, p.actor)
	if err != nil {
		return nil, err
	}
	identities, err := p.e.o.App.SSO.Connections(ctx, p.actor)
	if err != nil || len(factor.Passkeys)+factor.Codes+len(identities) == 0 {
		return nil, err
	}
	out := &signInLine{RecoveryCodes: factor.Codes}
	for _, k := range factor.Passkeys {
		shown := passkeyLine{Name: k.Name, CreatedAt: k.CreatedAt.UTC()}
		if k.LastUsedAt != nil {
			used := k.LastUsedAt.UTC()
			shown.LastUsedAt = &used
		}
		out.Passkeys = append(out.Passkeys, shown)
	}
	for _, i := range identities {
		out.Identities = append(out.Identities, identityLine{i.Issuer, i.Subject, i.Email, i.CreatedAt.UTC(), i.UsedAt.UTC()})
	}
	return out, nil
}

// blockPage writes a block as Markdown with its comments, and queues the comments for the JSON.
func (p *person) blockPage(ctx context.Context, l blockLine) error {
	w, err := p.zip.create("markdown/blocks/"+blockName(l), false)
	if err != nil {
		return err
	}
	var b strings.Builder
	writeBlock(&b, l, frontMatter, func(f *fileLine) string {
		if f.Path == "" {
			return ""
		}
		return "../../" + f.Path
	})
	if l.Comments > 0 {
		b.WriteString("\n## Comments\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil || l.Comments == 0 {
		return err
	}
	for n := int64(1); ; n++ {
		some, err := p.e.o.App.Collections.Comments(ctx, p.actor, domain.BlockID(l.ID), false, domain.Page{Number: n, Per: perPage})
		if isGone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range some.Items {
			c := recorder{at: p.e.o.Addresses}.comment(&some.Items[i])
			text := "\n" + plain(c.Author.Name+", "+c.CreatedAt.Format(time.DateOnly)) + "\n\n> " + strings.ReplaceAll(c.Body, "\n", "\n> ") + "\n"
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			if err := p.comment(c); err != nil {
				return err
			}
		}
		if int64(len(some.Items)) < perPage {
			return nil
		}
	}
}

func (p *person) comment(c commentLine) error {
	p.progress.Comments++
	return line(&p.comments, c)
}

// orphans writes the person's blocks that are in no exported channel.
func (p *person) orphans(ctx context.Context) error {
	w, err := p.zip.create("json/blocks.jsonl", false)
	if err != nil {
		return err
	}
	cells := int64(0)
	for after := (domain.Block{}); ; {
		all, err := p.e.o.App.Collections.AuthoredBlocks(ctx, p.actor, after, batch)
		if err != nil {
			return err
		}
		r, err := p.e.recorder(ctx, all, p.me.ID, nil)
		if err != nil {
			return err
		}
		for _, b := range all {
			if p.blocks.has(int64(b.ID)) {
				continue
			}
			l := r.block(b)
			cells++
			if err := errors.Join(line(w, l), line(&p.cells, cellOf(&l)), p.addBlock(l, b)); err != nil {
				return err
			}
		}
		if len(all) < batch {
			return p.flush(ctx, nil, cells)
		}
		after = *all[len(all)-1]
		p.reportProgress()
	}
}

// ownComments queues the person's comments on other blocks.
func (p *person) ownComments(ctx context.Context) error {
	for after := (domain.Comment{}); ; {
		all, last, err := p.e.o.App.Collections.AuthoredComments(ctx, p.actor, after, perPage)
		if err != nil || last == nil {
			return err
		}
		for i := range all {
			if p.blocks.has(int64(all[i].BlockID)) {
				continue
			}
			if err := p.comment(recorder{at: p.e.o.Addresses}.comment(&all[i])); err != nil {
				return err
			}
		}
		after = *last
	}
}

// following writes what the person follows.
func (p *person) following(ctx context.Context) error {
	w, err := p.zip.create("json/following.jsonl", false)
	if err != nil {
		return err
	}
	for n := int64(1); ; n++ {
		l, err := p.e.o.App.People.Following(ctx, p.actor, domain.Ref{ID: int64(p.me.ID)}, people.FollowingInput{Page: domain.Page{Number: n, Per: perPage}})
		if err != nil {
			return err
		}
		for _, t := range l.Items {
			var out followLine
			switch at := p.e.o.Addresses; {
			case t.Channel != nil:
				out = followLine{"Channel", int64(t.Channel.ID), t.Channel.Slug, t.Channel.Title, at.Channel(t.Channel).URL()}
			case t.User != nil:
				out = followLine{"User", int64(t.User.ID), t.User.Slug, t.User.Name, at.User(t.User).URL()}
			case t.Group != nil:
				out = followLine{"Group", int64(t.Group.ID), t.Group.Slug, t.Group.Name, at.Group(t.Group).URL()}
			case t.Principal != nil:
				out = followLine{string(t.Principal.Type), t.Principal.ID, t.Principal.Slug, t.Principal.Name, at.Principal(t.Principal).URL()}
			default:
				continue
			}
			p.progress.Followings++
			if err := line(w, out); err != nil {
				return err
			}
		}
		if n*perPage >= l.Total {
			return nil
		}
	}
}

// subscriptions writes the feeds to which the person subscribed channels.
func (p *person) subscriptions(ctx context.Context) error {
	w, err := p.zip.create("json/subscriptions.jsonl", false)
	if err != nil {
		return err
	}
	all, err := p.e.o.App.Collections.OwnFeeds(ctx, p.actor)
	for i := range all {
		f := &all[i]
		if err := line(w, subscriptionLine{int64(f.Channel), f.Address, f.Title, f.CreatedAt.UTC()}); err != nil {
			return err
		}
	}
	return err
}

// searches writes the person's saved searches.
func (p *person) searches(ctx context.Context) error {
	all, err := p.e.o.App.Searches.SavedSearches(ctx, p.actor)
	if err != nil || len(all) == 0 {
		return err
	}
	w, err := p.zip.create("json/searches.jsonl", false)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := line(w, searchLine{s.Name, s.Query, s.Following, s.Notify, s.Mail, s.CreatedAt.UTC()}); err != nil {
			return err
		}
	}
	return nil
}

// highlights writes what the person has highlighted: as annotations, and as Markdown.
func (p *person) highlights(ctx context.Context) error {
	first, err := p.e.o.App.Reading.Highlights(ctx, p.actor, domain.Page{Number: 1, Per: perPage})
	if err != nil || first.Total == 0 {
		return err
	}
	w, err := p.zip.create("json/highlights.jsonl", false)
	if err != nil {
		return err
	}
	text := spool{folder: p.e.o.Folder}
	defer text.close()
	last := domain.BlockID(0)
	for n, l := int64(1), first; ; {
		for _, h := range l.Items {
			if err := line(w, p.e.o.Addresses.Annotation(h.Highlight, h.On)); err != nil {
				return err
			}
			var b strings.Builder
			if h.On.ID != last {
				shown := p.e.o.Addresses.Block(h.On)
				b.WriteString("\n## " + link(shown.Heading(), shown.URL()) + "\n")
			}
			last = h.On.ID
			b.WriteString("\n> " + plain(h.Quote.Exact) + "\n")
			for paragraph := range strings.SplitSeq(h.Note, "\n") {
				if strings.TrimSpace(paragraph) != "" {
					b.WriteString("\n" + plain(paragraph) + "\n")
				}
			}
			if _, err := io.WriteString(&text, b.String()); err != nil {
				return err
			}
		}
		if n*perPage >= l.Total {
			break
		}
		n++
		if l, err = p.e.o.App.Reading.Highlights(ctx, p.actor, domain.Page{Number: n, Per: perPage}); err != nil {
			return err
		}
	}
	if w, err = p.zip.create("markdown/highlights.md", false); err != nil {
		return err
	}
	return copySpool(w, &text, "# Highlights\n")
}
