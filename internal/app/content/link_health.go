package content

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// CheckLinks is the job that finds out which links lead nowhere.
type CheckLinks struct{}

// Kind implements jobs.Args.
func (CheckLinks) Kind() string { return "check_links" }

// CheckLinksInterval is the interval of the job.
const CheckLinksInterval = 10 * time.Minute

// When the page of a Link is requested. A page that is there is requested again after half of the time since it was saved,
// within these limits.
const (
	firstCheck = 30 * 24 * time.Hour
	lastCheck  = 180 * 24 * time.Hour
)

// failedChecks are the times between requests that fail one after the other; later ones are lastCheck apart.
var failedChecks = []time.Duration{24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, firstCheck, 2 * firstCheck}

// A page is dead after this many failures over this time. A server that says that there is no such page is believed
// sooner than one that does not answer.
const (
	goneTimes, goneFor     = 3, 4 * 24 * time.Hour
	silentTimes, silentFor = 4, 25 * 24 * time.Hour
)

const (
	linkBatch   = 50
	linksAtOnce = 4
	// linksPerSite is how many links to a site are checked in one batch; others wait for the next run.
	linksPerSite = 3
	// linkLease is the time after which another run takes the links that a crashed one had claimed.
	linkLease = time.Hour
	// linkTimeout limits one request.
	linkTimeout = 30 * time.Second
	// linkRunTimeout limits a run, so that other jobs get their turn.
	linkRunTimeout = 2 * time.Minute
)

// CheckLinks requests the pages of the Links that are due. It may stop at any point and run again.
func (a *Content) CheckLinks(ctx context.Context) error {
	if !a.linkChecks {
		return nil
	}
	err := a.InBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.Blocks().ScheduleLinks(ctx, firstCheck, a.Now(), core.SweepBatch)
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, linkRunTimeout)
	defer cancel()
	for {
		var due []store.DueLink
		now := a.Now()
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			due, err = tx.Blocks().ClaimLinks(ctx, now, now.Add(linkLease), linkBatch)
			return err
		})
		if err == nil && len(due) > 0 {
			err = a.checkLinks(ctx, due)
		}
		if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return nil // the next run goes on
		}
		if err != nil || len(due) == 0 {
			return err
		}
	}
}

// checkLinks requests pages, those of one site one after the other.
func (a *Content) checkLinks(ctx context.Context, due []store.DueLink) error {
	sites := map[string][]store.DueLink{}
	for _, l := range due {
		site := ""
		if at, err := weburl.Parse(l.URL); err == nil {
			site = fetch.Site(at)
		}
		sites[site] = append(sites[site], l)
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(linksAtOnce)
	for _, links := range sites {
		all.Go(func() error {
			for i, l := range links {
				if i >= linksPerSite {
					if err := a.noteLink(ctx, l, l.LinkFailure, CheckLinksInterval); err != nil {
						return err
					}
					continue
				}
				if err := a.checkLink(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// checkLink requests the page of a Link and stores the result.
func (a *Content) checkLink(ctx context.Context, l store.DueLink) error {
	one, cancel := context.WithTimeout(ctx, linkTimeout)
	answer, err := a.get(one, fetch.Request{URL: l.URL, Accept: acceptAny, MaxBytes: a.uploadLimit})
	if err == nil {
		closing(answer.Body)
	}
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f, again := judged(l, err, a.Now())
	return a.noteLink(ctx, l, f, again)
}

func (a *Content) noteLink(ctx context.Context, l store.DueLink, f domain.LinkFailure, again time.Duration) error {
	now := a.Now()
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		return tx.Blocks().NoteLink(ctx, l, f, now.Add(again), now)
	})
}

// judged returns what a request says about a Link, and when to make the next one.
func judged(l store.DueLink, err error, now time.Time) (f domain.LinkFailure, again time.Duration) {
	failure, ok := errors.AsType[*fetch.Error](err)
	switch {
	case err == nil || errors.Is(err, fetch.ErrTooLarge):
		return f, min(max(now.Sub(l.CreatedAt)/2, firstCheck), lastCheck)
	case !ok || errors.Is(err, fetch.ErrBusy):
		return l.LinkFailure, CheckLinksInterval
	case failure == errBlocked || refusesPrograms(failure.Status): // the page may be there for readers
		return l.LinkFailure, firstCheck
	}
	f = domain.LinkFailure{Since: l.Since, Times: l.Times + 1, Reason: failure.Reason, Dead: l.LinkFailure.Dead}
	if l.Times == 0 {
		f.Since = now
	}
	times, during := goneTimes, goneFor
	if failure.Temporary {
		times, during = silentTimes, silentFor
	}
	f.Dead = f.Dead || f.Times >= times && now.Sub(f.Since) >= during
	if again = lastCheck; f.Times <= len(failedChecks) {
		again = failedChecks[f.Times-1]
	}
	return f, max(again, failure.RetryAfter)
}

// refusesPrograms reports whether servers use a status to refuse requests that do not come from a reader's browser.
func refusesPrograms(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusProxyAuthRequired, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons, 999:
		return true
	}
	return false
}

// DeadLinks lists a page of the actor's Links whose pages are gone, the last found first, with the reasons.
func (a *Content) DeadLinks(ctx context.Context, actor domain.Actor, p domain.Page) (l domain.List[domain.Block], why map[domain.BlockID]domain.LinkFailure, err error) {
	if !actor.SignedIn() {
		return l, nil, domain.NewUnauthenticated("A user's token is required")
	}
	if err := p.Validate(); err != nil {
		return l, nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if l, err = v.Blocks().DeadLinks(ctx, actor.UserID, p); err != nil {
			return err
		}
		ids := make([]domain.BlockID, len(l.Items))
		for i, b := range l.Items {
			ids[i] = b.ID
		}
		why, err = v.Blocks().LinkFailures(ctx, ids...)
		return err
	})
	return l, why, err
}

// LinkFailure reads why the page of a Link counts as gone.
func (a *Content) LinkFailure(ctx context.Context, id domain.BlockID) (domain.LinkFailure, error) {
	all, err := a.Store.Blocks().LinkFailures(ctx, id)
	return all[id], err
}

// CheckLinkSoon makes the next run of the job request the page of the actor's Link.
func (a *Content) CheckLinkSoon(ctx context.Context, actor domain.Actor, id domain.BlockID) error {
	if !actor.SignedIn() {
		return domain.NewUnauthenticated("A user's token is required")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Blocks().CheckSoon(ctx, actor.UserID, id, a.Now()) })
}

// Archived returns the address of the copy in the web archive that is nearest to a time, or "" if the operator wants
// none.
func (a *Content) Archived(address string, at time.Time) string {
	if a.archive == "" {
		return ""
	}
	return strings.NewReplacer("{time}", at.UTC().Format("20060102150405"), "{url}", address).Replace(a.archive)
}
