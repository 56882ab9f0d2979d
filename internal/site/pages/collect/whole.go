package collect

import (
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// sorting is the form that sorts a channel once.
type sorting struct {
	Channel present.Channel
	Orders  []domain.OnceSort
}

func sortPage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showSort(v, c, web.Filled("by", string(domain.OnceByTitle)))
}

func showSort(v *web.Visit, c present.Channel, f *web.Form) error {
	if !domain.CanArrange(v.Actor(), *c.Channel) {
		return forbidden(v, "collect.channel.not-yours")
	}
	return v.Page("sort", v.T("collect.sort.of", c.Title), f, sorting{c, domain.OnceSorts()})
}

func sortOnce(v *web.Visit) error {
	f := v.Form()
	c, _, err := channelOf(v)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	sorted, err := v.App().Collections.SortOnce(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, domain.OnceSort(f.Get("by")))
	switch {
	case missing(err):
		return gone(v)
	case f.Refused(err, "by"):
		return showSort(v, c, f)
	case err != nil:
		return err
	}
	return v.DoneSo(c.Path(), "moved-many", sorted.Undo, sorted.Count)
}

func copyPage(v *web.Visit) error {
	c, err := itemOf(v)
	if err != nil {
		return err
	}
	return showCopy(v, c, web.Given("title", v.Query("title")), v.Query("q"), v.R.URL.Query()["channel"])
}

func showCopy(v *web.Visit, c connecting, f *web.Form, query string, ticked []string) (err error) {
	if c.Choices, err = findChoices(v, domain.ItemRef{}, strings.TrimSpace(query), ticked, nil); err != nil {
		return err
	}
	more := c.Choices.More[:0]
	for _, choice := range c.Choices.More {
		if int64(choice.ID) != c.Item.ID && domain.CanArrange(v.Actor(), *choice.Channel.Channel) {
			more = append(more, choice)
		}
	}
	c.Choices.More = more
	return v.Page("copy", v.T("collect.copy.of", c.Heading), f, c)
}

// copyContents copies what is in a channel to the ticked channels, and to a new one if the form names one.
func copyContents(v *web.Visit) error {
	f := v.Form()
	c, err := itemOf(v)
	if missing(err) {
		return gone(v, "title", "collect.copy.new")
	}
	if err != nil {
		return err
	}
	on := numbers(f.Values("channel"))
	title := f.Get("title")
	switch {
	case len(on) == 0 && strings.TrimSpace(title) == "":
		f.Wrong("channel", v.T("collect.save.nowhere"))
	case len(on) > domain.MaxTargets:
		f.Wrong("channel", v.T("collect.copy.many", domain.MaxTargets))
	}
	if f.Failed() {
		return showCopy(v, c, f, "", f.Values("channel"))
	}
	to := c.Path
	if strings.TrimSpace(title) != "" {
		made, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), collections.CreateChannelInput{Title: title,
			Visibility: domain.Visibility(f.Get("visibility")), Once: v.OnceKey("copy", c.Path, title)})
		if f.Refused(err, "title") {
			return showCopy(v, c, f, "", f.Values("channel"))
		}
		if err != nil {
			return err
		}
		on[int64(made.ID)] = true
		to = v.Addresses().Channel(&made.Channel).Path()
	}
	for id := range on {
		err := v.App().Collections.CopyContents(v.R.Context(), v.Actor(), domain.Ref{ID: c.Item.ID}, domain.Ref{ID: id})
		if err := c.note(v, id, err); err != nil {
			return err
		}
	}
	if len(c.Failed) > 0 {
		f.Wrong("channel", v.T("collect.connect.some"))
		return showCopy(v, c, f, "", f.Values("channel"))
	}
	return v.Done(to, "copied")
}
