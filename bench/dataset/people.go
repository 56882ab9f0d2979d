package dataset

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// people makes the users, and a group for every fifty of them.
func (f *filler) people(ctx context.Context) error {
	return f.s.InTx(ctx, func(tx *store.Tx) error {
		f.users, f.groups = make([]domain.UserID, f.size.Users), nil
		for i := range f.users {
			id, err := f.user(ctx, tx, i)
			if err != nil {
				return err
			}
			f.users[i] = id
		}
		for i := range f.size.Users / 50 {
			if err := f.group(ctx, tx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *filler) user(ctx context.Context, tx *store.Tx, i int) (domain.UserID, error) {
	tier := []domain.Tier{domain.TierSupporter, domain.TierFree, domain.TierFree, domain.TierPremium}[i%4]
	n := store.NewUser{Name: f.words.name(i), Email: fmt.Sprintf("user%d@example.org", i+1), Tier: tier, Now: at(0)}
	var err error
	if n.Slug, err = tx.SlugFor(ctx, store.UserSlug, n.Name, n.Now); err != nil {
		return 0, err
	}
	id, err := tx.CreateUser(ctx, n)
	if err != nil {
		return 0, err
	}
	return id, tx.BindSlug(ctx, store.UserSlug, n.Slug, int64(id))
}

func (f *filler) group(ctx context.Context, tx *store.Tx, i int) error {
	members := []domain.UserID{f.someone(), f.someone(), f.someone(), f.someone()}
	n := store.NewGroup{Name: f.words.groupName(i), Owner: members[0], Now: at(0)}
	var err error
	if n.Slug, err = tx.SlugFor(ctx, store.GroupSlug, n.Name, n.Now); err != nil {
		return err
	}
	id, err := tx.CreateGroup(ctx, n)
	if err != nil {
		return err
	}
	if err := tx.BindSlug(ctx, store.GroupSlug, n.Slug, int64(id)); err != nil {
		return err
	}
	for _, m := range members {
		if _, err := tx.AddMember(ctx, id, m, n.Now); err != nil {
			return err
		}
	}
	f.groups = append(f.groups, group{id, members})
	return nil
}

// someone is a user; the first ones are the busiest.
func (f *filler) someone() domain.UserID {
	x := f.rng.Float64()
	return f.users[int(x*x*float64(len(f.users)))]
}

// channels makes the large and the small channel and all others, made over the
// first half of the service's life.
func (f *filler) channels(ctx context.Context) error {
	return f.s.InTx(ctx, func(tx *store.Tx) error {
		f.rooms = nil
		for i := range f.size.Channels + 2 {
			r, err := f.channel(ctx, tx, i)
			if err != nil {
				return err
			}
			f.rooms = append(f.rooms, r)
		}
		return nil
	})
}

func (f *filler) channel(ctx context.Context, tx *store.Tx, i int) (room, error) {
	n := f.newChannel(i)
	r := room{visibility: n.Visibility, made: n.Now, adders: f.membersOf(n.Owner)}
	var err error
	if n.Slug, err = tx.SlugFor(ctx, store.ChannelSlug, n.Title, n.Now); err != nil {
		return r, err
	}
	r.slug = n.Slug
	if r.id, err = tx.CreateChannel(ctx, n); err != nil || i < 2 {
		return r, err
	}
	for range max(0, f.rng.IntN(20)-16) { // every fifth has one to three
		who := f.principal()
		if who == n.Owner {
			continue
		}
		if _, err := tx.AddCollaborator(ctx, r.id, who, n.Now.Add(time.Hour)); err != nil {
			return r, err
		}
		r.adders = append(r.adders, f.membersOf(who)...)
	}
	return r, nil
}

func (f *filler) newChannel(i int) store.NewChannel {
	n := store.NewChannel{Title: f.words.channelTitle(i), Visibility: domain.Closed,
		Owner: domain.UserRef(f.users[0]), UserID: f.users[0], Now: at(0)}
	if i >= 2 {
		n.Owner = f.principal()
		n.UserID = f.membersOf(n.Owner)[0]
		n.Visibility = f.visibility()
		n.Now = at(float64(i) / float64(f.size.Channels+2) / 2)
		if f.rng.IntN(3) == 0 {
			n.Description = f.words.note()
		}
	}
	return n
}

func (f *filler) visibility() domain.Visibility {
	switch k := f.rng.IntN(10); {
	case k < 3:
		return domain.Public
	case k < 8:
		return domain.Closed
	}
	return domain.Private
}

// principal is who owns or collaborates: mostly a user, now and then a group.
func (f *filler) principal() domain.PrincipalRef {
	if n := len(f.groups); n > 0 && f.rng.IntN(10) == 0 {
		return domain.GroupRef(f.groups[f.rng.IntN(n)].id)
	}
	return domain.UserRef(f.someone())
}

func (f *filler) membersOf(p domain.PrincipalRef) []domain.UserID {
	for _, g := range f.groups {
		if p == domain.GroupRef(g.id) {
			return g.members
		}
	}
	return []domain.UserID{domain.UserID(p.ID)}
}

// reader is the user who follows many: the last one.
func (f *filler) reader() domain.UserID { return f.users[len(f.users)-1] }

// follow has the reader follow every sixth user and every twentieth channel, but not
// the owner of the large one, by whom nearly everything is.
func (f *filler) follow(ctx context.Context) error {
	return f.s.InTx(ctx, func(tx *store.Tx) error {
		for i := 1; i < len(f.users)-1; i += 6 {
			if _, err := tx.Follow(ctx, f.reader(), domain.Subject{Type: domain.SubjectUser, ID: int64(f.users[i])}, at(1)); err != nil {
				return err
			}
		}
		for i := 2; i < len(f.rooms); i += 20 {
			if _, err := tx.Follow(ctx, f.reader(), domain.Subject{Type: domain.SubjectChannel, ID: int64(f.rooms[i].id)}, at(1)); err != nil {
				return err
			}
		}
		return nil
	})
}
