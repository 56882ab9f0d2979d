package app_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// Operators name channels, people and groups that the actor sees, and restrict a search like its filters.
func TestSearchOperators(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		f, ctx, s := w.a.Finder, w.ctx(), w.S.Store
		ada, bob := w.member("ada"), w.member("bob")
		club := storetest.Group(t, s, "Moss club", ada.UserID)
		garden := storetest.Channel(t, s, ada.UserID, "The garden", domain.Public)
		secret := storetest.Channel(t, s, ada.UserID, "Secret bed", domain.Private)
		shared := storetest.OwnedChannel(t, s, domain.GroupRef(club), ada.UserID, "Club notes", domain.Public)
		names, titles := map[domain.BlockID]string{}, map[domain.ChannelID]string{garden: "garden", secret: "secret", shared: "shared"}
		block := func(by domain.UserID, text string, in ...domain.ChannelID) domain.BlockID {
			id := storetest.Block(t, s, by, text)
			for _, c := range in {
				storetest.Connect(t, s, ada.UserID, c, domain.BlockRef(id), 0)
			}
			names[id] = text
			return id
		}
		block(ada.UserID, "moss one", garden)
		block(bob.UserID, "moss two", garden, secret)
		three := block(ada.UserID, "moss three", secret)
		four := block(bob.UserID, "moss four", shared, garden)
		storetest.Comment(t, s, ada.UserID, three, "said")
		storetest.Comment(t, s, ada.UserID, four, "said")
		for _, row := range []struct {
			query string
			in    domain.Search
			ada   []string
			bob   []string
		}{
			{"moss in:the-garden type:text", domain.Search{}, []string{"moss four", "moss one", "moss two"}, []string{"moss four", "moss one", "moss two"}},
			{`moss in:"THE garden" -two`, domain.Search{}, []string{"moss four", "moss one"}, []string{"moss four", "moss one"}},
			{"in:secret-bed type:block", domain.Search{}, []string{"moss three", "moss two"}, nil},
			{`in:"Secret bed"`, domain.Search{}, []string{"moss three", "moss two"}, nil},
			{"in:nowhere", domain.Search{}, nil, nil},
			{"moss in:secret-bed", domain.Search{Channel: garden}, []string{"moss two"}, nil},
			{"moss in:the-garden", domain.Search{Channel: garden, Author: bob.UserID}, []string{"moss four", "moss two"}, []string{"moss four", "moss two"}},
			{"moss by:bob", domain.Search{}, []string{"moss four", "moss two"}, []string{"moss four", "moss two"}},
			{"moss by:@BOB", domain.Search{Author: bob.UserID}, []string{"moss four", "moss two"}, []string{"moss four", "moss two"}},
			{"moss by:bob", domain.Search{Author: ada.UserID}, nil, nil},
			{`by:"moss club" type:block`, domain.Search{}, []string{"moss four"}, []string{"moss four"}},
			{"by:moss-club", domain.Search{Group: club + 1}, nil, nil},
			{"by:nobody moss", domain.Search{}, nil, nil},
			{"moss has:comment", domain.Search{}, []string{"moss four", "moss three"}, []string{"moss four"}},
			{"type:channel -garden", domain.Search{}, []string{"secret", "shared"}, []string{"shared"}},
			{"type:channel,text moss", domain.Search{Types: []string{"Channel", "Link"}}, nil, nil},
			{"type:image", domain.Search{Types: []string{"Channel"}}, nil, nil},
			{"moss before:1990", domain.Search{}, nil, nil},
			{"moss after:1990 by:bob", domain.Search{}, []string{"moss four", "moss two"}, []string{"moss four", "moss two"}},
			{"moss after:2999", domain.Search{}, nil, nil},
			{"moss in:the-garden type:cat", domain.Search{}, nil, nil}, // malformed: words
		} {
			for as, want := range map[domain.Actor][]string{ada: row.ada, bob: row.bob} {
				in := row.in
				in.Query, in.Page = row.query, somePage
				l, err := f.Explore(ctx, as, in, nil)
				w.must(err)
				var got []string
				for _, e := range l.Items {
					switch {
					case e.Block != nil:
						got = append(got, names[e.Block.ID])
					case e.Channel != nil:
						got = append(got, titles[e.Channel.ID])
					}
				}
				if got, want := sortedTexts(got), sortedTexts(want); !slices.Equal(got, want) || l.Total != int64(len(want)) {
					t.Errorf("%d finds %q for %q with %+v (%d), want %q", as.UserID, got, row.query, row.in, l.Total, want)
				}
			}
		}
		// The same syntax in one channel.
		for query, want := range map[string]map[domain.UserID]int64{
			"moss -two":          {ada.UserID: 2, bob.UserID: 2},
			"-two":               {ada.UserID: 2, bob.UserID: 2},
			"one OR four by:bob": {ada.UserID: 1, bob.UserID: 1},
			"in:secret-bed":      {ada.UserID: 1, bob.UserID: 0},
			"in:the-garden moss": {ada.UserID: 3, bob.UserID: 3},
			"type:user":          {ada.UserID: 0, bob.UserID: 0},
			"has:comment":        {ada.UserID: 1, bob.UserID: 1},
		} {
			for _, as := range []domain.Actor{ada, bob} {
				l, err := f.FilterContents(ctx, as, domain.Ref{ID: int64(garden)}, collections.FilterInput{Query: query, Page: somePage})
				if err != nil || l.Total != want[as.UserID] || int64(len(l.Items)) != l.Total {
					t.Errorf("%d finds %d (%d, %v) for %q in the channel, want %d", as.UserID, l.Total, len(l.Items), err, query, want[as.UserID])
				}
			}
		}
		// Of several channels with a title, the actor's own is meant, and then the oldest that they see.
		own := storetest.Channel(t, s, bob.UserID, "Secret bed", domain.Public)
		storetest.Connect(t, s, bob.UserID, own, domain.BlockRef(block(bob.UserID, "moss five")), 0)
		for as, want := range map[domain.Actor]int64{ada: 2, bob: 1, {}: 1} {
			l, err := f.Explore(ctx, as, domain.Search{Query: `in:"secret bed"`, Page: somePage}, nil)
			if w.must(err); l.Total != want {
				t.Errorf("%d finds %d in a channel with that title, want %d", as.UserID, l.Total, want)
			}
		}
	})
}

// Strangers' channels do not stand for others of the same title, however many there are, nor does one that turns private.
func TestOperatorInMeansWhatIsSeen(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		s := w.S.Store
		ada, bob := w.member("ada"), w.member("bob")
		first := storetest.Channel(t, s, ada.UserID, "Untitled", domain.Public)
		second := storetest.Channel(t, s, ada.UserID, "Untitled", domain.Private)
		third := storetest.Channel(t, s, bob.UserID, "Something else", domain.Private)
		for c, texts := range map[domain.ChannelID]int{first: 1, second: 2, third: 3} {
			by := ada.UserID
			if c == third {
				by = bob.UserID
			}
			for range texts {
				storetest.Connect(t, s, by, c, domain.BlockRef(storetest.Block(t, s, ada.UserID, "moss")), 0)
			}
		}
		expect := func(query string, want map[domain.Actor]int64) {
			t.Helper()
			for as, n := range want {
				l, err := w.a.Finder.Explore(w.ctx(), as, domain.Search{Query: query, Page: somePage}, nil)
				if w.must(err); l.Total != n {
					t.Errorf("%d finds %d for %q, want %d", as.UserID, l.Total, query, n)
				}
			}
		}
		expect("in:untitled", map[domain.Actor]int64{ada: 1, bob: 1, {}: 1})
		storetest.SetVisibility(t, s, ada.UserID, first, domain.Private)
		expect(`in:"Untitled" moss`, map[domain.Actor]int64{ada: 1, bob: 0, {}: 0})
		storetest.Collaborate(t, s, second, domain.UserRef(bob.UserID))
		expect(`in:"untitled!"`, map[domain.Actor]int64{ada: 1, bob: 2, {}: 0})
		expect(`in:"something else"`, map[domain.Actor]int64{ada: 0, bob: 3, {}: 0})
		expect("in:!!!", map[domain.Actor]int64{ada: 0, bob: 0})
		for _, kind := range []string{"text", "block", "channel", "user", "person", "text,channel"} {
			l, err := w.a.Finder.Explore(w.ctx(), ada, domain.Search{Query: "type:" + kind, Page: somePage}, nil)
			if w.must(err); l.Total == 0 {
				t.Errorf("nothing is of the kind %s", kind)
			}
		}
	})
}

// Each operator leads to the query without it.
func TestOperatorsOfAQuery(t *testing.T) {
	t.Parallel()
	want := []collections.Operator{{Text: "-fern", Without: "moss type:image"}, {Text: "type:image", Without: "moss -fern"}}
	if got := collections.Operators("moss -fern type:image"); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, long := range []string{strings.Repeat("-a ", 2_000), strings.Repeat("word ", 101) + "-a"} {
		if got := collections.Operators(long); got != nil {
			t.Errorf("%d operators of a query that is too long", len(got))
		}
	}
	if got := collections.Operators(strings.Repeat(`"a" `, 50)); len(got) != words.MaxOperators {
		t.Errorf("%d phrases", len(got))
	}
	if got := collections.Operators("moss type:cat -fern"); got != nil {
		t.Errorf("%+v in a malformed query", got)
	}
}

// A query without results is corrected. One with few results gets a suggestion if another finds many more. Searches of the
// API are not corrected.
func TestExploreClose(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		f, ctx, s := w.a.Finder, w.ctx(), w.S.Store
		ada, bob := w.member("ada"), w.member("bob")
		garden := storetest.Channel(t, s, ada.UserID, "The garden", domain.Public)
		secret := storetest.Channel(t, s, ada.UserID, "Secret bed", domain.Private)
		for text, n := range map[string]int{"garnet": 12, "garmet": 2, "mosses": 3, "orchid": 1, "straße": 1} {
			for range n {
				in := garden
				if text == "orchid" {
					in = secret
				}
				storetest.Connect(t, s, ada.UserID, in, domain.BlockRef(storetest.Block(t, s, ada.UserID, text)), 0)
			}
		}
		long := strings.Repeat(".", domain.MaxSearchQuery-7) + " strase" // too long if corrected
		for _, row := range []struct {
			query     string
			in        domain.Search
			total     int64
			corrected string
			suggested string
		}{
			{"garent", domain.Search{}, 12, "garnet", ""},
			{"garent", domain.Search{Page: domain.Page{Number: 2, Per: 10}}, 12, "garnet", ""},
			{"garent", domain.Search{Types: []string{"Channel"}}, 0, "", ""},
			{"garent in:the-garden", domain.Search{}, 12, "garnet in:the-garden", ""},
			{"garent in:nowhere", domain.Search{}, 0, "", ""},
			{"garent type:channel", domain.Search{}, 0, "", ""},
			{"garmet", domain.Search{}, 2, "", "garnet"},
			{"mossse", domain.Search{}, 3, "mosses", ""},
			{"orchdi", domain.Search{}, 0, "", ""},
			{"orchdi in:secret-bed", domain.Search{}, 0, "", ""},
			{long, domain.Search{}, 0, "", ""},
		} {
			row.in.Query = row.query
			if row.in.Page == (domain.Page{}) {
				row.in.Page = domain.Page{Number: 1, Per: 20}
			}
			e, err := f.ExploreClose(ctx, bob, row.in, nil)
			if want := min(row.total-row.in.Page.Offset(), row.in.Page.Per); err != nil || e.Total != row.total || int64(len(e.Items)) != want ||
				e.Corrected != row.corrected || e.Suggested != row.suggested {
				t.Errorf("%q: %d of %d, corrected %q, suggested %q, %v", row.query, len(e.Items), e.Total, e.Corrected, e.Suggested, err)
			}
			if l, err := f.Explore(ctx, bob, row.in, nil); err != nil || row.corrected != "" && l.Total != 0 {
				t.Errorf("%q: Explore finds %d, %v", row.query, l.Total, err)
			}
		}
		if e, err := f.ExploreClose(ctx, ada, domain.Search{Query: "orchdi", Page: domain.Page{Number: 1, Per: 20}}, nil); err != nil || e.Corrected != "orchid" || e.Total != 1 {
			t.Errorf("corrected as %q for its owner, %d results, %v", e.Corrected, e.Total, err)
		}
		if _, err := f.ExploreClose(ctx, bob, domain.Search{Query: strings.Repeat("a b ", 60), Page: domain.Page{Number: 1, Per: 20}}, nil); domain.KindOf(err) != domain.Invalid {
			t.Errorf("too many words: %v", err)
		}
	})
}
