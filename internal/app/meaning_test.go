package app_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/embeddings"
	"vitrine/internal/embeddings/embeddingstest"
	"vitrine/internal/store/storetest"
	stored "vitrine/internal/store/vectors"
)

// meaningRig is a server that computes vectors at an endpoint.
type meaningRig struct {
	*accountsRig
	endpoint *embeddingstest.Server
	names    map[domain.BlockID]string
}

func eachMeaning(t *testing.T, f func(w *meaningRig), options ...apptest.Option) {
	t.Helper()
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		s := embeddingstest.New(t)
		r := apptest.Boot(t, o, append(slices.Clone(options), func(c *config.Config) {
			c.Embeddings.URL, c.Embeddings.Model = s.Endpoint(), "small"
		})...)
		r.S.App.Finder.Meaning.QueryTimeout = time.Minute
		f(&meaningRig{&accountsRig{r, t, r.S.App}, s, map[domain.BlockID]string{}})
	})
}

func sendPrivate(c *config.Config) { c.Embeddings.Private = true }

// block creates a text block in channels.
func (w *meaningRig) block(by domain.Actor, text string, in ...domain.ChannelID) domain.BlockID {
	w.t.Helper()
	id := storetest.Block(w.t, w.S.Store, by.UserID, text)
	for _, c := range in {
		storetest.Connect(w.t, w.S.Store, by.UserID, c, domain.BlockRef(id), 0)
	}
	w.names[id] = text
	return id
}

// embed computes the vectors of all queued blocks.
func (w *meaningRig) embed() {
	w.t.Helper()
	w.must(w.a.Finder.EmbedBlocks(w.ctx()))
}

// search returns the texts of the results of a query.
func (w *meaningRig) search(as domain.Actor, query string) []string {
	w.t.Helper()
	return w.searched(as, domain.Search{Query: query, Page: somePage})
}

func (w *meaningRig) searched(as domain.Actor, in domain.Search) (found []string) {
	w.t.Helper()
	l, err := w.a.Finder.ExploreClose(w.ctx(), as, in, nil)
	w.must(err)
	if l.Total != int64(len(l.Items)) {
		w.t.Errorf("%q: %d results, the total is %d", in.Query, len(l.Items), l.Total)
	}
	for _, e := range l.Items {
		if e.Block != nil {
			found = append(found, w.names[e.Block.ID])
		} else {
			found = append(found, "not a block")
		}
	}
	return found
}

// sent fails unless exactly these texts were sent since the last call.
func (w *meaningRig) sent(want ...string) {
	w.t.Helper()
	slices.Sort(want)
	if got := w.endpoint.Texts(); !slices.Equal(got, want) {
		w.t.Errorf("sent %q, want %q", got, want)
	}
}

func (w *meaningRig) found(as domain.Actor, query string, want ...string) {
	w.t.Helper()
	if got := w.search(as, query); !slices.Equal(got, want) {
		w.t.Errorf("%q found %q, want %q", query, got, want)
	}
}

func (w *meaningRig) counts() (c stored.Counts) {
	w.t.Helper()
	c, err := w.S.Store.Vectors().Counts(w.ctx())
	w.must(err)
	return c
}

// Blocks are found by other words of the same meaning. Each text is sent once, and again only if it changes. What nobody
// but its owner sees is not sent, and has no vector from the moment it is hidden.
func TestMeaning(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada, bob := w.member("ada"), w.member("bob")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		secret := storetest.Channel(t, w.S.Store, ada.UserID, "Secret", domain.Private)
		before := w.block(ada, "green moss", open)
		w.embed()
		w.sent("green moss")
		moss := w.block(ada, "moss garden", open)
		w.block(ada, "secret moss", secret)
		w.block(bob, "lonely moss")
		boat := w.block(bob, "old boat", open)
		w.block(ada, " ", open)
		w.embed()
		w.sent("moss garden", "old boat")
		if c := w.counts(); c != (stored.Counts{Done: 3, Private: 2, Empty: 1}) {
			t.Errorf("%+v", c)
		}
		w.found(bob, "lichen", "moss garden", "green moss")
		w.sent("lichen")
		w.found(ada, "lichen", "moss garden", "green moss")
		w.sent() // the vector of the query is remembered
		w.found(bob, "vessel", "old boat")
		w.found(bob, "lichen by:ada", "moss garden", "green moss")
		w.found(bob, "lichen by:bob")
		w.found(bob, "lichen in:open", "moss garden", "green moss")
		for _, literal := range []string{`"lichen"`, "-green lichen", "title:lichen", "lichen OR hound", "color:teal lichen"} {
			w.found(bob, literal)
		}
		w.endpoint.Texts()
		_, err := w.a.Collections.UpdateBlock(w.ctx(), ada, before, collections.UpdateBlockInput{Content: new("green dog")})
		w.must(err)
		w.found(bob, "lichen", "moss garden") // before the job runs
		w.embed()
		w.sent("green dog")
		w.names[before] = "green dog"
		w.found(bob, "hound", "green dog")
		w.endpoint.Texts()
		storetest.SetVisibility(t, w.S.Store, ada.UserID, open, domain.Private)
		if c := w.counts(); c.Done != 0 {
			t.Errorf("vectors of hidden blocks: %+v", c)
		}
		w.found(ada, "hound")
		w.embed()
		storetest.SetVisibility(t, w.S.Store, ada.UserID, open, domain.Closed)
		w.must(w.a.Collections.DeleteBlock(w.ctx(), bob, boat))
		w.endpoint.Texts()
		w.embed()
		w.sent("green dog", "moss garden")
		w.found(bob, "vessel")
		w.found(bob, "lichen", "moss garden")
		w.endpoint.Texts()
		w.must(w.a.Collections.DeleteBlock(w.ctx(), ada, moss))
		w.found(bob, "lichen")
		w.Clock.Advance(25 * time.Hour) // everything is compared again
		w.embed()
		w.Clock.Advance(25 * time.Hour)
		w.embed()
		w.sent()
		w.found(bob, "puppy", "green dog")
	})
}

// With private content, the texts of private blocks are sent, and found by those who see them.
func TestPrivateMeaning(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada, bob := w.member("ada"), w.member("bob")
		secret := storetest.Channel(t, w.S.Store, ada.UserID, "Secret", domain.Private)
		w.block(ada, "secret moss", secret)
		w.block(bob, "lonely moss")
		w.embed()
		w.sent("secret moss", "lonely moss")
		w.found(ada, "lichen", "secret moss")
		w.found(bob, "lichen", "lonely moss")
		w.found(domain.Actor{}, "lichen")
		other := collections.NewFinder(w.a.Finder.Core, collections.NewMeaning(embeddings.New(embeddings.Options{URL: w.endpoint.Endpoint(), Model: "small"}), false))
		w.must(other.EmbedBlocks(w.ctx()))
		if c := w.counts(); c != (stored.Counts{Private: 2}) {
			t.Errorf("after private content was excluded: %+v", c)
		}
		w.endpoint.Texts()
		w.embed()
		w.sent("secret moss", "lonely moss")
	}, sendPrivate)
}

// What a stranger cannot see changes nothing about their results: neither their order nor their number. Everything that is
// found is visible, even if much became private after the vectors were computed.
func TestMeaningVisibility(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		r := rand.New(rand.NewPCG(7, 7))
		people := []domain.Actor{w.member("ada"), w.member("bob"), w.member("cyd")}
		var channels []domain.ChannelID
		owners := map[domain.ChannelID]domain.Actor{}
		for i := range 9 {
			by := people[r.IntN(2)]
			c := storetest.Channel(t, w.S.Store, by.UserID, fmt.Sprint("channel", i), []domain.Visibility{domain.Public, domain.Closed, domain.Private}[i%3])
			channels, owners[c] = append(channels, c), by
		}
		storetest.Collaborate(t, w.S.Store, channels[2], domain.UserRef(people[2].UserID))
		words := strings.Fields("moss lichen bryophyte dog hound puppy boat ship vessel bread loaf green old red")
		phrase := func() string { return words[r.IntN(len(words))] + " " + words[r.IntN(len(words))] }
		fill := func(n int) {
			for range n {
				c := channels[r.IntN(len(channels))]
				if r.IntN(5) == 0 {
					w.block(people[r.IntN(3)], phrase())
				} else {
					w.block(owners[c], phrase(), c)
				}
			}
		}
		visible := func(as domain.Actor) map[string]bool {
			all := map[string]bool{}
			for number := int64(1); ; number++ {
				l, err := w.a.Finder.Explore(w.ctx(), as, domain.Search{Sort: domain.SearchSort{Key: domain.SearchByCreated}, Page: domain.Page{Number: number, Per: 100}}, nil)
				w.must(err)
				for _, e := range l.Items {
					if e.Block != nil {
						all[fmt.Sprint(e.Block.ID)] = true
					}
				}
				if len(l.Items) < 100 {
					return all
				}
			}
		}
		listed := func(as domain.Actor, query string) (found []string) {
			l, err := w.a.Finder.ExploreClose(w.ctx(), as, domain.Search{Query: query, Page: domain.Page{Number: 1, Per: 100}}, nil)
			w.must(err)
			for _, e := range l.Items {
				if e.Block != nil {
					found = append(found, fmt.Sprint(e.Block.ID))
				}
			}
			return append(found, fmt.Sprint("total ", l.Total))
		}
		fill(60)
		w.embed()
		stranger := w.member("eve")
		queries := []string{"moss", "hound", "green vessel", "loaf", "puppy dog"}
		before := map[string][]string{}
		for _, q := range queries {
			before[q] = listed(stranger, q)
		}
		for range 300 { // closer to the queries than anything else
			w.block(people[r.IntN(3)], queries[r.IntN(len(queries))])
		}
		w.embed()
		for _, q := range queries {
			if got := listed(stranger, q); !slices.Equal(got, before[q]) {
				t.Errorf("%q: private blocks change the results from\n%s to\n%s", q, before[q], got)
			}
		}
		check := func() {
			t.Helper()
			for _, as := range append(people, stranger, domain.Actor{}) {
				seen := visible(as)
				for _, q := range queries {
					found := listed(as, q)
					for _, id := range found[:len(found)-1] {
						if !seen[id] {
							t.Errorf("user %d found block %s by %q", as.UserID, id, q)
						}
					}
					if similar := w.similarTo(as, found); slices.ContainsFunc(similar, func(id string) bool { return !seen[id] }) {
						t.Errorf("user %d got similar blocks %s", as.UserID, similar)
					}
				}
			}
		}
		check()
		if got := listed(people[0], "moss"); len(got) < 20 {
			t.Errorf("an owner finds only %s", got)
		}
		for _, c := range channels {
			storetest.SetVisibility(t, w.S.Store, owners[c].UserID, c, []domain.Visibility{domain.Public, domain.Closed, domain.Private}[r.IntN(3)])
		}
		check()
		w.embed()
		check()
	}, sendPrivate)
}

// similarTo returns the ids of the blocks similar to the first one of a list.
func (w *meaningRig) similarTo(as domain.Actor, found []string) (ids []string) {
	var id domain.BlockID
	if _, err := fmt.Sscan(found[0], &id); err != nil {
		return nil
	}
	b, err := w.a.Collections.Block(w.ctx(), as, id)
	w.must(err)
	similar, err := w.a.Finder.Similar(w.ctx(), as, b)
	w.must(err)
	for _, s := range similar {
		ids = append(ids, fmt.Sprint(s.ID))
	}
	return ids
}

// The pages of merged results have everything once: all results by words, and those by meaning.
func TestMeaningPages(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		for i := range 230 {
			w.block(ada, []string{"moss", "lichen", "moss lichen", "old boat"}[i%4]+fmt.Sprintf(" n%d", i), open)
		}
		w.embed()
		for query, least := range map[string]int64{"moss": 116, "bryophyte": 80, "boat": 57, "n7": 1} {
			for _, per := range []int64{7, 24, 100} {
				seen, total := map[domain.BlockID]bool{}, int64(0)
				for number := int64(1); number < 60; number++ {
					l, err := w.a.Finder.ExploreClose(w.ctx(), ada, domain.Search{Query: query, Page: domain.Page{Number: number, Per: per}}, nil)
					w.must(err)
					if number > 1 && l.Total != total {
						t.Errorf("%q, page %d: the total is %d, was %d", query, number, l.Total, total)
					}
					total = l.Total
					for _, e := range l.Items {
						if seen[e.Block.ID] {
							t.Errorf("%q, page %d of %d: %q again", query, number, per, w.names[e.Block.ID])
						}
						seen[e.Block.ID] = true
					}
					if int64(len(l.Items)) < per {
						break
					}
				}
				if int64(len(seen)) != total || total < least {
					t.Errorf("%q by %d: %d results, the total is %d, want at least %d", query, per, len(seen), total, least)
				}
				words, err := w.a.Finder.Explore(w.ctx(), ada, domain.Search{Query: query, Page: domain.Page{Number: 1, Per: 100}}, nil)
				w.must(err)
				for _, e := range words.Items {
					if !seen[e.Block.ID] {
						t.Errorf("%q by %d omits %q", query, per, w.names[e.Block.ID])
					}
				}
			}
		}
		if l, err := w.a.Finder.ExploreClose(w.ctx(), ada, domain.Search{Query: "moss", Page: domain.Page{Number: 1 << 60, Per: 100}}, nil); err != nil || len(l.Items) > 0 {
			t.Errorf("a page behind the end: %d items, %v", len(l.Items), err)
		}
	})
}

// An endpoint that is absent, slow or wrong leaves search by words as it is. The job stops until a pause is over, and loses
// nothing.
func TestMeaningFailures(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		w.block(ada, "moss garden", open)
		w.block(ada, "old boat", open)
		fail := func(code string, answer func(out http.ResponseWriter, r *http.Request, texts []string) bool) {
			t.Helper()
			w.endpoint.Answer(answer)
			w.Clock.Advance(time.Hour)
			err := w.a.Finder.EmbedBlocks(w.ctx())
			s, stateErr := w.S.Store.Vectors().State(w.ctx())
			w.must(stateErr)
			if err == nil || s.Error != code || !s.RetryAt.After(s.FailedAt) {
				t.Errorf("want %s: %v, %+v", code, err, s)
			}
			w.endpoint.Texts()
			w.must(w.a.Finder.EmbedBlocks(w.ctx()))
			w.sent() // until the pause is over
			if c := w.counts(); c.Waiting != 2 {
				t.Errorf("%s: %+v", code, c)
			}
			w.found(ada, "moss", "moss garden")
		}
		status := func(code int) func(out http.ResponseWriter, r *http.Request, texts []string) bool {
			return func(out http.ResponseWriter, _ *http.Request, _ []string) bool { out.WriteHeader(code); return true }
		}
		fail("failing", status(500))
		fail("refused", status(400)) // of every text
		fail("unauthorized", status(401))
		fail("busy", status(429))
		fail("redirected", status(307))
		fail("malformed", func(out http.ResponseWriter, _ *http.Request, _ []string) bool { return true })
		fail("count", func(out http.ResponseWriter, _ *http.Request, texts []string) bool {
			embeddingstest.Write(out, texts[1:], 8)
			return true
		})
		fail("unreachable", func(out http.ResponseWriter, _ *http.Request, _ []string) bool { panic(http.ErrAbortHandler) })
		w.endpoint.Answer(nil)
		w.Clock.Advance(time.Hour)
		w.embed()
		w.found(ada, "lichen", "moss garden")
		if s, err := w.S.Store.Vectors().State(w.ctx()); err != nil || s.Error != "" || s.Failures != 0 {
			t.Errorf("after a success: %+v, %v", s, err)
		}
		w.endpoint.Answer(status(500))
		w.found(ada, "bryophyte")
		w.endpoint.Answer(nil)
		w.found(ada, "bryophyte") // the failure is remembered for a moment
		w.Clock.Advance(time.Minute)
		w.found(ada, "bryophyte", "moss garden")
	})
}

// A text that the endpoint refuses blocks no others, and is not sent again until it changes. A long one is tried with its
// beginning only.
func TestRefusedText(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		w.block(ada, "moss garden", open)
		bad := w.block(ada, "cursed boat", open)
		long := w.block(ada, "hound "+strings.Repeat("dog ", 400), open)
		w.names[long] = "long"
		w.endpoint.Answer(func(out http.ResponseWriter, _ *http.Request, texts []string) bool {
			if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "cursed") }) {
				out.WriteHeader(http.StatusBadRequest)
				return true
			}
			if slices.ContainsFunc(texts, func(s string) bool { return len(s) > 600 }) {
				out.WriteHeader(http.StatusInternalServerError)
				return true
			}
			return false
		})
		w.embed()
		if c := w.counts(); c != (stored.Counts{Done: 2, Refused: 1}) {
			t.Errorf("%+v", c)
		}
		w.found(ada, "lichen", "moss garden")
		w.found(ada, "puppy", "long")
		w.endpoint.Texts()
		w.Clock.Advance(25 * time.Hour)
		w.embed()
		w.sent()
		_, err := w.a.Collections.UpdateBlock(w.ctx(), ada, bad, collections.UpdateBlockInput{Content: new("blessed boat")})
		w.must(err)
		w.embed()
		w.sent("blessed boat")
	})
}

// Another model, or another dimension twice in a row, means computing all vectors again. Vectors of different models are
// not compared.
func TestOtherModel(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		w.block(ada, "moss garden", open)
		w.block(ada, "old boat", open)
		w.embed()
		w.found(ada, "lichen", "moss garden")
		w.endpoint.Answer(func(out http.ResponseWriter, _ *http.Request, texts []string) bool {
			embeddingstest.Write(out, texts, 30)
			return true
		})
		w.block(ada, "wet dog", open)
		if err := w.a.Finder.EmbedBlocks(w.ctx()); embeddings.CodeOf(err) != "dimension" {
			t.Errorf("another dimension: %v", err)
		}
		w.found(ada, "hound")
		w.Clock.Advance(time.Hour)
		w.embed()
		w.found(ada, "puppy", "wet dog")
		w.found(ada, "bryophyte", "moss garden")
		w.endpoint.Answer(nil)
		w.endpoint.Texts()
		m := collections.NewMeaning(embeddings.New(embeddings.Options{URL: w.endpoint.Endpoint(), Model: "other"}), false)
		m.QueryTimeout = time.Minute
		other := collections.NewFinder(w.a.Finder.Core, m)
		if l, err := other.ExploreClose(w.ctx(), ada, domain.Search{Query: "lichen", Page: somePage}, nil); err != nil || l.Total != 0 {
			t.Errorf("vectors of another model are compared: %+v, %v", l, err)
		}
		w.must(other.EmbedBlocks(w.ctx()))
		w.sent("moss garden", "old boat", "wet dog")
		if l, err := other.ExploreClose(w.ctx(), ada, domain.Search{Query: "lichen", Page: somePage}, nil); err != nil || l.Total != 1 {
			t.Errorf("after computing them again: %+v, %v", l, err)
		}
		w.found(ada, "lichen") // this process still has the old model
	})
}

// The vector of a text that changes while it is computed is not stored. Only one process computes vectors at a time.
func TestMeaningRace(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		id := w.block(ada, "moss garden", open)
		changed := false
		w.endpoint.Answer(func(out http.ResponseWriter, r *http.Request, texts []string) bool {
			if !changed {
				changed = true
				if _, err := w.a.Collections.UpdateBlock(w.ctx(), ada, id, collections.UpdateBlockInput{Content: new("old boat")}); err != nil {
					t.Error(err)
				}
				if err := w.a.Finder.EmbedBlocks(w.ctx()); err != nil {
					t.Error(err)
				}
			}
			return false
		})
		w.embed()
		w.sent("moss garden", "old boat")
		w.names[id] = "old boat"
		w.found(ada, "lichen")
		w.found(ada, "vessel", "old boat")
	})
}

// Without an endpoint, nothing is queued, and nothing is kept in memory.
func TestMeaningOff(t *testing.T) {
	eachMeaning(t, func(w *meaningRig) {
		ada := w.member("ada")
		open := storetest.Channel(t, w.S.Store, ada.UserID, "Open", domain.Public)
		w.embed()
		off := collections.NewFinder(w.a.Finder.Core, nil)
		w.must(off.EmbedBlocks(w.ctx()))
		w.block(ada, "moss garden", open)
		if c := w.counts(); c != (stored.Counts{}) {
			t.Errorf("%+v", c)
		}
		if l, err := off.ExploreClose(w.ctx(), ada, domain.Search{Query: "lichen", Page: somePage}, nil); err != nil || l.Total != 0 {
			t.Errorf("%+v, %v", l, err)
		}
		w.embed()
		w.sent("moss garden")
	})
}
