package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/searches"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// watching is a rig of people who save searches.
type watching struct {
	*accountsRig
	ada, bob     domain.Actor
	garden, shed domain.ChannelID // bob's, public and private
}

func eachWatching(t *testing.T, f func(t *testing.T, r *watching)) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga") // the operator
		r := &watching{accountsRig: w, ada: w.member("ada"), bob: w.member("bob")}
		r.garden = storetest.Channel(t, w.S.Store, r.bob.UserID, "The garden", domain.Public)
		r.shed = storetest.Channel(t, w.S.Store, r.bob.UserID, "The shed", domain.Private)
		f(t, r)
	})
}

// add adds a block of bob's to a channel.
func (r *watching) add(in domain.ChannelID, text string) domain.BlockID {
	id := storetest.Block(r.t, r.S.Store, r.bob.UserID, text)
	storetest.Connect(r.t, r.S.Store, r.bob.UserID, in, domain.BlockRef(id), 0)
	return id
}

func (r *watching) save(by domain.Actor, in searches.SaveInput) domain.SavedSearch {
	r.t.Helper()
	s, _, err := r.a.Searches.SaveSearch(r.ctx(), by, in)
	r.must(err)
	return s
}

// settle makes all documents old enough to be checked.
func (r *watching) settle() {
	r.t.Helper()
	r.Exec("UPDATE search_watermark SET next_at = 0") // note the last document of now instead of an earlier one
	r.must(r.a.Searches.Check(r.ctx()))
	r.Clock.Advance(11 * time.Minute)
}

// check finds new results among all documents.
func (r *watching) check() {
	r.t.Helper()
	r.settle()
	r.must(r.a.Searches.Check(r.ctx()))
}

func (r *watching) finds(of domain.Actor) []searches.Found {
	r.t.Helper()
	all, _, _, err := r.a.Searches.Finds(r.ctx(), of, searches.FindsInput{Limit: 100})
	r.must(err)
	return all
}

// found describes entries: the name of each search with the titles of its results.
func (r *watching) found(of domain.Actor) (all []string) {
	r.t.Helper()
	for _, f := range r.finds(of) {
		said := fmt.Sprint(f.Search.Name, " ", f.Total, ":")
		for _, t := range f.Items {
			switch {
			case t.Block != nil:
				said += " " + t.Block.Content.Plain
			case t.Channel != nil:
				said += " " + t.Channel.Title
			case t.User != nil:
				said += " " + t.User.Name
			}
		}
		all = append(all, said)
	}
	return all
}

func (r *watching) wantFound(of domain.Actor, want ...string) {
	r.t.Helper()
	if got := r.found(of); !slices.Equal(got, want) {
		r.t.Errorf("found %q, want %q", got, want)
	}
}

// Only documents that were written after a search was saved are new, by others, and each is found once.
func TestSavedSearchFindsNewResults(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		r.add(r.garden, "moss before")
		edited := r.add(r.garden, "stone")
		r.save(r.ada, searches.SaveInput{Query: "  moss   type:text ", Name: "Green"})
		r.save(r.ada, searches.SaveInput{Query: "in:the-garden"})
		r.save(r.bob, searches.SaveInput{Query: "moss"})
		r.check()
		r.wantFound(r.ada)
		r.add(r.garden, "moss one")
		secret := r.add(r.shed, "moss hidden")
		own := storetest.Block(t, r.S.Store, r.ada.UserID, "moss of her own")
		storetest.Connect(t, r.S.Store, r.bob.UserID, r.garden, domain.BlockRef(own), 0)
		r.must(r.a.Searches.Check(r.ctx()))
		r.wantFound(r.ada) // not settled yet
		r.check()
		r.wantFound(r.ada, "in:the-garden 1: moss one", "Green 1: moss one")
		r.check()
		r.wantFound(r.ada, "in:the-garden 1: moss one", "Green 1: moss one")
		r.wantFound(r.bob, "moss 1: moss of her own")
		r.add(r.garden, "more moss")
		_, err := r.a.Collections.UpdateBlock(r.ctx(), r.bob, edited, collections.UpdateBlockInput{Content: new("moss edited")})
		r.must(err)
		storetest.Connect(t, r.S.Store, r.bob.UserID, r.garden, domain.BlockRef(secret), 0) // made public later: not new
		r.check()
		r.wantFound(r.ada, "in:the-garden 2: more moss moss one", "Green 2: more moss moss one")
		r.Clock.Advance(24 * time.Hour)
		r.add(r.garden, "moss of tomorrow")
		r.check()
		r.wantFound(r.ada, "in:the-garden 1: moss of tomorrow", "Green 1: moss of tomorrow", "in:the-garden 2: more moss moss one", "Green 2: more moss moss one")
	})
}

// A user sees only results that they may see when they read them, and an entry without any is not shown, counted or mailed.
func TestSavedSearchShowsWhatIsVisible(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		s := r.save(r.ada, searches.SaveInput{Query: "moss"})
		_, err := r.a.Searches.ChangeSearch(r.ctx(), r.ada, s.ID, searches.ChangeInput{Mail: new(true)})
		r.must(err)
		moss := storetest.Channel(t, r.S.Store, r.bob.UserID, "Moss", domain.Closed)
		r.add(moss, "moss inside")
		r.add(r.shed, "moss hidden")
		r.add(r.garden, "moss outside")
		r.check()
		r.wantFound(r.ada, "moss 3: moss outside moss inside Moss")
		private, public := domain.Private, domain.Public
		_, err = r.a.Collections.UpdateChannel(r.ctx(), r.bob, domain.Ref{ID: int64(moss)}, collections.UpdateChannelInput{Visibility: &private})
		r.must(err)
		r.wantFound(r.ada, "moss 1: moss outside")
		r.must(r.a.Searches.QueueSearchMails(r.ctx()))
		r.WorkJobs()
		mails := r.mails("ada@example.org")
		if len(mails) != 1 || !strings.Contains(mails[0].Text, "“moss”: 1 new result\n") || strings.Contains(mails[0].Text, "inside") || strings.Contains(mails[0].Text, "“Moss”") {
			t.Errorf("mails %+v", mails)
		}
		_, err = r.a.Collections.UpdateChannel(r.ctx(), r.bob, domain.Ref{ID: int64(r.garden)}, collections.UpdateChannelInput{Visibility: &private})
		r.must(err)
		r.wantFound(r.ada)
		if n, err := r.a.Searches.UnreadFinds(r.ctx(), r.ada, 100); err != nil || n != 0 {
			t.Errorf("%d unread, %v", n, err)
		}
		r.Clock.Advance(25 * time.Hour)
		_, err = r.a.Collections.UpdateChannel(r.ctx(), r.bob, domain.Ref{ID: int64(r.garden)}, collections.UpdateChannelInput{Visibility: &public})
		r.must(err)
		r.add(r.garden, "moss again")
		r.check()
		_, err = r.a.Collections.UpdateChannel(r.ctx(), r.bob, domain.Ref{ID: int64(r.garden)}, collections.UpdateChannelInput{Visibility: &private})
		r.must(err)
		r.must(r.a.Searches.QueueSearchMails(r.ctx()))
		r.WorkJobs()
		if all := r.mails("ada@example.org"); len(all) != 1 {
			t.Errorf("%d mails, although nothing is visible", len(all))
		}
	})
}

// If the program dies anywhere in a check, or two servers check at the same time, every result is found once.
func TestSavedSearchOnceAfterACrash(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		r.save(r.ada, searches.SaveInput{Query: "moss"})
		r.add(r.garden, "moss one")
		r.settle()
		for _, at := range []string{"SET read_to", "INSERT INTO saved_search_finds", "INSERT INTO saved_search_results"} {
			dying, die := context.WithCancel(r.ctx())
			end := r.Intercept(func(_ context.Context, query string) {
				if strings.Contains(query, at) {
					die()
				}
			})
			if err := r.a.Searches.Check(dying); err == nil {
				t.Errorf("it did not die at %q", at)
			}
			end()
			r.Clock.Advance(2 * time.Hour)
			r.wantFound(r.ada)
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if err := r.a.Searches.Check(r.ctx()); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		r.wantFound(r.ada, "moss 1: moss one")
		if n := len(r.Dump()["saved_search_results"]); n != 1 {
			t.Errorf("%d results", n)
		}
	})
}

// Several servers mail a user at most once a day, with all searches whose mails are on, and a mail that is sent again is the same.
func TestSavedSearchMails(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		on := searches.ChangeInput{Mail: new(true)}
		for _, in := range []searches.SaveInput{{Query: "moss", Name: "\". Claim at https://evil.com"}, {Query: "in:the-garden"}, {Query: "type:text"}} {
			s := r.save(r.ada, in)
			if in.Query != "type:text" {
				_, err := r.a.Searches.ChangeSearch(r.ctx(), r.ada, s.ID, on)
				r.must(err)
			}
		}
		queue := func() {
			t.Helper()
			var wait sync.WaitGroup
			for range 4 {
				wait.Go(func() {
					if err := r.a.Searches.QueueSearchMails(r.ctx()); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			r.WorkJobs()
		}
		r.add(r.garden, "moss one")
		r.check()
		queue()
		mails := r.mails("ada@example.org")
		if len(mails) != 1 {
			t.Fatalf("%d mails", len(mails))
		}
		for _, part := range []string{"“’. Claim at https[:]//evil[.]com”: 1 new result\n", "“in[:]the-garden”: 1 new result\n", "/search?q=moss&sort=newest\n", "/unsubscribe/"} {
			if !strings.Contains(mails[0].Text, part) {
				t.Errorf("the mail does not contain %q: %s", part, mails[0].Text)
			}
		}
		if strings.Contains(mails[0].Text, "type") {
			t.Errorf("the mail has a search without mail: %s", mails[0].Text)
		}
		r.add(r.garden, "moss two")
		r.check()
		queue()
		if n := len(r.mails("ada@example.org")); n != 1 {
			t.Fatalf("%d mails on the same day", n)
		}
		r.Clock.Advance(24 * time.Hour)
		queue()
		mails = r.mails("ada@example.org", mails[0].ID)
		if len(mails) != 1 || !strings.Contains(mails[0].Text, "moss two") || strings.Contains(mails[0].Text, "moss one") {
			t.Fatalf("on the next day %+v", mails)
		}
		// The link in the mail stops mails without signing in.
		_, token, _ := strings.Cut(mails[0].Text, "/unsubscribe/")
		token, _, _ = strings.Cut(token, "\n")
		for _, wrong := range []string{"", "1", token + "x", "9" + token, strings.Replace(token, "-", "-x", 1)} {
			r.want(domain.NotFound, r.a.Searches.StopMails(r.ctx(), wrong))
		}
		r.add(r.garden, "moss three")
		r.check()
		r.must(r.a.Searches.StopMails(r.ctx(), token))
		r.Clock.Advance(25 * time.Hour)
		queue()
		if n := len(r.mails("ada@example.org")); n != 2 {
			t.Errorf("%d mails after they were stopped", n)
		}
	})
}

// The same search is saved once, also by requests at the same time, and a user has a limited number of them.
func TestSavingSearches(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		var wait sync.WaitGroup
		var mu sync.Mutex
		ids, fresh := map[domain.SavedSearchID]bool{}, 0
		for range 8 {
			wait.Go(func() {
				s, again, err := r.a.Searches.SaveSearch(r.ctx(), r.ada, searches.SaveInput{Query: "moss  type:text"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				ids[s.ID] = true
				if !again {
					fresh++
				}
			})
		}
		wait.Wait()
		if len(ids) != 1 || fresh != 1 {
			t.Errorf("saved %v, %d of them new", ids, fresh)
		}
		other := r.save(r.ada, searches.SaveInput{Query: "moss type:text", Following: true})
		if ids[other.ID] {
			t.Error("a search among followed things is the same as one among all")
		}
		for i := range domain.MaxSavedSearches - 4 {
			r.save(r.ada, searches.SaveInput{Query: fmt.Sprint("moss ", i)})
		}
		var refused int
		for i := range 6 {
			wait.Go(func() {
				_, _, err := r.a.Searches.SaveSearch(r.ctx(), r.ada, searches.SaveInput{Query: fmt.Sprint("stone ", i)})
				mu.Lock()
				defer mu.Unlock()
				if domain.KindOf(err) == domain.Unprocessable {
					refused++
				}
			})
		}
		wait.Wait()
		all, err := r.a.Searches.SavedSearches(r.ctx(), r.ada)
		r.must(err)
		if refused != 4 || len(all) != domain.MaxSavedSearches {
			t.Errorf("%d were refused, %d saved", refused, len(all))
		}
		// Nobody else can read or change them.
		_, err = r.a.Searches.SavedSearch(r.ctx(), r.bob, other.ID)
		r.want(domain.NotFound, err)
		_, err = r.a.Searches.ChangeSearch(r.ctx(), r.bob, other.ID, searches.ChangeInput{Name: new("mine")})
		r.want(domain.NotFound, err)
		r.want(domain.NotFound, r.a.Searches.DeleteSearch(r.ctx(), r.bob, other.ID))
		r.must(r.a.Searches.DeleteSearch(r.ctx(), r.ada, other.ID))
		r.want(domain.NotFound, r.a.Searches.DeleteSearch(r.ctx(), r.ada, other.ID))
		_, _, err = r.a.Searches.SaveSearch(r.ctx(), domain.Actor{}, searches.SaveInput{Query: "moss"})
		r.want(domain.Unauthenticated, err)
		for _, bad := range []searches.SaveInput{{}, {Query: " \t"}, {Query: "a\xff"}, {Query: "a\x00"}, {Query: strings.Repeat("a", domain.MaxSavedQuery+1)},
			{Query: strings.Repeat("a ", 401)}, {Query: "a", Name: strings.Repeat("a", domain.MaxTitle+1)}, {Query: "a", Name: "a\u202eb"}} {
			_, _, err := r.a.Searches.SaveSearch(r.ctx(), r.bob, bad)
			r.want(domain.Invalid, err)
		}
		for _, odd := range []string{`"`, "-", `title:"`, "in:nowhere moss", "\u202e", "%_' OR 1=1 --", "<script>", "meta:year>1970 OR", "by:nobody"} {
			if s := r.save(r.bob, searches.SaveInput{Query: odd}); s.Name == "" {
				t.Errorf("%q has no name", odd)
			}
		}
		r.add(r.garden, "moss")
		r.check()
	})
}

// A check stores a limited number of results, and continues after a part of the documents.
func TestSavedSearchLimits(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		r.save(r.ada, searches.SaveInput{Query: "moss"})
		for i := range 60 {
			r.add(r.garden, fmt.Sprint("moss ", i))
		}
		r.check()
		r.check()
		all := r.finds(r.ada)
		if len(all) != 1 || all[0].Total != 50 || !all[0].More || all[0].Items[0].Block.Content.Plain != "moss 59" {
			t.Errorf("found %+v", all)
		}
		r.must(r.a.Searches.ReadFinds(r.ctx(), r.ada))
		if n, err := r.a.Searches.UnreadFinds(r.ctx(), r.ada, 100); err != nil || n != 0 {
			t.Errorf("%d unread, %v", n, err)
		}
		r.add(r.garden, "moss after")
		r.check()
		r.must(r.a.Searches.ReadFinds(r.ctx(), r.bob))
		if n, err := r.a.Searches.UnreadFinds(r.ctx(), r.ada, 100); err != nil || n != 1 {
			t.Errorf("%d unread, %v", n, err)
		}
		r.wantFound(r.ada, "moss 1: moss after", "moss 50: moss 59 moss 58 moss 57 moss 56 moss 55 moss 54 moss 53 moss 52")
	})
}

// A search that fails is left out for an hour, and does not keep others from being checked.
func TestFailingSavedSearch(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		failing := r.save(r.ada, searches.SaveInput{Query: "moss"})
		r.save(r.ada, searches.SaveInput{Query: "moss type:text"})
		r.Exec("UPDATE saved_searches SET query = $2 WHERE id = $1", failing.ID, strings.Repeat("moss", domain.MaxSearchQuery))
		r.add(r.garden, "moss one")
		r.settle()
		if err := r.a.Searches.Check(r.ctx()); err == nil {
			t.Error("it did not fail")
		}
		r.wantFound(r.ada, "moss type:text 1: moss one")
		r.Exec("UPDATE saved_searches SET query = 'moss' WHERE id = $1", failing.ID)
		r.must(r.a.Searches.Check(r.ctx()))
		r.wantFound(r.ada, "moss type:text 1: moss one")
		r.Clock.Advance(time.Hour)
		r.must(r.a.Searches.Check(r.ctx()))
		r.wantFound(r.ada, "moss 1: moss one", "moss type:text 1: moss one")
	})
}

// On PostgreSQL, a transaction may commit after documents with higher numbers were checked.
func TestSavedSearchWaitsForTransactions(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		if r.S.Store.Database() != "postgres" {
			t.Skip("SQLite has one writer at a time")
		}
		late := r.add(r.garden, "moss late")
		r.save(r.ada, searches.SaveInput{Query: "moss"})
		wrote, commit, done := make(chan bool), make(chan bool), make(chan error, 1)
		go func() {
			done <- r.DB().Transact(r.ctx(), func(tx *database.Tx) error {
				var was, is int64
				err := tx.QueryRow(r.ctx(), "SELECT seq, nextval(pg_get_serial_sequence('search_documents', 'seq')) FROM search_documents WHERE kind = 'Block' AND item_id = $1", late).Scan(&was, &is)
				for _, query := range []string{"UPDATE search_documents SET seq = $2 WHERE seq = $1", "UPDATE search_words SET rowid = $2 WHERE rowid = $1"} {
					if err == nil {
						_, err = tx.Exec(r.ctx(), query, was, is)
					}
				}
				close(wrote)
				<-commit
				return err
			})
		}()
		<-wrote
		r.add(r.garden, "moss early")
		r.check()
		r.check()
		r.wantFound(r.ada)
		close(commit)
		r.must(<-done)
		r.check()
		r.wantFound(r.ada, "moss 2: moss early moss late")
	})
}

// Deleting an account deletes its saved searches with their results.
func TestDeletedAccountHasNoSavedSearches(t *testing.T) {
	eachWatching(t, func(t *testing.T, r *watching) {
		r.save(r.ada, searches.SaveInput{Query: "moss"})
		r.add(r.garden, "moss")
		r.check()
		r.wantFound(r.ada, "moss 1: moss")
		r.must(r.a.Accounts.DeleteAccount(r.ctx(), r.ada, r.Proved(r.ada.UserID), "ada"))
		d := r.Dump()
		if n := len(d["saved_searches"]) + len(d["saved_search_finds"]) + len(d["saved_search_results"]) + len(d["saved_search_mails"]); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		// A server of the previous version does not delete them.
		r.save(r.bob, searches.SaveInput{Query: "stone"})
		r.Exec("UPDATE users SET deleted_at = 1 WHERE id = $1", r.bob.UserID)
		storetest.Block(t, r.S.Store, r.bob.UserID, "stone")
		r.check()
		if n := len(r.Dump()["saved_searches"]); n != 0 {
			t.Errorf("%d searches of a deleted account are left", n)
		}
		r.Exec("UPDATE users SET deleted_at = NULL WHERE id = $1", r.bob.UserID)
	})
}
