package store_test

import (
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// seed creates what the steps of the town do not, so that no table is empty. An older version
// must be able to contain it too, so it uses nothing from after migration 0004 in tables that
// existed before.
func (w *fixture) seed(db *database.DB) {
	t, s, ada, bob := w.t, w.s, w.users[0], w.users[1]
	sent := upload(t, s, "an unused upload", bob, storetest.Now)
	storetest.In(t, s, func(tx *store.Tx) error {
		_, err := tx.Blobs().FillUpload(t.Context(), sent, domain.Blob{ID: storedBlob(t, tx, "unused", storetest.Now), Size: 7})
		return err
	})
	in := storetest.Channel(t, s, ada, "On everything", domain.Public)
	storetest.Follow(t, s, ada, storetest.GroupSubject(keys(w.groups)[0]))
	storetest.Follow(t, s, bob, storetest.ChannelSubject(in))
	from := upload(t, s, "an upload", ada, storetest.Now)
	var text domain.BlockID
	for _, typ := range domain.BlockTypes {
		id := w.furniture(ada, domain.BlockType(typ), from)
		storetest.Connect(t, s, ada, in, domain.BlockRef(id), 0)
		if typ == string(domain.TextBlock) {
			text = id
		}
	}
	storetest.Comment(t, s, bob, text, "What moss!")
	storetest.Record(t, s, domain.Activity{Kind: domain.AddedBlock, Actor: ada, Item: storetest.BlockSubject(text), Channel: in}, bob)
	for _, statement := range seedRows {
		storetest.Exec(t, db, statement)
	}
}

// furniture creates a block of a type, with its file or the upload that it waits for.
func (w *fixture) furniture(by domain.UserID, typ domain.BlockType, from domain.UploadID) domain.BlockID {
	w.t.Helper()
	w.clock = w.clock.Add(time.Second)
	title, url := "Some moss on "+string(typ), "https://example.org/moss?type="+string(typ)
	b := domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(by)}, Type: domain.PendingBlock, State: domain.Processing,
		Title: &title, ValueURL: &url, Metadata: `{"colour": "green"}`}
	storetest.In(w.t, w.s, func(tx *store.Tx) (err error) {
		if b.ID, err = tx.Blocks().CreateBlock(w.t.Context(), b, w.clock); err != nil {
			return err
		}
		if typ == domain.PendingBlock {
			return tx.Blobs().StartProcessing(w.t.Context(), b.ID, domain.BlockUploads{UploadID: from}, w.clock)
		}
		was := b
		b.Type, b.State, b.SourceURL, b.Embed = typ, domain.Available, &url, &domain.Embed{URL: url, Type: "rich"}
		b.Content = &domain.Text{Markdown: "*moss*", HTML: "<em>moss</em>", Plain: "moss"}
		f := addedFile(w.t, tx, "key of "+string(typ), by, storedBlob(w.t, tx, "hash of "+string(typ), w.clock))
		b.Image, b.File = &f, &f
		return tx.Blocks().FillBlock(w.t.Context(), was, b, w.clock.Add(time.Minute))
	})
	return b.ID
}

// seedRows contains a row for each further table. Users and groups are numbered from 1.
var seedRows = []string{
	"INSERT INTO link_failures (block_id, since, times, reason) SELECT min(id), 5, 3, 'The server answered 404 Not Found' FROM blocks WHERE type = 'Link'",
	`INSERT INTO snapshots (block_id, user_id, source, kind, blob_id, content_type, size, address, title, text, article, taken_at, created_at)
		SELECT b.id, 1, 'browser', 'page', (SELECT min(id) FROM blobs), 'text/html', 7, 'https://example.org/', 'Moss', 'Moss', FALSE, 5, 6
		FROM blocks b WHERE b.type = 'Link' ORDER BY b.id LIMIT 1`,
	// Rows in Trash without texts, since byte_usage of an older version does not count them.
	"INSERT INTO trash_things (kind, target_id, owner_type, owner_id, deleted_by, label, deleted_at) VALUES ('Block', 9999, 'User', 1, 1, 'Gone', 5)",
	`INSERT INTO trash_connections (id, thing_id, channel_id, item_type, item_id, user_id, position_key, below_id, above_id, pinned, version, created_at, updated_at)
		SELECT 9999, t.id, ch.id, 'Block', 9999, 1, 1, 0, 0, FALSE, 1, 5, 5 FROM trash_things t CROSS JOIN channels ch WHERE ch.title = 'On everything'`,
	`INSERT INTO trash_comments (id, thing_id, block_id, user_id, body_markdown, body_html, body_plain, version, created_at, updated_at)
		SELECT 9999, id, 9999, 1, '', '', '', 1, 5, 5 FROM trash_things`,
	"INSERT INTO trash_files (file_id, thing_id, key) SELECT (SELECT min(id) FROM files), id, 'its former key' FROM trash_things",
	"INSERT INTO trash_follows (id, thing_id, follower_id, created_at) SELECT 9999, id, 1, 5 FROM trash_things",
	"INSERT INTO trash_followers (id, channel_id, follower_id, created_at) SELECT 9999, id, 1, 5 FROM channels WHERE title = 'On everything'",
	"INSERT INTO trash_places (thing_id, user_id, place, read_at) SELECT id, 1, 5, 5 FROM trash_things",
	`INSERT INTO snapshot_requests (block_id, user_id, state, attempts, reason, round, updated_at)
		SELECT min(id), 1, 'failed', 1, 'The server answered 404 Not Found', 5, 6 FROM blocks WHERE type = 'Link'`,
	"INSERT INTO byte_reservations (key, user_id, upload, bytes, expires_at) VALUES ('upload:a', 1, TRUE, 7, 5)",
	// This row must not have an effect, because an older version ignores it and must still be
	// correct.
	`INSERT INTO pending_transitions (channel_id, after_at, upto, open_n, private_n, group_id)
		SELECT id, 0, last_connected_at, 1, 0, 0 FROM channels WHERE title = 'On everything'`,
	"INSERT INTO origins (user_id, origin, kind, foreign_id, local_id, digest, place) VALUES (1, 'https://api.example.org', 'Block', '7', 1, '', 0)",
	"INSERT INTO secrets (name, value) VALUES ('a key', 'its value')",
	"INSERT INTO doomed_objects (object, created_at) VALUES ('originals/gone', 5)",
	"INSERT INTO avatar_wishes (owner_type, owner_id, n, url, created_at) VALUES ('User', 1, 2, 'https://example.org/a.png', 5)",
	`INSERT INTO batches (id, user_id, tier, scope, channels, total, started_at, created_at)
		VALUES ('7d444840-9dc0-11d1-b245-5ffdce74fad2', 1, 'supporter', 'write', '["on-moss"]', 2, 6, 5)`,
	`INSERT INTO batch_items (batch_id, n, input, block_id, error) VALUES
		('7d444840-9dc0-11d1-b245-5ffdce74fad2', 0, '', 1, NULL), ('7d444840-9dc0-11d1-b245-5ffdce74fad2', 1, '{"value": "moss"}', NULL, NULL)`,
	`INSERT INTO tokens (user_id, name, hash, hint, scope, last_used_at, revoked_at, created_at) VALUES
		(1, 'cli', 'a', 'vitrine_pat_a', 'write', 7, NULL, 5), (2, 'old', 'b', 'vitrine_pat_b', 'read', NULL, 6, 5)`,
	`INSERT INTO invitations (group_id, invitee_id, invitee_email, invited_by, token_hash, state, mailed_at, accepted_at, expires_at, created_at, updated_at)
		VALUES (1, NULL, 'eve@example.org', 1, 'a', 'pending', 6, NULL, 9, 5, 6), (1, 2, NULL, 1, 'b', 'accepted', NULL, 7, 9, 5, 7)`,
	"INSERT INTO group_invites (group_id, code, created_at, updated_at) VALUES (1, 'come-in', 5, 5)",
	`INSERT INTO legal_pages (slug, title, body_markdown, body_html, body_plain, created_at, updated_at)
		VALUES ('imprint', 'Imprint', 'We', '<p>We</p>', 'We', 5, 5)`,
	"INSERT INTO receipts (code, kind, user_id, by_operator, counts, asked_at, done_at) VALUES ('A', 'export', 1, FALSE, '{\"blocks\": 2}', 5, 6)",
	"INSERT INTO feed_versions (user_id, version) VALUES (1, 2)",
	"INSERT INTO pins (user_id, channel_id, created_at) SELECT 1, id, 5 FROM channels WHERE title = 'On everything'",
	"INSERT INTO featured_channels (channel_id, position) SELECT id, 1 FROM channels WHERE title = 'On everything'",
	`INSERT INTO channel_feeds (id, channel_id, user_id, address, address_key, title, etag, problem, next_at, checked_at, created_at)
		SELECT 1000000, id, 1, 'https://moss.example/feed', 7, 'Moss', '"a"', 'The server took too long', 9, 6, 5 FROM channels WHERE title = 'On everything'`,
	"INSERT INTO channel_feed_entries (feed_id, key, seen_at) VALUES (1000000, 7, 6)",
	"INSERT INTO mailboxes (id, channel_id, user_id, token, received, received_at, created_at) SELECT 1000000, id, 1, 'abc', 1, 6, 5 FROM channels WHERE title = 'On everything'",
	"INSERT INTO mailbox_mails (mailbox_id, key, received_at) VALUES (1000000, 7, 6)",
	`INSERT INTO webhooks (id, user_id, channel_id, name, url, events, payload, secret, epoch, read_xid, read_id, created_at, updated_at)
		VALUES (1, 1, 0, 'Mirror', 'https://hooks.example/', 'block.created', 'thin', 'whsec_x', 'x', 0, 1, 5, 6)`,
	`INSERT INTO webhook_deliveries (id, webhook_id, message, channel_id, type, change, state, manual, next_at, created_at)
		VALUES (1, 1, 'msg_x', 0, 'ping', '', 'pending', TRUE, 5, 6)`,
	"INSERT INTO changes (kind, type, thing_id, actor_id, fields, audience, created_at) VALUES ('updated', 'User', 1, 0, '', '', 5)",
	`INSERT INTO text_versions (item_type, item_id, slot, number, user_id, title, description, since, replaced_at)
		SELECT 'Channel', id, 0, 1, 1, 'On moss', 'All of it', 5, 6 FROM channels WHERE title = 'On everything'`,
	"INSERT INTO once_keys (hash, user_id, kind, made_id, created_at, expires_at) VALUES ('a', 1, 'Block', 1, 5, 9)",
	"INSERT INTO once_keys (hash, request, answer, user_id, kind, made_id, created_at, expires_at) VALUES ('b', 'c', 'd', 1, '', 0, 5, 9)",
	`INSERT INTO removals (id, user_id, channel_id, items, created_at, expires_at)
		SELECT 'a', 1, id, '[]', 5, 9 FROM channels WHERE title = 'On everything'`,
	"INSERT INTO backups (id, scheduled, started_at, held_until, ended_at, copy, error) VALUES ('a', TRUE, 5, 6, 7, 'b', 'c')",
	`INSERT INTO report_cases (id, kind, target_id, label, owner_id, reports, opened_at, last_at, closed_by, outcome, words)
		VALUES (1, 'Block', 1, 'Some moss', 1, 1, 5, 5, 0, '', '')`,
	`INSERT INTO hidden_things (id, kind, target_id, block_id, owner_id, label, state, was, with_id, created_at)
		VALUES (1, 'User', 1, NULL, 1, 'ada', 'hidden', '', NULL, 5), (2, 'Channel', 999, NULL, 1, 'Moss', 'hidden', 'public', 1, 5)`,
	`INSERT INTO hidden_connections (id, hidden_id, channel_id, item_type, item_id, block_id, user_id, position_key, pinned, metadata, version, created_at, updated_at)
		SELECT 1000000, 1, id, 'Block', 1, 1, 1, 7, TRUE, '{"a":"b"}', 2, 5, 6 FROM channels WHERE title = 'On everything'`,
	`INSERT INTO hidden_comments (id, hidden_id, block_id, user_id, body_markdown, body_html, body_plain, version, created_at, updated_at)
		VALUES (1000000, 1, 1, 1, 'moss', '<p>moss</p>', 'moss', 2, 5, 6)`,
	"INSERT INTO account_writes (user_id, n) VALUES (1, 2) ON CONFLICT (user_id) DO UPDATE SET n = 2",
	"INSERT INTO case_mails (user_id, fresh, mailed_at) VALUES (1, 2, 5)",
	`INSERT INTO saved_searches (id, user_id, name, query, following, query_hash, notify, mail, read_to, retry_at, created_at, updated_at)
		VALUES (1, 1, 'Moss', 'moss type:text', TRUE, 'a', TRUE, TRUE, 3, 4, 5, 6)`,
	"INSERT INTO saved_search_finds (id, search_id, user_id, found_at, more, notify, read_at, mail_at) VALUES (1, 1, 1, 5, TRUE, TRUE, 6, 7)",
	"INSERT INTO saved_search_results (find_id, seq, kind, item_id) VALUES (1, 1, 'Block', 1)",
	`INSERT INTO highlights (id, user_id, block_id, exact, prefix, suffix, start_at, end_at, note, created_at, updated_at)
		VALUES (1, 1, 1, 'moss', 'green ', ' grows', 6, 10, 'Which?', 5, 6)`,
	"INSERT INTO reading_places (user_id, block_id, place, read_at) VALUES (1, 1, 5000, 7)",
	"INSERT INTO saved_search_mails (user_id, mailed_at) VALUES (1, 7)",
	"INSERT INTO search_watermark (id, safe, next_seq, next_at, writers) VALUES (1, 1, 2, 5, '3/4 5/6')",
	"INSERT INTO blocklist (kind, value, note, created_at) VALUES ('domain', 'moss.example', 'Too green', 5)",
	"INSERT INTO reports (case_id, reporter_id, reason, words, created_at) VALUES (1, 2, 'spam', 'Too much moss', 5)",
	"INSERT INTO notices (user_id, what, kind, target_id, label, words, created_at) VALUES (1, 'warned', 'Block', 1, 'Some moss', 'Mind the moss', 5)",
	`INSERT INTO audit_entries (at, actor_id, actor, act, kind, target_id, label, details, address, request)
		VALUES (5, 1, 'ada', 'token.created', 'Token', 1, 'cli', '{"scope":"write"}', '192.0.2.1', 'a')`,
	"INSERT INTO identities (user_id, issuer, subject, email, created_at, used_at) VALUES (1, 'https://id.example', 'a', 'ada@example.org', 5, 6)",
	"INSERT INTO sign_on_steps (hash, sealed, expires_at) VALUES ('a', 'b', 9)",
	"INSERT INTO exports (user_id, state, object, created_at, expires_at) VALUES (1, 'running', 'exports/a', 5, 9)",
	`INSERT INTO imports (user_id, source, address, what, visibility, token, file_name, state, listed, created_at)
		VALUES (1, 'arena', 'https://api.example.org', '["@ada"]', 'closed', 'sealed', '', 'queued', TRUE, 5)`,
	"INSERT INTO import_steps (import_id, n, ref, title, head, state, blocks, left_out) SELECT max(id), 1, '7', 'Moss', '{}', 'waiting', 3, 1 FROM imports",
	`INSERT INTO import_left_out (import_id, step, n, what, place, why)
		SELECT max(id), 1, 1, 'A stone', 'https://example.org/stone', 'It is too heavy' FROM imports`,
	"INSERT INTO settings (name, value) VALUES ('signup', 'open')",
	"INSERT INTO sessions (user_id, hash, agent, address, created_at, last_seen_at, expires_at) VALUES (1, 'a', 'curl', '192.0.2.1', 5, 6, 9)",
	"INSERT INTO known_browsers (hash, user_id, session_id, created_at, expires_at) VALUES ('a', 1, 1, 5, 9)",
	`INSERT INTO passkeys (user_id, credential_id, public_key, name, transports, sign_count, backup_eligible, backed_up, created_at, last_used_at)
		VALUES (1, 'a', 'b', 'Laptop', 'internal,hybrid', 7, TRUE, FALSE, 5, 6)`,
	"INSERT INTO recovery_codes (user_id, hash, created_at) VALUES (1, 'a', 5)",
	"INSERT INTO half_sign_ins (hash, user_id, created_at, expires_at) VALUES ('a', 1, 5, 9)",
	`INSERT INTO signups (email, slug, name, password_hash, link_id, hash, created_at, expires_at)
		VALUES ('fay@example.org', 'fay', 'Fay', '', 1, 'a', 5, 9)`,
	"INSERT INTO signup_links (hash, note, created_by, used_by, used_at, created_at, expires_at) VALUES ('a', 'for Bob', 1, 2, 6, 5, 9)",
	"INSERT INTO signup_link_uses (link_id, user_id, used_at) SELECT max(id), 1, 6 FROM signup_links",
	"INSERT INTO mail_links (user_id, purpose, email, hash, created_at, expires_at) VALUES (1, 'password', 'ada@example.org', 'a', 5, 9)",
	"INSERT INTO attempts (key, count, expires_at) VALUES ('a', 3, 9)",
	`INSERT INTO applications (client_id, user_id, name, redirect_uris, secret_hash, secret_hint, created_at, updated_at)
		VALUES ('a client', 1, 'Moss counter', '["https://example.org/back"]', 'a', 'vitrine_a', 5, 5)`,
	`INSERT INTO grants (application_id, user_id, scope, created_at, updated_at)
		SELECT max(id), 2, 'read', 5, 6 FROM applications`,
	`INSERT INTO authorization_codes (hash, application_id, user_id, redirect_uri, challenge, scope, used_at, created_at, expires_at)
		SELECT 'a', max(id), 2, 'https://example.org/back', 'c', 'read', 6, 5, 9 FROM applications`,
	`INSERT INTO refresh_tokens (application_id, user_id, code_hash, family, hash, scope, limits, audience, created_at, expires_at, ends_at)
		SELECT max(id), 2, 'a', 'b', 'c', 'read', '', '', 5, 9, 10 FROM applications`,
	"INSERT INTO read_only (id, reason, since, until) VALUES (1, 'We move', 5, 9)", // the last one, since nothing can be written after it
}
