package account

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Site reads the site's description of itself, with the titles of its legal pages. Only the ids of
// its picture and of the featured channels are set.
func (r Reads) Site(ctx context.Context) (s domain.Site, err error) {
	var about, announcement sqlx.TextColumns
	var picture *domain.FileID
	var updated int64
	var until *int64
	err = r.db.QueryRow(ctx, `SELECT name, about_markdown, about_html, about_plain, picture_id, announcement_markdown,
			announcement_html, announcement_plain, announcement_severity, announcement_until, announcement_version, version, updated_at FROM site WHERE id = 1`).
		Scan(&s.Name, &about.Markdown, &about.HTML, &about.Plain, &picture, &announcement.Markdown,
			&announcement.HTML, &announcement.Plain, &s.Severity, &until, &s.Announced, &s.Version, &updated)
	if err != nil {
		return s, err
	}
	s.About, s.Announcement, s.AnnouncedUntil, s.UpdatedAt = about.Value(), announcement.Value(), sqlx.TimePtr(until), sqlx.Time(updated)
	if picture != nil {
		s.Picture = &domain.File{ID: *picture}
	}
	rows, err := r.db.Query(ctx, `SELECT slug, title, version, created_at, updated_at FROM legal_pages ORDER BY id`)
	s.Legal, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p domain.LegalPage, err error) {
		var created, updated int64
		err = row.Scan(&p.Slug, &p.Title, &p.Version, &created, &updated)
		p.CreatedAt, p.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
		return p, err
	})
	if err != nil {
		return s, err
	}
	rows, err = r.db.Query(ctx, `SELECT channel_id FROM featured_channels ORDER BY position, channel_id`)
	s.Featured, err = sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
	return s, err
}

// SiteVersion reads the current version of the site and its mode, nil if it is writable.
func (r Reads) SiteVersion(ctx context.Context) (version int64, m *domain.ReadOnly, err error) {
	var reason *string
	var since, until *int64
	err = r.db.QueryRow(ctx, `SELECT s.version, r.reason, r.since, r.until FROM site AS s LEFT JOIN read_only AS r ON r.id = s.id WHERE s.id = 1`).
		Scan(&version, &reason, &since, &until)
	if err != nil || reason == nil {
		return version, nil, err
	}
	return version, &domain.ReadOnly{Reason: *reason, Since: sqlx.Time(*since), Until: sqlx.TimePtr(until)}, nil
}

// ReadOnly reads the mode of the site, nil if it is writable.
func (r Reads) ReadOnly(ctx context.Context) (*domain.ReadOnly, error) {
	_, m, err := r.SiteVersion(ctx)
	return m, err
}

// PutReadOnly writes the mode of the site, nil for writable.
func (w Writes) PutReadOnly(ctx context.Context, m *domain.ReadOnly) error {
	if m == nil {
		return w.db.Exec(ctx, `DELETE FROM read_only`)
	}
	return w.db.Exec(ctx, `INSERT INTO read_only (id, reason, since, until) VALUES (1, $1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, since = excluded.since, until = excluded.until`,
		m.Reason, sqlx.Micros(m.Since), sqlx.MicrosPtr(m.Until))
}

// LockSite prevents other changes of the site and its legal pages until the transaction ends. It
// increments the version, so the caller must change something.
func (w Writes) LockSite(ctx context.Context, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE site SET version = version + 1, updated_at = $1 WHERE id = 1`, sqlx.Micros(now))
}

// PutSite writes a locked site except for its legal pages.
func (w Writes) PutSite(ctx context.Context, s domain.Site) error {
	about, announcement := sqlx.TextOf(s.About), sqlx.TextOf(s.Announcement)
	var picture any
	if s.Picture != nil {
		picture = s.Picture.ID
	}
	return w.db.ExecOne(ctx, `UPDATE site SET name = $1, about_markdown = $2, about_html = $3, about_plain = $4, picture_id = $5,
			announcement_markdown = $6, announcement_html = $7, announcement_plain = $8, announcement_version = $9,
			announcement_severity = $10, announcement_until = $11 WHERE id = 1`,
		s.Name, about.Markdown, about.HTML, about.Plain, picture, announcement.Markdown, announcement.HTML, announcement.Plain, s.Announced,
		cmp.Or(s.Severity, domain.Severities[0]), sqlx.MicrosPtr(s.AnnouncedUntil))
}

// PutFeatured replaces the featured channels of a locked site.
func (w Writes) PutFeatured(ctx context.Context, channels []domain.ChannelID) error {
	if err := w.db.Exec(ctx, `DELETE FROM featured_channels`); err != nil {
		return err
	}
	for i, id := range channels {
		if err := w.db.Exec(ctx, `INSERT INTO featured_channels (channel_id, position) VALUES ($1, $2)`, id, i); err != nil {
			return err
		}
	}
	return nil
}

// LegalPage reads a legal page by its slug.
func (r Reads) LegalPage(ctx context.Context, slug string) (p domain.LegalPage, err error) {
	var created, updated int64
	p.Slug, p.Body = slug, new(domain.Text)
	err = r.db.QueryRow(ctx, `SELECT title, body_markdown, body_html, body_plain, version, created_at, updated_at
		FROM legal_pages WHERE slug = $1`, slug).
		Scan(&p.Title, &p.Body.Markdown, &p.Body.HTML, &p.Body.Plain, &p.Version, &created, &updated)
	p.CreatedAt, p.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return p, sqlx.Found(err)
}

// CountLegalPages counts the legal pages.
func (r Reads) CountLegalPages(ctx context.Context) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, `SELECT count(*) FROM legal_pages`))
}

// PutLegalPage writes a page of a locked site. It replaces the page with the same slug.
func (w Writes) PutLegalPage(ctx context.Context, p domain.LegalPage, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO legal_pages (slug, title, body_markdown, body_html, body_plain, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT (slug) DO UPDATE SET title = excluded.title, body_markdown = excluded.body_markdown, body_html = excluded.body_html,
			body_plain = excluded.body_plain, version = legal_pages.version + 1, updated_at = excluded.updated_at`,
		p.Slug, p.Title, p.Body.Markdown, p.Body.HTML, p.Body.Plain, sqlx.Micros(now))
}

// DeleteLegalPage removes a page of a locked site. It returns NotFound if the page does not exist.
func (w Writes) DeleteLegalPage(ctx context.Context, slug string) error {
	n, err := w.db.ExecCount(ctx, `DELETE FROM legal_pages WHERE slug = $1`, slug)
	if err == nil && n == 0 {
		err = domain.NewNotFound()
	}
	return err
}
