package collections

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// How many nearby channels and people are examined before everything is searched.
const (
	recentLooked = 200
	peopleLooked = 50
	foundLooked  = 100

	channelsLooked = 5 // newest channels of a block, for their collaborators
)

// ConnectChoice is a channel to which an item may be added.
type ConnectChoice struct {
	domain.Channel
	There  bool // the item is already in it
	MayAdd bool // false only for the item itself
}

// ConnectChoices lists channels to which the actor may add, for a query that is being typed: those whose title has words
// beginning with the query's words. First come their own, their groups' and those they collaborate in, last changed
// first, and then public ones. An empty query returns the recent ones. item is the item to add, or the zero value if it
// does not exist yet. It takes three statements, and a search if there are too few nearby channels.
func (a *Finder) ConnectChoices(ctx context.Context, actor domain.Actor, q string, item domain.ItemRef, limit int) (all []ConnectChoice, err error) {
	query, err := choice(q, limit)
	if err != nil || !actor.MayWrite() {
		return nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		recent, err := v.Nearby().RecentChannels(ctx, actor.UserID, recentLooked)
		if err != nil {
			return err
		}
		var found []domain.Channel
		for _, c := range recent {
			if begins(query, c.Title) {
				found = append(found, c)
			}
		}
		if len(found) < limit && !query.Everything {
			if found, err = searched(ctx, v, actor, q, query, found); err != nil {
				return err
			}
		}
		found = found[:min(len(found), limit)]
		ids := make([]domain.ChannelID, len(found))
		for i, c := range found {
			ids[i] = c.ID
		}
		var there map[domain.ChannelID]domain.ConnectionID
		if item.ID != 0 && len(ids) > 0 {
			if there, err = v.Contents().ConnectionsOf(ctx, item, ids...); err != nil {
				return err
			}
		}
		for _, c := range found {
			all = append(all, ConnectChoice{c, there[c.ID] != 0, domain.CanAddTo(actor, c) && item != domain.ChannelRef(c.ID)})
		}
		return nil
	})
	return all, err
}

// searched appends the channels that a search finds and the actor may add to.
func searched(ctx context.Context, v *store.Snapshot, actor domain.Actor, q string, query words.Query, found []domain.Channel) ([]domain.Channel, error) {
	refs, err := v.Search(ctx, store.SearchQuery{Viewer: actor.UserID, Words: query, Search: domain.Search{Query: q,
		Types: []string{string(domain.SubjectChannel)}, Page: domain.Page{Number: 1, Per: foundLooked}}})
	if err != nil {
		return nil, err
	}
	ids := make([]domain.ChannelID, len(refs.Items))
	for i, r := range refs.Items {
		ids[i] = domain.ChannelID(r.ID)
	}
	channels, err := v.Nearby().ChannelsWithRole(ctx, actor.UserID, ids)
	for _, id := range ids {
		c, ok := channels[id]
		known := slices.ContainsFunc(found, func(k domain.Channel) bool { return k.ID == id })
		if ok && !known && domain.CanAddTo(actor, c) && begins(query, c.Title) {
			found = append(found, c)
		}
	}
	return found, err
}

// MentionChoices lists people for a name that is being typed after @: first recent commenters on the block, its author
// and the collaborators in its channels, then others whose name or slug begins with the prefix. Without a prefix it
// returns only the first group. It takes at most five statements and a search.
func (a *Finder) MentionChoices(ctx context.Context, actor domain.Actor, prefix string, block domain.BlockID, limit int) (all []domain.Principal, err error) {
	query, err := choice(prefix, limit)
	if err != nil || !actor.SignedIn() {
		return nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		near, err := around(ctx, v, actor, block)
		if err != nil {
			return err
		}
		for _, p := range near {
			if p.ID != int64(actor.UserID) && (begins(query, p.Name) || strings.HasPrefix(p.Slug, strings.ToLower(prefix))) {
				all = append(all, p)
			}
		}
		if len(all) < limit && !query.Everything && len(query.Terms) > 0 {
			refs, err := v.Search(ctx, store.SearchQuery{Viewer: actor.UserID, Words: query, Search: domain.Search{Query: prefix,
				Types: []string{string(domain.SubjectUser)}, Page: domain.Page{Number: 1, Per: domain.MaxPerPage}}})
			if err != nil {
				return err
			}
			ids := make([]domain.PrincipalRef, len(refs.Items))
			for i, r := range refs.Items {
				ids[i] = domain.UserRef(domain.UserID(r.ID))
			}
			people, err := v.Contents().PrincipalsByID(ctx, ids)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if p, ok := people[id]; ok && !slices.ContainsFunc(all, func(k domain.Principal) bool { return k.ID == p.ID }) {
					all = append(all, p)
				}
			}
		}
		all = all[:min(len(all), limit)]
		return nil
	})
	return all, err
}

// around lists the people around a block: its recent commenters, its author, and the collaborators in the newest of its
// channels that the actor sees.
func around(ctx context.Context, v *store.Snapshot, actor domain.Actor, block domain.BlockID) ([]domain.Principal, error) {
	if block == 0 {
		return nil, nil
	}
	b, err := v.Blocks().Block(ctx, actor.UserID, block)
	if err != nil {
		return nil, err
	}
	ids, err := v.Comments().LatestCommenters(ctx, block, peopleLooked)
	if err != nil {
		return nil, err
	}
	helpers, err := v.Nearby().CollaboratorsAround(ctx, actor.UserID, block, channelsLooked, peopleLooked)
	if err != nil {
		return nil, err
	}
	var refs []domain.PrincipalRef
	for _, id := range slices.Concat(ids, []domain.UserID{domain.UserID(b.Author.ID)}, helpers) {
		if ref := domain.UserRef(id); !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	people, err := v.Contents().PrincipalsByID(ctx, refs)
	all := make([]domain.Principal, 0, len(refs))
	for _, ref := range refs {
		if p, ok := people[ref]; ok {
			all = append(all, p)
		}
	}
	return all, err
}

// choice parses the text typed so far.
func choice(typed string, limit int) (words.Query, error) {
	var f domain.Faults
	f.Text("query", typed, domain.MaxSearchQuery)
	f.Between("limit", int64(limit), 1, domain.MaxPerPage)
	query := words.ParseExact(typed)
	return query, domain.JoinFaults(f.Err(), tooManyWords(query))
}

// begins reports whether a title contains each term of a query. The last word may be a prefix.
func begins(q words.Query, title string) bool {
	if q.Everything {
		return true
	}
	tokens := words.Title(title)
	for _, t := range q.Terms {
		if !slices.ContainsFunc(tokens, func(at words.Token) bool { return stands(t, tokens, at.At) }) {
			return false
		}
	}
	return len(q.Terms) > 0
}

// stands reports whether a term matches the tokens at a position.
func stands(t words.Term, tokens []words.Token, at int) bool {
	for i, word := range t.Words {
		last := t.Prefix && i == len(t.Words)-1
		if !slices.ContainsFunc(tokens, func(k words.Token) bool {
			return k.At == at+i && (k.Word == word || last && strings.HasPrefix(k.Word, word))
		}) {
			return false
		}
	}
	return true
}
