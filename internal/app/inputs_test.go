package app_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/app/reading"
	"vitrine/internal/app/searches"
	"vitrine/internal/app/transfer"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The use cases refuse what request validation would, for callers that bypass it: the website, a job, an import. Each row
// names the limit in internal/domain/limits.go that it tests, so that a new limit without a row fails.
func TestInputs(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		in := newInputs(w)
		before := w.Dump()
		in.texts(false)
		in.lists()
		in.counts(false)
		in.values()
		in.refs()
		after := w.Dump()
		for _, table := range []string{"attempts", "sessions"} { // Proved opens sessions
			delete(before, table)
			delete(after, table)
		}
		if d := before.Diff(after); len(d) > 0 {
			t.Errorf("a refused input changed %v", d)
		}
		in.texts(true)
		in.counts(true)
		in.stores()
		in.complete()
	}, open, func(cfg *config.Config) { cfg.OAuthRegistration = true })
}

// inputs contains a few accounts and channels, and records the tested use cases and limits.
type inputs struct {
	*accountsRig
	ada      domain.Actor
	operator domain.Actor
	private  domain.Ref
	open     domain.Ref
	block    domain.BlockID
	saved    domain.SavedSearch
	link     domain.ConnectionID
	comment  domain.CommentID
	group    domain.Ref
	app      domain.Application
	limits   map[string]bool
	called   map[string]bool
}

func newInputs(w *accountsRig) *inputs {
	in := &inputs{accountsRig: w, operator: w.first("op"), ada: w.member("ada"), limits: map[string]bool{}, called: map[string]bool{}}
	private := storetest.Channel(w.t, w.S.Store, in.ada.UserID, "Private", domain.Private)
	in.private = domain.Ref{ID: int64(private)}
	in.open = domain.Ref{ID: int64(storetest.Channel(w.t, w.S.Store, in.ada.UserID, "Open", domain.Public))}
	in.block = storetest.Block(w.t, w.S.Store, in.ada.UserID, "text")
	saved, _, err := w.a.Searches.SaveSearch(w.ctx(), in.ada, searches.SaveInput{Query: "moss"})
	w.must(err)
	in.saved = saved
	in.link = storetest.Connect(w.t, w.S.Store, in.ada.UserID, private, domain.BlockRef(in.block), 0)
	in.comment = storetest.Comment(w.t, w.S.Store, in.ada.UserID, in.block, "said")
	in.group = domain.Ref{ID: int64(storetest.Group(w.t, w.S.Store, "Guild", in.ada.UserID))}
	_, in.app, err = w.a.Accounts.CreateApplication(w.ctx(), in.ada, accounts.ApplicationInput{Name: "Reader", RedirectURIs: []string{"https://reader.example/back"}})
	w.must(err)
	_, err = w.a.People.Feed(w.ctx(), in.ada, people.CursorInput{Limit: 1}) // creates the key of cursors
	w.must(err)
	return in
}

// fault fails unless an error has exactly one fault, with this path and the first code.
func (in *inputs) fault(what string, err error, path string, code domain.FieldCode) {
	in.t.Helper()
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Kind != domain.Invalid || len(known.Fields) != 1 || known.Fields[0].Path != path || known.Fields[0].Code != code ||
		known.Fields[0].Text == "" {
		in.t.Errorf("%s: got %v, want %s at %s", what, err, code, path)
	}
}

// exercised records the use case and the limit of a row.
func (in *inputs) exercised(useCase, limit string) {
	in.called[strings.Fields(useCase)[0]] = true
	in.limits[limit] = true
}

// text is a field of a use case, with its maximum number of characters.
type text struct {
	useCase string // and field, for errors
	path    string
	limit   string
	max     int
	blank   bool // spaces only are refused
	call    func(s string) error
}

func (in *inputs) texts(reach bool) {
	for _, row := range in.textRows() {
		in.exercised(row.useCase, row.limit)
		if reach { // é has two bytes, but the limit counts characters
			if err := row.call(strings.Repeat("é", row.max)); domain.KindOf(err) == domain.Invalid {
				in.t.Errorf("%s: %d characters: %v", row.useCase, row.max, err)
			}
			continue
		}
		in.fault(row.useCase+", too long", row.call(strings.Repeat("é", row.max+1)), row.path, domain.FieldTooLong)
		in.fault(row.useCase+", not UTF-8", row.call("a\xffb"), row.path, domain.FieldMalformed)
		in.fault(row.useCase+", NUL", row.call("a\x00b"), row.path, domain.FieldMalformed)
		if row.blank {
			in.fault(row.useCase+", blank", row.call(" \t\u3000"), row.path, domain.FieldBlank)
		}
	}
}

func (in *inputs) textRows() []text {
	a, ctx, ada := in.a, in.ctx(), in.ada
	target := []collections.Target{{Channel: in.private}}
	block := func(b collections.BlockInput) error {
		if b.Value == "" {
			b.Value = "text"
		}
		_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: b, Targets: target})
		return err
	}
	batch := func(b collections.BlockInput) error {
		_, err := a.Collections.CreateBatch(ctx, ada, collections.CreateBatchInput{Plain: target, Blocks: []collections.BlockInput{b}})
		return err
	}
	update := func(u collections.UpdateBlockInput) error {
		_, err := a.Collections.UpdateBlock(ctx, ada, in.block, u)
		return err
	}
	channel := func(c collections.CreateChannelInput) error {
		_, err := a.Collections.CreateChannel(ctx, ada, c)
		return err
	}
	change := func(c collections.UpdateChannelInput) error {
		_, err := a.Collections.UpdateChannel(ctx, ada, in.open, c)
		return err
	}
	group := func(g people.CreateGroupInput) error { _, err := a.People.CreateGroup(ctx, ada, g); return err }
	regroup := func(g people.UpdateGroupInput) error {
		_, err := a.People.UpdateGroup(ctx, ada, in.group, g)
		return err
	}
	me := func(m people.UpdateMeInput) error { _, err := a.People.UpdateMe(ctx, ada, m); return err }
	patch := func(s string) core.Patch { return core.Patch{Set: true, Value: &s} }
	file := func(f content.FileInput) error {
		_, err := a.Content.Presign(ctx, ada, []content.FileInput{f})
		return err
	}
	metadata := func(s string) []byte { return []byte(`{"a":"` + strings.ReplaceAll(s, "\x00", `\u0000`) + `"}`) }
	site := func(s operating.SiteInput) error { _, err := a.Operating.UpdateSite(ctx, in.operator, s); return err }
	legal := func(p operating.LegalPageInput) error {
		_, err := a.Operating.SaveLegalPage(ctx, in.operator, p)
		return err
	}
	bring := func(i transfer.ImportItemInput) error {
		i.ID, i.Type = "1", domain.TextBlock
		if i.Content == "" {
			i.Content = "x"
		}
		thing, err := transfer.PrepareItem(i)
		if err == nil {
			_, err = a.Transfer.ImportItems(ctx, ada, "elsewhere", domain.ChannelID(in.private.ID), []*transfer.PreparedItem{thing}, transfer.Spot{})
		}
		return err
	}
	bringHighlight := func(h transfer.ImportHighlightInput) error {
		h.ID = "1"
		_, err := a.Transfer.ImportHighlights(ctx, ada, "elsewhere", 1<<40, []transfer.ImportHighlightInput{h})
		return err
	}
	bringChannel := func(c transfer.ImportChannelInput) error {
		c.ID = "1"
		_, _, err := a.Transfer.ImportChannel(ctx, ada, "elsewhere", c)
		return err
	}
	return []text{
		{"ImportItems title", "title", "MaxTitle", domain.MaxTitle, false, func(s string) error { return bring(transfer.ImportItemInput{Title: s}) }},
		{"ImportItems description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return bring(transfer.ImportItemInput{Description: s}) }},
		{"ImportItems content", "content", "MaxMarkdown", domain.MaxMarkdown, true, func(s string) error { return bring(transfer.ImportItemInput{Content: s}) }},
		{"ImportItems alt_text", "alt_text", "MaxAltText", domain.MaxAltText, false, func(s string) error {
			return bring(transfer.ImportItemInput{BlockTexts: domain.BlockTexts{AltText: &s}})
		}},
		{"ImportItems source", "source_title", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			return bring(transfer.ImportItemInput{BlockTexts: domain.BlockTexts{SourceTitle: &s}})
		}},
		{"ImportItems metadata", "metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error { return bring(transfer.ImportItemInput{Metadata: metadata(s)}) }},
		{"ImportItems connection", "connection_metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error {
			return bring(transfer.ImportItemInput{ConnectionMetadata: metadata(s)})
		}},
		{"ImportChannel title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return bringChannel(transfer.ImportChannelInput{Title: s}) }},
		{"ImportChannel description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error {
			return bringChannel(transfer.ImportChannelInput{Title: "x", Description: s})
		}},
		{"ImportComment body", "body", "MaxComment", domain.MaxComment, true, func(s string) error {
			_, err := a.Transfer.ImportComment(ctx, ada, "elsewhere", transfer.ImportCommentInput{ID: "1", Block: "1", Body: s})
			return err
		}},
		{"ImportHighlights exact", "exact", "MaxQuote", domain.MaxQuote, true, func(s string) error {
			return bringHighlight(transfer.ImportHighlightInput{Quote: domain.Quote{Exact: s}})
		}},
		{"ImportHighlights prefix", "prefix", "MaxQuote", domain.MaxQuote, false, func(s string) error {
			return bringHighlight(transfer.ImportHighlightInput{Quote: domain.Quote{Exact: "x", Prefix: s}})
		}},
		{"ImportHighlights suffix", "suffix", "MaxQuote", domain.MaxQuote, false, func(s string) error {
			return bringHighlight(transfer.ImportHighlightInput{Quote: domain.Quote{Exact: "x", Suffix: s}})
		}},
		{"ImportHighlights note", "note", "MaxNote", domain.MaxNote, false, func(s string) error {
			return bringHighlight(transfer.ImportHighlightInput{Quote: domain.Quote{Exact: "x"}, Note: s})
		}},
		{"CreateBlock value", "value", "MaxMarkdown", domain.MaxMarkdown, true, func(s string) error { return block(collections.BlockInput{Value: s}) }},
		{"CreateBlock title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return block(collections.BlockInput{Title: &s}) }},
		{"CreateBlock description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return block(collections.BlockInput{Description: &s}) }},
		{"CreateBlock source", "original_source_title", "MaxTitle", domain.MaxTitle, false, func(s string) error { return block(collections.BlockInput{OriginalSourceTitle: &s}) }},
		{"CreateBlock source URL", "original_source_url", "MaxSourceURL", domain.MaxSourceURL, false, func(s string) error {
			if n := 2 * len("https://example.org/"); len(s) > n { // each of these is a single character
				s = s[n:]
			}
			if utf8.ValidString(s) && !strings.Contains(s, "\x00") { // the limit applies to the percent-encoded URL
				s = strings.Repeat("a", utf8.RuneCountInString(s))
			}
			s = "https://example.org/" + s
			return block(collections.BlockInput{OriginalSourceURL: &s})
		}},
		{"CreateBlock alt_text", "alt_text", "MaxAltText", domain.MaxAltText, false, func(s string) error { return block(collections.BlockInput{AltText: &s}) }},
		{"CreateBlock metadata", "metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error { return block(collections.BlockInput{Metadata: metadata(s)}) }},
		{"AddSnapshot title", "title", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Content.AddSnapshot(ctx, ada, in.block, content.SnapshotInput{Kind: domain.SnapshotPage, Title: s})
			return err
		}},
		{"CreateBlock once", "once", "MaxOnceKey", domain.MaxOnceKey, false, func(s string) error {
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "x"}, Targets: target, Once: core.OnceKey(s)})
			return err
		}},
		{"CreateChannel once", "once", "MaxOnceKey", domain.MaxOnceKey, false, func(s string) error {
			return channel(collections.CreateChannelInput{Title: "x", Once: core.OnceKey(s)})
		}},
		{"CreateBatch value", "blocks[0].value", "MaxMarkdown", domain.MaxMarkdown, true, func(s string) error { return batch(collections.BlockInput{Value: s}) }},
		{"CreateBatch title", "blocks[0].title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return batch(collections.BlockInput{Value: "x", Title: &s}) }},
		{"UpdateBlock title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return update(collections.UpdateBlockInput{Title: &s}) }},
		{"UpdateBlock description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return update(collections.UpdateBlockInput{Description: &s}) }},
		{"UpdateBlock content", "content", "MaxMarkdown", domain.MaxMarkdown, true, func(s string) error { return update(collections.UpdateBlockInput{Content: &s}) }},
		{"UpdateBlock alt_text", "alt_text", "MaxAltText", domain.MaxAltText, false, func(s string) error { return update(collections.UpdateBlockInput{AltText: &s}) }},
		{"UpdateBlock metadata", "metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error { return update(collections.UpdateBlockInput{Metadata: metadata(s)}) }},
		{"CreateComment body", "body", "MaxComment", domain.MaxComment, true, func(s string) error { _, err := a.Collections.CreateComment(ctx, ada, in.block, s); return err }},
		{"CommentOnce body", "body", "MaxComment", domain.MaxComment, true, func(s string) error { _, err := a.Collections.CommentOnce(ctx, ada, in.block, s, ""); return err }},
		{"CommentOnce once", "once", "MaxOnceKey", domain.MaxOnceKey, false, func(s string) error {
			_, err := a.Collections.CommentOnce(ctx, ada, in.block, "A word", core.OnceKey(s))
			return err
		}},
		{"UpdateComment body", "body", "MaxComment", domain.MaxComment, true, func(s string) error { _, err := a.Collections.UpdateComment(ctx, ada, in.comment, s); return err }},
		{"CreateChannel title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return channel(collections.CreateChannelInput{Title: s}) }},
		{"CreateChannel description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return channel(collections.CreateChannelInput{Title: "x", Description: &s}) }},
		{"CreateChannel metadata", "metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error {
			return channel(collections.CreateChannelInput{Title: "x", Metadata: metadata(s)})
		}},
		{"UpdateChannel title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return change(collections.UpdateChannelInput{Title: &s}) }},
		{"UpdateChannel description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return change(collections.UpdateChannelInput{Description: patch(s)}) }},
		{"UpdateConnection metadata", "metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error {
			_, err := a.Collections.UpdateConnection(ctx, ada, in.link, metadata(s))
			return err
		}},
		{"Connect metadata", "channels[0].metadata.a", "MaxMetadataValueLength", domain.MaxMetadataValueLength, false, func(s string) error {
			_, err := a.Collections.Connect(ctx, ada, domain.BlockRef(in.block), []collections.Target{{Channel: in.private, Metadata: metadata(s)}})
			return err
		}},
		{"CreateGroup name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error { return group(people.CreateGroupInput{Name: s}) }},
		{"CreateGroup description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return group(people.CreateGroupInput{Name: "x", Description: &s}) }},
		{"UpdateGroup name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error { return regroup(people.UpdateGroupInput{Name: &s}) }},
		{"UpdateGroup description", "description", "MaxDescription", domain.MaxDescription, false, func(s string) error { return regroup(people.UpdateGroupInput{Description: patch(s)}) }},
		{"UpdateMe name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error { return me(people.UpdateMeInput{Name: &s}) }},
		{"UpdateMe bio", "bio", "MaxDescription", domain.MaxDescription, false, func(s string) error { return me(people.UpdateMeInput{Bio: patch(s)}) }},
		{"JoinGroup code", "invite_token", "MaxInvitationToken", domain.MaxInvitationToken, false, func(s string) error {
			_, _, err := a.People.JoinGroup(ctx, ada, in.group, s)
			return err
		}},
		{"Presign filename", "files[0].filename", "MaxFilename", domain.MaxFilename, false, func(s string) error { return file(content.FileInput{Name: s, ContentType: "image/png"}) }},
		{"Search query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.Search(ctx, ada, domain.Search{Query: s, Page: somePage}, nil)
			return err
		}},
		{"SaveSearch query", "query", "MaxSavedQuery", domain.MaxSavedQuery, false, func(s string) error {
			_, _, err := a.Searches.SaveSearch(ctx, ada, searches.SaveInput{Query: s})
			return err
		}},
		{"SaveSearch name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error {
			_, _, err := a.Searches.SaveSearch(ctx, ada, searches.SaveInput{Query: "moss", Name: s})
			return err
		}},
		{"CreateWebhook name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error {
			_, err := a.Webhooks.CreateWebhook(ctx, ada, webhooks.Input{URL: new("https://example.com/hook"), Name: &s})
			return err
		}},
		{"UpdateWebhook name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error {
			_, err := a.Webhooks.UpdateWebhook(ctx, ada, 999, webhooks.Input{Name: &s})
			return err
		}},
		{"NewResults query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.NewResults(ctx, ada, domain.Search{Query: s, Page: somePage}, 0, 1)
			return err
		}},
		{"ChangeSearch name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Searches.ChangeSearch(ctx, ada, in.saved.ID, searches.ChangeInput{Name: &s})
			return err
		}},
		{"AddHighlight exact", "exact", "MaxQuote", domain.MaxQuote, true, func(s string) error {
			_, _, err := a.Reading.AddHighlight(ctx, ada, in.block, reading.HighlightInput{Quote: domain.Quote{Exact: s}})
			return err
		}},
		{"AddHighlight prefix", "prefix", "MaxQuote", domain.MaxQuote, false, func(s string) error {
			_, _, err := a.Reading.AddHighlight(ctx, ada, in.block, reading.HighlightInput{Quote: domain.Quote{Exact: "absent", Prefix: s}})
			return err
		}},
		{"AddHighlight suffix", "suffix", "MaxQuote", domain.MaxQuote, false, func(s string) error {
			_, _, err := a.Reading.AddHighlight(ctx, ada, in.block, reading.HighlightInput{Quote: domain.Quote{Exact: "absent", Suffix: s}})
			return err
		}},
		{"AddHighlight note", "note", "MaxNote", domain.MaxNote, false, func(s string) error {
			_, _, err := a.Reading.AddHighlight(ctx, ada, in.block, reading.HighlightInput{Quote: domain.Quote{Exact: "absent"}, Note: s})
			return err
		}},
		{"ChangeNote note", "note", "MaxNote", domain.MaxNote, false, func(s string) error {
			_, err := a.Reading.ChangeNote(ctx, ada, 1, reading.NoteInput{Note: s})
			return err
		}},
		{"Explore query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.Explore(ctx, domain.Actor{}, domain.Search{Query: s, Page: somePage}, nil)
			return err
		}},
		{"Explore conditions", "metadata", "MaxCondition", domain.MaxCondition, false, func(s string) error {
			_, err := a.Finder.Explore(ctx, ada, domain.Search{Where: []string{"k=" + strings.TrimPrefix(s, "éé")}, Page: somePage}, nil)
			return err
		}},
		{"ExploreClose query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.ExploreClose(ctx, domain.Actor{}, domain.Search{Query: s, Page: somePage}, nil)
			return err
		}},
		{"Tags query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.Tags(ctx, ada, s, 10)
			return err
		}},
		{"ConnectChoices query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.ConnectChoices(ctx, ada, s, domain.ItemRef{}, 10)
			return err
		}},
		{"MentionChoices query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.MentionChoices(ctx, ada, s, in.block, 10)
			return err
		}},
		{"SearchAfter query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.SearchAfter(ctx, ada, domain.Search{Query: s}, collections.After{Limit: 1})
			return err
		}},
		{"FilterContents query", "query", "MaxSearchQuery", domain.MaxSearchQuery, false, func(s string) error {
			_, err := a.Finder.FilterContents(ctx, ada, in.private, collections.FilterInput{Query: s, Page: somePage})
			return err
		}},
		{"CreateToken name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, _, err := a.Accounts.CreateToken(ctx, ada.UserID, accounts.TokenInput{Name: s, Scope: domain.ScopeRead})
			return err
		}},
		{"CreateOwnToken name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, _, err := a.Accounts.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: s, Scope: domain.ScopeRead})
			return err
		}},
		{"BeginPasskey name", "name", "MaxPasskeyName", domain.MaxPasskeyName, false, func(s string) error {
			_, err := a.Accounts.BeginPasskey(ctx, ada, in.Proved(ada.UserID), accounts.PasskeyInput{Name: s})
			return err
		}},
		{"CreateApplicationOf name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, _, err := a.Operating.CreateApplication(ctx, operating.OnSite(in.operator, home), domain.Ref{ID: int64(ada.UserID)}, accounts.ApplicationInput{Name: s})
			return err
		}},
		{"CreateApplication name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error { return in.register(accounts.ApplicationInput{Name: s}) }},
		{"UpdateApplication name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Accounts.UpdateApplication(ctx, ada, in.app.ID, accounts.ApplicationInput{Name: s})
			return err
		}},
		{"CreateSignUpLink note", "note", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, _, err := a.Operating.CreateSignUpLink(ctx, operating.OnSite(in.operator, home), operating.SignUpLinkInput{Note: s})
			return err
		}},
		{"InvitePerson name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Operating.InvitePerson(ctx, operating.OnSite(in.operator, home), operating.PersonInput{Email: "z@example.org", Name: s, Again: true})
			return err
		}},
		{"UpdateSite name", "name", "MaxTitle", domain.MaxTitle, true, func(s string) error { return site(operating.SiteInput{Name: &s}) }},
		{"UpdateSite about", "about", "MaxDescription", domain.MaxDescription, false, func(s string) error { return site(operating.SiteInput{About: patch(s)}) }},
		{"Announce text", "announcement", "MaxAnnouncement", domain.MaxAnnouncement, false, func(s string) error {
			_, err := a.Operating.Announce(ctx, operating.CommandLine(), operating.AnnouncementInput{Text: s})
			return err
		}},
		{"BeginReadOnly reason", "reason", "MaxReadOnlyReason", domain.MaxReadOnlyReason, true, func(s string) error {
			if _, err := a.Operating.BeginReadOnly(ctx, operating.CommandLine(), operating.ReadOnlyInput{Reason: s}); err != nil {
				return err
			}
			_, err := a.Operating.EndReadOnly(ctx, operating.CommandLine()) // for the other rows
			return err
		}},
		{"SaveLegalPage title", "title", "MaxTitle", domain.MaxTitle, true, func(s string) error { return legal(operating.LegalPageInput{Slug: "terms", Title: s, Body: "x"}) }},
		{"SaveLegalPage body", "body", "MaxMarkdown", domain.MaxMarkdown, true, func(s string) error { return legal(operating.LegalPageInput{Slug: "terms", Title: "x", Body: s}) }},
		{"CreateAccount name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Operating.CreateAccount(ctx, operating.OnSite(in.operator, home), accounts.CreateUserInput{Name: s, Email: "x1@example.org"})
			return err
		}},
		{"CreateUserAs name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Accounts.CreateUserAs(ctx, in.operator, accounts.CreateUserInput{Name: s, Email: "x2@example.org", Tier: domain.TierFree}, func(store.Queries) error { return nil })
			return err
		}},
		{"CreateUser name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Accounts.CreateUser(ctx, accounts.CreateUserInput{Name: s, Email: "x@example.org", Tier: domain.TierFree})
			return err
		}},
		{"SignUp name", "name", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, err := a.Accounts.SignUp(ctx, home, accounts.SignUpInput{Name: s, Email: "y@example.org", Password: password})
			return err
		}},
		{"Report text", "text", "MaxReportText", domain.MaxReportText, false, func(s string) error {
			return a.Moderation.Report(ctx, in.operator, moderation.ReportInput{About: domain.Subject{Type: domain.SubjectUser, ID: int64(ada.UserID)}, Reason: moderation.Spam, Text: s})
		}},
		{"Report words", "text", "MaxReportText", domain.MaxReportText, true, func(s string) error {
			return a.Moderation.Report(ctx, in.operator, moderation.ReportInput{About: domain.Subject{Type: domain.SubjectUser, ID: int64(ada.UserID)}, Reason: moderation.Other, Text: s})
		}},
		{"Hide text", "text", "MaxReportText", domain.MaxReportText, false, func(s string) error {
			_, err := a.Moderation.Hide(ctx, operating.OnSite(in.operator, home), moderation.HideInput{About: domain.Subject{Type: domain.SubjectBlock, ID: 1}, Text: s})
			return err
		}},
		{"Show text", "text", "MaxReportText", domain.MaxReportText, false, func(s string) error {
			_, err := a.Moderation.Show(ctx, operating.OnSite(in.operator, home), 1, s)
			return err
		}},
		{"Decide text", "text", "MaxReportText", domain.MaxReportText, true, func(s string) error {
			_, err := a.Moderation.Decide(ctx, operating.OnSite(in.operator, home), 1, moderation.Decision{Outcome: moderation.Warned, Text: s})
			return err
		}},
		{"AddToBlocklist note", "note", "MaxTitle", domain.MaxTitle, false, func(s string) error {
			_, _, err := a.Moderation.AddToBlocklist(ctx, operating.OnSite(in.operator, home), moderation.BlockInput{Kind: "domain", Value: "moss.example", Note: s})
			return err
		}},
		{"AuditLog actor", "actor", "MaxAuditLabel", domain.MaxAuditLabel, false, func(s string) error {
			_, err := a.Operating.AuditLog(ctx, in.operator, domain.AuditFilter{Actor: s}, domain.AuditPlace{}, 1)
			return err
		}},
		{"AuditDownload about", "about", "MaxAuditLabel", domain.MaxAuditLabel, false, func(s string) error {
			return a.Operating.AuditDownload(ctx, in.operator, domain.AuditFilter{About: domain.AuditTarget{Label: s}}, func() io.Writer { return io.Discard })
		}},
		{"EachAuditLine actor", "actor", "MaxAuditLabel", domain.MaxAuditLabel, false, func(s string) error {
			return a.Operating.EachAuditLine(ctx, domain.AuditFilter{Actor: s}, func(domain.AuditPlace, []byte) error { return nil })
		}},
	}
}

func (in *inputs) register(i accounts.ApplicationInput) error {
	_, _, err := in.a.Accounts.CreateApplication(in.ctx(), in.ada, i)
	return err
}

var somePage = domain.Page{Number: 1, Per: 24}

// knowsNothing is a collections.Known.
type knowsNothing struct{}

func (knowsNothing) Block(domain.BlockRevision) []byte           { return nil }
func (knowsNothing) Connection(domain.ConnectionRevision) []byte { return nil }

// lists requests invalid pages.
func (in *inputs) lists() {
	a, ctx, ada := in.a, in.ctx(), in.ada
	pages := map[string]func(p domain.Page) error{
		"ReadChannel": func(p domain.Page) error {
			return a.Collections.ReadChannel(ctx, ada, in.private, &collections.ContentsInput{Page: p}, func(collections.ChannelPage) collections.BlockReader { return nil })
		},
		"Contents": func(p domain.Page) error {
			_, err := a.Collections.Contents(ctx, ada, in.private, collections.ContentsInput{Page: p})
			return err
		},
		"KnownContents": func(p domain.Page) error {
			_, err := a.Collections.KnownContents(ctx, ada, in.private, collections.ContentsInput{Page: p}, knowsNothing{})
			return err
		},
		"FilterContents": func(p domain.Page) error {
			_, err := a.Finder.FilterContents(ctx, ada, in.private, collections.FilterInput{Page: p})
			return err
		},
		"ChannelConnections": func(p domain.Page) error {
			_, err := a.Collections.ChannelConnections(ctx, ada, in.private, collections.ItemChannelsInput{Ownership: domain.AnyOwner, Page: p})
			return err
		},
		"BlockConnections": func(p domain.Page) error {
			_, err := a.Collections.BlockConnections(ctx, ada, in.block, collections.ItemChannelsInput{Ownership: domain.Own, Page: p})
			return err
		},
		"Comments": func(p domain.Page) error { _, err := a.Collections.Comments(ctx, ada, in.block, true, p); return err },
		"UserGroups": func(p domain.Page) error {
			_, err := a.People.UserGroups(ctx, ada, me(ada), domain.GroupSort{}, p)
			return err
		},
		"Members":     func(p domain.Page) error { _, err := a.People.Members(ctx, ada, in.group, p); return err },
		"Invitations": func(p domain.Page) error { _, err := a.People.Invitations(ctx, ada, in.group, p); return err },
		"Followers": func(p domain.Page) error {
			_, err := a.People.Followers(ctx, ada, people.FollowTarget{Type: domain.SubjectUser, Ref: me(ada)}, true, p)
			return err
		},
		"Following": func(p domain.Page) error {
			_, err := a.People.Following(ctx, ada, me(ada), people.FollowingInput{Page: p})
			return err
		},
		"Explore": func(p domain.Page) error {
			_, err := a.Finder.Explore(ctx, domain.Actor{}, domain.Search{Page: p}, nil)
			return err
		},
		"ExploreClose": func(p domain.Page) error {
			_, err := a.Finder.ExploreClose(ctx, domain.Actor{}, domain.Search{Page: p}, nil)
			return err
		},
		"Search": func(p domain.Page) error {
			_, err := a.Finder.Search(ctx, ada, domain.Search{Page: p}, nil)
			return err
		},
		"UserContents": func(p domain.Page) error { _, err := a.Finder.UserContents(ctx, ada, me(ada), made(p)); return err },
		"GroupContents": func(p domain.Page) error {
			_, err := a.Finder.GroupContents(ctx, ada, in.group, made(p))
			return err
		},
		"StorageByUser":  func(p domain.Page) error { _, err := a.Operating.StorageByUser(ctx, in.operator, p); return err },
		"SharedChannels": func(p domain.Page) error { _, err := a.Collections.SharedChannels(ctx, ada, in.private, p); return err },
		"Imports":        func(p domain.Page) error { _, err := a.Transfer.Imports(ctx, ada, p); return err },
		"FindAccounts": func(p domain.Page) error {
			_, err := a.Operating.FindAccounts(ctx, in.operator, "", "newest", p)
			return err
		},
		"OpenInvitations": func(p domain.Page) error {
			_, err := a.Operating.OpenInvitations(ctx, operating.OnSite(in.operator, home), p)
			return err
		},
	}
	for useCase, call := range pages {
		in.exercised(useCase, "MaxPerPage")
		for _, n := range []int64{0, -1} {
			in.fault(useCase, call(domain.Page{Number: n, Per: 24}), "page", domain.FieldOutOfRange)
			in.fault(useCase, call(domain.Page{Number: 1, Per: n}), "per", domain.FieldOutOfRange)
		}
		in.fault(useCase, call(domain.Page{Number: 1, Per: domain.MaxPerPage + 1}), "per", domain.FieldOutOfRange)
		in.must(call(domain.Page{Number: 1, Per: domain.MaxPerPage}))
	}
	for useCase, call := range map[string]func(limit int) error{
		"Activities": func(n int) error {
			_, err := a.People.Activities(ctx, ada, people.ActivitySource{Kind: people.OwnFeed}, people.Part{Limit: int64(n)})
			return err
		},
		"NotificationsAt": func(n int) error {
			_, err := a.People.NotificationsAt(ctx, ada, people.Part{Limit: int64(n)})
			return err
		},
		"RelatedChannels": func(n int) error { _, err := a.Collections.RelatedChannels(ctx, ada, in.private, n); return err },
		"RecentChannels":  func(n int) error { _, err := a.Collections.RecentChannels(ctx, ada, n); return err },
		"ConnectChoices":  func(n int) error { _, err := a.Finder.ConnectChoices(ctx, ada, "", domain.ItemRef{}, n); return err },
		"Tags":            func(n int) error { _, err := a.Finder.Tags(ctx, ada, "", n); return err },
		"MentionChoices":  func(n int) error { _, err := a.Finder.MentionChoices(ctx, ada, "", in.block, n); return err },
	} {
		in.exercised(useCase, "MaxPerPage")
		for _, n := range []int{-1, 0, domain.MaxPerPage + 1} {
			in.fault(useCase, call(n), "limit", domain.FieldOutOfRange)
		}
		in.must(call(domain.MaxPerPage))
	}
	stretches := map[string]func(c people.CursorInput) error{
		"Feed":          func(c people.CursorInput) error { _, err := a.People.Feed(ctx, ada, c); return err },
		"Notifications": func(c people.CursorInput) error { _, err := a.People.Notifications(ctx, ada, true, c); return err },
	}
	for useCase, call := range stretches {
		in.exercised(useCase, "MaxPerPage")
		for _, n := range []int{-1, 0, domain.MaxPerPage + 1} {
			in.fault(useCase, call(people.CursorInput{Limit: n}), "limit", domain.FieldOutOfRange)
		}
		in.must(call(people.CursorInput{Limit: domain.MaxPerPage}))
		for _, cursor := range []string{"", "x", "\xff", strings.Repeat("A", 32)} {
			in.fault(useCase, call(people.CursorInput{Limit: 1, Next: &cursor}), "next", domain.FieldUnknown)
			in.fault(useCase, call(people.CursorInput{Limit: 1, Prev: &cursor}), "prev", domain.FieldUnknown)
		}
		x := "x"
		if e := fields(call(people.CursorInput{Limit: 1, Next: &x, Prev: &x})); !slices.Equal(e, []string{"next", "prev"}) {
			in.t.Errorf("%s with both cursors: %v", useCase, e)
		}
	}
}

func me(a domain.Actor) domain.Ref { return domain.Ref{ID: int64(a.UserID)} }

func made(p domain.Page) collections.MadeInput {
	return collections.MadeInput{Sort: domain.SearchSort{Key: domain.SearchByCreated}, Page: p}
}

// collaborators returns n users who do not exist.
func collaborators(n int) (all []domain.PrincipalRef) {
	for i := range n {
		all = append(all, domain.UserRef(domain.UserID(1_000_000+i)))
	}
	return all
}

// counts passes empty lists, and lists with one element too many.
func (in *inputs) counts(reach bool) {
	a, ctx, ada := in.a, in.ctx(), in.ada
	block := []collections.BlockInput{{Value: "x"}}
	for _, row := range []struct {
		useCase, path, limit string
		max                  int
		call                 func(n int) error
	}{
		{"CreateBlock", "channels", "MaxTargets", domain.MaxTargets, func(n int) error {
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: block[0], Targets: slices.Repeat([]collections.Target{{Channel: in.private}}, n)})
			return err
		}},
		{"Connect", "channels", "MaxTargets", domain.MaxTargets, func(n int) error {
			_, err := a.Collections.Connect(ctx, ada, domain.BlockRef(in.block), slices.Repeat([]collections.Target{{Channel: in.private}}, n))
			return err
		}},
		{"CreateBatch", "blocks", "MaxBatch", domain.MaxBatch, func(n int) error {
			_, err := a.Collections.CreateBatch(ctx, ada, collections.CreateBatchInput{Plain: []collections.Target{{Channel: in.private}}, Blocks: slices.Repeat(block, n)})
			return err
		}},
		{"Presign", "files", "MaxUploads", domain.MaxUploads, func(n int) error {
			_, err := a.Content.Presign(ctx, ada, slices.Repeat([]content.FileInput{{Name: "a.png", ContentType: "image/png"}}, n))
			return err
		}},
		{"UndoAdding", "connections", "MaxRemoved", domain.MaxRemoved, func(n int) error {
			_, err := a.Collections.UndoAdding(ctx, ada, slices.Repeat([]domain.ConnectionID{1_000_000}, n))
			return err
		}},
		{"MoveConnections", "connections", "MaxRemoved", domain.MaxRemoved, func(n int) error {
			to := make([]collections.Placing, n)
			for i := range to {
				to[i] = collections.Placing{Connection: domain.ConnectionID(1_000_000 + i), Position: 1}
			}
			_, err := a.Collections.MoveConnections(ctx, ada, in.private, to)
			return err
		}},
		{"RemoveConnections", "connections", "MaxRemoved", domain.MaxRemoved, func(n int) error {
			_, err := a.Collections.RemoveConnections(ctx, ada, in.private, slices.Repeat([]domain.ConnectionID{1_000_000}, n))
			return err
		}},
		{"SortContents", "ids", "MaxOrdered", domain.MaxOrdered, func(n int) error {
			ids := make([]int64, n)
			for i := range ids {
				ids[i] = int64(1_000_000 + i)
			}
			return a.Collections.SortContents(ctx, ada, in.private, ids)
		}},
		{"ChooseImport", "channels", "MaxImportChannels", domain.MaxImportChannels, func(n int) error {
			return a.Transfer.ChooseImport(ctx, ada, 1_000_000, make([]int64, n))
		}},
		{"AddCollaborators", "collaborator_ids", "MaxCollaborators", domain.MaxCollaborators, func(n int) error {
			_, err := a.Collections.AddCollaborators(ctx, ada, in.private, collaborators(n)...)
			return err
		}},
		{"RemoveCollaborators", "collaborator_ids", "MaxCollaborators", domain.MaxCollaborators, func(n int) error {
			return a.Collections.RemoveCollaborators(ctx, ada, in.private, collaborators(n)...)
		}},
	} {
		in.exercised(row.useCase, row.limit)
		if reach {
			if err := row.call(row.max); domain.KindOf(err) == domain.Invalid {
				in.t.Errorf("%s of %d: %v", row.useCase, row.max, err)
			}
			continue
		}
		in.fault(row.useCase, row.call(0), row.path, domain.FieldTooFew)
		in.fault(row.useCase, row.call(row.max+1), row.path, domain.FieldTooMany)
	}
}

// values passes single invalid values.
func (in *inputs) values() {
	a, ctx, ada := in.a, in.ctx(), in.ada
	target := func(t collections.Target) []collections.Target {
		t.Channel = in.private
		return []collections.Target{t}
	}
	block := func(b collections.BlockInput) func() error {
		return func() error {
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: b, Targets: target(collections.Target{})})
			return err
		}
	}
	channel := func(c collections.CreateChannelInput) func() error {
		return func() error { c.Title = "x"; _, err := a.Collections.CreateChannel(ctx, ada, c); return err }
	}
	change := func(c collections.UpdateChannelInput) func() error {
		return func() error { _, err := a.Collections.UpdateChannel(ctx, ada, in.open, c); return err }
	}
	connect := func(item domain.ItemRef, to ...collections.Target) func() error {
		return func() error { _, err := a.Collections.Connect(ctx, ada, item, to); return err }
	}
	move := func(how domain.Movement, position int64) func() error {
		return func() error { _, err := a.Collections.MoveConnection(ctx, ada, in.link, how, &position); return err }
	}
	find := func(s domain.Search) func() error {
		return func() error { s.Page = somePage; _, err := a.Finder.Search(ctx, ada, s, nil); return err }
	}
	avatar := func(address string) []func() error {
		return []func() error{
			func() error {
				_, err := a.People.CreateGroup(ctx, ada, people.CreateGroupInput{Name: "x", Avatar: &address})
				return err
			},
			func() error {
				_, err := a.People.UpdateGroup(ctx, ada, in.group, people.UpdateGroupInput{Avatar: core.Patch{Set: true, Value: &address}})
				return err
			},
			func() error {
				_, err := a.People.UpdateMe(ctx, ada, people.UpdateMeInput{Avatar: core.Patch{Set: true, Value: &address}})
				return err
			},
		}
	}
	file := func(f content.FileInput) func() error {
		return func() error { _, err := a.Content.Presign(ctx, ada, []content.FileInput{f}); return err }
	}
	link := func(i operating.SignUpLinkInput) []func() error {
		return []func() error{func() error { _, _, err := a.Operating.CreateSignUpLink(ctx, operating.CommandLine(), i); return err }}
	}
	person := func(i operating.PersonInput) []func() error {
		return []func() error{func() error { _, err := a.Operating.InvitePerson(ctx, operating.CommandLine(), i); return err }}
	}
	user := func(change func(u *accounts.CreateUserInput)) []func() error {
		u := accounts.CreateUserInput{Name: "x", Email: "x@example.org", Tier: domain.TierFree, Password: password}
		change(&u)
		return []func() error{
			func() error { _, err := a.Accounts.CreateUser(ctx, u); return err },
			func() error {
				_, err := a.Accounts.SignUp(ctx, home, accounts.SignUpInput{Name: u.Name, Email: u.Email, Slug: u.Slug, Password: u.Password})
				return err
			},
		}
	}
	application := func(change accounts.ApplicationInput) []func() error {
		if change.Name == "" {
			change.Name = "x"
		}
		return []func() error{
			func() error { return in.register(change) },
			func() error { _, err := a.Accounts.UpdateApplication(ctx, ada, in.app.ID, change); return err },
		}
	}
	one := func(f func() error) []func() error { return []func() error{f} }
	keys := `{"k0":0`
	for i := 1; i <= domain.MaxMetadataKeys; i++ {
		keys += fmt.Sprintf(`,"k%d":0`, i)
	}
	heavy := `{"k0":""`
	for i := 1; i < 40; i++ {
		heavy += fmt.Sprintf(`,"k%d":"%s"`, i, strings.Repeat("x", 1000))
	}
	str := func(s string) *string { return &s }
	bad, none := domain.Visibility("hidden"), domain.PrincipalRef{}
	tier, office := domain.Tier("gold"), domain.Office("king")
	uris := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("https://reader.example/%d", i))
		}
		return all
	}
	bring := func(i transfer.StartImportInput) []func() error {
		if i.Source == "" {
			i.Source = domain.FromArena
		}
		return one(func() error { _, err := a.Transfer.StartImport(ctx, ada, i); return err })
	}
	server := func(address string) transfer.StartImportInput {
		return transfer.StartImportInput{Address: address, What: []string{"moss"}}
	}
	long := "https://example.org/" + strings.Repeat("a", domain.MaxURL)
	for _, row := range []struct {
		useCase, limit string
		calls          []func() error
		path           string
		code           domain.FieldCode
	}{
		{"CreateBlock nothing", "", one(block(collections.BlockInput{})), "value", domain.FieldBlank},
		{"CreateBlock of a long URL", "MaxURL", one(block(collections.BlockInput{Value: long})), "value", domain.FieldTooLong},
		{"CreateBlock of a URL with a password", "", one(block(collections.BlockInput{Value: "https://a:b@example.org/"})), "value", domain.FieldForbidden},
		{"CreateBlock of no upload", "", one(block(collections.BlockInput{Value: "https://s3.amazonaws.com/arena_images-temp/none"})), "value", domain.FieldUnknown},
		{"CreateBlock source", "", one(block(collections.BlockInput{Value: "x", OriginalSourceURL: str("nowhere")})), "original_source_url", domain.FieldMalformed},
		{"CreateBlock source", "", one(block(collections.BlockInput{Value: "x", OriginalSourceURL: str(" ")})), "original_source_url", domain.FieldMalformed},
		{"CreateBlock source", "", one(block(collections.BlockInput{Value: "x", OriginalSourceURL: str("https://a:b@example.org/")})), "original_source_url", domain.FieldForbidden},
		{"CreateBlock metadata", "", one(block(collections.BlockInput{Value: "x", Metadata: []byte(`[]`)})), "metadata", domain.FieldMalformed},
		{"CreateBlock metadata", "", one(block(collections.BlockInput{Value: "x", Metadata: []byte(`{"a":null}`)})), "metadata.a", domain.FieldMalformed},
		{"CreateBlock metadata", "", one(block(collections.BlockInput{Value: "x", Metadata: []byte(`{"a":1e999}`)})), "metadata.a", domain.FieldOutOfRange},
		{"CreateBlock metadata keys", "MaxMetadataKeys", one(block(collections.BlockInput{Value: "x", Metadata: []byte(keys + "}")})), "metadata", domain.FieldTooLong},
		{"CreateBlock metadata size", "MaxMetadataBytes", one(block(collections.BlockInput{Value: "x", Metadata: []byte(heavy + "}")})), "metadata", domain.FieldTooLong},
		{"CreateBlock metadata key", "MaxMetadataKeyLength", one(block(collections.BlockInput{Value: "x", Metadata: []byte(`{"` + strings.Repeat("k", domain.MaxMetadataKeyLength+1) + `":1}`)})),
			"metadata.\"" + strings.Repeat("k", domain.MaxMetadataKeyLength+1) + "\"", domain.FieldMalformed},
		{"CreateBlock position", "", one(func() error {
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "x"}, Targets: target(collections.Target{Position: -1})})
			return err
		}), "channels[0].position", domain.FieldOutOfRange},
		{"StartImport source", "", bring(transfer.StartImportInput{Source: "magpie", Upload: "key"}), "source", domain.FieldUnknown},
		{"StartImport visibility", "", bring(transfer.StartImportInput{Token: "x", Visibility: bad}), "visibility", domain.FieldUnknown},
		{"StartImport of nothing", "", bring(transfer.StartImportInput{}), "what", domain.FieldRequired},
		{"StartImport of much", "MaxImportWhat", bring(transfer.StartImportInput{What: slices.Repeat([]string{"moss"}, domain.MaxImportWhat+1)}), "what", domain.FieldTooMany},
		{"StartImport of blanks", "", bring(transfer.StartImportInput{What: []string{"moss", " "}}), "what[1]", domain.FieldBlank},
		{"StartImport of a path", "", bring(transfer.StartImportInput{What: []string{"../moss"}}), "what[0]", domain.FieldMalformed},
		{"Explore with many conditions", "MaxConditions", one(func() error {
			_, err := a.Finder.Explore(ctx, ada, domain.Search{Where: slices.Repeat([]string{"year"}, domain.MaxConditions+1), Page: somePage}, nil)
			return err
		}), "metadata", domain.FieldTooMany},
		{"StartImport of a long name", "MaxImportName", bring(transfer.StartImportInput{What: []string{strings.Repeat("a", domain.MaxImportName+1)}}), "what[0]", domain.FieldTooLong},
		{"StartImport token", "MaxImportToken", bring(transfer.StartImportInput{Token: strings.Repeat("a", domain.MaxImportToken+1)}), "token", domain.FieldTooLong},
		{"StartImport token", "", bring(transfer.StartImportInput{Token: "a\r\nHost: b"}), "token", domain.FieldMalformed},
		{"Saved of a long URL", "MaxURL", one(func() error { _, err := a.Finder.Saved(ctx, ada, long); return err }), "url", domain.FieldTooLong},
		{"AddFeed of nothing", "MaxURL", one(func() error {
			_, err := a.Collections.AddFeed(ctx, ada, in.private, collections.FeedInput{Address: " "})
			return err
		}), "url", domain.FieldBlank},
		{"AddFeed of a long URL", "MaxURL", one(func() error {
			_, err := a.Collections.AddFeed(ctx, ada, in.private, collections.FeedInput{Address: long})
			return err
		}), "url", domain.FieldTooLong},
		{"AddFeed of a text", "MaxURL", one(func() error {
			_, err := a.Collections.AddFeed(ctx, ada, in.private, collections.FeedInput{Address: "kelp"})
			return err
		}), "url", domain.FieldMalformed},
		{"AddFeed with a password", "MaxURL", one(func() error {
			_, err := a.Collections.AddFeed(ctx, ada, in.private, collections.FeedInput{Address: "https://ada:kelp@example.org/"})
			return err
		}), "url", domain.FieldForbidden},
		{"Saved of a text", "MaxURL", one(func() error { _, err := a.Finder.Saved(ctx, ada, "kelp"); return err }), "url", domain.FieldMalformed},
		{"StartImport address", "MaxURL", bring(server(long)), "address", domain.FieldTooLong},
		{"StartImport address", "MaxURL", bring(server("https://example.org/" + strings.Repeat("a", 10<<20))), "address", domain.FieldTooLong},
		{"StartImport address", "", bring(server("file:///etc/passwd")), "address", domain.FieldMalformed},
		{"StartImport address", "", bring(server("example.org")), "address", domain.FieldMalformed},
		{"StartImport address", "", bring(server("https://example.org/\x00")), "address", domain.FieldMalformed},
		{"StartImport address", "", bring(server("https://example.org/?a=b")), "address", domain.FieldMalformed},
		{"StartImport with a password", "", bring(server("https://a:b@example.org")), "address", domain.FieldForbidden},
		{"StartImport of a private network", "", bring(server("https://10.1.2.3")), "address", domain.FieldForbidden},
		{"StartImport of a private network", "", bring(server("https://[::ffff:169.254.169.254]")), "address", domain.FieldForbidden},
		{"StartImport of a disguise", "", bring(server("http://167772161")), "address", domain.FieldForbidden},
		{"StartImport with an upload", "", bring(transfer.StartImportInput{Token: "x", Upload: "key"}), "upload_key", domain.FieldExclusive},
		{"StartImport encoding", "", bring(transfer.StartImportInput{Source: domain.FromFile, Upload: "key", Encoding: "latin-99"}), "encoding", domain.FieldUnknown},
		{"StartImport encoding", "", bring(transfer.StartImportInput{Source: domain.FromFile, Upload: "key", Encoding: "replacement"}), "encoding", domain.FieldUnknown},
		{"StartImport encoding", "", bring(transfer.StartImportInput{Token: "x", Encoding: "utf-8"}), "encoding", domain.FieldExclusive},
		{"StartImport without its file", "", bring(transfer.StartImportInput{Source: domain.FromSheet}), "upload_key", domain.FieldRequired},
		{"StartImport of no upload", "", bring(transfer.StartImportInput{Source: domain.FromSheet, Upload: "none"}), "upload_key", domain.FieldUnknown},
		{"StartImport of a file with a token", "", bring(transfer.StartImportInput{Source: domain.FromExport, Upload: "key", Token: "x"}), "token", domain.FieldExclusive},
		{"CreateBatch without channels", "", one(func() error {
			_, err := a.Collections.CreateBatch(ctx, ada, collections.CreateBatchInput{Blocks: []collections.BlockInput{{Value: "x"}}})
			return err
		}), "channel_ids or channels", domain.FieldRequired},
		{"CreateBatch with both", "", one(func() error {
			_, err := a.Collections.CreateBatch(ctx, ada, collections.CreateBatchInput{Plain: target(collections.Target{}), Placed: target(collections.Target{}), Blocks: []collections.BlockInput{{Value: "x"}}})
			return err
		}), "channel_ids, channels", domain.FieldExclusive},
		{"Connect a user", "", one(connect(domain.ItemRef{Type: "User", ID: 1}, target(collections.Target{})...)), "connectable_type", domain.FieldUnknown},
		{"Connect 0", "", one(connect(domain.BlockRef(0), target(collections.Target{})...)), "connectable_id", domain.FieldOutOfRange},
		{"Connect position", "", one(connect(domain.BlockRef(in.block), target(collections.Target{Position: -1})...)), "channels[0].position", domain.FieldOutOfRange},
		{"UpdateConnection metadata", "", one(func() error { _, err := a.Collections.UpdateConnection(ctx, ada, in.link, []byte(`1`)); return err }), "metadata", domain.FieldMalformed},
		{"MoveConnection sideways", "", one(move("sideways", 1)), "movement", domain.FieldUnknown},
		{"MoveConnection to 0", "", one(move(domain.InsertAt, 0)), "position", domain.FieldOutOfRange},
		{"MoveConnection to -1", "", one(move(domain.MoveToTop, -1)), "position", domain.FieldOutOfRange},
		{"CreateChannel visibility", "", one(channel(collections.CreateChannelInput{Visibility: bad})), "visibility", domain.FieldUnknown},
		{"CreateChannel owner", "", one(channel(collections.CreateChannelInput{Owner: &domain.PrincipalRef{Type: "Channel", ID: 1}})), "owner.type", domain.FieldUnknown},
		{"CreateChannel owner", "", one(channel(collections.CreateChannelInput{Owner: &domain.PrincipalRef{Type: domain.TypeUser}})), "owner.id", domain.FieldOutOfRange},
		{"UpdateChannel title", "", one(change(collections.UpdateChannelInput{Title: str("")})), "title", domain.FieldBlank},
		{"UpdateChannel visibility", "", one(change(collections.UpdateChannelInput{Visibility: &bad})), "visibility", domain.FieldUnknown},
		{"UpdateChannel layout", "", one(change(collections.UpdateChannelInput{Layout: new(domain.Layout("spiral"))})), "layout", domain.FieldUnknown},
		{"UpdateChannel snapshots", "", one(change(collections.UpdateChannelInput{Snapshots: new(domain.SnapshotPolicy("sometimes"))})), "snapshots", domain.FieldUnknown},
		{"SetBlockSnapshotPolicy policy", "", one(func() error {
			_, err := a.Content.SetBlockSnapshotPolicy(ctx, ada, in.block, "sometimes")
			return err
		}), "policy", domain.FieldUnknown},
		{"UpdateChannel owner", "", one(change(collections.UpdateChannelInput{Owner: &domain.PrincipalRef{Type: domain.TypeUser, ID: -1}})), "owner.id", domain.FieldOutOfRange},
		{"UpdateChannel metadata", "", one(change(collections.UpdateChannelInput{Metadata: []byte(`{"é":1}`)})), `metadata."é"`, domain.FieldMalformed},
		{"Contents by", "", one(func() error {
			_, err := a.Collections.Contents(ctx, ada, in.private, collections.ContentsInput{By: -1, Page: somePage})
			return err
		}), "user_id", domain.FieldOutOfRange},
		{"Contents sort", "", one(func() error {
			_, err := a.Collections.Contents(ctx, ada, in.private, collections.ContentsInput{Sort: domain.ContentSort{Key: 99}, Page: somePage})
			return err
		}), "sort", domain.FieldUnknown},
		{"KnownContents by", "", one(func() error {
			_, err := a.Collections.KnownContents(ctx, ada, in.private, collections.ContentsInput{By: -1, Page: somePage}, knowsNothing{})
			return err
		}), "user_id", domain.FieldOutOfRange},
		{"BlockConnections filter", "", one(func() error {
			_, err := a.Collections.BlockConnections(ctx, ada, in.block, collections.ItemChannelsInput{Ownership: "MINE", Page: somePage})
			return err
		}), "filter", domain.FieldUnknown},
		{"UserGroups sort", "", one(func() error {
			_, err := a.People.UserGroups(ctx, ada, me(ada), domain.GroupSort{Key: -1}, somePage)
			return err
		}), "sort", domain.FieldUnknown},
		{"FollowingAfter type", "", one(func() error {
			_, err := a.Finder.FollowingAfter(ctx, ada, me(ada), "Block", collections.After{Limit: 1})
			return err
		}), "type", domain.FieldUnknown},
		{"Following type", "", one(func() error {
			_, err := a.People.Following(ctx, ada, me(ada), people.FollowingInput{Type: "Block", Page: somePage})
			return err
		}), "type", domain.FieldUnknown},
		{"Follow type", "", one(func() error { return a.People.Follow(ctx, ada, people.FollowTarget{Type: "Block", Ref: me(ada)}) }), "type", domain.FieldUnknown},
		{"Unfollow type", "", one(func() error { return a.People.Unfollow(ctx, ada, people.FollowTarget{Ref: me(ada)}) }), "type", domain.FieldUnknown},
		{"IsFollowing type", "", one(func() error {
			_, err := a.People.IsFollowing(ctx, ada, people.FollowTarget{Ref: me(ada)})
			return err
		}), "type", domain.FieldUnknown},
		{"AddCollaborator type", "", one(func() error { _, _, err := a.Collections.AddCollaborator(ctx, ada, in.private, none); return err }), "type", domain.FieldUnknown},
		{"Search type", "", one(find(domain.Search{Types: []string{"Film"}})), "type", domain.FieldUnknown},
		{"Search scope", "", one(find(domain.Search{Scope: "ours"})), "scope", domain.FieldUnknown},
		{"Search user", "", one(find(domain.Search{Author: -1})), "user_id", domain.FieldOutOfRange},
		{"Search group", "", one(find(domain.Search{Group: -1})), "group_id", domain.FieldOutOfRange},
		{"Search channel", "", one(find(domain.Search{Channel: -1})), "channel_id", domain.FieldOutOfRange},
		{"Search ext", "", one(find(domain.Search{Extensions: []string{"exe"}})), "ext", domain.FieldUnknown},
		{"Search sort", "", one(find(domain.Search{Sort: domain.SearchSort{Key: 99}})), "sort", domain.FieldUnknown},
		{"Search words", "", one(find(domain.Search{Query: strings.Repeat("a b ", 1000)})), "query", domain.FieldTooLong},
		{"Covers channels", "MaxPerPage", one(func() error {
			_, err := a.Collections.Covers(ctx, ada, make([]domain.ChannelID, domain.MaxPerPage+1))
			return err
		}), "channels", domain.FieldTooMany},
		{"Activities offset", "", one(func() error {
			_, err := a.People.Activities(ctx, ada, people.ActivitySource{Kind: people.OwnFeed}, people.Part{Offset: -1, Limit: 1})
			return err
		}), "offset", domain.FieldOutOfRange},
		{"PreviewContents channels", "MaxPerPage", one(func() error {
			_, err := a.Collections.PreviewContents(ctx, ada, make([]domain.ChannelID, domain.MaxPerPage+1), 3, true)
			return err
		}), "channels", domain.FieldTooMany},
		{"PreviewContents n", "", one(func() error {
			_, err := a.Collections.PreviewContents(ctx, ada, make([]domain.ChannelID, 1), 10, true)
			return err
		}), "n", domain.FieldOutOfRange},
		{"SortContents twice", "", one(func() error { return a.Collections.SortContents(ctx, ada, in.private, []int64{1, 2, 1}) }), "ids", domain.FieldRepeated},
		{"SortContents 0", "", one(func() error { return a.Collections.SortContents(ctx, ada, in.private, []int64{0}) }), "ids", domain.FieldOutOfRange},
		{"MoveItem to 0", "", one(func() error {
			_, err := a.Collections.MoveItem(ctx, ada, in.private, domain.BlockRef(in.block), 0)
			return err
		}), "new_position", domain.FieldOutOfRange},
		{"SetCollaborators of groups", "", one(func() error {
			_, err := a.Collections.SetCollaborators(ctx, ada, in.private, []domain.PrincipalRef{domain.GroupRef(1)})
			return err
		}), "type", domain.FieldUnknown},
		{"SetCollaborators many", "MaxCollaborators", one(func() error {
			_, err := a.Collections.SetCollaborators(ctx, ada, in.private, collaborators(domain.MaxCollaborators+1))
			return err
		}), "collaborator_ids", domain.FieldTooMany},
		{"CreateBlockIn nothing", "", one(func() error {
			_, err := a.Collections.CreateBlockIn(ctx, ada, blockIn(in.private, collections.BlockInput{}, 0))
			return err
		}), "value", domain.FieldBlank},
		{"ConnectTo position", "", one(func() error {
			_, err := a.Collections.ConnectTo(ctx, ada, in.private, domain.BlockRef(in.block), -1)
			return err
		}), "channels[0].position", domain.FieldOutOfRange},
		{"Activities kind", "", one(func() error {
			_, err := a.People.Activities(ctx, ada, people.ActivitySource{Kind: "theirs"}, people.Part{Limit: 1})
			return err
		}), "kind", domain.FieldUnknown},
		{"MadeAfter type", "", one(func() error {
			_, err := a.Finder.MadeAfter(ctx, ada, domain.SubjectUser, domain.Ref{ID: int64(ada.UserID)}, []string{"User"}, collections.After{Limit: 1})
			return err
		}), "type", domain.FieldUnknown},
		{"FilterContents type", "", one(func() error {
			_, err := a.Finder.FilterContents(ctx, ada, in.private, collections.FilterInput{Types: []string{"User"}, Page: somePage})
			return err
		}), "type", domain.FieldUnknown},
		{"UserContents type", "", one(func() error {
			_, err := a.Finder.UserContents(ctx, ada, me(ada), collections.MadeInput{Types: []string{"Group"}, Sort: made(somePage).Sort, Page: somePage})
			return err
		}), "type", domain.FieldUnknown},
		{"GroupContents sort", "", one(func() error {
			_, err := a.Finder.GroupContents(ctx, ada, in.group, collections.MadeInput{Page: somePage})
			return err
		}), "sort", domain.FieldUnknown},
		{"CreateGroup avatar", "", avatar(" "), "avatar_url", domain.FieldMalformed},
		{"CreateGroup avatar", "", avatar("ftp://example.org/x"), "avatar_url", domain.FieldMalformed},
		{"CreateGroup avatar", "", avatar("https://a:b@example.org/x"), "avatar_url", domain.FieldForbidden},
		{"CreateGroup avatar", "MaxURL", avatar(long), "avatar_url", domain.FieldTooLong},
		{"UpdateGroup name", "", one(func() error {
			_, err := a.People.UpdateGroup(ctx, ada, in.group, people.UpdateGroupInput{Name: str("")})
			return err
		}), "name", domain.FieldBlank},
		{"UpdateMe name", "", one(func() error { _, err := a.People.UpdateMe(ctx, ada, people.UpdateMeInput{Name: str("")}); return err }), "name", domain.FieldBlank},
		{"Invite nobody", "", one(in.invite(people.InviteInput{})), "user_id", domain.FieldRequired},
		{"Invite two", "", one(in.invite(people.InviteInput{User: 1, Email: "x@example.org"})), "user_id", domain.FieldExclusive},
		{"Invite -1", "", one(in.invite(people.InviteInput{User: -1})), "user_id", domain.FieldOutOfRange},
		{"Invite an address", "MaxEmail", one(in.invite(people.InviteInput{Email: longEmail})), "email", domain.FieldTooLong},
		{"Invite an address", "", one(in.invite(people.InviteInput{Email: "\xff@example.org"})), "email", domain.FieldMalformed},
		{"Presign a path", "", one(file(content.FileInput{Name: "a/b", ContentType: "image/png"})), "files[0].filename", domain.FieldMalformed},
		{"Presign a path", "", one(file(content.FileInput{Name: "..", ContentType: "image/png"})), "files[0].filename", domain.FieldMalformed},
		{"Presign nothing", "", one(file(content.FileInput{Name: "", ContentType: "image/png"})), "files[0].filename", domain.FieldMalformed},
		{"Presign a type", "MinContentType", one(file(content.FileInput{Name: "a", ContentType: "a/"})), "files[0].content_type", domain.FieldTooShort},
		{"Presign a type", "MaxContentType", one(file(content.FileInput{Name: "a", ContentType: "a/" + strings.Repeat("b", domain.MaxContentType-1)})), "files[0].content_type", domain.FieldTooLong},
		{"Presign a type", "", one(file(content.FileInput{Name: "a", ContentType: "image/png\r\nX: y"})), "files[0].content_type", domain.FieldMalformed},
		{"CreateUser slug", "MaxSlugLength", user(func(u *accounts.CreateUserInput) { u.Slug = strings.Repeat("a", domain.MaxSlugLength+1) }), "slug", domain.FieldMalformed},
		{"CreateUser slug", "", user(func(u *accounts.CreateUserInput) { u.Slug = "settings" }), "slug", domain.FieldForbidden},
		{"CreateUser slug", "", user(func(u *accounts.CreateUserInput) { u.Slug = "\x00" }), "slug", domain.FieldMalformed},
		{"CreateUser name", "", user(func(u *accounts.CreateUserInput) { u.Name = " " }), "name", domain.FieldTooShort},
		{"CreateUser email", "MaxEmail", user(func(u *accounts.CreateUserInput) { u.Email = longEmail }), "email", domain.FieldTooLong},
		{"CreateUser email", "", user(func(u *accounts.CreateUserInput) { u.Email = "x" }), "email", domain.FieldMalformed},
		{"CreateUser password", "MinPassword", user(func(u *accounts.CreateUserInput) { u.Password = "q9x!z7k" }), "password", domain.FieldTooShort},
		{"CreateUser password", "MaxPassword", user(func(u *accounts.CreateUserInput) { u.Password = strings.Repeat("x", domain.MaxPassword+1) }), "password", domain.FieldTooLong},
		{"CreateUser password", "", user(func(u *accounts.CreateUserInput) { u.Password = "password1" }), "password", domain.FieldForbidden},
		{"CreateUser tier", "", one(func() error {
			_, err := a.Accounts.CreateUser(ctx, accounts.CreateUserInput{Name: "x", Email: "x@example.org", Tier: tier})
			return err
		}), "tier", domain.FieldUnknown},
		{"SetTier tier", "", one(func() error { _, err := a.Accounts.SetTier(ctx, me(ada), tier); return err }), "tier", domain.FieldUnknown},
		{"SetOffice office", "", one(func() error { _, err := a.Operating.SetOffice(ctx, me(ada), office); return err }), "office", domain.FieldUnknown},
		{"SetAccount tier", "", one(func() error {
			_, err := a.Operating.SetAccount(ctx, in.operator, ada.UserID, operating.AccountChange{Tier: &tier})
			return err
		}), "tier", domain.FieldUnknown},
		{"SetAccount office", "", one(func() error {
			_, err := a.Operating.SetAccount(ctx, in.operator, ada.UserID, operating.AccountChange{Office: &office})
			return err
		}), "office", domain.FieldUnknown},
		{"UpdateSite featured", "MaxFeatured", one(func() error {
			slugs := make([]string, domain.MaxFeatured+1)
			_, err := a.Operating.UpdateSite(ctx, in.operator, operating.SiteInput{Featured: &slugs})
			return err
		}), "featured", domain.FieldTooMany},
		{"UpdateSite picture", "MaxURL", one(func() error {
			_, err := a.Operating.UpdateSite(ctx, in.operator, operating.SiteInput{Picture: core.Patch{Set: true, Value: &long}})
			return err
		}), "picture", domain.FieldTooLong},
		{"SaveLegalPage slug", "MaxSlugLength", one(func() error {
			_, err := a.Operating.SaveLegalPage(ctx, in.operator, operating.LegalPageInput{Slug: strings.Repeat("a", domain.MaxSlugLength+1), Title: "x", Body: "x"})
			return err
		}), "slug", domain.FieldTooLong},
		{"SaveLegalPage slug", "", one(func() error {
			_, err := a.Operating.SaveLegalPage(ctx, in.operator, operating.LegalPageInput{Slug: "An Imprint", Title: "x", Body: "x"})
			return err
		}), "slug", domain.FieldMalformed},
		{"SetSignUpMode mode", "", one(func() error { return a.Operating.SetSignUpMode(ctx, in.operator, "ajar") }), "mode", domain.FieldUnknown},
		{"CreateSignUpLink places", "MaxPlaces", link(operating.SignUpLinkInput{Places: domain.MaxPlaces + 1}), "places", domain.FieldOutOfRange},
		{"CreateSignUpLink places", "", link(operating.SignUpLinkInput{Places: -1}), "places", domain.FieldOutOfRange},
		{"CreateSignUpLink days", "MaxLinkDays", link(operating.SignUpLinkInput{Days: domain.MaxLinkDays + 1}), "days", domain.FieldOutOfRange},
		{"CreateSignUpLink group", "MaxSlugLength", link(operating.SignUpLinkInput{Group: strings.Repeat("a", domain.MaxSlugLength+1)}), "group", domain.FieldTooLong},
		{"CreateSignUpLink group", "", link(operating.SignUpLinkInput{Group: "no-such-group"}), "group", domain.FieldUnknown},
		{"CreateSignUpLink group", "", link(operating.SignUpLinkInput{Group: "\x00"}), "group", domain.FieldMalformed},
		{"InvitePerson email", "MaxEmail", person(operating.PersonInput{Email: longEmail}), "email", domain.FieldTooLong},
		{"InvitePerson email", "", person(operating.PersonInput{Email: "Ada <z@example.org>"}), "email", domain.FieldMalformed},
		{"InvitePerson email", "", person(operating.PersonInput{Email: "z\x00@example.org"}), "email", domain.FieldMalformed},
		{"InvitePerson slug", "", person(operating.PersonInput{Email: "z@example.org", Slug: "settings"}), "slug", domain.FieldForbidden},
		{"InvitePerson slug", "", person(operating.PersonInput{Email: "z@example.org", Slug: "A b"}), "slug", domain.FieldMalformed},
		{"InvitePerson slug", "", person(operating.PersonInput{Email: "z@example.org", Slug: "ada"}), "slug", domain.FieldTaken},
		{"InvitePerson group", "MaxSlugLength", person(operating.PersonInput{Email: "z@example.org", Group: strings.Repeat("a", domain.MaxSlugLength+1)}), "group", domain.FieldTooLong},
		{"InvitePerson days", "MaxLinkDays", person(operating.PersonInput{Email: "z@example.org", Days: domain.MaxLinkDays + 1}), "days", domain.FieldOutOfRange},
		{"SetEmail email", "MaxEmail", one(func() error {
			_, err := a.Operating.SetEmail(ctx, operating.CommandLine(), domain.Ref{Slug: "ada"}, longEmail)
			return err
		}), "email", domain.FieldTooLong},
		{"SetPassword password", "MinPassword", one(func() error {
			_, err := a.Operating.SetPassword(ctx, operating.CommandLine(), domain.Ref{Slug: "ada"}, "short")
			return err
		}), "password", domain.FieldTooShort},
		{"DeleteAccountOf slug", "", one(func() error {
			_, err := a.Operating.DeleteAccountOf(ctx, operating.CommandLine(), domain.Ref{Slug: "ada"}, "grace")
			return err
		}), "slug", domain.FieldIncorrect},
		{"ForgotPassword email", "MaxEmail", one(func() error { return a.Accounts.ForgotPassword(ctx, home, longEmail) }), "email", domain.FieldTooLong},
		{"ChangeEmail email", "MaxEmail", one(func() error { return a.Accounts.ChangeEmail(ctx, home, ada, in.Proved(ada.UserID), longEmail) }), "email", domain.FieldTooLong},
		{"ChangePassword next", "MaxPassword", one(func() error {
			_, err := a.Accounts.ChangePassword(ctx, ada, in.Proved(ada.UserID), strings.Repeat("x", domain.MaxPassword+1), false)
			return err
		}), "password", domain.FieldTooLong},
		{"DeleteAccount slug", "", one(func() error { return a.Accounts.DeleteAccount(ctx, ada, in.Proved(ada.UserID), "grace") }), "slug", domain.FieldIncorrect},
		{"CreateToken scope", "", one(func() error {
			_, _, err := a.Accounts.CreateToken(ctx, ada.UserID, accounts.TokenInput{Name: "x", Scope: "admin"})
			return err
		}), "scope", domain.FieldUnknown},
		{"CreateOwnToken scope", "", one(func() error {
			_, _, err := a.Accounts.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: "x", Scope: "admin"})
			return err
		}), "scope", domain.FieldUnknown},
		{"CreateApplication public", "", one(func() error { return in.register(accounts.ApplicationInput{Name: "x", Public: true}) }), "redirect_uris", domain.FieldRequired},
		{"CreateApplication addresses", "MaxRedirectURIs", application(accounts.ApplicationInput{RedirectURIs: uris(domain.MaxRedirectURIs + 1)}), "redirect_uris", domain.FieldTooMany},
		{"CreateApplication address", "MaxRedirectURI", application(accounts.ApplicationInput{RedirectURIs: []string{"https://a.example/" + strings.Repeat("a", domain.MaxRedirectURI)}}), "redirect_uris[0]", domain.FieldTooLong},
		{"CreateApplication address", "", application(accounts.ApplicationInput{RedirectURIs: []string{"javascript:alert(1)"}}), "redirect_uris[0]", domain.FieldMalformed},
		{"CreateApplication twice", "", application(accounts.ApplicationInput{RedirectURIs: []string{"https://a.example/", "https://a.example/"}}), "redirect_uris[1]", domain.FieldRepeated},
		{"RegisterApplication name", "", one(func() error {
			_, _, err := a.Accounts.RegisterApplication(ctx, home, accounts.ApplicationInput{Name: "\u202e"})
			return err
		}), "name", domain.FieldMalformed},
	} {
		in.exercised(row.useCase, row.limit)
		for i, call := range row.calls {
			in.fault(fmt.Sprintf("%s, call %d", row.useCase, i), call(), row.path, row.code)
		}
	}
	long = strings.Repeat("x", domain.MaxState+1)
	for limit, r := range map[string]accounts.AuthorizationRequest{
		"MaxState":    {ClientID: in.app.ClientID, ResponseType: "code", State: long},
		"MaxClientID": {ClientID: long[:domain.MaxClientID+1], ResponseType: "code"},
	} {
		for useCase, call := range map[string]func() error{
			"Authorization": func() error { _, err := a.Accounts.Authorization(ctx, ada, r); return err },
			"Allow":         func() error { _, err := a.Accounts.Allow(ctx, ada, r); return err },
			"Deny":          func() error { _, err := a.Accounts.Deny(ctx, ada, r); return err },
		} {
			in.exercised(useCase, limit)
			if _, refused := errors.AsType[*accounts.OAuthError](call()); !refused {
				in.t.Errorf("%s takes more than %s", useCase, limit)
			}
		}
	}
}

// longEmail is a valid address except that it is one byte too long.
var longEmail = "a@" + strings.Repeat(strings.Repeat("b", 49)+".", 5)[:domain.MaxEmail-4] + ".de"

func (in *inputs) invite(i people.InviteInput) func() error {
	return func() error { _, err := in.a.People.Invite(in.ctx(), in.ada, in.group, i); return err }
}

// refs passes slugs that no database would accept.
func (in *inputs) refs() {
	a, ctx, ada := in.a, in.ctx(), in.ada
	for useCase, call := range map[string]func(r domain.Ref) error{
		"User":    func(r domain.Ref) error { _, err := a.People.User(ctx, r); return err },
		"Channel": func(r domain.Ref) error { _, err := a.Collections.Channel(ctx, ada, r); return err },
		"Group":   func(r domain.Ref) error { _, err := a.People.Group(ctx, ada, r); return err },
		"Collaborators": func(r domain.Ref) error {
			_, err := a.Collections.Collaborators(ctx, ada, r)
			return err
		},
		"DeleteChannel":     func(r domain.Ref) error { return a.Collections.DeleteChannel(ctx, ada, r) },
		"DisconnectBlock":   func(r domain.Ref) error { return a.Collections.DisconnectBlock(ctx, ada, r, in.block) },
		"DeleteGroup":       func(r domain.Ref) error { return a.People.DeleteGroup(ctx, ada, r) },
		"LeaveGroup":        func(r domain.Ref) error { return a.People.LeaveGroup(ctx, ada, r) },
		"RemoveMember":      func(r domain.Ref) error { return a.People.RemoveMember(ctx, ada, r, 1) },
		"RevokeInvitation":  func(r domain.Ref) error { return a.People.RevokeInvitation(ctx, ada, r, 1) },
		"GroupInvite":       func(r domain.Ref) error { _, err := a.People.GroupInvite(ctx, ada, r); return err },
		"InviteeGroup":      func(r domain.Ref) error { _, err := a.People.InviteeGroup(ctx, ada, r, "\xff"); return err },
		"CreateGroupInvite": func(r domain.Ref) error { _, _, err := a.People.CreateGroupInvite(ctx, ada, r); return err },
		"DeleteGroupInvite": func(r domain.Ref) error { return a.People.DeleteGroupInvite(ctx, ada, r) },
		"Suspend":           func(r domain.Ref) error { _, err := a.Operating.Suspend(ctx, r, true); return err },
		"SuspendAndHide":    func(r domain.Ref) error { _, err := a.Operating.SuspendAndHide(ctx, r); return err },
		"CreateBlock": func(r domain.Ref) error {
			_, err := a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "x"}, Targets: []collections.Target{{Channel: r}}})
			return err
		},
		"Follow": func(r domain.Ref) error {
			return a.People.Follow(ctx, ada, people.FollowTarget{Type: domain.SubjectChannel, Ref: r})
		},
		"SelectItem": func(r domain.Ref) error {
			_, err := a.Collections.SelectItem(ctx, ada, r, domain.BlockRef(in.block))
			return err
		},
		"SortOnce": func(r domain.Ref) error {
			_, err := a.Collections.SortOnce(ctx, ada, r, domain.OnceByTitle)
			return err
		},
		"CopyContents": func(r domain.Ref) error {
			return errors.Join(a.Collections.CopyContents(ctx, ada, r, in.private), a.Collections.CopyContents(ctx, ada, in.private, r))
		},
		"Neighbours":      func(r domain.Ref) error { _, err := a.Collections.Neighbours(ctx, ada, r, in.block); return err },
		"Pin":             func(r domain.Ref) error { return a.Collections.Pin(ctx, ada, r) },
		"Unpin":           func(r domain.Ref) error { return a.Collections.Unpin(ctx, ada, r) },
		"LegalPage":       func(r domain.Ref) error { _, err := a.Operating.LegalPage(ctx, r.Slug); return err },
		"DeleteLegalPage": func(r domain.Ref) error { return a.Operating.DeleteLegalPage(ctx, in.operator, r.Slug) },
		"Batch":           func(r domain.Ref) error { _, err := a.Collections.Batch(ctx, ada, r.Slug); return err },
		"OpenShown":       func(r domain.Ref) error { _, err := a.Content.OpenShown(ctx, "k"+r.Slug, "x"); return err },
	} {
		in.exercised(useCase, "")
		for _, r := range []domain.Ref{{Slug: "\xff"}, {Slug: "a\x00b"}, {Slug: strings.Repeat("a", 100_000)}, {ID: -1}, {}} {
			if err := call(r); domain.KindOf(err) != domain.NotFound {
				in.t.Errorf("%s of %.20q: %v", useCase, r.Slug, err)
			}
		}
	}
}

// stores reaches the limits of stored things.
func (in *inputs) stores() {
	a, ctx, ada := in.a, in.ctx(), in.ada
	for _, row := range []struct {
		useCase, limit string
		max            int
		call           func(i int) error
	}{
		{"CreateApplication", "MaxApplications", domain.MaxApplications, func(int) error { return in.register(accounts.ApplicationInput{Name: "x"}) }},
		{"CreateOwnToken", "MaxOwnTokens", domain.MaxOwnTokens, func(int) error {
			_, _, err := a.Accounts.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: "x", Scope: domain.ScopeRead})
			return err
		}},
		{"AddPasskey", "MaxPasskeys", domain.MaxPasskeys, func(int) error {
			s := in.Proved(ada.UserID)
			options, err := a.Accounts.BeginPasskey(ctx, ada, s, accounts.PasskeyInput{Name: "x"})
			if err == nil {
				_, _, err = a.Accounts.AddPasskey(ctx, ada, s, accounts.PasskeyInput{Name: "x"}, newKeyring().make(in.t, options), false)
			}
			return err
		}},
		{"Pin", "MaxPins", domain.MaxPins, func(i int) error {
			return a.Collections.Pin(ctx, ada, domain.Ref{ID: int64(storetest.Channel(in.t, in.S.Store, ada.UserID, fmt.Sprint("Pinned ", i), domain.Private))})
		}},
		{"SaveSearch", "MaxSavedSearches", domain.MaxSavedSearches, func(i int) error {
			_, _, err := a.Searches.SaveSearch(ctx, ada, searches.SaveInput{Query: fmt.Sprint("lichen ", i)})
			return err
		}},
		{"SaveLegalPage", "MaxLegalPages", domain.MaxLegalPages, func(i int) error {
			_, err := a.Operating.SaveLegalPage(ctx, in.operator, operating.LegalPageInput{Slug: fmt.Sprintf("page-%d", i), Title: "x", Body: "x"})
			return err
		}},
		{"CreateSignUpLink", "MaxSignUpLinks", domain.MaxSignUpLinks, func(int) error {
			_, _, err := a.Operating.CreateSignUpLink(ctx, operating.OnSite(in.operator, home), operating.SignUpLinkInput{})
			return err
		}},
	} {
		in.exercised(row.useCase, row.limit)
		made := 0
		var err error
		for ; err == nil && made <= row.max; made++ {
			err = row.call(made)
		}
		if domain.KindOf(err) != domain.Unprocessable {
			in.t.Errorf("%s: %v after %d", row.useCase, err, made)
		}
	}
	body := ""
	for i := range domain.MaxMentions + 1 {
		name := fmt.Sprintf("reader-%d", i)
		storetest.User(in.t, in.S.Store, name)
		body += "@" + name + " "
	}
	c, err := a.Collections.CreateComment(ctx, ada, in.block, body)
	in.must(err)
	in.exercised("CreateComment", "MaxMentions")
	if n := strings.Count(c.Body.HTML, "<a "); n != domain.MaxMentions {
		in.t.Errorf("%d people are mentioned, want %d", n, domain.MaxMentions)
	}
}

// heldElsewhere maps limits that need another setup to the tests that reach them.
var heldElsewhere = map[string][2]string{
	"MaxSelectors":     {"../../api/limits_test.go", `"selector maxItems"`},
	"MaxPasskeyAnswer": {"second_factor_test.go", "domain.MaxPasskeyAnswer"},
	"MaxPeople":        {"../importing/files/invitees_test.go", "domain.MaxPeople"},
	"MaxUnread":        {"../store/unread_test.go", "domain.MaxUnread"},
	"MaxRefusedNoted":  {"audit_test.go", "domain.MaxRefusedNoted"},
	"MaxSnapshots":     {"snapshots_test.go", "domain.MaxSnapshots"},
	"MaxChangesWait":   {"../api/changes_test.go", "domain.MaxChangesWait"},
	"MaxWebhooks":      {"../api/webhooks_test.go", "domain.MaxWebhooks"},
	"MaxWebhookTests":  {"../api/webhooks_test.go", "domain.MaxWebhookTests"},
	"MaxWebhookEvents": {"../api/webhooks_test.go", "domain.MaxWebhookEvents"},
	"MaxChangesCursor": {"../api/changes_test.go", "domain.MaxChangesCursor"},
	"MaxBulk":          {"../api/bulk_test.go", "domain.MaxBulk"},
	"MaxExports":       {"../exporting/job_test.go", "domain.MaxExports"},

	"MaxBlockHighlights": {"reading_test.go", "domain.MaxBlockHighlights"},
	"MaxHighlights":      {"reading_test.go", "domain.MaxHighlights"},
	"MaxPositions":       {"reading_test.go", "domain.MaxPositions"},
}

// withoutText are use cases whose only input is ids, tokens, passwords (which are hashed before any look-up) and
// settings of jobs. TestBadTokens tests the tokens.
var withoutText = []string{
	"ErasureReceipt", "OwnReceipts", "Receipt", "Receipts", "StartExportFor", "AccountsAfter", "BackfillsFor", "Backups", "DefaultTier", "InvitationsBelow", "JobsAfter", "RequestBackup", "SiteFor", "TokensOf", "Known", "Configure",
	"Account", "AccountDetails", "AcceptInvitation", "AddressLink", "AllApplications", "Application", "Applications", "ApplyTransition", "Arrange", "Authenticate", "AuthenticateFor",
	"Block", "BlockRevision", "Finished", "Outlined", "ImportOrphan", "ByteUsage", "ByteUsages", "ChangeItem", "ChannelDetails", "Check", "CheckFiles", "ClearAccount", "Comment", "ConfirmEmail", "ConfirmSignUp", "Connection", "CountTexts",
	"DeclineInvitation", "DeleteApplication", "DeleteBlock", "DeleteComment", "DeleteConnection", "DiskReady", "Disks",
	"EndAccount", "EndApplication", "EndFollows", "EndGroupItems", "EndOtherSessions", "EndSession", "EndSignUpLink", "Enter", "FailedJobs", "PreviewDeletion", "FeaturedChannels", "FeedReader", "FeedSecret", "FlushUsage", "FollowedIDs", "GrantAvatar", "Grants", "GroupsByID", "HeadOfUpload", "IndexWords", "RefreshDocuments", "UseFormerIDs", "OriginOf", "VisibleBlocks", "VisibleChannels", "Introspect", "InvitationByToken", "IssueToken", "Jobs", "JoinByLink", "KeepAnswer", "KeptAnswer", "KnownChannel", "KnownItems", "CheckPicture", "CommentsUpTo", "LastIDs", "LegalPages", "Listings", "ExamineFiles", "FileMetadata",
	"EndSecondFactor", "FactorOptions", "FinishByCode", "FinishByPasskey", "HalfSignIn", "NewRecoveryCodes", "PasskeyOptions", "PasskeysPossible",
	"AsksForSetupCode", "CheckSetupCode", "SetupCode",
	"LockProved", "MailProof", "Merge", "Waiting", "EmbedBlocks", "HasVector", "MeaningState", "VectorsWaiting", "DeadLinks", "CheckLinks", "LinkFailure", "CheckLinkSoon", "Archived", "MailProofLink", "MayOpen", "ProofLink", "ProofWays", "ProveByLink", "ProveByPasskey", "ProveByPassword", "ProveBySignOn", "Renew", "SendProofLink",
	"ProofOptions", "RemovePasskey", "RemoveSecondFactor", "SecondFactor", "SignInByPasskey",
	"Me", "Mentioned", "MetadataState", "NewKeyedRequest", "NotificationDays", "OwnTokens", "PasswordLink", "PinnedChannels", "RunProcessBlock", "Processing", "Quota", "PutPasswordLink", "ReadAllNotifications", "ReadNotification", "ReadNotifications",
	"Ready", "Receive", "ReceiveFile", "ReceivePreview", "ReceiveUpload", "RenewFeedSecret", "Reprocess", "ResetPassword", "ResumeHiding", "ResumeTransitions", "RetryJobAs", "RetryJob", "RemoveItem",
	"RevokeApplicationToken", "RevokeGrant", "RevokeOwnToken", "RevokeToken", "RotateSecret", "RunBatch", "RunCopyContents",
	"SendAccountInvitation", "SendAddressLink", "SendInvitation", "SendNotice", "SendPasswordLink", "SendReset", "SendSignUp", "ServerStatus", "ServerState", "SessionUser",
	"Sessions", "SignIn", "SignInByLink", "SignInLink", "SignOut", "ProviderSignOut", "OnlySignOn", "MakeSignInLink", "SignOutAccount", "SignUpAddress", "SignUpFixed", "SignUpLinks", "SignUpMode", "SignUpOffer", "SignUpPending", "SiteSettings", "SweepAccounts",
	"CommentsAfter", "ContentsAfter", "Expand", "FollowersAfter", "ItemChannelsAfter", "MembersAfter", "UserGroupsAfter", "Locked", "Together",
	"AddMailbox", "Mailbox", "Mailboxes", "ReceiveMail", "RemoveMailbox",
	"BlockHistory", "BlockVersion", "ChannelHistory", "ChannelVersion", "RestoreBlock", "RestoreChannel",
	"ProfileHistory", "ProfileVersion", "GroupHistory", "GroupVersion", "RestoreProfile", "RestoreGroup", "RestoreFollowers",
	"AddFeeds", "ChannelFeeds", "CheckFeedNow", "CheckFeeds", "OwnFeeds", "RemoveFeed", "RunCheckFeed",
	"Select", "Send", "SweepContent", "Tokens", "Totals", "UndoRemoval", "UnreadNotifications", "UploadLimit", "UploadsTo", "UploadValue", "UsageOfAll", "Users", "UsersByID",
	"BeginImport", "FinishImportStep", "Import", "ImportFetcher", "ImportGoesOn", "ImportHeads", "ListImport", "LockToEnter", "NoteImport", "OpenUpload", "RestartImportStep",
	"StopImport", "SweepImports", "SweepAuditLog", "SweepChanges", "Await", "Close", "Lag", "Read",
	"DeleteWebhook", "Deliveries", "List", "Ping", "Redeliver", "SendStopped", "Settle", "SweepDeliveries", "Wait", "Webhook", "Work",
	"EndAnnouncement", "EndReadOnly", "Mode", "ReadOnly", "WatchSite",
	"EmptyTrash", "InTrash", "PurgeTrash", "PurgeTrashed", "RestoreTrashed", "Trash", "TrashKept",
	"BeginSignOn", "ConfirmSignOn", "Connections", "Disconnect", "FinishSignOn", "PendingSignOn", "ProviderName",
	"DeleteHighlight", "Highlight", "Highlights", "HighlightsOn", "KeepPlace", "Open",
	"DeleteSearch", "Finds", "MailReader", "QueueSearchMails", "ReadFind", "ReadFinds", "ReadLists", "SavedAs", "SavedSearch", "SavedSearches", "SendSearchMail", "StopMails", "UnreadFinds",
	"ApplyHiding", "Backfills", "Blocklist", "Cases", "Duplicates", "Similar", "Twins", "FindAnimations", "FindLooks", "FindHidden", "HiddenFor", "HiddenSubjects", "Look", "MyHidden", "Notices", "OpenCases", "ReadCase", "ReadNotices", "RemoveFromBlocklist", "Reported", "SendCases", "SendModerationNotice", "NotifyOperators", "ToHide", "WantCaseMail", "WantsCaseMail",
	"BeginExport", "DeleteExport", "Export", "ExportStopped", "Exports", "KeepExport", "NoteExport", "OpenExport", "StartExport", "SweepExports",
	"AuthoredBlocks", "AuthoredComments", "ArchivedSnapshots", "BlockSnapshots", "CreateKnownToken", "DeleteSnapshot", "HasBrowser", "HasSnapshot", "NewestSnapshot", "OwnSnapshots", "OpenSnapshot", "ShareSnapshot", "Snapshot", "SnapshotLimit", "SnapshotUsage", "StageSnapshot", "AttachSnapshot", "KeepMail", "AddMailCopy", "SavePage", "Hashes", "IsWhole", "KeepObject", "KeepsMetadata", "OpenFile", "OpenFor", "OpenObject", "OpenPage", "Order", "Ordered", "Outline", "OwnedChannels", "Picture", "Player", "SpareDisk", "CanTakeSnapshots", "RequestSnapshot", "RequestedSnapshot", "BlockSnapshotPolicies", "BlockSnapshotPolicy", "ChannelSnapshotPolicy", "SnapshotRequest", "TakeFirst", "TakeSnapshot",
}

// withinTransactions are functions that one topic calls in another.
var withinTransactions = []string{"AdoptInvitations", "ApplyAll", "AvatarWanted", "ChangeTier", "CheckReachable", "Enroll", "FollowMapping", "HideMade", "OpenInvitation", "OpenSession", "OpenSessionBy", "ReadURL", "Restart", "SetSuspended", "ShowUpload", "UploadNamed"}

// complete fails for a limit or a use case without a row.
func (in *inputs) complete() {
	file, err := parser.ParseFile(token.NewFileSet(), "../domain/limits.go", nil, 0)
	in.must(err)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, name := range spec.Names {
			if where, ok := heldElsewhere[name.Name]; ok {
				text, err := os.ReadFile(where[0])
				in.limits[name.Name] = err == nil && strings.Contains(string(text), where[1])
			}
			if !in.limits[name.Name] {
				in.t.Errorf("no row of this test exercises %s", name.Name)
			}
		}
		return true
	})
	all := useCases()
	for name := range all {
		if slices.Contains(withinTransactions, name) {
			continue
		}
		if listed := slices.Contains(withoutText, name); listed == in.called[name] {
			in.t.Errorf("the use case %s must be in a row, or else in withoutText", name)
		}
	}
	for _, name := range withoutText {
		if !all[name] {
			in.t.Errorf("there is no use case %s", name)
		}
	}
}

// useCases returns the names of the methods of App and of its topics, without those of Core, which topics embed.
func useCases() map[string]bool {
	all := map[string]bool{}
	add := func(t reflect.Type) {
		for m := range t.Methods() {
			all[m.Name] = true
		}
	}
	add(reflect.TypeFor[*app.App]())
	for f := range reflect.TypeFor[app.App]().Fields() {
		if f.IsExported() && f.Type.Kind() == reflect.Pointer {
			add(f.Type)
		}
	}
	for m := range reflect.TypeFor[*core.Core]().Methods() {
		delete(all, m.Name)
	}
	return all
}

// Checking valid input does not allocate, since every read does it.
func TestValidInputsCostNothing(t *testing.T) {
	s := "a title"
	for name, validate := range map[string]func() error{
		"a page":     somePage.Validate,
		"contents":   collections.ContentsInput{Page: somePage}.Validate,
		"channels":   collections.ItemChannelsInput{Ownership: domain.Own, Page: somePage}.Validate,
		"followings": people.FollowingInput{Type: domain.SubjectUser, Page: somePage}.Validate,
		"a stretch":  people.CursorInput{Limit: 24}.Validate,
		"a search":   domain.Search{Query: "blue", Types: domain.BlockTypes, Page: somePage}.Validate,
		"a list":     made(somePage).Validate,
		"a block":    collections.BlockInput{Value: "some text", Title: &s, Description: &s, AltText: &s}.Validate,
		"a channel":  collections.CreateChannelInput{Title: s, Visibility: domain.Public}.Validate,
		"a group":    people.CreateGroupInput{Name: s}.Validate,
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := validate(); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
