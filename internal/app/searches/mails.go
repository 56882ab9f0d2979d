package searches

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/present"
	"vitrine/internal/store"
	"vitrine/internal/store/saved"
)

// QueueSearchMails is the job that finds users to mail about new results.
type QueueSearchMails struct{}

// Kind implements jobs.Args.
func (QueueSearchMails) Kind() string { return "queue_search_mails" }

// The interval of the job, and the minimum time between two mails to a user.
const (
	MailInterval = 15 * time.Minute
	mailPause    = 24 * time.Hour
)

// MailSearches is the job that mails new results of saved searches to a user.
type MailSearches struct {
	User domain.UserID `json:"user_id"`
	At   int64         `json:"at"` // microseconds; names the results that belong to this mail
}

// Kind implements jobs.Args.
func (MailSearches) Kind() string { return "mail_searches" }

// Class implements jobs.Classed.
func (MailSearches) Class() jobs.Class { return jobs.Mail }

// mailedAtOnce is how many users are listed at once.
const mailedAtOnce = 500

// QueueSearchMails queues a mail to each user with new results whose last mail is a day old. It records this in the same
// transaction, so an interrupted run, or one at the same time on another server, mails nobody twice.
func (a *Searches) QueueSearchMails(ctx context.Context) (failed error) {
	now := a.Now()
	due, err := a.Store.Saved().DueMails(ctx, now.Add(-mailPause), mailedAtOnce)
	if err != nil {
		return err
	}
	for _, user := range due {
		err := a.Store.InTx(ctx, func(tx *store.Tx) error {
			some, err := tx.Saved().TakeMail(ctx, user, now.Add(-mailPause), now)
			if err != nil || !some {
				return err
			}
			return tx.Enqueue(ctx, MailSearches{User: user, At: now.UnixMicro()}, jobs.Attempts(5))
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("user %d: %w", user, err))
		}
	}
	return failed
}

// The limits of a mail.
const (
	mailedSearches = 20
	mailedResults  = 5 // of each search
)

// SendSearchMail mails new results to a user. It does nothing if they may not see any of them any more, have turned mails off, or
// are suspended or deleted.
func (a *Searches) SendSearchMail(ctx context.Context, job MailSearches) error {
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(job.User)})
	if domain.KindOf(err) == domain.NotFound || err == nil && u.SuspendedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	finds, err := a.Store.Saved().Finds(ctx, saved.FindsWanted{User: u.ID, Mail: time.UnixMicro(job.At), Limit: domain.MaxSavedSearches})
	if err != nil {
		return err
	}
	found, err := visible(ctx, a.finder, domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeRead}, finds, mailedResults)
	if err != nil || len(found) == 0 {
		return err
	}
	site, err := a.Store.Account().Site(ctx)
	if err != nil {
		return err
	}
	stop, err := a.stopAddress(ctx, u.ID)
	if err != nil {
		return err
	}
	id := sha256.Sum256(fmt.Append(nil, job.User, " ", job.At)) // so that a repeated mail has the same id
	err = a.mailer.Send(ctx, mail.Message{ID: fmt.Sprintf("searches-%x", id[:8]), To: core.AddressOf(u), Unsubscribe: stop,
		Subject: "New results of your searches at " + mail.Quote(site.Name), Text: a.mailText(found, stop)})
	if mail.IsFinal(err) {
		return jobs.Permanent(err)
	}
	return err
}

func (a *Searches) mailText(found []Found, stop string) string {
	at := present.Addresses{Site: a.SiteURL}
	var b strings.Builder
	for i := range found[:min(len(found), mailedSearches)] {
		f := &found[i]
		what := "new results"
		switch {
		case f.More:
			what = "or more " + what
		case f.Total == 1:
			what = "new result"
		}
		fmt.Fprintf(&b, "%s: %d %s\n  %s\n", mail.Quote(f.Search.Name), f.Total, what, a.SiteURL+Path(f.Search))
		for j := range f.Items {
			shown := at.Entity(f.Items[j])
			name := shown.Heading()
			if name == "" {
				name = "Untitled"
			}
			fmt.Fprintf(&b, "\n  %s\n  %s\n", mail.Quote(name), a.SiteURL+shown.Path())
		}
		b.WriteString("\n")
	}
	if more := len(found) - mailedSearches; more > 0 {
		fmt.Fprintf(&b, "And new results of other searches: %d\n\n", more)
	}
	return b.String() + "You get such a mail once a day at most, because you chose it for these searches:\n\n  " + a.SiteURL + "/search/saved\n\n" +
		"Stop all of these mails:\n\n  " + stop + "\n"
}

// Path returns the path of the page with the results of a saved search, newest first.
func Path(s domain.SavedSearch) string {
	q := url.Values{"q": {s.Query}, "sort": {"newest"}}
	if s.Following {
		q.Set("scope", "following")
	}
	return "/search?" + q.Encode()
}

// stopBytes is the length of the part of the MAC in the address that stops mails.
const stopBytes = 20

// stopAddress returns the address that stops the mails of a user without signing in.
func (a *Searches) stopAddress(ctx context.Context, user domain.UserID) (string, error) {
	mac, err := a.stopMAC(ctx, user)
	return a.SiteURL + "/unsubscribe/" + strconv.FormatInt(int64(user), 10) + "-" + mac, err
}

func (a *Searches) stopMAC(ctx context.Context, user domain.UserID) (string, error) {
	key, err := a.Secret(ctx, &a.mailKey, "search mails")
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, key)
	h.Write(binary.BigEndian.AppendUint64([]byte("stop\x00"), uint64(user)))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:stopBytes]), nil
}

// MailReader returns the user of a token that stops mails. It returns NotFound for any other token.
func (a *Searches) MailReader(ctx context.Context, token string) (domain.UserID, error) {
	number, mac, _ := strings.Cut(token, "-")
	id, _, valid := domain.IsID(number)
	if !valid {
		return 0, domain.NewNotFound()
	}
	want, err := a.stopMAC(ctx, domain.UserID(id))
	if err != nil {
		return 0, err
	}
	if !hmac.Equal([]byte(want), []byte(mac)) {
		return 0, domain.NewNotFound()
	}
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: id})
	return u.ID, err
}

// StopMails turns off mail for all saved searches of the user of a token.
func (a *Searches) StopMails(ctx context.Context, token string) error {
	user, err := a.MailReader(ctx, token)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Saved().StopMails(ctx, user, a.Now()) })
}
