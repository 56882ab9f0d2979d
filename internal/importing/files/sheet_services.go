package files

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// anyText decodes a string, number or boolean, since services have changed the types of their fields.
type anyText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *anyText) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, (*string)(t))
	case '{', '[', 'n':
		return nil
	}
	*t = anyText(raw)
	return nil
}

// tagList decodes a list of tags, which are texts or objects with a label or a name, or one text.
type tagList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *tagList) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*l = source.TagsOf(one, ",")
		return nil
	}
	var each []json.RawMessage
	if json.Unmarshal(raw, &each) != nil {
		return nil
	}
	for _, raw := range each {
		var tag struct{ Label, Name string }
		if json.Unmarshal(raw, &tag.Label) != nil && json.Unmarshal(raw, &tag) != nil {
			continue
		}
		if tag.Label == "" {
			tag.Label = tag.Name
		}
		*l = append(*l, tag.Label)
	}
	return nil
}

// pinboard reads one of Pinboard's bookmarks.
func pinboard(raw json.RawMessage) (e sheetEntry) {
	var b struct {
		Href        string `json:"href"`
		Description string `json:"description"` // its title
		Extended    string `json:"extended"`
		Time        string `json:"time"`
		Tags        string `json:"tags"`
		Shared      string `json:"shared"`
		ToRead      string `json:"toread"`
	}
	e.why = notRead(json.Unmarshal(raw, &b))
	r := &e.row
	r[address], r[title], r[note], r[created] = b.Href, strings.TrimSpace(b.Description), strings.TrimSpace(b.Extended), b.Time
	if b.Shared == "no" {
		r[private] = "yes"
	}
	r[toRead] = b.ToRead
	e.tags = source.TagsOf(b.Tags, " \t\n")
	return e
}

// notRead returns why an entry cannot be read; "" if it can.
func notRead(err error) string {
	bad, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return ""
	case ok && bad.Field != "" && bad.Type.Kind() == reflect.Slice:
		return bad.Field + " is not a list"
	case ok && bad.Field != "" && bad.Type.Kind() == reflect.Bool:
		return bad.Field + " is neither true nor false"
	case ok && bad.Field != "" && bad.Type.Kind() == reflect.Struct:
		return bad.Field + " is not an object"
	case ok && bad.Field != "":
		return bad.Field + " is not a text"
	}
	return "it is not a bookmark"
}

// wallabag reads one of wallabag's entries.
func wallabag(raw json.RawMessage) (e sheetEntry) {
	var b struct {
		URL         string  `json:"url"`
		Given       string  `json:"given_url"`
		Title       string  `json:"title"`
		Content     string  `json:"content"`
		Archived    anyText `json:"is_archived"`
		Starred     anyText `json:"is_starred"`
		Created     anyText `json:"created_at"`
		Tags        tagList `json:"tags"`
		Annotations []struct {
			Quote   string  `json:"quote"`
			Text    string  `json:"text"`
			Created anyText `json:"created_at"`
			Updated anyText `json:"updated_at"`
		} `json:"annotations"`
	}
	e.why = notRead(json.Unmarshal(raw, &b))
	r := &e.row
	if r[address] = b.URL; r[address] == "" {
		r[address] = b.Given
	}
	r[title], r[created] = strings.TrimSpace(b.Title), string(b.Created)
	r[favorite], r[archived] = string(b.Starred), string(b.Archived)
	var notes []string
	for _, a := range b.Annotations {
		quote, text := strings.TrimSpace(a.Quote), strings.TrimSpace(a.Text)
		switch {
		case quote != "":
			e.marks = append(e.marks, source.Highlight{Quote: domain.Quote{Exact: quote}, Note: text,
				CreatedAt: source.DateOf(string(a.Created)), UpdatedAt: source.DateOf(string(a.Updated))})
		case text != "":
			notes = append(notes, text)
		}
	}
	r[highlights] = strings.Join(notes, "\n\n")
	r[article] = source.TextOfHTML(b.Content)
	e.tags = source.TagList(b.Tags)
	return e
}

// raindropHighlights reads the highlights of a bookmark of Raindrop.io, which are in one cell: each begins with "Highlight:"
// at the beginning of a line, and "Note:" begins the note on it. It returns a cell without this form as the rest.
func raindropHighlights(cell string) (all []source.Highlight, rest string) {
	const mark, note = "\nHighlight:", "\nNote:"
	before, marked, ok := strings.Cut("\n"+strings.ReplaceAll(cell, "\r\n", "\n"), mark)
	if !ok {
		return nil, cell
	}
	for one := range strings.SplitSeq(marked, mark) {
		quote, about, _ := strings.Cut(one, note)
		h := source.Highlight{Quote: domain.Quote{Exact: strings.TrimSpace(quote)}, Note: strings.TrimSpace(about)}
		if h.Quote.Exact == "" {
			before += "\n\n" + h.Note
			continue
		}
		all = append(all, h)
	}
	return all, strings.TrimSpace(before)
}

// object reads Karakeep's export, or a note of Google Keep.
func (l *list) object(ctx context.Context, s stream) error {
	k := karakeep{list: l, known: map[string]karakeepList{}}
	var n keepNote
	isKeep := false
	for s.from.Left = maxEntry; s.More(); {
		key, err := s.Token()
		if err != nil {
			return errors.Join(k.end(ctx), ignoreEnd(k.rest(s.from, "the end", err)))
		}
		name, _ := key.(string)
		switch name {
		case "bookmarks", "lists":
			if err := k.read(ctx, s, name); err != nil {
				if errors.Is(err, errEnd) {
					return k.end(ctx)
				}
				return err
			}
			s.from.Left = maxEntry
			continue
		}
		var raw json.RawMessage
		if err := s.Decode(&raw); err != nil {
			if failed := s.failed(); failed != nil {
				return failed
			}
			if k.found {
				return errors.Join(k.end(ctx), ignoreEnd(k.rest(s.from, "the end", err)))
			}
			return source.ErrNotRecognized
		}
		switch name {
		case "textContent", "listContent", "isTrashed", "userEditedTimestampUsec":
			isKeep = true
		}
		n.set(name, raw)
	}
	_, broken := s.Token() // the end of the object
	switch {
	case k.found && broken != nil:
		return errors.Join(k.end(ctx), ignoreEnd(k.rest(s.from, "the end", broken)))
	case k.found:
		return k.end(ctx)
	case s.failed() != nil:
		return s.failed()
	case broken != nil:
		return source.ErrNotRecognized
	case isKeep:
		return n.take(ctx, l)
	}
	return source.ErrNotRecognized
}

// maxHeld is how many bytes of Karakeep's bookmarks are kept until the names of their lists, which
// follow at the end of the file, are known.
const maxHeld = 32 << 20

// bytesOfString is the memory that a string takes in addition to its text.
const bytesOfString = 16

// karakeep reads an export of Karakeep.
type karakeep struct {
	*list
	found bool
	known map[string]karakeepList
	held  []karakeepItem
	size  int // of held, in bytes

	listsSize int // of known, in bytes
}

type karakeepList struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parent      string `json:"parentId"`
}

type karakeepItem struct {
	source.Item
	lists []string
}

func (k *karakeep) read(ctx context.Context, s stream, name string) error {
	k.found = true
	k.of("Karakeep")
	if start, err := s.Token(); err != nil || start != json.Delim('[') {
		return k.rest(s.from, name, err)
	}
	if name == "bookmarks" {
		return k.entries(s, func(where string, raw json.RawMessage) error { return k.bookmark(ctx, where, raw) })
	}
	return k.entries(s, func(where string, raw json.RawMessage) error {
		var one struct {
			ID string `json:"id"`
			karakeepList
		}
		if json.Unmarshal(raw, &one) == nil && !k.remember(source.IDOf(one.ID), one.karakeepList) {
			k.to.LeftOut(source.LeftOut{What: "A list", Where: where, Why: "there are too many lists; the bookmarks in it go to the top"})
		}
		return nil
	})
}

// remember keeps a list until the bookmarks in it are handed over. It returns false if there are too
// many lists.
func (k *karakeep) remember(id string, of karakeepList) bool {
	of.Name, of.Description, of.Parent = source.CutTitle(of.Name), source.CutDescription(of.Description), source.IDOf(of.Parent)
	size := len(id) + len(of.Name) + len(of.Description) + len(of.Parent)
	if _, again := k.known[id]; len(k.known) >= maxLists && !again || k.listsSize+size > maxListsSize {
		return false
	}
	k.listsSize += size
	k.known[id] = of
	return true
}

// maxDepth limits how many parents of a list are followed, since there may be a cycle.
const maxDepth = 64

// Limits of Karakeep's lists. The bookmarks of any further list go to the top.
const (
	maxLists     = 20_000
	maxListsSize = 16 << 20 // bytes
)

func (k *karakeep) bookmark(ctx context.Context, where string, raw json.RawMessage) error {
	var b struct {
		Created  anyText  `json:"createdAt"`
		Title    string   `json:"title"`
		Tags     tagList  `json:"tags"`
		Lists    []string `json:"lists"`
		Note     string   `json:"note"`
		Archived bool     `json:"archived"`
		Content  *struct {
			Type string `json:"type"`
			URL  string `json:"url"`
			Text string `json:"text"`
		} `json:"content"`
	}
	why := notRead(json.Unmarshal(raw, &b))
	var r row
	r[title], r[created], r[note], r[archived] = strings.TrimSpace(b.Title), string(b.Created), strings.TrimSpace(b.Note), strconv.FormatBool(b.Archived)
	switch {
	case why != "":
	case b.Content == nil, b.Content.Type == "asset":
		why = "its file is not in the export"
	default:
		r[address], r[textColumn] = b.Content.URL, b.Content.Text
	}
	var it source.Item
	if why == "" {
		it, why = r.item(source.TagList(b.Tags))
	}
	if why != "" {
		k.to.LeftOut(source.LeftOut{What: r.name(), Where: where, Why: why})
		return nil
	}
	it.Where = where
	if len(b.Lists) > 0 && k.size < maxHeld {
		k.size += len(raw) + len(b.Lists)*bytesOfString
		k.held = append(k.held, karakeepItem{it, b.Lists})
		return nil
	}
	in, err := k.tree.Root(ctx)
	if err != nil {
		return err
	}
	return k.put(ctx, in, it)
}

// end hands over the bookmarks that are in lists.
func (k *karakeep) end(ctx context.Context) error {
	for _, held := range k.held {
		top, err := k.tree.Root(ctx)
		if err != nil {
			return err
		}
		in := map[*source.TreeFolder]bool{}
		for _, id := range held.lists {
			folder, err := k.folder(ctx, top, id, held.Where, 0)
			if err != nil {
				return err
			}
			if folder == top || in[folder] {
				continue
			}
			in[folder] = true
			if err := k.put(ctx, folder, held.Item); err != nil {
				return err
			}
		}
		if len(in) == 0 {
			if err := k.put(ctx, top, held.Item); err != nil {
				return err
			}
		}
	}
	k.held = nil
	return nil
}

// folder returns the channel of a list within that of its parent, or top if the list is unknown.
func (k *karakeep) folder(ctx context.Context, top *source.TreeFolder, id, where string, depth int) (*source.TreeFolder, error) {
	of, ok := k.known[source.IDOf(id)]
	if !ok || depth > maxDepth {
		return top, nil
	}
	above, err := k.folder(ctx, top, of.Parent, where, depth+1)
	if err != nil {
		return above, err
	}
	return k.tree.Named(ctx, above, source.Channel{Title: of.Name, Description: of.Description, Where: where})
}

// keepNote is a note of Google Keep.
type keepNote struct {
	title, text     string
	trash, archived bool
	created, edited anyText
	labels          tagList
	items           []struct {
		Text    string `json:"text"`
		Checked bool   `json:"isChecked"`
	}
}

func (n *keepNote) set(name string, raw json.RawMessage) {
	fields := map[string]any{"title": &n.title, "textContent": &n.text, "isTrashed": &n.trash, "isArchived": &n.archived,
		"createdTimestampUsec": &n.created, "userEditedTimestampUsec": &n.edited, "labels": &n.labels, "listContent": &n.items}
	if field := fields[name]; field != nil {
		_ = json.Unmarshal(raw, field) // a field of another type counts as missing
	}
}

// take hands over the note.
func (n *keepNote) take(ctx context.Context, l *list) error {
	l.of("Google Keep")
	const where = "entry 1"
	content := n.text
	if content != "" && len(n.items) > 0 {
		content += "\n"
	}
	for _, it := range n.items {
		box := "- [ ] "
		if it.Checked {
			box = "- [x] "
		}
		content += box + it.Text + "\n"
	}
	it := source.Item{Kind: source.Text, Title: strings.TrimSpace(n.title), Content: strings.TrimSpace(content), Tags: source.TagList(n.labels), Where: where,
		Metadata: source.Stated(map[string]bool{"archived": n.archived})}
	why := ""
	switch {
	case n.trash:
		why = "it is in the trash"
	case it.Content == "" && it.Title == "":
		why = "it has no text"
	case it.Content == "":
		it.Content, it.Title = it.Title, ""
	}
	if why != "" {
		l.to.LeftOut(source.LeftOut{What: row{title: it.Title}.name(), Where: where, Why: why})
		return nil
	}
	if it.CreatedAt = source.DateOf(string(n.created)); it.CreatedAt.IsZero() {
		it.CreatedAt = source.DateOf(string(n.edited))
	}
	it.ConnectedAt = it.CreatedAt
	if it.ID = source.SumOf("text", it.Content); n.created != "" {
		it.ID = source.IDOf("keep:" + string(n.created))
	}
	in, err := l.tree.Root(ctx)
	if err != nil {
		return err
	}
	return l.put(ctx, in, it)
}
