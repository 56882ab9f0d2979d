package collections

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// Search searches what the actor may see (behaviour.md section 11). If seed is nil, it is the day's.
func (a *Finder) Search(ctx context.Context, actor domain.Actor, in domain.Search, seed *int64) (l domain.List[domain.Entity], err error) {
	if !domain.CanSearch(actor) {
		return l, domain.NewForbidden("Search requires the tier premium or supporter")
	}
	return a.Explore(ctx, actor, in, seed)
}

// Explore is Search for the website, for any tier and for guests; the tiers restrict only the API. Without a query it
// lists everything visible.
func (a *Finder) Explore(ctx context.Context, actor domain.Actor, in domain.Search, seed *int64) (l domain.List[domain.Entity], err error) {
	query, err := parsed(in)
	if err != nil {
		return l, err
	}
	return a.explore(ctx, actor, in, query, seed)
}

// explore is Explore of a parsed query.
func (a *Finder) explore(ctx context.Context, actor domain.Actor, in domain.Search, query words.Query, seed *int64) (domain.List[domain.Entity], error) {
	in.Seed = a.Now().UTC().Unix() / (24 * 60 * 60)
	if seed != nil {
		in.Seed = *seed
	}
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		q, some, err := searchQuery(ctx, v, actor, in, query)
		if !some || err != nil {
			return l, err
		}
		return v.Search(ctx, q)
	})
}

// searchQuery returns the query of a search whose operators are applied. some is false if nothing can match.
func searchQuery(ctx context.Context, v *store.Snapshot, actor domain.Actor, in domain.Search, query words.Query) (q store.SearchQuery, some bool, err error) {
	some, err = applyOperators(ctx, v, actor, query.Filters, &in)
	return store.SearchQuery{Search: in, Viewer: actor.UserID, Words: query}, some, err
}

// parsed checks a search, and parses its words and conditions.
func parsed(in domain.Search) (words.Query, error) {
	query, where := words.Parse(in.Query), in.Where
	if err := domain.JoinFaults(in.Validate(), tooManyWords(query)); err != nil {
		return query, err
	}
	if in.Sort.Key == domain.SearchByValue {
		where = append(slices.Clone(where), in.Sort.Value)
	}
	for _, condition := range where {
		var ok bool
		if query, ok = query.Where(condition); !ok {
			return query, domain.InvalidField("metadata", domain.FieldMalformed, "must be conditions such as year>=1970, few of them ranges")
		}
	}
	return query, tooManyWords(query)
}

// Limits for correcting a query.
const (
	littleFound = 3 // results; a query with fewer may be misspelled
	muchMore    = 5 // times as many results as before are worth a suggestion
)

// Explored is a list of results of a query that may be misspelled.
type Explored struct {
	domain.List[domain.Entity]
	Corrected string // the query with these results, if the one that was asked for has none, or ""
	Suggested string // a query with many more results, or ""
}

// ExploreClose is Explore that also finds blocks by meaning, and corrects misspelled words if few results have the words.
func (a *Finder) ExploreClose(ctx context.Context, actor domain.Actor, in domain.Search, seed *int64) (e Explored, err error) {
	query, err := parsed(in)
	if err != nil {
		return e, err
	}
	var byWords int64
	if e.List, byWords, err = a.exploreMeant(ctx, actor, in, query, seed); err != nil || byWords >= littleFound {
		return e, err
	}
	var c store.Correction
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c = store.Correction{}
		q, some, err := searchQuery(ctx, v, actor, in, query)
		if !some || err != nil {
			return err
		}
		c, err = v.Correct(ctx, q)
		return err
	})
	switch {
	case err != nil || c.Query == "" || Shortened(c.Query) != c.Query:
	case byWords == 0:
		e.Corrected, in.Query = c.Query, c.Query
		if query, err = parsed(in); err == nil {
			e.List, _, err = a.exploreMeant(ctx, actor, in, query, seed)
		}
	case c.Found >= muchMore*byWords:
		e.Suggested = c.Query
	}
	return e, err
}

// Shortened returns the beginning of a query that is short enough for Explore.
func Shortened(query string) string {
	if runes := []rune(query); len(runes) > domain.MaxSearchQuery {
		query = string(runes[:domain.MaxSearchQuery])
	}
	return words.Cut(query)
}

// tooManyWords refuses a query that would take too long.
func tooManyWords(query words.Query) error {
	if query.TooLong {
		return domain.InvalidField("query", domain.FieldTooLong, "has too many words")
	}
	return nil
}

// checkItemTypes refuses kinds of things that cannot be in a channel.
func checkItemTypes(f *domain.Faults, types []string) {
	for _, t := range types {
		if t == string(domain.SubjectUser) || t == string(domain.SubjectGroup) {
			f.Add("type", domain.FieldUnknown, "must be a kind of block, or Channel")
		}
	}
}

var onlyChannels = []string{string(domain.ItemChannel)}

// MadeInput requests a page of a user's or group's things. No Types means blocks and channels.
type MadeInput struct {
	Types []string
	Sort  domain.SearchSort
	Page  domain.Page
}

// Validate checks the page, its order and the kinds of things.
func (in MadeInput) Validate() error {
	var f domain.Faults
	checkItemTypes(&f, in.Types)
	switch in.Sort.Key {
	case domain.SearchByCreated, domain.SearchByUpdated:
	case domain.SearchByAdded:
		if !slices.Equal(in.Types, onlyChannels) {
			f.Add("sort", domain.FieldUnknown, "applies to lists of channels only")
		}
	default:
		f.Add("sort", domain.FieldUnknown, "is no order of this list")
	}
	return domain.JoinFaults(f.Err(), domain.Search{Types: in.Types, Page: in.Page}.Validate())
}

// UserContents lists the blocks and channels that a user created and the actor may see (behaviour.md section 13).
func (a *Finder) UserContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in MadeInput) (l domain.List[domain.Entity], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		u, err := v.Users().User(ctx, ref)
		if err != nil {
			return l, err
		}
		return v.OwnerContents(ctx, in.query(actor, domain.UserRef(u.ID)))
	})
}

// GroupContents lists the channels that a group owns and the blocks in them, as far as the actor may see them.
func (a *Finder) GroupContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in MadeInput) (l domain.List[domain.Entity], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		g, err := v.Groups().Group(ctx, actor.UserID, ref)
		if err != nil {
			return l, err
		}
		return v.OwnerContents(ctx, in.query(actor, domain.GroupRef(g.ID)))
	})
}

func (in MadeInput) query(actor domain.Actor, of domain.PrincipalRef) store.OwnerContentsQuery {
	return store.OwnerContentsQuery{Viewer: actor.UserID, Owner: of, Types: in.Types, Sort: in.Sort, Page: in.Page}
}

// find lists things and reads them with one statement for each kind.
func (a *Finder) find(ctx context.Context, actor domain.Actor, list func(ctx context.Context, v *store.Snapshot) (domain.List[domain.Subject], error)) (l domain.List[domain.Entity], err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		refs, err := list(ctx, v)
		if err != nil {
			return err
		}
		l.Total = refs.Total
		l.Items, err = a.read(ctx, v, actor, refs.Items)
		return err
	})
	return l, err
}

// NewResults lists the newest results of others among the documents numbered after one number and up to another, with
// their total.
func (a *Finder) NewResults(ctx context.Context, actor domain.Actor, in domain.Search, after, upTo int64) (l domain.List[domain.Subject], err error) {
	query, err := parsed(in)
	if err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		q, some, err := searchQuery(ctx, v, actor, in, query)
		if !some || err != nil {
			return err
		}
		q.New.After, q.New.UpTo = after, upTo
		l, err = v.NewResults(ctx, q)
		return err
	})
	return l, err
}

// ReadLists reads the first things of several lists that the actor may see. The totals count all visible things.
func (a *Finder) ReadLists(ctx context.Context, actor domain.Actor, lists [][]domain.Subject, first int) ([]domain.List[domain.Entity], error) {
	read := make([]domain.List[domain.Entity], len(lists))
	return read, a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		visible, err := v.Activity().VisibleSubjects(ctx, actor.UserID, slices.Concat(lists...))
		if err != nil {
			return err
		}
		seen := map[domain.Subject]bool{}
		for _, s := range visible {
			seen[s] = true
		}
		shown, all := make([][]domain.Subject, len(lists)), []domain.Subject(nil)
		for i, list := range lists {
			shown[i] = slices.DeleteFunc(slices.Clone(list), func(s domain.Subject) bool { return !seen[s] })
			read[i].Total = int64(len(shown[i]))
			shown[i] = shown[i][:min(first, len(shown[i]))]
			all = append(all, shown[i]...)
		}
		if len(all) == 0 {
			return nil
		}
		things, err := a.read(ctx, v, actor, all)
		if err != nil {
			return err
		}
		byID := map[domain.Subject]domain.Entity{}
		for _, t := range things {
			byID[subjectOf(t)] = t
		}
		for i, list := range shown {
			for _, s := range list {
				if t, ok := byID[s]; ok {
					read[i].Items = append(read[i].Items, t)
				}
			}
		}
		return nil
	})
}

// subjectOf identifies a thing that a search can find.
func subjectOf(t domain.Entity) domain.Subject {
	switch {
	case t.Block != nil:
		return domain.Subject{Type: domain.SubjectBlock, ID: int64(t.Block.ID)}
	case t.Revision != nil:
		return domain.Subject{Type: domain.SubjectBlock, ID: int64(t.Revision.ID)}
	case t.Channel != nil:
		return domain.Subject{Type: domain.SubjectChannel, ID: int64(t.Channel.ID)}
	case t.User != nil:
		return domain.Subject{Type: domain.SubjectUser, ID: int64(t.User.ID)}
	case t.Group != nil:
		return domain.Subject{Type: domain.SubjectGroup, ID: int64(t.Group.ID)}
	}
	return domain.Subject{}
}

// CheckSaved checks a query that is to be saved.
func CheckSaved(f *domain.Faults, query string) {
	if !f.RequiredText("query", query, domain.MaxSavedQuery) {
		return
	}
	if words.Parse(query).TooLong {
		f.Add("query", domain.FieldTooLong, "has too many words")
	}
}
