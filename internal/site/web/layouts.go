package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/domain"
)

// looksTTL is how long a browser remembers how its reader wants to see channels.
const looksTTL = 400 * 24 * time.Hour

// Limits of the cookie with the reader's choices.
const (
	maxLooks     = 24 // channels
	longestLooks = 1000
)

// The sizes of items in a grid or masonry: from many small ones to few large ones.
const (
	SmallestSize = 1
	DefaultSize  = 3
	LargestSize  = 5
)

// Looks are the choices of a reader: the layouts of channels that they chose last, and the size of items everywhere.
type Looks struct {
	Size    int
	layouts []chosenLayout
}

type chosenLayout struct {
	channel domain.ChannelID
	layout  domain.Layout
}

// Looks returns the choices in the browser's cookie. It ignores invalid ones.
func (v *Visit) Looks() Looks {
	l := Looks{Size: DefaultSize}
	c, err := v.R.Cookie(v.s.looksCookie())
	if err != nil || len(c.Value) > longestLooks {
		return l
	}
	for one := range strings.SplitSeq(c.Value, ".") {
		name, value, _ := strings.Cut(one, "-")
		if name == "size" {
			if size, err := strconv.Atoi(value); err == nil && ValidSize(size) {
				l.Size = size
			}
			continue
		}
		id, err := strconv.ParseInt(name, 10, 64)
		if layout := domain.Layout(value); err == nil && id > 0 && slices.Contains(domain.Layouts(), layout) && len(l.layouts) < maxLooks {
			l.layouts = append(l.layouts, chosenLayout{domain.ChannelID(id), layout})
		}
	}
	return l
}

// ValidSize reports whether items can have a size.
func ValidSize(size int) bool { return size >= SmallestSize && size <= LargestSize }

// Of returns the layout that the reader chose for a channel, "" for none.
func (l Looks) Of(c domain.ChannelID) domain.Layout {
	for _, one := range l.layouts {
		if one.channel == c {
			return one.layout
		}
	}
	return ""
}

// Choose stores a choice in the browser, next to the former ones: the layout of a channel, unless it is "", and the size.
// Nothing changes if another site led here: its address is not a choice of the reader.
func (v *Visit) Choose(was Looks, c domain.ChannelID, layout domain.Layout, size int) {
	if size == was.Size && (layout == "" || layout == was.Of(c)) || !v.fromHere() {
		return
	}
	value := "size-" + strconv.Itoa(size)
	add := func(one chosenLayout) {
		value += "." + strconv.FormatInt(int64(one.channel), 10) + "-" + string(one.layout)
	}
	layouts := slices.DeleteFunc(was.layouts, func(one chosenLayout) bool { return layout != "" && one.channel == c })
	if layout != "" {
		add(chosenLayout{c, layout})
	}
	for _, one := range layouts[:min(len(layouts), maxLooks-1)] {
		add(one)
	}
	v.s.setCookie(v.W, v.s.looksCookie(), value, looksTTL)
	v.chose = true
}

// fromHere reports whether a link, form or script of this site requested the page. Browsers send Sec-Fetch-Site only over
// TLS, but our policy lets them send Referer within the site.
func (v *Visit) fromHere() bool {
	if site := v.R.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	from, err := url.Parse(v.R.Referer())
	return err == nil && from.Host != "" && from.Host == v.R.Host
}

// The heights of cells in masonry are whole rows of a grid. A column is as wide as masonryUnit rows are high. So the style
// sheet places the cells without a script, in their order, before any image is loaded.
const (
	masonryUnit  = 24
	masonryMost  = 3 * masonryUnit // of an image; taller ones are cut off at the bottom
	masonryLabel = 4               // of a line below an image
	masonryGap   = 2
)

// Span returns the number of rows of the cell in masonry, including the gap below it.
func (c Cell) Span() int { return c.height() + masonryGap }

func (c Cell) height() int {
	switch {
	case c.Kind == "channel":
		return masonryUnit * 5 / 4 // the title and facts are below the cover
	case c.Kind == "user" || c.Kind == "group":
		return masonryUnit
	case c.Thumb != nil && c.Thumb.Tiny:
		return max(masonryUnit*int(c.Thumb.Height)/tinyThumb, masonryUnit/4)
	case c.Thumb != nil:
		rows := min(int((masonryUnit*c.Thumb.Height+c.Thumb.Width-1)/c.Thumb.Width), masonryMost)
		if c.Kind != "image" {
			rows += masonryLabel
		}
		return max(rows, masonryUnit/4)
	case c.Kind == "text":
		const charsPerLine, padding = 21, 5 // at the usual width of a column
		lines := 0
		for line := range strings.SplitSeq(c.Text, "\n") {
			lines += 1 + utf8.RuneCountInString(line)/charsPerLine
		}
		rows := min(padding+lines*5/2, masonryUnit*3/2)
		if c.Title != "" {
			rows += masonryLabel
		}
		return rows
	}
	return masonryUnit * 3 / 4
}
