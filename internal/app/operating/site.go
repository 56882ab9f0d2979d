package operating

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// siteFor is how long a server uses the cached site without checking for changes. Its own changes take effect at once,
// those of other servers after a second (WatchSite), or after this time if the check fails.
const siteFor = 5 * time.Second

// siteCache caches the site in memory.
type siteCache struct {
	known    atomic.Pointer[knownSite]
	checking sync.Mutex // held by the request that checks; the others use the cached site
}

type knownSite struct {
	site domain.Site
	at   time.Time // time of the last check
}

// WatchSite checks for changes of the site and for the read-only mode. A server calls it once a second, so that its
// requests take no statement for that.
func (a *Operating) WatchSite(ctx context.Context) error {
	a.site.checking.Lock()
	defer a.site.checking.Unlock()
	_, err := a.look(ctx)
	return err
}

// SiteSettings returns the texts and settings of the site. It takes no statement within five seconds of the last check,
// otherwise one, and four if something has changed.
func (a *Operating) SiteSettings(ctx context.Context) (domain.Site, error) {
	known := a.site.known.Load()
	if known != nil && a.Now().Sub(known.at) < siteFor {
		return known.site, nil
	}
	if known == nil {
		a.site.checking.Lock()
	} else if !a.site.checking.TryLock() {
		return known.site, nil
	}
	defer a.site.checking.Unlock()
	return a.look(ctx)
}

// look reads the site if it has changed.
func (a *Operating) look(ctx context.Context) (s domain.Site, err error) {
	now, at := a.Now(), a.Store.AtPrimary()
	version, mode, err := at.Account().SiteVersion(ctx)
	if err != nil {
		return s, err
	}
	a.Store.NoteReadOnly(mode)
	if known := a.site.known.Load(); known != nil && version == known.site.Version {
		a.site.known.Store(&knownSite{known.site, now})
		return known.site, nil
	}
	err = at.InSnapshot(ctx, func(v *store.Snapshot) error {
		if s, err = v.Account().Site(ctx); err != nil || s.Picture == nil {
			return err
		}
		files, err := v.Blobs().FilesByID(ctx, []domain.FileID{s.Picture.ID})
		if f, ok := files[s.Picture.ID]; ok {
			s.Picture = &f
		}
		return err
	})
	if err == nil {
		a.site.known.Store(&knownSite{s, now})
	}
	return s, err
}

// forgetSite drops the cached site.
func (a *Operating) forgetSite() { a.site.known.Store(nil) }

// SiteFor is SiteSettings for an operator, who sees changes of other servers at once.
func (a *Operating) SiteFor(ctx context.Context, by Operator) (s domain.Site, err error) {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return s, err
	}
	a.forgetSite()
	return a.SiteSettings(ctx)
}

// SiteInput changes the given fields.
type SiteInput struct {
	Name     *string
	About    core.Patch
	Picture  core.Patch // address of an upload
	Featured *[]string  // slugs of channels that everybody may see, in order

	// Seen is the version of the site on which the change is based; 0 means any. If the site has changed since, the
	// change is a Conflict.
	Seen int64
}

// Validate checks everything except the upload.
func (in SiteInput) Validate() error {
	var f domain.Faults
	if in.Name != nil {
		f.RequiredName("name", *in.Name)
	}
	f.AnyText("about", in.About.Value, domain.MaxDescription)
	f.AnyText("picture", in.Picture.Value, domain.MaxURL)
	if in.Featured != nil && len(*in.Featured) > 0 {
		f.Count("featured", len(*in.Featured), domain.MaxFeatured)
	}
	return f.Err()
}

// UpdateSite changes the site for an operator.
func (a *Operating) UpdateSite(ctx context.Context, actor domain.Actor, in SiteInput) (s domain.Site, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return s, err
	}
	if err := in.Validate(); err != nil {
		return s, err
	}
	defer a.forgetSite()
	if address := core.NonEmpty(in.Picture.Value); in.Picture.Set && address != nil {
		err = a.content.ShowUpload(ctx, actor, "picture", *address, func(tx *store.Tx, f *domain.File) error {
			return a.updateSite(ctx, tx, actor, in, f, &s)
		})
		return s, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error { return a.updateSite(ctx, tx, actor, in, nil, &s) })
	return s, err
}

func (a *Operating) updateSite(ctx context.Context, tx *store.Tx, actor domain.Actor, in SiteInput, picture *domain.File, s *domain.Site) error {
	if err := a.changeSite(ctx, tx, actor); err != nil {
		return err
	}
	was, err := lockedSite(ctx, tx, in.Seen)
	if err != nil {
		return err
	}
	*s = was
	if in.Name != nil {
		s.Name = domain.CleanName(*in.Name)
	}
	if in.About.Set {
		s.About = core.Rendered(in.About.Value)
	}
	if in.Picture.Set {
		s.Picture = picture
	}
	if in.Featured != nil {
		if s.Featured, err = a.featured(ctx, tx, *in.Featured); err != nil {
			return err
		}
	}
	if err := tx.UpdateSite(ctx, was, *s); err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, domain.ActSiteChanged, domain.AuditTarget{}, nil)
}

// lockedSite reads the locked site. It returns a Conflict if it is not the version that somebody has seen; 0 means any.
func lockedSite(ctx context.Context, tx *store.Tx, seen int64) (domain.Site, error) {
	s, err := tx.Account().Site(ctx)
	if err == nil && seen != 0 && s.Version-1 != seen { // locking increased the version
		err = domain.Wrap(domain.Conflict, changedMeanwhile, nil)
	}
	return s, err
}

// featured finds channels that everybody may see, each once, and makes them those of the start page.
func (a *Operating) featured(ctx context.Context, tx *store.Tx, slugs []string) (ids []domain.ChannelID, err error) {
	for i, slug := range slugs {
		c, err := tx.Channels().Channel(ctx, 0, domain.Ref{Slug: slug})
		if domain.KindOf(err) == domain.NotFound {
			return nil, domain.InvalidField("featured", domain.FieldUnknown, fmt.Sprintf("address %d is not that of a channel that everybody may see", i+1))
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids, tx.Account().PutFeatured(ctx, ids)
}

const changedMeanwhile = "Somebody else has changed this meanwhile: save again to put yours in its place"

// changeSite locks the whole site for an operator.
func (a *Operating) changeSite(ctx context.Context, tx *store.Tx, actor domain.Actor) error {
	if err := tx.Account().LockSite(ctx, a.Now()); err != nil {
		return err
	}
	return core.Operate(ctx, tx.Queries, actor)
}

// LegalPages lists the operator's own pages without their texts, in the order of creation. It takes the statements of
// SiteSettings.
func (a *Operating) LegalPages(ctx context.Context) ([]domain.LegalPage, error) {
	s, err := a.SiteSettings(ctx)
	return s.Legal, err
}

// LegalPage reads one of the operator's own pages, or returns NotFound. It takes one statement.
func (a *Operating) LegalPage(ctx context.Context, slug string) (domain.LegalPage, error) {
	if !domain.ValidSlug(slug) {
		return domain.LegalPage{}, domain.NewNotFound()
	}
	return a.Store.Account().LegalPage(ctx, slug)
}

// LegalPageInput is one of the operator's own pages. Body is Markdown.
type LegalPageInput struct {
	Slug, Title, Body string

	// Seen is the version of the page on which the change is based, 0 for a new page; nil means any. If the page has
	// changed since, the change is a Conflict.
	Seen *int64
}

// Validate checks the page.
func (in LegalPageInput) Validate() error {
	var f domain.Faults
	switch {
	case len(in.Slug) > domain.MaxSlugLength:
		f.Add("slug", domain.FieldTooLong, fmt.Sprintf("must be at most %d characters long", domain.MaxSlugLength))
	case !domain.ValidSlug(in.Slug):
		f.Add("slug", domain.FieldMalformed, "must be words of lower-case letters and digits, joined by hyphens, such as imprint")
	}
	f.RequiredText("title", in.Title, domain.MaxTitle)
	f.RequiredText("body", in.Body, domain.MaxMarkdown)
	return f.Err()
}

// SaveLegalPage creates or replaces the page with a slug for an operator.
func (a *Operating) SaveLegalPage(ctx context.Context, actor domain.Actor, in LegalPageInput) (p domain.LegalPage, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return p, err
	}
	if err := in.Validate(); err != nil {
		return p, err
	}
	body := core.Rendered(&in.Body)
	defer a.forgetSite()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := a.changeSite(ctx, tx, actor); err != nil {
			return err
		}
		was, err := tx.Account().LegalPage(ctx, in.Slug)
		switch {
		case err == nil && in.Seen != nil && *in.Seen == 0:
			return domain.InvalidField("slug", domain.FieldTaken, "is already taken")
		case err == nil && in.Seen != nil && *in.Seen != was.Version:
			return domain.Wrap(domain.Conflict, changedMeanwhile, nil)
		case domain.KindOf(err) == domain.NotFound:
			n, err := tx.Account().CountLegalPages(ctx)
			if err != nil {
				return err
			}
			if n >= domain.MaxLegalPages {
				return domain.NewUnprocessable(fmt.Sprintf("There are %d pages: delete one first", domain.MaxLegalPages))
			}
		case err != nil:
			return err
		}
		err = tx.Account().PutLegalPage(ctx, domain.LegalPage{Slug: in.Slug, Title: strings.TrimSpace(in.Title), Body: body}, a.Now())
		if err != nil {
			return err
		}
		if p, err = tx.Account().LegalPage(ctx, in.Slug); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActPageSaved, aboutPage(in.Slug), nil)
	})
	return p, err
}

// DeleteLegalPage deletes a page for an operator, or returns NotFound.
func (a *Operating) DeleteLegalPage(ctx context.Context, actor domain.Actor, slug string) error {
	defer a.forgetSite()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := a.changeSite(ctx, tx, actor); err != nil {
			return err
		}
		if !domain.ValidSlug(slug) {
			return domain.NewNotFound()
		}
		if err := tx.Account().DeleteLegalPage(ctx, slug); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActPageDeleted, aboutPage(slug), nil)
	})
}

func aboutPage(slug string) domain.AuditTarget { return domain.AuditTarget{Kind: "Page", Label: slug} }
