package importing

import (
	"context"
	"strings"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// noChannel is used as the channel of blocks that are in none.
const noChannel = ""

// Orphan imports a block without a channel.
func (t *sink) Orphan(ctx context.Context, it source.Item) error { return t.Item(ctx, noChannel, it) }

// Following lets the user follow the same channel, user or group here, if it exists.
func (t *sink) Following(ctx context.Context, f source.Following) error {
	target := people.FollowTarget{Type: f.Type}
	var err error
	if target.Ref, err = t.here(ctx, f); err == nil && !t.DryRun {
		err = t.app.People.Follow(ctx, t.actor, target)
	}
	if why, refused := refusal(err); refused {
		if domain.KindOf(err) == domain.NotFound {
			why = "It is not on this server"
		}
		t.LeftOut(named{strings.ToLower(string(f.Type)) + " that you follow", f.Name, f.Where}.left(why))
		return nil
	}
	return err
}

// here finds the counterpart of an item of the origin: the imported one, the item itself if the
// origin is this server, or one with the same name and address.
func (t *sink) here(ctx context.Context, f source.Following) (domain.Ref, error) {
	ref := domain.ParseRef(f.Slug)
	var name string
	switch f.Type {
	case domain.SubjectChannel:
		if t.DryRun && t.nests(f.ID) { // it will exist
			return ref, nil
		}
		known, err := t.app.Transfer.KnownChannel(ctx, t.actor, t.origin, shortID(f.ID))
		if err != nil || known.ID != 0 {
			return domain.Ref{ID: int64(known.ID)}, err
		}
		return domain.Ref{}, domain.NewNotFound()
	case domain.SubjectGroup:
		g, err := t.app.People.Group(ctx, t.actor, ref)
		if err != nil {
			return ref, err
		}
		ref, name = domain.Ref{ID: int64(g.ID)}, g.Name
	case domain.SubjectUser:
		u, err := t.app.People.User(ctx, ref)
		if err != nil {
			return ref, err
		}
		ref, name = domain.Ref{ID: int64(u.ID)}, u.Name
	}
	if name != f.Name {
		return ref, domain.NewNotFound()
	}
	return ref, nil
}

// Profile copies the description and picture, unless the user has their own here.
func (t *sink) Profile(ctx context.Context, p source.Profile) error {
	me, err := t.app.People.User(ctx, domain.Ref{ID: int64(t.actor.UserID)})
	if err != nil || t.DryRun {
		return err
	}
	name := named{kind: "profile", where: p.Where}
	var in people.UpdateMeInput
	if about := p.About; me.Bio == nil && strings.TrimSpace(about) != "" {
		if cut(&about, domain.MaxDescription) && about != p.About {
			t.LeftOut(source.LeftOut{What: "part of " + name.String(), Where: name.where, Why: "It was too long"})
		}
		in.Bio = core.Patch{Set: true, Value: &about}
	}
	if me.Avatar == nil && p.Picture != nil {
		value, came, err := t.picture(ctx, p.Picture)
		if err != nil {
			return err
		}
		if came.missing {
			t.LeftOut(source.LeftOut{What: "the picture of your profile", Where: p.Where, Why: came.why})
		} else {
			in.Avatar = core.Patch{Set: true, Value: &value}
		}
	}
	if !in.Bio.Set && !in.Avatar.Set {
		return nil
	}
	_, err = t.app.People.UpdateMe(ctx, t.actor, in)
	if why, refused := refusal(err); refused {
		t.LeftOut(name.left(why))
		return nil
	}
	return err
}

// picture stores a picture as an upload, and returns its address.
func (t *sink) picture(ctx context.Context, f *source.File) (value string, came arrival, err error) {
	in, err := f.Open(ctx)
	if err != nil {
		came, err = arrivalOf(err)
		return "", came, err
	}
	defer func() { _ = in.Close() }() // errors of closing a reader do not matter
	sent, err := t.app.Content.ReceiveFile(ctx, t.actor, content.FormFile{Name: f.Name, Body: in})
	if why, refused := refusal(err); refused {
		return "", arrival{missing: true, why: why}, nil
	}
	came, err = arrivalOf(err)
	return sent.Value, came, err
}
