package importing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"vitrine/internal/app/content"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

// named identifies an item in reports.
type named struct{ kind, title, where string }

func (n named) String() string {
	title := strings.Join(strings.Fields(n.title), " ")
	if r := []rune(title); len(r) > 60 {
		title = string(r[:60]) + "…"
	}
	if title == "" {
		return n.kind
	}
	return fmt.Sprintf("%s “%s”", n.kind, title)
}

func (n named) left(why string) source.LeftOut {
	return source.LeftOut{What: n.String(), Where: n.where, Why: why}
}

func (w waiting) name() named {
	return named{strings.ToLower(string(w.item.Kind)), w.item.Title, w.where}
}

func (t *sink) leftOut(w waiting, why string) { t.LeftOut(w.name().left(why)) }

// shortID shortens or hashes an id that cannot be stored.
func shortID(id string) string {
	if len(id) <= 200 && utf8.ValidString(id) && !strings.Contains(id, "\x00") {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// refusal returns why something cannot be created, if that is not a failure of this server.
func refusal(err error) (why string, refused bool) {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return "", false
	}
	switch e.Kind {
	case domain.Internal, domain.Unavailable:
		return "", false
	}
	if len(e.Fields) > 0 {
		return e.Fields[0].String(), true
	}
	return e.Message, true
}

// arrivalOf returns the result of a download that ended with an error or nil. The error remains if this server failed.
func arrivalOf(err error) (arrival, error) {
	if err == nil {
		return arrival{}, nil
	}
	why, theirs := source.ReasonOf(err)
	if !theirs {
		why, theirs = content.Unusable(err)
	}
	if !theirs {
		return arrival{}, err
	}
	return arrival{missing: true, why: why}, nil
}

// mend validates an input, lets repair fix each invalid field, reports what was lost, and validates
// it again.
func (t *sink) mend(name named, check func() error, repair func(domain.FieldError) bool) error {
	err := check()
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || e.Kind != domain.Invalid {
		return err
	}
	for _, f := range e.Fields {
		if !repair(f) {
			return err
		}
		t.LeftOut(source.LeftOut{What: "part of " + name.String(), Where: name.where, Why: f.String()})
	}
	return check()
}

// cut makes a text valid by replacing invalid characters and truncating it. It returns false for an
// empty text, which cannot be repaired.
func cut(s *string, limit int) bool {
	*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(*s) > limit {
		r := []rune((*s)[:min(len(*s), limit*utf8.UTFMax)])
		*s = strings.TrimSpace(string(r[:min(len(r), limit)-1])) + "…"
	}
	return strings.TrimSpace(*s) != ""
}

// cutText is cut for one of the texts of a block. It returns false if there is no such text.
func cutText(texts *domain.BlockTexts, name string) bool {
	for _, f := range domain.BlockTextFields {
		if s := f.Of(texts); f.Name == name && *s != nil {
			text := **s // the source may use it again
			*s = &text
			return cut(&text, f.Limit)
		}
	}
	return false
}

// The metadata keys for the author or connector on the other server.
const (
	authorKey  = "imported_author"
	addressKey = "imported_author_url"
)

// metadata returns an item's metadata, with its author unless they are the importing user.
func (t *sink) metadata(given map[string]any, by source.Person, tags ...string) []byte {
	all := maps.Clone(given)
	add := func(key, value string) {
		if _, taken := all[key]; taken || !cut(&value, domain.MaxMetadataValueLength) {
			return
		}
		if all == nil {
			all = map[string]any{}
		}
		all[key] = value
	}
	if !by.Self {
		add(authorKey, by.Name)
		add(addressKey, by.Address)
	}
	add(domain.TagsKey, strings.Join(tags, ", "))
	if all == nil {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return []byte("null") // invalid JSON is refused later
	}
	return text
}

// mendMetadata removes invalid metadata, and reports it.
func (t *sink) mendMetadata(name named, field string, given []byte) ([]byte, error) {
	if given == nil {
		return nil, nil
	}
	_, err := domain.MergeMetadata("", given, false)
	if err == nil {
		return given, nil
	}
	tell := func(why string) {
		t.LeftOut(source.LeftOut{What: field + " of " + name.String(), Where: name.where, Why: why})
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(given, &all) != nil {
		tell("must be an object")
		return nil, nil
	}
	for key, value := range all {
		one, _ := json.Marshal(map[string]json.RawMessage{key: value})
		if _, err := domain.MergeMetadata("", one, false); err != nil {
			why, _ := refusal(err)
			tell(why)
			delete(all, key)
		}
	}
	given, _ = json.Marshal(all)
	if _, err = domain.MergeMetadata("", given, false); err != nil {
		why, _ := refusal(err)
		tell(why)
		return nil, nil
	}
	return given, nil
}

// prepare prepares an item for writing. If that is impossible, it reports the reason and returns nil.
func (t *sink) prepare(it source.Item) *transfer.PreparedItem {
	name := waiting{item: it, where: it.Where}.name()
	in := transfer.ImportItemInput{ID: shortID(it.ID), FormerID: it.FormerID, Nested: it.Kind == source.Nested, Title: it.Title, Description: it.Description,
		Content: it.Content, BlockTexts: it.BlockTexts, Address: it.Address, MadeFrom: it.MadeFrom, Embed: it.Embed,
		Fetch: it.Kind == source.Link && !it.Complete, CreatedAt: it.CreatedAt, UpdatedAt: it.UpdatedAt, ConnectedAt: it.ConnectedAt,
		Pinned: it.Pinned, KeepFileMetadata: it.KeepFileMetadata, Snapshots: it.Snapshots}
	if strings.TrimSpace(in.Title) == "" {
		in.Title = ""
	}
	var err error
	switch it.Kind {
	case source.Text, source.Link, source.Embed:
		in.Type = domain.BlockType(it.Kind)
	case source.Image, source.Attachment:
		if it.File == nil {
			t.LeftOut(name.left("It has no file"))
			return nil
		}
	case source.Nested:
	default:
		t.LeftOut(name.left(fmt.Sprintf("There is no kind of block called %.40q here", string(it.Kind))))
		return nil
	}
	in.ConnectionMetadata, err = t.mendMetadata(name, "connection metadata", t.metadata(it.ConnectionMetadata, addedBy(it)))
	if err == nil && !in.Nested {
		in.Metadata, err = t.mendMetadata(name, "metadata", t.metadata(it.Metadata, it.Author, it.Tags...))
	}
	if err == nil {
		err = t.mend(name, func() error { return in.Validate() }, func(f domain.FieldError) bool {
			switch f.Path {
			case "title":
				return cut(&in.Title, domain.MaxTitle)
			case "description":
				return cut(&in.Description, domain.MaxDescription)
			case "address":
				wanted := in.Type == domain.LinkBlock || in.Type == domain.EmbedBlock
				in.Address = ""
				return !wanted
			case "content": // the text of a saved page; a Text is not cut
				return in.Type == domain.LinkBlock && cut(&in.Content, domain.MaxMarkdown)
			case "made_from":
				in.MadeFrom = ""
				return true
			}
			return cutText(&in.BlockTexts, f.Path)
		})
	}
	var made *transfer.PreparedItem
	if err == nil {
		made, err = transfer.PrepareItem(in)
	}
	if err != nil {
		why, _ := refusal(err)
		t.LeftOut(name.left(why))
		return nil
	}
	return made
}

// addedBy returns the user who connected an item, if they are not its author.
func addedBy(it source.Item) source.Person {
	if it.AddedBy == it.Author {
		return source.Person{}
	}
	return it.AddedBy
}

// comment prepares a comment for writing. Its first line names the author, since the importing user
// becomes the author here.
func (t *sink) comment(item string, c source.Comment) *transfer.ImportCommentInput {
	in := transfer.ImportCommentInput{ID: shortID(c.ID), Block: shortID(item), Body: c.Body, CreatedAt: c.CreatedAt}
	if !c.Author.Self && c.Author.Name != "" {
		in.Body = by(c.Author) + "\n\n" + in.Body
	}
	if why, bad := refusal(in.Validate()); bad {
		t.LeftOut(named{"comment", "", c.Where}.left(why))
		return nil
	}
	return &in
}

// by returns a line of Markdown that names a person.
func by(p source.Person) string {
	name := strings.Join(strings.Fields(p.Name), " ")
	cut(&name, domain.MaxTitle)
	name = markup.Escape(name)
	if p.Address == "" || strings.ContainsAny(p.Address, " <>\n") {
		return name + ":"
	}
	return "[" + name + "](<" + p.Address + ">):"
}
