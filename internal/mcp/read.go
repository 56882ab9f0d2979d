package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// readTools lists the tools that only read.
func readTools() []tool {
	return []tool{
		reads("search", "Search", "Finds blocks, channels, users and groups that the user may see. Words match titles, texts and "+
			"descriptions. Operators narrow the search: type:image (or text, link, attachment, embed, channel, user, group), "+
			"by:ada, in:field-notes, ext:pdf, site:example.org, tag:birds, before:2026-01-31, after:2026, \"a phrase\", -word.", search),
		reads("read_block", "Read a block", "Returns a block with its texts and the channels that it is in. A long text is given in "+
			"parts: call again with text_offset. The text of a Link is the article of its page, as Markdown.", readBlock),
		reads("read_channel", "Read a channel", "Returns a channel without its contents.", readChannel),
		reads("list_contents", "List the contents of a channel", "Lists the items of a channel, from the top in the order that its "+
			"people arranged. With a query, lists only matching items.", listContents),
		reads("list_comments", "List comments", "Lists the comments on a block, oldest first.", listComments),
		reads("read_user", "Read a user", "Returns a user, by default the owner of the token, with their channels and blocks, newest first.", readUser),
		reads("find_channels", "Find channels to add to", "Lists channels to which the user may add, by the beginning of words of "+
			"their titles. Without a query, lists the ones used last.", findChannels),
		reads("find_saved", "Find a saved page", "Lists blocks that were saved from the web page with an address, to avoid saving it twice.", findSaved),
	}
}

type searchInput struct {
	Query string   `json:"query" jsonschema:"words and operators"`
	Types []string `json:"types,omitempty" jsonschema:"only these: Text, Image, Link, Attachment, Embed, Channel, User, Group"`
	Scope string   `json:"scope,omitempty" jsonschema:"all (default), my (only the user's own), or following"`
	Sort  string   `json:"sort,omitempty" jsonschema:"best (default), newest, oldest, or updated"`
	paging
}

var searchSorts = map[string]domain.SearchSort{
	"": {Key: domain.SearchByScore, Desc: true}, "best": {Key: domain.SearchByScore, Desc: true},
	"newest": {Key: domain.SearchByCreated, Desc: true}, "oldest": {Key: domain.SearchByCreated}, "updated": {Key: domain.SearchByUpdated, Desc: true},
}

func search(s *Server, ctx context.Context, who domain.Actor, in searchInput) (out list, said string, err error) {
	at, err := in.page()
	if err != nil {
		return out, "", err
	}
	var f domain.Faults
	sort, ok := searchSorts[in.Sort]
	if !ok {
		f.Add("sort", domain.FieldUnknown, "must be best, newest, oldest or updated")
	}
	scope := domain.SearchScope(in.Scope)
	if scope == "" {
		scope = domain.SearchAll
	}
	if !slices.Contains([]domain.SearchScope{domain.SearchAll, domain.SearchMine, domain.SearchFollowing}, scope) {
		f.Add("scope", domain.FieldUnknown, "must be all, my or following")
	}
	if f != nil {
		return out, "", f.Err()
	}
	l, err := s.o.App.Finder.Explore(ctx, who, domain.Search{Query: in.Query, Types: in.Types, Scope: scope, Sort: sort, Page: at}, nil)
	if err != nil {
		return out, "", err
	}
	out = listOf(in.paging, at, l, func(e domain.Entity) item { return s.entity(e, listedText) })
	return out, out.said("results"), nil
}

type readBlockInput struct {
	ID         int64    `json:"id"`
	TextOffset int      `json:"text_offset,omitempty" jsonschema:"first character of the text to return; the default is 0"`
	Fields     []string `json:"fields,omitempty" jsonschema:"names of the fields to return besides type and id; the default is all of them"`
}

type blockResult struct {
	Block      item   `json:"block"`
	Channels   []item `json:"channels" jsonschema:"the first ones, oldest connection first"`
	InChannels int64  `json:"in_channels" jsonschema:"number of channels that it is in"`
	TextLength int    `json:"text_length,omitempty" jsonschema:"characters of the whole text"`
	NextOffset int    `json:"next_text_offset,omitempty"`
}

// blockChannels is the number of a block's channels in its result.
const blockChannels = 10

func readBlock(s *Server, ctx context.Context, who domain.Actor, in readBlockInput) (out blockResult, said string, err error) {
	if err := checkFields(in.Fields); err != nil {
		return out, "", err
	}
	if in.TextOffset < 0 {
		return out, "", domain.InvalidField("text_offset", domain.FieldOutOfRange, "must be at least 0")
	}
	b, err := s.o.App.Collections.Block(ctx, who, domain.BlockID(in.ID))
	if err != nil {
		return out, "", err
	}
	channels, err := s.o.App.Collections.BlockConnections(ctx, who, b.ID,
		collections.ItemChannelsInput{Ownership: domain.AnyOwner, Page: domain.Page{Number: 1, Per: blockChannels}})
	if err != nil {
		return out, "", err
	}
	i := s.block(&b, partOfText)
	if b.Content.Shown() {
		i.Text, out.NextOffset = cutText(b.Content.Markdown, in.TextOffset, partOfText)
		out.TextLength = len([]rune(b.Content.Markdown))
	}
	out.Block, out.InChannels, out.Channels = i.only(in.Fields), channels.Total, []item{}
	for _, c := range channels.Items {
		out.Channels = append(out.Channels, s.channel(&c, listedText).only([]string{"slug", "title", "url"}))
	}
	said = fmt.Sprintf("Block %d.", b.ID)
	switch {
	case out.NextOffset > 0:
		said += fmt.Sprintf(" The text has %d characters; for the next part, call read_block with text_offset %d.", out.TextLength, out.NextOffset)
	case in.TextOffset > 0:
		said += " This is the last part of the text."
	}
	return out, said, nil
}

type channelInput struct {
	Channel string `json:"channel" jsonschema:"slug or id"`
}

type channelResult struct {
	Channel       item     `json:"channel"`
	Collaborators []string `json:"collaborators,omitempty" jsonschema:"slugs"`
	MayAdd        bool     `json:"may_add" jsonschema:"the user may add to it"`
}

func readChannel(s *Server, ctx context.Context, who domain.Actor, in channelInput) (out channelResult, said string, err error) {
	c, err := s.o.App.Collections.Channel(ctx, who, domain.ParseRef(in.Channel))
	if err != nil {
		return out, "", err
	}
	return s.fullChannel(who, c), fmt.Sprintf("Channel %d. list_contents lists its %d items.", c.ID, c.Contents()), nil
}

func (s *Server) fullChannel(who domain.Actor, c collections.FullChannel) channelResult {
	out := channelResult{Channel: s.channel(&c.Channel, partOfText), MayAdd: s.o.Addresses.Channel(&c.Channel).Can(who).AddTo}
	for _, p := range c.Collaborators {
		out.Collaborators = append(out.Collaborators, p.Slug)
	}
	return out
}

type contentsInput struct {
	channelInput
	Query string `json:"query,omitempty" jsonschema:"lists only matching items, from the top"`
	Sort  string `json:"sort,omitempty" jsonschema:"top (default), bottom, newest, oldest, or updated"`
	paging
}

var contentSorts = map[string]domain.ContentSort{
	"": {Key: domain.ByPosition, Desc: true}, "top": {Key: domain.ByPosition, Desc: true}, "bottom": {Key: domain.ByPosition},
	"newest": {Key: domain.ByConnected, Desc: true}, "oldest": {Key: domain.ByConnected}, "updated": {Key: domain.ByUpdated, Desc: true},
}

func listContents(s *Server, ctx context.Context, who domain.Actor, in contentsInput) (out list, said string, err error) {
	at, err := in.page()
	if err != nil {
		return out, "", err
	}
	sort, ok := contentSorts[in.Sort]
	if !ok {
		return out, "", domain.InvalidField("sort", domain.FieldUnknown, "must be top, bottom, newest, oldest or updated")
	}
	ref := domain.ParseRef(in.Channel)
	var l domain.List[collections.Content]
	if strings.TrimSpace(in.Query) != "" {
		if in.Sort != "" {
			return out, "", domain.InvalidField("sort", domain.FieldExclusive, "cannot be given with a query")
		}
		l, err = s.o.App.Finder.FilterContents(ctx, who, ref, collections.FilterInput{Query: in.Query, Page: at})
	} else {
		l, err = s.o.App.Collections.Contents(ctx, who, ref, collections.ContentsInput{Sort: sort, Page: at})
	}
	if err != nil {
		return out, "", err
	}
	out = listOf(in.paging, at, l, func(c collections.Content) item { return s.content(c, listedText) })
	return out, out.said("items"), nil
}

type commentsInput struct {
	Block int64 `json:"block_id"`
	paging
}

func listComments(s *Server, ctx context.Context, who domain.Actor, in commentsInput) (out list, said string, err error) {
	at, err := in.page()
	if err != nil {
		return out, "", err
	}
	l, err := s.o.App.Collections.Comments(ctx, who, domain.BlockID(in.Block), false, at)
	if err != nil {
		return out, "", err
	}
	out = listOf(in.paging, at, l, func(c domain.Comment) item { return s.comment(&c, partOfText) })
	return out, out.said("comments"), nil
}

type userInput struct {
	User string `json:"user,omitempty" jsonschema:"slug or id; the default is the user whose token this is"`
	paging
}

type userResult struct {
	User item `json:"user"`
	list
}

func readUser(s *Server, ctx context.Context, who domain.Actor, in userInput) (out userResult, said string, err error) {
	at, err := in.page()
	if err != nil {
		return out, "", err
	}
	ref := domain.ParseRef(in.User)
	if in.User == "" {
		if err := member(who); err != nil {
			return out, "", err
		}
		ref = domain.Ref{ID: int64(who.UserID)}
	}
	u, err := s.o.App.People.User(ctx, ref)
	if err != nil {
		return out, "", err
	}
	l, err := s.o.App.Finder.UserContents(ctx, who, domain.Ref{ID: int64(u.ID)},
		collections.MadeInput{Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: at})
	if err != nil {
		return out, "", err
	}
	out.User = s.user(&u, partOfText)
	out.list = listOf(in.paging, at, l, func(e domain.Entity) item { return s.entity(e, listedText) })
	return out, fmt.Sprintf("User %d. %s", u.ID, out.said("blocks and channels")), nil
}

type findChannelsInput struct {
	Query string `json:"query,omitempty"`
}

func findChannels(s *Server, ctx context.Context, who domain.Actor, in findChannelsInput) (out list, said string, err error) {
	if err := member(who); err != nil {
		return out, "", err
	}
	who.Scope = domain.ScopeWrite // of a token that only reads, the list would be empty
	all, err := s.o.App.Finder.ConnectChoices(ctx, who, in.Query, domain.ItemRef{}, defaultSize)
	if err != nil {
		return out, "", err
	}
	out = listOf(paging{}, domain.Page{Number: 1, Per: defaultSize}, domain.List[collections.ConnectChoice]{Items: all, Total: int64(len(all))},
		func(c collections.ConnectChoice) item { return s.channel(&c.Channel, listedText) })
	return out, out.said("channels"), nil
}

type findSavedInput struct {
	URL string `json:"url" jsonschema:"address of the page"`
}

func findSaved(s *Server, ctx context.Context, who domain.Actor, in findSavedInput) (out list, said string, err error) {
	all, err := s.o.App.Finder.Saved(ctx, who, in.URL)
	if err != nil {
		return out, "", err
	}
	out = listOf(paging{}, domain.Page{Number: 1, Per: maxSize}, domain.List[collections.SavedBlock]{Items: all, Total: int64(len(all))},
		func(b collections.SavedBlock) item { return s.block(&b.Block, listedText) })
	return out, out.said("blocks"), nil
}
