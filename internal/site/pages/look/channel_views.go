package look

import (
	"fmt"
	"strconv"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// slide is a page of a slideshow: one item of a channel.
type slide struct {
	Channel present.Channel
	Item    itemView
	Pager   web.Pager
	Back    string // the page of the channel that lists the item
}

// slideshowPage shows the items of a channel one by one in large, with links between them.
func slideshowPage(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	number, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: number, Per: 1}
	list, err := v.App().Collections.Contents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, collections.ContentsInput{Sort: contentSorts[0].is, Page: at})
	if err != nil {
		return err
	}
	s := slide{Channel: v.Addresses().Channel(&c.Channel), Pager: v.Pager(at, list.Total)}
	if s.Back = s.Channel.Path(); number > perPage && len(list.Items) > 0 {
		s.Back += "?page=" + strconv.FormatInt((number-1)/perPage+1, 10)
	}
	from := []string{pageTags.Channel(v.Actor(), c.Channel, nil), fmt.Sprint(list.Total)}
	if len(list.Items) > 0 {
		s.Item = itemViewOf(v, list.Items[0].Entity)
		if err := v.Cover(&s.Item.Single); err != nil {
			return err
		}
		from = append(from, s.Item.Cell.Tag(), s.Item.Single.Tag())
	}
	v.Wide, v.Frame = true, "slideshow"
	if v.Fresh(from...) {
		return nil
	}
	return v.Page("slideshow", c.Title, nil, s)
}

// Limits of a page for printing.
const (
	printItems  = 500
	printText   = 20_000  // bytes of one text; longer ones are truncated
	printBudget = 2 << 20 // bytes of all texts; beyond it, texts are truncated
)

// sheet is a channel for printing.
type sheet struct {
	Channel       present.Channel
	Collaborators []present.Principal
	Items         []itemView
	Pager         web.Pager
}

// printPage shows the contents of a channel for printing.
func printPage(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	number, err := v.PageNumber()
	if err != nil {
		return err
	}
	s := sheet{Channel: v.Addresses().Channel(&c.Channel)}
	for i := range c.Collaborators {
		s.Collaborators = append(s.Collaborators, v.Addresses().Principal(&c.Collaborators[i]))
	}
	from := []string{pageTags.Channel(v.Actor(), c.Channel, c.Collaborators)}
	total, left := int64(0), printBudget
	const reads = printItems / domain.MaxPerPage
	for i := range int64(reads) {
		at := domain.Page{Number: (min(number, 1<<40)-1)*reads + i + 1, Per: domain.MaxPerPage}
		list, err := v.App().Collections.Contents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, collections.ContentsInput{Sort: contentSorts[0].is, Page: at})
		if err != nil {
			return err
		}
		total = list.Total
		for _, item := range list.Items {
			p := itemViewOf(v, item.Entity)
			p.Still = true
			if p.Picture != nil {
				p.Picture.Moving = false
			}
			if item.Block != nil && item.Block.Content != nil {
				size := len(item.Block.Content.HTML)
				if p.Brief = size > printText || size > left; !p.Brief {
					left -= size
				}
			}
			s.Items, from = append(s.Items, p), append(from, p.Cell.Tag())
		}
		if at.Offset()+at.Per >= total {
			break
		}
	}
	s.Pager = v.Pager(domain.Page{Number: number, Per: printItems}, total)
	v.Wide, v.Frame = true, "print"
	if v.Fresh(append(from, fmt.Sprint(total))...) {
		return nil
	}
	return v.Page("print", c.Title, nil, s)
}

// embedded is a channel embedded in another site.
type embedded struct {
	Channel present.Channel
	Cells   web.Cells
	Pager   web.Pager
}

// embedPage shows a channel within other sites. All readers see what guests see, since the
// embedding site could trick them into clicking.
func embedPage(v *web.Visit) error {
	v.Account, v.Secret = nil, ""
	guest := v.Actor()
	if v.App().Exposure.Admits(guest) != nil {
		return domain.NewNotFound()
	}
	number, bad := v.PageNumber()
	if bad != nil { // but a channel that is elsewhere comes first
		if _, moved, err := findChannel(v, guest); moved || err != nil {
			return err
		}
		return bad
	}
	at := domain.Page{Number: number, Per: perPage}
	var c collections.ChannelPage
	var shown embedded
	err := v.App().Collections.ReadChannel(v.R.Context(), guest, channelRef(v), &collections.ContentsInput{Sort: contentSorts[0].is, Page: at}, func(p collections.ChannelPage) collections.BlockReader {
		c, shown.Cells = p, v.Contents(p.ID, p.Contents.Items)
		shown.Cells.Away = true
		return &shown.Cells
	})
	if err != nil {
		return err
	}
	if moved, err := movedChannel(v, c.Channel); moved || err != nil {
		return err
	}
	if err := v.Cover(&shown.Cells); err != nil {
		return err
	}
	shown.Channel, shown.Pager = v.Addresses().Channel(&c.Channel), v.Pager(at, c.Contents.Total)
	v.Framed, v.Frame, v.Wide = true, "bare", true
	if v.Fresh(shown.Cells.Tag(), pageTags.Channel(guest, c.Channel, nil), fmt.Sprint(c.Contents.Total)) {
		return nil
	}
	return v.Page("embed", c.Title, nil, shown)
}
