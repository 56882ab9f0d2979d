package dataset

import (
	"slices"
	"strconv"
	"time"

	"vitrine/internal/domain"
)

// person is an account of the generator. Its id is its index, counted from 1.
type person struct {
	name          string
	open, private int64 // channels
}

// group is a group of the generator. Its id is its index, counted from 1.
type group struct {
	name          string
	members       []domain.UserID // the first owns it
	open, private int64           // channels
}

// channelRow is a generated channel. Its id is its index, counted from 1.
type channelRow struct {
	id            domain.ChannelID
	slug, title   string
	description   *domain.Text
	visibility    domain.Visibility
	owner         domain.PrincipalRef
	user          domain.UserID
	collaborators []domain.PrincipalRef
	made          time.Time
	adders        []domain.UserID // who may add: owner, members, collaborators
	items         int
}

func (r *channelRow) private() bool { return r.visibility == domain.Private }

// slugOf returns the slug of a unique name.
func slugOf(name string) string { return domain.Slugify(name) }

// people generates the users, and a group for every fifty of them.
func (f *filler) people() {
	f.users = make([]person, f.size.Users)
	for i := range f.users {
		f.users[i].name = f.words.name(i)
	}
	for i := range f.size.Users / 50 {
		g := group{name: f.words.groupName(i)}
		for range 4 {
			if m := f.someone(); !slices.Contains(g.members, m) {
				g.members = append(g.members, m)
			}
		}
		f.groups = append(f.groups, g)
	}
}

// someone returns a random user. The first ones are the most active.
func (f *filler) someone() domain.UserID {
	x := f.rng.Float64()
	return domain.UserID(1 + int(x*x*float64(len(f.users))))
}

// createChannels generates the large and the small channel and all others, over the first half of the service's life.
func (f *filler) createChannels() {
	f.channels = make([]channelRow, f.size.Channels+2)
	for i := range f.channels {
		r := &f.channels[i]
		*r = channelRow{id: domain.ChannelID(i + 1), title: f.words.channelTitle(i), visibility: domain.Closed,
			owner: domain.UserRef(1), user: 1, made: at(0)}
		r.slug = slugOf(r.title)
		if i >= 2 {
			f.furnish(r, at(float64(i)/float64(len(f.channels))/2))
		}
		r.adders = append(r.adders, f.membersOf(r.owner)...)
		for _, who := range r.collaborators {
			r.adders = append(r.adders, f.membersOf(who)...)
		}
		f.own(r)
	}
}

// furnish sets the owner of an ordinary channel, and those who may see it and add to it: every fifth has one to three
// collaborators.
func (f *filler) furnish(r *channelRow, made time.Time) {
	r.owner, r.made = f.principal(), made
	r.user = f.membersOf(r.owner)[0]
	r.visibility = f.visibility()
	if f.rng.IntN(3) == 0 {
		r.description = f.words.note()
	}
	for range max(0, f.rng.IntN(20)-16) {
		if who := f.principal(); who != r.owner && !slices.Contains(r.collaborators, who) {
			r.collaborators = append(r.collaborators, who)
		}
	}
}

// own adds a channel to its owner's counts.
func (f *filler) own(r *channelRow) {
	open, private := &f.users[r.user-1].open, &f.users[r.user-1].private
	if r.owner.Type == domain.TypeGroup {
		open, private = &f.groups[r.owner.ID-1].open, &f.groups[r.owner.ID-1].private
	}
	if r.private() {
		*private++
		return
	}
	*open++
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

// principal returns an owner or collaborator: usually a user, sometimes a group.
func (f *filler) principal() domain.PrincipalRef {
	if n := len(f.groups); n > 0 && f.rng.IntN(10) == 0 {
		return domain.GroupRef(domain.GroupID(1 + f.rng.IntN(n)))
	}
	return domain.UserRef(f.someone())
}

func (f *filler) membersOf(p domain.PrincipalRef) []domain.UserID {
	if p.Type == domain.TypeGroup {
		return f.groups[p.ID-1].members
	}
	return []domain.UserID{domain.UserID(p.ID)}
}

// reader returns the user with many follows, who is the last one.
func (f *filler) reader() domain.UserID { return domain.UserID(len(f.users)) }

// followsMost is the maximum number of users, and of channels, that the reader follows.
const followsMost = 350

// follow makes the reader follow every sixth user and every twentieth channel, up to the maximum, but not the owner of
// the large one, who created almost everything. Everybody else follows one user.
func (f *filler) follow() {
	reader := f.reader()
	for i := 2; i < len(f.users); i += max(6, len(f.users)/followsMost) {
		f.follows = append(f.follows, followed{by: reader, typ: domain.SubjectUser, what: int64(i)})
	}
	for i := 3; i <= len(f.channels); i += max(20, len(f.channels)/followsMost) {
		f.follows = append(f.follows, followed{by: reader, typ: domain.SubjectChannel, what: int64(i)})
	}
	for i := range len(f.users) - 1 {
		if who := f.someone(); int(who) != i+1 {
			f.follows = append(f.follows, followed{by: domain.UserID(i + 1), typ: domain.SubjectUser, what: int64(who)})
		}
	}
}

// followed is a follow.
type followed struct {
	by   domain.UserID
	typ  domain.SubjectType
	what int64
}

func email(i int) string { return "user" + strconv.Itoa(i+1) + "@example.org" }
