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
	{Path: "/{owner}/{channel}/export", Get: exportPage},
	{Path: "/{owner}/{channel}/export/{format}", Get: exportChannel, Download: true},
}

// perPage is how many items a page of a channel shows. It fills rows of 2, 3, 4 and 6.
const perPage = 48

// maxRelated is how many channels of each kind are listed below a channel.
const maxRelated = 6

// channelView is the data of a channel's page.
type channelView struct {
	Channel       present.Channel
	Collaborators []present.Principal
	Can           domain.ChannelAbilities
	Narrow        narrowing
	Shown         int64 // number of items that match
	Cells         web.Cells
	Pager         web.Pager
	In            web.Cells // channels that contain it
	Related       web.Cells // channels that have items in common with it
	Follow        web.Follow
	Pinned        bool
	Age           string                    // time since the last change
	PrivateFeed   string                    // address of the reader's secret feed of a private channel
	Hidden        *moderation.HiddenSubject // as in blockView
}

// Path is the path of the channel's page.
func (c channelView) Path() string { return c.Channel.Path() }

// narrowing is how the address filters and orders the contents of a channel.
type narrowing struct {
	path  string
	query url.Values
	View  string // grid or list
	Sort  string // position, newest or updated
	Type  string // as in contentTypes; "" for all
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
}

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
	n = narrowing{path: v.R.URL.EscapedPath(), query: v.R.URL.Query(), View: cmp.Or(v.Query("view"), "grid"),
		Sort: cmp.Or(v.Query("sort"), contentSorts[0].name), Type: v.Query("type"), Query: strings.TrimSpace(v.Query("q"))}
	var f domain.Faults
	domain.Among(&f, "view", n.View, "grid", "list")
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

// Choice is a link that changes how a channel is shown.
type Choice struct {
	Name, Path string
	Text       string // id of its text
	Current    bool
}

// choices returns links to the first page with other values of a parameter.
func (n narrowing) choices(name, texts, current string, values ...string) (all []Choice) {
	for i, value := range values {
		q := url.Values{}
		for key, was := range n.query {
			if key != "page" && key != name {
				q[key] = was
			}
		}
		if i > 0 {
			q.Set(name, value)
		}
		path := n.path
		if len(q) > 0 {
			path += "?" + q.Encode()
		}
		all = append(all, Choice{value, path, texts + value, value == current})
	}
	return all
}

// Views returns the links for the layouts.
func (n narrowing) Views() []Choice {
	return n.choices("view", "look.channel.view.", n.View, "grid", "list")
}

// Sorts returns the links for the orders.
func (n narrowing) Sorts() []Choice {
	return n.choices("sort", "look.channel.sort.", n.Sort, names(contentSorts)...)
}

// Types returns the links for the types, "all" first.
func (n narrowing) Types() []Choice {
	return n.choices("type", "look.channel.type.", cmp.Or(n.Type, "all"), append([]string{"all"}, names(contentTypes)...)...)
}

// Whole returns the address without filters.
func (n narrowing) Whole() string { return n.path }

// contents reads the requested page of contents.
func (n narrowing) contents(v *web.Visit, c domain.Channel) (domain.List[collections.Content], error) {
	if n.Searched() {
		in := collections.FilterInput{Query: n.Query, Page: n.Page}
		if n.Type != "" {
			in.Types = []string{find(contentTypes, n.Type)}
		}
		return v.App().Finder.FilterContents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, in)
	}
	in := collections.ContentsInput{Sort: find(contentSorts, n.Sort), Page: n.Page}
	return v.App().Collections.Contents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, in)
}

// findChannel returns the channel in the path, as the actor sees it. If the path has another owner
// or a former slug, it redirects to the right one and moved is true.
func findChannel(v *web.Visit, as domain.Actor) (c collections.FullChannel, moved bool, err error) {
	owner, slug := strings.ToLower(v.Args[0]), strings.ToLower(v.Args[1])
	if c, err = v.App().Collections.Channel(v.R.Context(), as, domain.ParseRef(slug)); err != nil {
		return c, false, err
	}
	shown := v.Addresses().Channel(&c.Channel)
	if v.Args[0] == c.Owner.Slug && v.Args[1] == c.Slug {
		return c, false, nil
	}
	if owner != c.Owner.Slug && domain.ReservedSlug(owner) {
		return c, false, domain.NewNotFound() // not a page of the site either
	}
	to := shown.URL()
	if parts := strings.SplitN(v.R.URL.Path, "/", 4); len(parts) == 4 {
		to += "/" + parts[3]
	}
	if v.R.URL.RawQuery != "" {
		to += "?" + v.R.URL.RawQuery
	}
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusMovedPermanently)
	return c, true, nil
}

// channelPage shows a channel and a page of its contents.
func channelPage(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	n, err := narrowed(v, perPage)
	if err != nil {
		return err
	}
	form := web.Given("q", n.Query)
	list, err := n.contents(v, c.Channel)
	if err != nil && !(n.Query != "" && form.Refused(err)) {
		return err
	}
	shown := channelView{Channel: v.Addresses().Channel(&c.Channel), Narrow: n, Shown: list.Total, Pager: v.Pager(n.Page, list.Total), Age: v.Ago(c.UpdatedAt)}
	shown.Can = shown.Channel.Can(v.Actor())
	shown.Cells = contentCells(v, c.Channel, list.Items)
	shown.Cells.Rows = n.View == "list"
	shown.Cells.Sortable = domain.CanArrange(v.Actor(), c.Channel) && !n.Searched() && n.Sort == contentSorts[0].name
	for i := range c.Collaborators {
		shown.Collaborators = append(shown.Collaborators, v.Addresses().Principal(&c.Collaborators[i]))
	}
	if err := shown.readRelated(v); err != nil {
		return err
	}
	if c.Visibility == domain.Private { // like hidden channels
		if shown.Hidden, err = v.App().Moderation.HiddenFor(v.R.Context(), v.Actor(), domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}); err != nil {
			return err
		}
		shown.PrivateFeed, err = secretFeed(v, func(s present.SecretFeeds) string { return s.Channel(&c.Channel, present.Atom) })
		if err != nil {
			return err
		}
	}
	v.Wide = true
	v.Head = channelHead(v, shown.Channel)
	if n.Searched() || n.Page.Number > 1 {
		v.Head.Canonical = ""
	}
	v.Head.Prev, v.Head.Next = shown.Pager.PrevPath(), shown.Pager.NextPath()
	if v.Fresh(slices.Concat(shown.Cells.Tags(), shown.In.Tags(), shown.Related.Tags(), shown.tags(v, c), []string{hiddenTag(shown.Hidden)})...) {
		return nil
	}
	return v.Page("channel", c.Title, form, shown)
}

// contentCells returns the cells of a channel's contents.
func contentCells(v *web.Visit, in domain.Channel, items []collections.Content) (cells web.Cells) {
	for _, item := range items {
		cells.Items = append(cells.Items, v.Cell(item.Entity).In(v.Actor(), in, item.Connection))
	}
	return cells
}

// readRelated reads the lists next to the contents.
func (c *channelView) readRelated(v *web.Visit) (err error) {
	ctx, ref := v.R.Context(), domain.Ref{ID: int64(c.Channel.ID)}
	if c.Follow, err = v.Follow(ctx, domain.Subject{Type: domain.SubjectChannel, ID: int64(c.Channel.ID)}, -1); err != nil {
		return err
	}
	pins, err := v.App().Collections.PinnedChannels(ctx, v.Actor())
	if err != nil {
		return err
	}
	c.Pinned = slices.ContainsFunc(pins, func(p domain.Channel) bool { return p.ID == c.Channel.ID })
	in, err := v.App().Collections.ChannelConnections(ctx, v.Actor(), ref,
		collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true, Page: domain.Page{Number: 1, Per: maxRelated}})
	if err != nil {
		return err
	}
	c.In.ID, c.Related.ID = "none", "none"
	for i := range in.Items {
		c.In.Items = append(c.In.Items, v.Cell(domain.Entity{Channel: &in.Items[i]}))
	}
	related, err := v.App().Collections.RelatedChannels(ctx, v.Actor(), ref, maxRelated)
	for i := range related {
		c.Related.Items = append(c.Related.Items, v.Cell(domain.Entity{Channel: &related[i].Channel}))
	}
	return err
}

// tags returns what the page's ETag depends on besides its cells.
func (c channelView) tags(v *web.Visit, full collections.FullChannel) []string {
	return []string{pageTags.Channel(v.Actor(), full.Channel, full.Collaborators), strconv.FormatInt(c.Shown, 10), strconv.FormatBool(c.Follow.Following), strconv.FormatBool(c.Pinned), c.Age, c.PrivateFeed}
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
