package mcp

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// Limits of results, so that they fit the context of a model.
const (
	listedText  = 300   // characters of each text of an item in a list
	partOfText  = 8_000 // characters of a text in one result
	defaultSize = 20    // items of a page
	maxSize     = 50
)

// item is an entry of a list, or a whole thing. Empty fields are omitted. Its fields have no descriptions, as the schema of
// each result would repeat them.
type item struct {
	Type        string     `json:"type" jsonschema:"Text, Image, Link, Attachment, Embed, PendingBlock (still being fetched), Channel, User, Group or Comment"`
	ID          int64      `json:"id"`
	Slug        string     `json:"slug,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Text        string     `json:"text,omitempty"`
	Cut         []string   `json:"cut,omitempty"` // names of shortened texts
	URL         string     `json:"url,omitempty"`
	Source      string     `json:"source,omitempty"`
	Image       string     `json:"image,omitempty"`
	File        string     `json:"file,omitempty"`
	AltText     string     `json:"alt_text,omitempty"`
	By          string     `json:"by,omitempty"`
	Visibility  string     `json:"visibility,omitempty"`
	Items       int64      `json:"items,omitempty"`
	Comments    int64      `json:"comments,omitempty"`
	Connection  int64      `json:"connection_id,omitempty"`
	Position    int64      `json:"position,omitempty"`
	ConnectedBy string     `json:"connected_by,omitempty"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	UpdatedAt   *time.Time `json:"updated_at,omitempty"`
}

// fieldNames are the names of an item's fields. always are those that fields does not remove.
var (
	fieldNames = jsonNames()
	always     = []string{"type", "id", "cut", "connection_id"}
)

func jsonNames() (all []string) {
	for f := range reflect.TypeFor[item]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, name)
	}
	return all
}

// only removes the fields that were not requested; no fields means all of them.
func (i item) only(fields []string) item {
	if len(fields) == 0 {
		return i
	}
	v := reflect.ValueOf(&i).Elem()
	for n, name := range fieldNames {
		if !slices.Contains(always, name) && !slices.Contains(fields, name) {
			v.Field(n).SetZero()
		}
	}
	return i
}

// checkFields returns an error for names that are no fields.
func checkFields(fields []string) error {
	var f domain.Faults
	for n, name := range fields {
		if !slices.Contains(fieldNames, name) {
			f.Add(fmt.Sprintf("fields[%d]", n), domain.FieldUnknown, "must be one of "+strings.Join(fieldNames, ", "))
		}
	}
	return f.Err()
}

// cutText returns at most limit characters of a text from an offset, and the offset of the rest, or 0.
func cutText(text string, offset, limit int) (part string, next int) {
	from := byteOf(text, offset)
	end := from + byteOf(text[from:], limit)
	if end < len(text) {
		next = offset + limit
	}
	return text[from:end], next
}

// byteOf returns the byte at which a character begins, or the length of a shorter text.
func byteOf(text string, character int) (at int) {
	for ; character > 0 && at < len(text); character-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// put returns a text for a field, and notes that it was cut.
func (i *item) put(name, text string, limit int) string {
	part, next := cutText(text, 0, limit)
	if next > 0 {
		i.Cut = append(i.Cut, name)
	}
	return part
}

func markdown(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Markdown
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// entity converts a thing, whose texts have at most limit characters.
func (s *Server) entity(e domain.Entity, limit int) item {
	switch {
	case e.Block != nil:
		return s.block(e.Block, limit)
	case e.Channel != nil:
		return s.channel(e.Channel, limit)
	case e.User != nil:
		return s.user(e.User, limit)
	case e.Group != nil:
		return s.group(e.Group, limit)
	case e.Comment != nil:
		return s.comment(e.Comment, limit)
	}
	return item{}
}

func (s *Server) block(b *domain.Block, limit int) item {
	at := s.o.Addresses.Block(b)
	i := item{Type: string(b.Type), ID: int64(b.ID), Title: deref(b.Title), URL: at.URL(), Source: at.Source().URL,
		By: b.Author.Slug, Visibility: string(at.Visibility()), Comments: b.Comments, CreatedAt: &b.CreatedAt, UpdatedAt: &b.UpdatedAt}
	i.Description = i.put("description", markdown(b.Description), limit)
	i.AltText = i.put("alt_text", deref(b.AltText), limit)
	if b.Content.Shown() {
		i.Text = i.put("text", b.Content.Markdown, limit)
	}
	if at.HasImage() {
		i.Image = at.Image().Large().Src
	}
	if b.Type == domain.AttachmentBlock && b.File != nil {
		i.File = at.Attachment().URL()
	}
	return i
}

func (s *Server) channel(c *domain.Channel, limit int) item {
	i := item{Type: "Channel", ID: int64(c.ID), Slug: c.Slug, Title: c.Title, URL: s.o.Addresses.Channel(c).URL(), By: c.Owner.Slug,
		Visibility: string(c.Visibility), Items: c.Contents(), CreatedAt: &c.CreatedAt, UpdatedAt: &c.UpdatedAt}
	i.Description = i.put("description", markdown(c.Description), limit)
	return i
}

func (s *Server) user(u *domain.User, limit int) item {
	i := item{Type: "User", ID: int64(u.ID), Slug: u.Slug, Title: u.Name, URL: s.o.Addresses.User(u).URL(), CreatedAt: &u.CreatedAt}
	i.Description = i.put("description", markdown(u.Bio), limit)
	return i
}

func (s *Server) group(g *domain.Group, limit int) item {
	i := item{Type: "Group", ID: int64(g.ID), Slug: g.Slug, Title: g.Name, URL: s.o.Addresses.Group(g).URL(), By: g.Owner.Slug, CreatedAt: &g.CreatedAt}
	i.Description = i.put("description", markdown(g.Description), limit)
	return i
}

func (s *Server) comment(c *domain.Comment, limit int) item {
	i := item{Type: "Comment", ID: int64(c.ID), By: c.Author.Slug, CreatedAt: &c.CreatedAt}
	i.Text = i.put("text", c.Body.Markdown, limit)
	return i
}

func (s *Server) content(c collections.Content, limit int) item {
	i := s.entity(c.Entity, limit)
	i.Connection, i.Position, i.ConnectedBy = int64(c.Connection.ID), c.Connection.Position, c.Connection.Maker.Slug
	return i
}

// paging is the part of the input of a tool that requests a page of a list.
type paging struct {
	Cursor string   `json:"cursor,omitempty" jsonschema:"next_cursor of the previous result, with the same other arguments"`
	Limit  int      `json:"limit,omitempty" jsonschema:"items per result, from 1 to 50; the default is 20"`
	Fields []string `json:"fields,omitempty" jsonschema:"names of the fields to return besides type and id; the default is all of them"`
}

// page returns the requested page. A cursor names the page and its size.
func (p paging) page() (at domain.Page, err error) {
	if err := checkFields(p.Fields); err != nil {
		return at, err
	}
	if p.Limit < 0 || p.Limit > maxSize {
		return at, domain.InvalidField("limit", domain.FieldOutOfRange, fmt.Sprintf("must be from 1 to %d", maxSize))
	}
	at = domain.Page{Number: 1, Per: defaultSize}
	if p.Limit > 0 {
		at.Per = int64(p.Limit)
	}
	if p.Cursor == "" {
		return at, nil
	}
	if text, err := base64.RawURLEncoding.DecodeString(p.Cursor); err == nil {
		number, per, _ := strings.Cut(string(text), "/")
		n, bad := strconv.ParseInt(number, 10, 32)
		m, worse := strconv.ParseInt(per, 10, 32)
		if bad == nil && worse == nil && n > 1 && m >= 1 && m <= maxSize {
			return domain.Page{Number: n, Per: m}, nil
		}
	}
	return at, domain.InvalidField("cursor", domain.FieldMalformed, "must be the next_cursor of a result")
}

// list is a page of items.
type list struct {
	Items      []item `json:"items"`
	Total      int64  `json:"total"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// listOf converts a page of a list.
func listOf[T any](p paging, at domain.Page, l domain.List[T], convert func(T) item) list {
	out := list{Items: []item{}, Total: l.Total}
	for _, t := range l.Items {
		out.Items = append(out.Items, convert(t).only(p.Fields))
	}
	if at.Offset()+at.Per < l.Total && len(l.Items) > 0 {
		out.NextCursor = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d/%d", at.Number+1, at.Per))
	}
	return out
}

// said describes a list in a sentence.
func (l list) said(what string) string {
	text := fmt.Sprintf("%d of %d %s.", len(l.Items), l.Total, what)
	if l.NextCursor != "" {
		text += " For more, call again with cursor " + l.NextCursor + "."
	}
	if slices.ContainsFunc(l.Items, func(i item) bool { return len(i.Cut) > 0 }) {
		text += " Some texts are cut: read_block returns whole ones."
	}
	return text
}
