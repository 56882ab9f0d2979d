package collect

import (
	"errors"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/site/web"
)

// saving is the form that saves something from another site.
type saving struct {
	Choices     choices
	Bookmarklet template.URL
}

// saved reads the address, title and text that a bookmarklet or another program sends. The text is
// plain, but the fields of the form are Markdown. Phones put the address into the text.
func saved(v *web.Visit) *web.Form {
	address, text := strings.TrimSpace(v.Query("url")), strings.TrimSpace(v.Query("text"))
	if address == "" {
		for word := range strings.FieldsSeq(text) {
			if found, ok := core.AbsoluteURL(word); ok {
				address, text = found, strings.TrimSpace(strings.Replace(text, word, "", 1))
				break
			}
		}
	}
	text = markup.Escape(text)
	value := address
	if value == "" {
		value, text = text, ""
	}
	return web.Given("value", value, "title", fitting(v.Query("title"), domain.MaxTitle), "description", fitting(text, domain.MaxDescription))
}

// fitting shortens a text to the limit of its field. The form would drop a longer one.
func fitting(text string, limit int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > limit {
		text = strings.TrimSpace(string(r[:limit]))
	}
	return text
}

func savePage(v *web.Visit) error {
	if v.Account == nil {
		return v.AskToSignIn()
	}
	q := v.R.URL.Query()
	f := saved(v)
	if q.Has("value") { // the user searches for channels
		f = web.Given("value", v.Query("value"), "title", v.Query("title"), "description", v.Query("description"), "new", v.Query("new"))
	}
	return showSave(v, f, v.Query("q"), q["channel"])
}

func showSave(v *web.Visit, f *web.Form, query string, ticked []string) error {
	found, err := findChoices(v, domain.ItemRef{}, strings.TrimSpace(query), ticked, nil)
	if err != nil {
		return err
	}
	return v.Page("save", v.T("collect.save"), f, saving{found, bookmarklet(v.Addresses().Site)})
}

// bookmarklet returns a bookmark that opens the form with the current page and the text selected on
// it.
func bookmarklet(site string) template.URL {
	return template.URL("javascript:location.href='" + template.JSEscapeString(site) + "/save?url='+encodeURIComponent(location.href)" +
		"+'&title='+encodeURIComponent(document.title)+'&text='+encodeURIComponent(getSelection())")
}

// save creates a block in the ticked channels, and in a new channel if the form names one.
func save(v *web.Visit) error {
	f := v.Form()
	if v.Account == nil { // after signing in, the user returns to the same form
		next := "/save?" + url.Values{"value": {f.Get("value")}, "title": {f.Get("title")}, "description": {f.Get("description")}}.Encode()
		return v.Redirect("/sign-in?next=" + url.QueryEscape(next))
	}
	in := collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: f.Get("value"), Title: optional(f.Trimmed("title")), Description: optional(f.Get("description"))}}
	if err := in.BlockInput.Validate(); err != nil && !f.Refused(err, "value", "title", "description") {
		return err
	}
	on, fresh := numbers(f.Values("channel")), strings.TrimSpace(f.Get("new"))
	if len(on) == 0 && fresh == "" {
		f.Wrong("channel", v.T("collect.save.nowhere"))
	}
	if f.Failed() {
		return showSave(v, f, "", f.Values("channel"))
	}
	if fresh != "" {
		c, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), collections.CreateChannelInput{Title: fresh,
			Visibility: domain.Visibility(f.Get("visibility")), Once: v.OnceKey("save", fresh)})
		if err != nil {
			if f.Refused(renamed(err), "new") {
				return showSave(v, f, "", f.Values("channel"))
			}
			return err
		}
		on[int64(c.ID)] = true
	}
	for id := range on {
		in.Targets = append(in.Targets, collections.Target{Channel: domain.Ref{ID: id}})
	}
	in.Once = v.OnceKey(append([]string{"block", f.Get("value"), f.Get("title"), f.Get("description")}, f.Values("channel")...)...)
	b, err := v.App().Collections.CreateBlock(v.R.Context(), v.Actor(), in)
	switch {
	case missing(err):
		return gone(v, addFields...)
	case f.Refused(err, "value", "title", "description", "channel"):
		return showSave(v, f, "", f.Values("channel"))
	case err != nil:
		return err
	}
	return v.Done(v.Addresses().Block(&b).Path(), "saved")
}

// renamed moves an error about the title of a new channel to its field in the form.
func renamed(err error) error {
	invalid, ok := errors.AsType[*domain.Error](err)
	if !ok || invalid.Kind != domain.Invalid {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i := range fields {
		if fields[i].Path == "title" {
			fields[i].Path = "new"
		}
	}
	return domain.NewInvalid(fields...)
}

// Visibilities returns the possible visibilities of a new channel.
func (saving) Visibilities() []domain.Visibility { return visibilities }
