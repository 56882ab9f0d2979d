package v2

import (
	"errors"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

func (h *handler) getCollaborators(c call) (answer, error) {
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	return h.collaborators(c, &ch.Channel, ch.Collaborators)
}

// named returns the users in a request that changes collaborators.
func (c call) named() ([]domain.PrincipalRef, error) {
	var in struct {
		IDs []numeral `json:"ids"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	return users(in.IDs), nil
}

// addCollaborators adds users to the collaborators of a channel.
func (h *handler) addCollaborators(c call) (answer, error) {
	return h.changeCollaborators(c, func(ref domain.Ref, named []domain.PrincipalRef) error {
		_, err := h.app.Collections.AddCollaborators(c.ctx, c.who, ref, named...)
		return err
	})
}

// setCollaborators replaces the users who collaborate on a channel.
func (h *handler) setCollaborators(c call) (answer, error) {
	return h.changeCollaborators(c, func(ref domain.Ref, named []domain.PrincipalRef) error {
		_, err := h.app.Collections.SetCollaborators(c.ctx, c.who, ref, named)
		return err
	})
}

// removeCollaborators removes users from the collaborators of a channel. It answers with the previous collaborators
// without them, because users who leave a private channel cannot see it any more.
func (h *handler) removeCollaborators(c call) (answer, error) {
	named, err := c.named()
	if err != nil {
		return nil, err
	}
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	if err := h.app.Collections.RemoveCollaborators(c.ctx, c.who, domain.Ref{ID: int64(ch.ID)}, named...); err != nil {
		return nil, ofIDs(err)
	}
	left := slices.DeleteFunc(slices.Clone(ch.Collaborators), func(p domain.Principal) bool { return slices.Contains(named, p.PrincipalRef) })
	return h.collaborators(c, &ch.Channel, left)
}

func (h *handler) changeCollaborators(c call, change func(domain.Ref, []domain.PrincipalRef) error) (answer, error) {
	named, err := c.named()
	if err != nil {
		return nil, err
	}
	if err := change(c.ref(0), named); err != nil {
		return nil, ofIDs(err)
	}
	return h.getCollaborators(c)
}

// ofIDs turns an error about the users of a request into one of their parameter. An unknown user is a fault of the
// parameter too, because clients take 404 for the channel's.
func ofIDs(err error) error {
	of, ok := errors.AsType[*domain.Error](err)
	if !ok || len(of.Fields) == 0 {
		return err
	}
	fields := make([]domain.FieldError, len(of.Fields))
	for i, f := range of.Fields {
		f.Path = "ids"
		fields[i] = f
	}
	if of.Kind != domain.NotFound {
		return domain.NewInvalid(fields...)
	}
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = f.String()
	}
	return domain.NewUnprocessable(strings.Join(lines, "; "))
}

// usersAmong returns the users among collaborators. Version 2 has no collaborating groups.
func usersAmong(all []domain.Principal) (people []domain.Principal) {
	for _, who := range all {
		if who.Type == domain.TypeUser {
			people = append(people, who)
		}
	}
	return people
}

// collaborators writes a page of the users who collaborate on a channel, under both names that clients read.
func (h *handler) collaborators(c call, ch *domain.Channel, all []domain.Principal) (answer, error) {
	people := usersAmong(all)
	at, total := c.page(), int64(len(people))
	from := min(at.Offset(), total)
	people = people[from:min(from+at.Per, total)]
	cast := h.newRelated(c.who)
	for _, who := range people {
		cast.principal(who)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			envelope(p, at, total)
			p.text("channel_title", ch.Title)
			for _, name := range []string{"users", "collaborators"} {
				p.list(name, len(people), func(i int) { cast.embedded(p, people[i]) })
			}
		})
	}, nil
}
