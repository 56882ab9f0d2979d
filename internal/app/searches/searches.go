// Package searches contains the use cases of saved searches, which users follow like channels.
package searches

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// Searches contains the use cases.
type Searches struct {
	*core.Core
	finder  *collections.Finder
	mailer  *mail.Mailer
	mailKey core.Secret
}

// New creates the use cases. mailer is only needed for jobs.
func New(c *core.Core, finder *collections.Finder, mailer *mail.Mailer) *Searches {
	return &Searches{Core: c, finder: finder, mailer: mailer}
}

// errGuest is the error for guests, who have no saved searches.
var errGuest = domain.NewUnauthenticated("Sign in to save searches")

// SaveInput is a search to save. Following limits it to followed users and channels. Without a name, its name is the query.
type SaveInput struct {
	Query     string
	Following bool
	Name      string
}

// Validate checks the query and the name.
func (in SaveInput) Validate() error {
	var f domain.Faults
	collections.CheckSaved(&f, in.Query)
	if in.Name != "" {
		f.RequiredName("name", in.Name)
	}
	return f.Err()
}

// canonical returns a query with single spaces.
func canonical(query string) string { return strings.Join(strings.Fields(query), " ") }

// maxDefaultName is the maximum length of a name that is made from a query.
const maxDefaultName = 100

// defaultName returns the name of a search without one: the beginning of its query.
func defaultName(query string) string {
	name := []rune(domain.NameFrom(query))
	if len(name) > maxDefaultName {
		name = append(name[:maxDefaultName-1], '…')
	}
	return domain.CleanName(string(name))
}

// SaveSearch saves a search of the actor. Its new results are notifications, and are not mailed. Saving the same search again
// returns the saved one unchanged, and again is true. The limit is domain.MaxSavedSearches per user.
func (a *Searches) SaveSearch(ctx context.Context, actor domain.Actor, in SaveInput) (s domain.SavedSearch, again bool, err error) {
	if err := in.Validate(); err != nil {
		return s, false, err
	}
	if !actor.SignedIn() {
		return s, false, errGuest
	}
	s = domain.SavedSearch{User: actor.UserID, Name: domain.CleanName(in.Name), Query: canonical(in.Query), Following: in.Following, Notify: true, CreatedAt: a.Now()}
	if s.Name == "" {
		s.Name = defaultName(s.Query)
	}
	if s.Name == "" { // no character of the query can be part of a name
		s.Name = "?"
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Users().LockUser(ctx, actor.UserID); err != nil { // so that requests at once do not exceed the limit
			return err
		}
		same, err := tx.Saved().Same(ctx, actor.UserID, s.Query, s.Following)
		if again = err == nil; again {
			s = same
			return nil
		}
		if domain.KindOf(err) != domain.NotFound {
			return err
		}
		n, err := tx.Saved().CountSearches(ctx, actor.UserID)
		if err != nil {
			return err
		}
		if n >= domain.MaxSavedSearches {
			return domain.NewUnprocessable("You have saved " + strconv.Itoa(domain.MaxSavedSearches) + " searches, which is the limit. Delete one first")
		}
		id, err := tx.Saved().AddSearch(ctx, s)
		if err == nil {
			s, err = tx.Saved().Search(ctx, actor.UserID, id)
		}
		return err
	})
	return s, again, err
}

// SavedSearches lists the actor's saved searches by name.
func (a *Searches) SavedSearches(ctx context.Context, actor domain.Actor) ([]domain.SavedSearch, error) {
	if !actor.SignedIn() {
		return nil, errGuest
	}
	return a.Store.Saved().Searches(ctx, actor.UserID)
}

// SavedSearch returns a saved search of the actor. It returns NotFound for those of others.
func (a *Searches) SavedSearch(ctx context.Context, actor domain.Actor, id domain.SavedSearchID) (domain.SavedSearch, error) {
	return a.Store.Saved().Search(ctx, actor.UserID, id)
}

// SavedAs returns the saved search of the actor with a query. It returns NotFound if they have not saved it.
func (a *Searches) SavedAs(ctx context.Context, actor domain.Actor, query string, following bool) (domain.SavedSearch, error) {
	return a.Store.Saved().Same(ctx, actor.UserID, canonical(query), following)
}

// ChangeInput changes a saved search. Nil leaves a part unchanged.
type ChangeInput struct {
	Name         *string
	Notify, Mail *bool
}

// Validate checks the name.
func (in ChangeInput) Validate() error {
	var f domain.Faults
	if in.Name != nil {
		f.RequiredName("name", *in.Name)
	}
	return f.Err()
}

// ChangeSearch changes the name of a saved search of the actor, and what happens with its new results.
func (a *Searches) ChangeSearch(ctx context.Context, actor domain.Actor, id domain.SavedSearchID, in ChangeInput) (s domain.SavedSearch, err error) {
	if err := in.Validate(); err != nil {
		return s, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if s, err = tx.Saved().LockSearch(ctx, actor.UserID, id); err != nil {
			return err
		}
		if in.Name != nil {
			s.Name = domain.CleanName(*in.Name)
		}
		if in.Notify != nil {
			s.Notify = *in.Notify
		}
		if in.Mail != nil {
			s.Mail = *in.Mail
		}
		s.UpdatedAt = a.Now()
		return tx.Saved().UpdateSearch(ctx, s)
	})
	return s, err
}

// DeleteSearch deletes a saved search of the actor with its results.
func (a *Searches) DeleteSearch(ctx context.Context, actor domain.Actor, id domain.SavedSearchID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Saved().LockSearch(ctx, actor.UserID, id); err != nil {
			return err
		}
		return tx.Saved().DeleteSearch(ctx, id)
	})
}
