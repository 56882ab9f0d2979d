package look

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// channelRoutes are the pages of a channel.
var channelRoutes = []web.Route{
	{Path: "/{owner}/{channel}", Get: channelPage},
	{Path: "/{owner}/{channel}/slideshow", Get: slideshowPage},
	{Path: "/{owner}/{channel}/print", Get: printPage},
	{Path: "/{owner}/{channel}/embed", Get: embedPage},
	{Path: "/{owner}/{channel}/related", Get: relatedPage},
	{Path: "/{owner}/{channel}/export", Get: exportPage},
	{Path: "/{owner}/{channel}/export/{format}", Get: exportChannel, Download: true},
	{Path: "/{owner}/{channel}/articles.epub", Get: exportArticles, Download: true},
	{Path: "/{owner}/{channel}/copies.wacz", Get: exportCopies, Download: true},
}

// perPage is how many items a page of a channel shows. It fills rows of 2, 3, 4 and 6.
const perPage = 48

// channelView is the data of a channel's page.
type channelView struct {
	Channel       present.Channel
	Collaborators []present.Principal
	Can           domain.ChannelAbilities
	Narrow        narrowing
	Shown         int64 // number of items that match
	Cells         web.Cells
	Pager         web.Pager
	Follow        web.Follow
	Pinned        bool
	Age           string                    // time since the last change
	PrivateFeed   string                    // address of the reader's secret feed of a private channel
	Hidden        *moderation.HiddenSubject // as in blockView
}

// Tags returns the tags of the channel.
func (c channelView) Tags() []tag { return tagsOf(c.Channel.Metadata) }

// Path is the path of the channel's page.
func (c channelView) Path() string { return c.Channel.Path() }

// narrowing is how the address filters and orders the contents of a channel.
type narrowing struct {
	path  string
	query url.Values
	looks web.Looks     // the reader's former choices
	View  domain.Layout // as requested; showChannel replaces "" by that of the reader or the channel
	Size  int           // as requested, or as the reader chose before
	Sort  string        // as in contentSorts
	Type  string        // as in contentTypes; "" for all
	Query string
	Page  domain.Page
}

// named is a value with its name in addresses.
type named[T any] struct {
	name string
	is   T
}

func names[T any](all []named[T]) (names []string) {
	for _, one := range all {
		names = append(names, one.name)
	}
	return names
}

// contentTypes are the types that contents can be filtered by.
var contentTypes = []named[string]{
	{"image", string(domain.ImageBlock)}, {"text", string(domain.TextBlock)}, {"link", string(domain.LinkBlock)},
	{"file", string(domain.AttachmentBlock)}, {"embed", string(domain.EmbedBlock)}, {"channel", string(domain.SubjectChannel)},
}

// contentSorts are the orders of contents. The first one is the default.
var contentSorts = []named[domain.ContentSort]{
	{"position", domain.ContentSort{Key: domain.ByPosition, Desc: true}},
	{"newest", domain.ContentSort{Key: domain.ByConnected, Desc: true}},
	{"updated", domain.ContentSort{Key: domain.ByUpdated, Desc: true}},
	{"oldest", domain.ContentSort{Key: domain.ByConnected}},
	{"unchanged", domain.ContentSort{Key: domain.ByUpdated}},
	{"title", domain.ContentSort{Key: domain.ByTitle}},
	{"title-back", domain.ContentSort{Key: domain.ByTitle, Desc: true}},
}

// mainSorts is how many of them each layout offers. The columns of the list offer the others too.
const mainSorts = 3

// find returns the value of a name, or the zero value.
func find[T any](all []named[T], name string) (is T) {
	for _, one := range all {
		if one.name == name {
			return one.is
		}
	}
	return is
}

// narrowed parses the query of a visit. It returns an error that names the parameter for unknown
// values.
func narrowed(v *web.Visit, per int64) (n narrowing, err error) {
	looks := v.Looks()
	n = narrowing{path: v.R.URL.EscapedPath(), query: v.R.URL.Query(), looks: looks, View: domain.Layout(v.Query("view")), Size: looks.Size,
		Sort: cmp.Or(v.Query("sort"), contentSorts[0].name), Type: v.Query("type"), Query: strings.TrimSpace(v.Query("q"))}
	var f domain.Faults
	if n.View != "" {
		domain.Among(&f, "view", n.View, domain.Layouts()...)
	}
	if size := v.Query("size"); size != "" {
		n.Size, _ = strconv.Atoi(size)
		f.Between("size", int64(n.Size), web.SmallestSize, web.LargestSize)
	}
	domain.Among(&f, "sort", n.Sort, names(contentSorts)...)
	if n.Type != "" {
		domain.Among(&f, "type", n.Type, names(contentTypes)...)
	}
	if err := f.Err(); err != nil {
		return n, err
	}
	number, err := v.PageNumber()
	n.Page = domain.Page{Number: number, Per: per}
	return n, err
}

// Searched reports whether the contents are filtered. Filtered contents have only one order.
func (n narrowing) Searched() bool { return n.Type != "" || n.Query != "" }

// Operators returns the operators of the search in the channel.
func (n narrowing) Operators() []chip {
	return chips(n.Query, func(query string) string { return n.with("q", query) })
}

// Choice is a link that changes how a channel is shown.
type Choice struct {
	Name, Path string
	Text       string // id of its text
	Current    bool
}

// with returns the address of the first page with another value of a parameter, "" for none.
func (n narrowing) with(name, value string) string {
	q := url.Values{}
	for key, was := range n.query {
		if key != "page" && key != name {
			q[key] = was
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return n.path
	}
	return n.path + "?" + q.Encode()
}

// choices returns links to the first page with other values of a parameter. The first value is the default.
func (n narrowing) choices(name, texts, current string, values ...string) (all []Choice) {
	for i, value := range values {
		to := value
		if i == 0 {
			to = ""
		}
		all = append(all, Choice{value, n.with(name, to), texts + value, value == current})
	}
	return all
}

// Views returns the links for the layouts. Each names its layout, since the default differs by channel and reader.
func (n narrowing) Views() (all []Choice) {
	for _, layout := range domain.Layouts() {
		all = append(all, Choice{string(layout), n.with("view", string(layout)), "look.channel.view." + string(layout), layout == n.View})
	}
	return all
}

// Sorts returns the links for the orders.
func (n narrowing) Sorts() []Choice {
	return n.choices("sort", "look.channel.sort.", n.Sort, names(contentSorts[:mainSorts])...)
}

// Column is a column of the list by which it can be sorted.
type Column struct {
	Text   string // id of its text
	Path   string // sorts by it, or reverses the order
	Sorted string // "↓" or "↑", or "" for another order
	Note   string // id of the text for Sorted
}

// column returns a column with the orders of its first and second click.
func (n narrowing) column(text, first, second string) Column {
	c := Column{Text: "look.channel.column." + text, Path: n.with("sort", first), Note: "look.channel.sorted." + n.Sort}
	switch n.Sort {
	case first:
		c.Sorted, c.Path = "↓", n.with("sort", second)
	case second:
		c.Sorted = "↑"
	}
	return c
}

// Columns returns the columns with dates, by which the list can be sorted.
func (n narrowing) Columns() []Column {
	return []Column{n.column("added", "newest", "oldest"), n.column("changed", "updated", "unchanged")}
}

// ByTitle returns the column of the titles. Its path is empty for a channel that is too large.
func (c channelView) ByTitle() Column {
	if c.Narrow.Searched() || c.Channel.Contents() > domain.MaxByTitle {
		return Column{Text: "look.channel.column.title"}
	}
	return c.Narrow.column("title", "title", "title-back")
}

// Fields returns the parameters that a form with other fields than the named one keeps.
func (n narrowing) Fields(but ...string) (all []Choice) {
	for _, name := range []string{"view", "size", "sort", "type", "q"} {
		if value := n.query.Get(name); value != "" && !slices.Contains(but, name) {
			all = append(all, Choice{Name: name, Text: value})
		}
	}
	return all
}

// Sized reports whether the layout has items of different sizes.
func (n narrowing) Sized() bool { return n.View == domain.GridLayout || n.View == domain.MasonryLayout }

// Types returns the links for the types, "all" first.
func (n narrowing) Types() []Choice {
	return n.choices("type", "look.channel.type.", cmp.Or(n.Type, "all"), append([]string{"all"}, names(contentTypes)...)...)
}

// input returns the requested page, or nil if it has to be searched for.
func (n narrowing) input() *collections.ContentsInput {
	if n.Searched() {
		return nil
	}
	return &collections.ContentsInput{Sort: find(contentSorts, n.Sort), Page: n.Page}
}

// Whole returns the address without filters.
func (n narrowing) Whole() string { return n.path }

// search reads the requested page of filtered contents.
func (n narrowing) search(v *web.Visit, c domain.ChannelID) (domain.List[collections.Content], error) {
	in := collections.FilterInput{Query: n.Query, Page: n.Page}
	if n.Type != "" {
		in.Types = []string{find(contentTypes, n.Type)}
	}
	return v.App().Finder.FilterContents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c)}, in)
}

// findChannel returns the channel in the path, as the actor sees it. If the path has another owner
// or a former slug, it redirects to the right one and moved is true.
func findChannel(v *web.Visit, as domain.Actor) (c collections.FullChannel, moved bool, err error) {
	if c, err = v.App().Collections.Channel(v.R.Context(), as, channelRef(v)); err != nil {
		return c, false, err
	}
	moved, err = movedChannel(v, c.Channel)
	return c, moved, err
}

// channelRef returns the channel in the path.
func channelRef(v *web.Visit) domain.Ref { return domain.ParseRef(strings.ToLower(v.Args[1])) }

// addressed reports whether the path is the address of the channel's pages.
func addressed(v *web.Visit, c domain.Channel) bool {
	return v.Args[0] == c.Owner.Slug && v.Args[1] == c.Slug
}

// movedChannel redirects if the path is not the address of the channel's pages.
func movedChannel(v *web.Visit, c domain.Channel) (moved bool, err error) {
	if addressed(v, c) {
		return false, nil
	}
	if owner := strings.ToLower(v.Args[0]); owner != c.Owner.Slug && domain.ReservedSlug(owner) {
		return false, domain.NewNotFound() // not a page of the site either
	}
	shown := v.Addresses().Channel(&c)
	to := shown.URL()
	if parts := strings.SplitN(v.R.URL.Path, "/", 4); len(parts) == 4 {
		to += "/" + parts[3]
	}
	if v.R.URL.RawQuery != "" {
		to += "?" + v.R.URL.RawQuery
	}
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusMovedPermanently)
	return true, nil
}

// channelPage shows a channel and a page of its contents.
func channelPage(v *web.Visit) error {
	n, bad := narrowed(v, perPage)
	if bad != nil { // but a channel that is elsewhere or nowhere comes first
		if _, moved, err := findChannel(v, v.Actor()); moved || err != nil {
			return err
		}
		return bad
	}
	// A browser that has the page gets it only if it has changed.
	fresh, err := showChannel(v, n, v.Conditional())
	if err == nil && !fresh {
		_, err = showChannel(v, n, false)
	}
	return err
}

// showChannel answers with the page of a channel. If only unchanged pages are wanted, it reads no blocks, and returns
// false if the page has changed and blocks are missing.
func showChannel(v *web.Visit, n narrowing, unchanged bool) (answered bool, err error) {
	var shown channelView
	var c collections.ChannelPage
	missing := false
	err = v.App().Collections.ReadChannel(v.R.Context(), v.Actor(), channelRef(v), n.input(), func(p collections.ChannelPage) collections.BlockReader {
		c = p
		n.View = cmp.Or(n.View, n.looks.Of(c.ID), c.Layout, domain.GridLayout)
		shown.Cells = n.cells(v, c)
		missing = unchanged && len(shown.Cells.Unread()) > 0
		if unchanged || !addressed(v, c.Channel) {
			return nil // nothing is missing, or it is read later
		}
		return &shown.Cells
	})
	if err != nil {
		return true, err
	}
	if moved, err := movedChannel(v, c.Channel); moved || err != nil {
		return true, err
	}
	form := web.Given("q", n.Query)
	if n.Searched() {
		c.Contents, err = n.search(v, c.ID)
		if err != nil && !(n.Query != "" && form.Refused(err)) {
			return true, err
		}
		shown.Cells = n.cells(v, c)
	}
	v.Choose(n.looks, c.ID, domain.Layout(v.Query("view")), n.Size)
	shown.Narrow = n
	if err := v.Cover(&shown.Cells); err != nil {
		return true, err
	}
	shown.Channel, shown.Shown = v.Addresses().Channel(&c.Channel), c.Contents.Total
	shown.Pager, shown.Age = v.Pager(n.Page, c.Contents.Total), v.Ago(c.UpdatedAt)
	shown.Can = shown.Channel.Can(v.Actor())
	if v.Actor().MayWrite() {
		shown.Cells.Tiles, shown.Cells.Removes = shown.Channel.Path()+"/arrange", domain.CanArrange(v.Actor(), c.Channel)
	}
	shown.Cells.Sortable = shown.Cells.Removes && !n.Searched() && n.Sort == contentSorts[0].name
	shown.Follow = v.Following(domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}, c.Follows, -1)
	shown.Pinned = c.Pinned
	for i := range c.Collaborators {
		shown.Collaborators = append(shown.Collaborators, v.Addresses().Principal(&c.Collaborators[i]))
	}
	if c.Visibility == domain.Private { // like hidden channels
		if shown.Hidden, err = v.App().Moderation.HiddenFor(v.R.Context(), v.Actor(), domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}); err != nil {
			return true, err
		}
		shown.PrivateFeed, err = secretFeed(v, func(s present.SecretFeeds) string { return s.Channel(&c.Channel, present.Atom) })
		if err != nil {
			return true, err
		}
	}
	v.Wide = true
	v.Head = channelHead(v, shown.Channel)
	if n.Searched() || n.Page.Number > 1 {
		v.Head.Canonical = ""
	}
	v.Head.Prev, v.Head.Next = shown.Pager.PrevPath(), shown.Pager.NextPath()
	switch {
	case v.Fresh(append(shown.tags(v, c.FullChannel), shown.Cells.Tag(), hiddenTag(shown.Hidden))...):
		return true, nil
	case missing:
		return false, nil
	}
	return true, v.Page("channel", c.Title, form, shown)
}

// cells prepares the contents of a channel in the layout.
func (n narrowing) cells(v *web.Visit, c collections.ChannelPage) web.Cells {
	cells := v.Contents(c.ID, c.Contents.Items)
	cells.Layout, cells.View = n.View, true
	if n.Sized() {
		cells.Size = n.Size
	}
	return cells
}

// tags returns what the page's ETag depends on besides its cells.
func (c channelView) tags(v *web.Visit, full collections.FullChannel) []string {
	return []string{pageTags.Channel(v.Actor(), full.Channel, full.Collaborators), strconv.FormatInt(c.Shown, 10), strconv.FormatBool(c.Follow.Following), strconv.FormatBool(c.Pinned), c.Age, c.PrivateFeed,
		string(c.Narrow.View), strconv.Itoa(c.Narrow.Size)}
}

// pageTags are the ETags of items on pages. Fresh adds everything else that pages depend on.
var pageTags = present.NewTags(nil)

// channelHead returns the metadata for other programs. It is empty for private channels.
func channelHead(v *web.Visit, c present.Channel) (h web.Head) {
	if c.Visibility == domain.Private {
		return h
	}
	card := c.Card()
	h = web.Head{Description: present.Excerpt(describes(c.Description), 200), Picture: web.Picture{URL: card.URL, Width: card.Width, Height: card.Height, Alt: card.Alt},
		OEmbed: v.Addresses().OEmbed(c.URL(), "json")}
	for _, f := range present.FeedFormats() {
		h.Feeds = append(h.Feeds, web.Alternate{Type: f.ContentType(), Title: c.Title, URL: c.FeedURL(f)})
	}
	if v.App().Exposure.Indexes(c.Visibility) {
		h.Canonical = c.URL()
	}
	return h
}

// describes returns the plain text of a description, "" for none.
func describes(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Plain
}
