package collect

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// maxFiles is how many files one form may contain.
const maxFiles = 100

// adding is the state of a form that adds to a channel.
type adding struct {
	Channel present.Channel
	Files   int       // number of added files
	Refused []refused // files
	Largest string    // size limit of files
	Twins   []web.Twin
	Links   []string // addresses, one per line, if the user has to say whether they are one text or many links

	made  []collections.Content // the new blocks
	title *string
	about *string

	poster string // upload of an image of the next block, a video
}

// refused is a file that was not added, and why.
type refused struct{ Name, Why string }

func addPage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showAdd(v, web.Given("value", v.Query("value")), &adding{Channel: c})
}

func showAdd(v *web.Visit, f *web.Form, a *adding) error {
	if !a.Channel.Can(v.Actor()).AddTo {
		return forbidden(v, "collect.add.not-yours")
	}
	a.Largest = domain.FormatBytes(v.App().Content.UploadLimit())
	var err error
	if a.Twins, err = twinsOf(v, f.Get("value")); err != nil {
		return err
	}
	return v.Page("add", v.T("collect.add.to", a.Channel.Title), f, a)
}

// addFields are the text fields of the form and their labels.
var addFields = []string{"value", "collect.value", "title", "collect.title", "description", "collect.description"}

// add creates blocks from a text or an address, from files in the form, and from a file that a
// script uploaded earlier.
func add(v *web.Visit) error {
	c, _, err := channelOf(v)
	if missing(err) {
		if v.HasParts() {
			_ = v.Parts(func(web.Part) error { return errStop })
		}
		return gone(v, addFields...)
	}
	if err != nil {
		return err
	}
	if !c.Can(v.Actor()).AddTo {
		return forbidden(v, "collect.add.not-yours")
	}
	a := &adding{Channel: c}
	var broken error
	if v.HasParts() {
		broken = v.Parts(func(p web.Part) error { return a.file(v, p) })
	}
	f := v.Form()
	switch {
	case errors.Is(broken, web.ErrEnded):
		f.Wrong("file", v.T("collect.add.ended"))
		return showAdd(v, f, a)
	case missing(broken):
		return gone(v, addFields...)
	case broken != nil:
		return broken
	}
	values, known := spread(f.Get("value"), f.Get("as"))
	if !known || len(values) > maxFiles { // before a script's file becomes a block
		if a.Links = values; len(values) > maxFiles {
			f.Wrong("value", v.T("collect.add.links.many", maxFiles))
		}
		return showAdd(v, f, a)
	}
	title, about := optional(f.Trimmed("title")), optional(f.Get("description"))
	if value := strings.TrimSpace(f.Get("upload")); value != "" {
		if len(values) == 0 { // a text takes precedence
			a.title, a.about = title, about
		}
		a.poster = strings.TrimSpace(f.Get("poster"))
		if err := a.make(v, value, value); err != nil {
			return a.refuse(v, f, err, "file")
		}
	}
	if len(values) == 1 {
		a.title, a.about = title, about
	}
	for _, value := range values {
		if err := a.make(v, value, "text"); err != nil {
			return a.refuse(v, f, err, "value")
		}
	}
	if len(a.made) == 0 && len(a.Refused) == 0 {
		f.Wrong("value", v.T("collect.add.nothing"))
	}
	if len(a.Refused) > 0 {
		f.Wrong("file", v.T("collect.add.some"))
	}
	if f.Failed() {
		return showAdd(v, f, a)
	}
	if v.WantsJSON() {
		return v.JSON(http.StatusCreated, a.answer())
	}
	if len(values) == 1 && len(a.made) == 1 {
		if found, err := v.Twins(*a.made[0].Block); err != nil {
			return err
		} else if len(found) > 0 {
			return v.Done(back(v, c.Path()), "added-again")
		}
	}
	return v.Done(back(v, c.Path()), "added")
}

// added is the JSON of a new block. A script needs it to undo the addition, and to add the next block below this one.
type added struct {
	Block      int64 `json:"block"`
	Connection int64 `json:"connection"`
}

func (a *adding) answer() (all []added) {
	for _, made := range a.made {
		all = append(all, added{int64(made.Block.ID), int64(made.Connection.ID)})
	}
	return all
}

// nextTo returns the place for the next block: below the previous block of this form. For the first block, it returns the
// place from the form.
func (a *adding) nextTo(v *web.Visit) (next collections.NextTo) {
	if n := len(a.made); n > 0 {
		next.Connection = a.made[n-1].Connection.ID
		return next
	}
	next.Above = v.Form().Get("side") == "above"
	if id, err := strconv.ParseInt(v.Form().Get("beside"), 10, 64); err == nil {
		next.Connection = domain.ConnectionID(id)
	}
	return next
}

// spread returns the values of blocks to make of the form's text. Several lines that are all addresses become
// several links if as is "links", and one text if it is "text". Otherwise the user has to be asked, and known is false.
func spread(text, as string) (values []string, known bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	if as == "text" {
		return []string{text}, true
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if _, ok := core.AbsoluteURL(line); !ok {
			return []string{text}, true
		}
		values = append(values, line)
	}
	if len(values) == 1 {
		return []string{text}, true
	}
	return values, as == "links"
}

// refuse shows the form again, with the error at its field.
func (a *adding) refuse(v *web.Visit, f *web.Form, err error, field string) error {
	if missing(err) {
		return gone(v, addFields...)
	}
	if invalid, ok := errors.AsType[*domain.Error](err); ok && field != "value" {
		for i := range invalid.Fields {
			if path := invalid.Fields[i].Path; path == "value" || path == "poster" {
				invalid.Fields[i].Path = field
			}
		}
	}
	if f.Refused(err, "value", "title", "description", "file") {
		return showAdd(v, f, a)
	}
	return err
}

// make creates a block of a value. The name makes it idempotent.
func (a *adding) make(v *web.Visit, value, name string) error {
	in := collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: value, Title: a.title, Description: a.about}, Poster: a.poster,
		Targets: []collections.Target{{Channel: domain.Ref{ID: int64(a.Channel.ID)}, NextTo: a.nextTo(v)}}}
	once := []string{a.Channel.Slug, name}
	if name == "text" {
		once = append(once, value)
	}
	for _, s := range []*string{a.title, a.about} {
		if s != nil {
			once = append(once, *s)
		}
	}
	in.Once = v.OnceKey(once...)
	made, err := v.App().Collections.CreateBlockIn(v.R.Context(), v.Actor(), in)
	if err == nil {
		a.made = append(a.made, made)
	}
	a.title, a.about, a.poster = nil, nil, ""
	return err
}

// errStop stops reading the form when the rest is not needed.
var errStop = errors.Join(errors.New("collect: enough"), web.ErrEnded)

// file creates a block of a file in the form. An error of one file does not stop the others.
func (a *adding) file(v *web.Visit, p web.Part) error {
	switch p.Field {
	case "poster":
		poster, err := receivePoster(v, p)
		a.poster = poster
		return err
	case "file":
	default:
		return nil
	}
	if a.Files+len(a.Refused) == 0 {
		a.title, a.about = optional(strings.TrimSpace(v.R.PostForm.Get("title"))), optional(v.R.PostForm.Get("description"))
		if strings.TrimSpace(v.R.PostForm.Get("value")) != "" { // a text takes precedence
			a.title, a.about = nil, nil
		}
	}
	if a.Files+len(a.Refused) >= maxFiles {
		a.Refused = append(a.Refused, refused{p.Name, v.T("collect.add.many", maxFiles)})
		return errStop
	}
	got, err := receive(v, p)
	if err == nil {
		err = a.make(v, got.Value, "file "+got.Name+" "+got.Sum)
	}
	a.poster = "" // a refused file leaves it
	if err == nil {
		a.Files++
		return nil
	}
	why, err := refusal(v, p, err)
	if why != "" {
		a.Refused = append(a.Refused, refused{p.Name, why})
	}
	return err
}

// receive stores a file of a form as an upload.
func receive(v *web.Visit, p web.Part) (got content.ReceivedFile, err error) {
	body := &empty{r: p.Body}
	got, err = v.App().Content.ReceiveFile(v.R.Context(), v.Actor(), content.FormFile{Name: p.Name, ContentType: p.ContentType, Body: body})
	if err == nil && !body.some {
		err = domain.NewUnprocessable(v.T("collect.add.empty"))
	}
	return got, err
}

// receivePoster stores an image of the next file of a form, which is a video. A file that is too large for that, or that
// the site does not accept, is skipped, so the video has none.
func receivePoster(v *web.Visit, p web.Part) (string, error) {
	body := &io.LimitedReader{R: p.Body, N: content.MaxPoster + 1}
	p.Body = body
	got, err := receive(v, p)
	if err == nil && body.N > 0 {
		return got.Value, nil
	}
	if err == nil {
		return "", nil
	}
	_, err = refusal(v, p, err)
	return "", err
}

// refusal returns why the site does not accept a file, and skips the rest of the file. It returns other errors.
func refusal(v *web.Visit, p web.Part, err error) (string, error) {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Kind == domain.Internal || known.Kind == domain.NotFound {
		return "", err
	}
	why := v.Lang.Fault(known.Message)
	if known.Kind == domain.TooLarge {
		why = v.T("collect.add.large", domain.FormatBytes(v.App().Content.UploadLimit()))
	}
	if n, _ := io.CopyN(io.Discard, p.Body, v.App().Content.UploadLimit()); n == v.App().Content.UploadLimit() {
		return web.Sentence(why), errStop // the stream may be endless
	}
	return web.Sentence(why), nil
}

// empty records whether the reader returned any bytes.
type empty struct {
	r    io.Reader
	some bool
}

// Read implements io.Reader.
func (e *empty) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.some = e.some || n > 0
	return n, err
}

// presignFile returns the upload address for a file of a script, and the value of the form's field.
func presignFile(v *web.Visit) error {
	f := v.Form()
	in := content.FileInput{Name: f.Get("name"), ContentType: f.Get("type")}
	if in.ContentType == "" {
		in.ContentType = "application/octet-stream"
	}
	made, err := v.App().Content.Presign(v.R.Context(), v.Actor(), []content.FileInput{in})
	if err != nil {
		return err
	}
	return v.JSON(http.StatusOK, struct {
		URL   string `json:"url"`
		Value string `json:"value"`
		Type  string `json:"type"`
	}{made[0].URL, v.App().Content.UploadValue(made[0].Key), made[0].ContentType})
}
