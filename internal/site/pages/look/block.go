package look

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// blockRoutes are the pages of a block.
var blockRoutes = []web.Route{
	{Path: "/block/{id}", Get: blockPage},
	{Path: "/block/{id}/pages", Get: documentPage},
	{Path: "/block/{id}/similar", Get: similarPage},
	{Path: "/block/{id}/copies", Get: copiesPage},
	{Path: "/block/{id}/copies/{copy}", Get: copyPage, Post: changeCopy, Download: true},
	{Path: "/block/{id}/copies/{copy}/compare/{older}", Get: compareCopies, Download: true},
	{Path: "/block/{id}/retry", Access: web.Users, Post: retryBlock, Counted: true},
	{Path: "/block/{id}/copying", Access: web.Users, Post: setCopying},
	{Path: "/block/{id}/copy", Access: web.Users, Post: takeCopy, Counted: true},
}

// How many channels and comments a block's page lists at a time.
const (
	blockChannels = 12
	blockComments = web.CommentsPerPage
)

// blockView is the data of a block's page.
type blockView struct {
	Item     itemView
	Can      domain.BlockAbilities
	Metadata []entry
	Tags     []tag
	Swatches []swatch   // its colours
	Twins    []web.Twin // the reader's other blocks with the same content, if it is the reader's
	Similar  string     // path of the page with similar blocks, or ""
	Channels web.Cells
	Total    int64 // number of channels that contain it
	Pager    web.Pager
	Comments web.Comments
	Around   around
	indexed  bool                // one of the listed channels is in search engines
	Reason   string              // why the last attempt to fetch its content failed, for its author
	Waits    bool                // another attempt will be made
	Dead     *domain.LinkFailure // set if its page counts as gone
	Archive  string              // address of a copy of its page in a web archive, or ""
	Copy     *domain.Snapshot    // its newest saved copy that the reader may see, or nil
	Mail     string              // path of the copy of the mail that it came by, or ""
	Take     *copyForm           // for its owner
	PlayPath string
	Read     string                    // path of the page for reading its text, "" if it has none or a short one
	Pages    string                    // path of the page that shows the pages of a document, "" for other blocks
	Hidden   *moderation.HiddenSubject // set if operators hid the block and the viewer may know why
}

// entry is a key of the metadata with its value.
type entry struct{ Key, Value string }

// blockPage shows a block.
func blockPage(v *web.Visit) error {
	ctx, actor := v.R.Context(), v.Actor()
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	b, err := v.App().Collections.Block(ctx, actor, domain.BlockID(id))
	if err != nil {
		return err
	}
	shown := blockView{Item: newItemView(v, &b), Can: domain.AbilitiesOnBlock(actor, b), Metadata: entries(b.Metadata), Tags: tagsOf(b.Metadata)}
	if err := shown.readRelated(v); err != nil {
		return err
	}
	if shown.Around, err = findAround(v, b.ID); err != nil {
		return err
	}
	if shown.Can.Manage && (b.State != domain.Available || b.Type == domain.PendingBlock) {
		status, err := v.App().Content.Processing(ctx, actor, b.ID)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		if shown.Waits = status.State == domain.ProcessingWaiting; status.Reason != nil {
			shown.Reason = strings.TrimSuffix(v.Lang.Fault(*status.Reason), ".")
		}
	}
	if shown.Can.Manage && shown.Total == 0 { // a hidden block is listed in no channel
		if shown.Hidden, err = v.App().Moderation.HiddenFor(ctx, actor, domain.Subject{Type: domain.SubjectBlock, ID: id}); err != nil {
			return err
		}
	}
	if shown.Can.Manage {
		if shown.Twins, err = v.Twins(b); err != nil {
			return err
		}
	}
	if shown.Take, err = copyFormOf(v, b, shown.Can.Manage); err != nil {
		return err
	}
	if b.DeadAt != nil {
		f, err := v.App().Content.LinkFailure(ctx, b.ID)
		if err != nil {
			return err
		}
		shown.Dead = &f
		if b.ValueURL != nil {
			shown.Archive = v.App().Content.Archived(*b.ValueURL, b.CreatedAt)
		}
	}
	if content.MayHaveCopies(b) {
		if shown.Copy, err = v.App().Content.NewestSnapshot(ctx, actor, b); err != nil {
			return err
		}
	}
	similar := hasSimilar(b)
	if !similar {
		if similar, err = v.App().Finder.HasVector(ctx, b.ID); err != nil {
			return err
		}
	}
	if similar {
		shown.Similar = shown.Item.Path() + "/similar"
	}
	shown.Swatches = swatches(shown.Item.Block)
	play := v.Query("play") == "1"
	if player := shown.Item.Player(); player.URL != "" {
		shown.PlayPath = shown.Around.with(shown.Item.Path(), "play", "1")
		if play {
			shown.Item.Playing, v.Frames = true, player.URL
		}
	}
	if picture := shown.Item.Picture; picture != nil && picture.Animation != "" {
		shown.PlayPath = shown.Around.with(shown.Item.Path(), "play", "1")
		if play {
			picture.play()
		}
	}
	if b.File.IsDocument() {
		shown.Pages = shown.Around.in(documentPath(shown.Item.Block))
	}
	if b.IsArticle() {
		shown.Read = shown.Around.in(shown.Item.Path() + "/read")
	}
	v.Wide, v.Head = true, shown.head(v)
	from := []string{pageTags.Block(actor, b), shown.Item.Cell.Tag(), strconv.FormatInt(shown.Total, 10), shown.Around.tag(), shown.Reason, strconv.FormatBool(shown.Waits), hiddenTag(shown.Hidden), v.Ago(b.UpdatedAt), shown.PlayPath}
	from = append(from, web.TwinTags(shown.Twins)...)
	if shown.Copy != nil {
		path := present.SnapshotPath(*shown.Copy)
		if from = append(from, path); shown.Copy.Source == domain.FromMail {
			shown.Mail = path
		}
	}
	from = append(from, shown.Archive, shown.Take.tag(), shown.Similar, fmt.Sprint(shown.Swatches))
	if v.Fresh(append(append(from, shown.Channels.Tag()), shown.Comments.Tags()...)...) {
		return nil
	}
	return v.Page("block", shown.Item.Heading, nil, shown)
}

// hiddenTag distinguishes the page of a hidden block in its ETag.
func hiddenTag(h *moderation.HiddenSubject) string {
	if h == nil {
		return ""
	}
	return strconv.FormatInt(int64(h.ID), 10)
}

// readRelated reads the channels that contain the block, and its comments.
func (s *blockView) readRelated(v *web.Visit) error {
	ctx, actor, b := v.R.Context(), v.Actor(), s.Item.Block
	page, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: page, Per: blockChannels}
	in, err := v.App().Collections.BlockConnections(ctx, actor, b.ID, collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true, Page: at})
	if err != nil {
		return err
	}
	s.Channels = v.Cells(entities(in, channelEntity).Items)
	s.Channels.Layout = domain.ListLayout
	s.indexed = slices.ContainsFunc(in.Items, func(c domain.Channel) bool { return v.App().Exposure.Indexes(c.Visibility) })
	s.Total, s.Pager = in.Total, v.Pager(at, in.Total)
	if page, err = v.PageNumberOf("comments"); err != nil {
		return err
	}
	at = domain.Page{Number: page, Per: blockComments}
	var said domain.List[domain.Comment]
	if b.Block.Comments > 0 {
		if said, err = v.App().Collections.Comments(ctx, actor, b.ID, false, at); err != nil {
			return err
		}
	}
	s.Comments = v.Comments(*b.Block, at, said)
	return nil
}

// head returns the metadata for other programs. It is empty for blocks that guests cannot see. It
// excludes blocks that are only in unindexed channels from search engines.
func (s *blockView) head(v *web.Visit) (h web.Head) {
	b := s.Item.Block
	if b.Visibility() != domain.BlockPublic {
		return h
	}
	card := b.Card()
	h = web.Head{Kind: "article", Description: present.Excerpt(describes(b.Description), 200),
		Picture: web.Picture{URL: card.URL, Width: card.Width, Height: card.Height, Alt: card.Alt},
		OEmbed:  v.Addresses().OEmbed(b.URL(), "json")}
	if h.Description == "" {
		h.Description = present.Excerpt(b.ShownText(), 200)
	}
	if s.indexed {
		h.Canonical = b.URL()
	}
	return h
}

// entries returns the metadata sorted by key, except for tags.
func entries(m domain.Metadata) (all []entry) {
	values := m.Values()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key != domain.TagsKey {
			all = append(all, entry{key, values[key]})
		}
	}
	return all
}

// retryBlock fetches the content of a block again.
func retryBlock(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	if _, err := v.App().Content.Reprocess(v.R.Context(), v.Actor(), domain.BlockID(id)); err != nil {
		return err
	}
	to := v.Next()
	if to == "" {
		to = "/block/" + strconv.FormatInt(id, 10)
	}
	return v.Done(to, "retry")
}
