package collect

import (
	"errors"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/site/web"
)

// saving is the form that saves something from another site or from the device.
type saving struct {
	Choices     choices
	Twins       []web.Twin
	Bookmarklet template.URL
	Uploads     []upload // received files that are in no block yet
	Refused     []refused
	Largest     string // size limit of files

	poster string // upload of an image of the next file, a video
}

// upload is a received file with an image of it if it is a video. The name makes its block idempotent.
type upload struct{ Value, Name, Poster, once string }

// saved reads the address, title and text that a bookmarklet or another program sends. The text is
// plain, but the fields of the form are Markdown. Phones put the address into the text.
func saved(get func(name string) string) *web.Form {
	address, text := strings.TrimSpace(get("url")), strings.TrimSpace(get("text"))
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
	return web.Given("value", value, "title", fitting(get("title"), domain.MaxTitle), "description", fitting(text, domain.MaxDescription))
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
	f := saved(v.Query)
	if q.Has("value") { // the user searches for channels
		f = web.Given("value", v.Query("value"), "title", v.Query("title"), "description", v.Query("description"), "new", v.Query("new"))
	}
	if v.R.URL.RawQuery == "" {
		_ = v.Fresh(v.Now().String()) // each form has its own key, but the worker may store the page for saving offline
	}
	s := &saving{}
	s.keep(v, q["upload"], q["poster"])
	return s.show(v, f, v.Query("q"), q["channel"])
}

func (s *saving) show(v *web.Visit, f *web.Form, query string, ticked []string) (err error) {
	if s.Choices, err = findChoices(v, domain.ItemRef{}, strings.TrimSpace(query), ticked, nil); err != nil {
		return err
	}
	if s.Twins, err = twinsOf(v, f.Get("value")); err != nil {
		return err
	}
	s.Choices.Path = "/save"
	s.Bookmarklet, s.Largest = bookmarklet(v.Addresses().Site), domain.FormatBytes(v.App().Content.UploadLimit())
	return v.Page("save", v.T("collect.save"), f, s)
}

// shared shows the form with the content and the files that a phone shares with the installed site. Usually the service
// worker receives them instead, and keeps them while the user signs in.
func shared(v *web.Visit) error {
	s := &saving{}
	f, err := s.read(v)
	if err != nil {
		return err
	}
	given := saved(f.Get)
	if v.Account == nil {
		return askToSignIn(v, given)
	}
	if why := f.Error("file"); why != "" {
		given.Wrong("file", why)
	}
	return s.show(v, given, "", nil)
}

// askToSignIn redirects a guest, who returns to the same form without its files.
func askToSignIn(v *web.Visit, f *web.Form) error {
	next := "/save?" + url.Values{"value": {f.Get("value")}, "title": {f.Get("title")}, "description": {f.Get("description")}}.Encode()
	return v.Redirect("/sign-in?next=" + url.QueryEscape(next))
}

// read reads the posted form, and stores its files as uploads. Those of guests are skipped.
func (s *saving) read(v *web.Visit) (*web.Form, error) {
	var broken error
	if v.HasParts() {
		broken = v.Parts(func(p web.Part) error { return s.file(v, p) })
	}
	f := v.Form()
	switch {
	case errors.Is(broken, errStop), broken == nil:
	case errors.Is(broken, web.ErrEnded):
		f.Wrong("file", v.T("collect.save.ended"))
	default:
		return nil, broken
	}
	received := s.Uploads
	s.Uploads = nil
	s.keep(v, f.Values("upload"), f.Values("poster"))
	s.Uploads = append(s.Uploads, received...)
	if len(s.Refused) > 0 {
		f.Wrong("file", v.T("collect.save.some"))
	}
	if len(s.Uploads) > maxFiles {
		f.Wrong("file", v.T("collect.add.many", maxFiles))
	}
	return f, nil
}

// file stores a file of the form. An error of one file does not stop the others.
func (s *saving) file(v *web.Visit, p web.Part) error {
	switch {
	case v.Account == nil:
		return errStop
	case p.Field == "poster":
		poster, err := receivePoster(v, p)
		s.poster = poster
		return err
	case p.Field != "file":
		return nil
	case len(s.Uploads)+len(s.Refused) >= maxFiles:
		s.Refused = append(s.Refused, refused{p.Name, web.Sentence(v.T("collect.add.many", maxFiles))})
		return errStop
	}
	got, err := receive(v, p)
	if err == nil {
		s.Uploads = append(s.Uploads, upload{got.Value, got.Name, s.poster, "file " + got.Name + " " + got.Sum})
	}
	s.poster = ""
	if err == nil {
		return nil
	}
	why, err := refusal(v, p, err)
	if why != "" {
		s.Refused = append(s.Refused, refused{p.Name, why})
	}
	return err
}

// keep adds the files that an earlier form uploaded, by the addresses of their uploads. Each poster follows the address
// of its file.
func (s *saving) keep(v *web.Visit, values, posters []string) {
	of := map[string]string{}
	for _, pair := range posters {
		file, poster, _ := strings.Cut(pair, " ")
		of[file] = poster
	}
	for _, value := range values {
		if key, ours := strings.CutPrefix(value, v.App().Content.UploadValue("")); ours && len(s.Uploads) < maxFiles {
			s.Uploads = append(s.Uploads, upload{value, path.Base(key), of[value], "upload " + value})
		}
	}
}

// bookmarklet returns a bookmark that opens the form with the current page and the text selected on
// it.
func bookmarklet(site string) template.URL {
	return template.URL("javascript:location.href='" + template.JSEscapeString(site) + "/save?url='+encodeURIComponent(location.href)" +
		"+'&title='+encodeURIComponent(document.title)+'&text='+encodeURIComponent(getSelection())")
}

// save creates a block of the text, and one of each file, in the ticked channels, and in a new channel if the form
// names one.
func save(v *web.Visit) error {
	s := &saving{}
	f, err := s.read(v)
	if err != nil {
		return err
	}
	if v.Account == nil {
		return askToSignIn(v, f)
	}
	again := func() error { return s.show(v, f, "", f.Values("channel")) }
	text := collections.BlockInput{Value: f.Get("value"), Title: optional(f.Trimmed("title")), Description: optional(f.Get("description"))}
	if onlyFiles := strings.TrimSpace(text.Value) == "" && len(s.Uploads) > 0; onlyFiles {
		text.Value = s.Uploads[0].Value
	}
	if err := text.Validate(); err != nil && !f.Refused(err, "value", "title", "description") {
		return err
	}
	on, fresh := numbers(f.Values("channel")), strings.TrimSpace(f.Get("new"))
	if len(on) == 0 && fresh == "" {
		f.Wrong("channel", v.T("collect.save.nowhere"))
	}
	if f.Failed() {
		return again()
	}
	if fresh != "" {
		c, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), collections.CreateChannelInput{Title: fresh,
			Visibility: domain.Visibility(f.Get("visibility")), Once: v.OnceKey("save", fresh)})
		if err != nil {
			if f.Refused(renamed(err, "title", "new"), "new") {
				return again()
			}
			return err
		}
		on[int64(c.ID)] = true
	}
	b, err := s.make(v, text, on)
	switch {
	case missing(err):
		return gone(v, addFields...)
	case f.Refused(renamed(err, "poster", "file"), "value", "title", "description", "channel", "file"):
		return again()
	case err != nil:
		return err
	}
	return v.Done(v.Addresses().Block(&b).Path(), "saved")
}

// make creates the blocks, and returns the uppermost. Each comes to the top of the channels, so the last file is first.
// Files that are in a block are removed from the form.
func (s *saving) make(v *web.Visit, text collections.BlockInput, on map[int64]bool) (b domain.Block, err error) {
	in := collections.CreateBlockInput{}
	for id := range on {
		in.Targets = append(in.Targets, collections.Target{Channel: domain.Ref{ID: id}})
	}
	f := v.Form()
	for n := len(s.Uploads) - 1; n >= 0; n-- {
		file := s.Uploads[n]
		in.BlockInput, in.Poster = collections.BlockInput{Value: file.Value}, file.Poster
		if file.Value == text.Value {
			in.BlockInput = text
		}
		in.Once = v.OnceKey(append([]string{file.once}, f.Values("channel")...)...)
		if b, err = v.App().Collections.CreateBlock(v.R.Context(), v.Actor(), in); err != nil {
			return b, err
		}
		s.Uploads = s.Uploads[:n]
		if file.Value == text.Value {
			return b, nil
		}
	}
	in.BlockInput, in.Poster = text, ""
	in.Once = v.OnceKey(append([]string{"block", f.Get("value"), f.Get("title"), f.Get("description")}, f.Values("channel")...)...)
	return v.App().Collections.CreateBlock(v.R.Context(), v.Actor(), in)
}

// renamed moves an error about a field to the one that the form has for it.
func renamed(err error, from, to string) error {
	invalid, ok := errors.AsType[*domain.Error](err)
	if !ok || invalid.Kind != domain.Invalid {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i := range fields {
		if fields[i].Path == from {
			fields[i].Path = to
		}
	}
	return domain.NewInvalid(fields...)
}

// MaxFiles returns how many files can be saved at once.
func (saving) MaxFiles() int { return maxFiles }

// Visibilities returns the possible visibilities of a new channel.
func (saving) Visibilities() []domain.Visibility { return visibilities }
