package syncing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"vitrine/client"
	"vitrine/internal/frontmatter"
)

// maxFrontMatter is the longest front matter that is read, in bytes.
const maxFrontMatter = 64 << 10

// The keys of front matter that are not metadata.
const (
	keyBlock       = "vitrine"         // id of the block
	keyChannel     = "vitrine_channel" // id of the channel, of indexes and links to channels
	keyTitle       = "title"
	keyDescription = "description" // of a text; other blocks have theirs in the body
	keyURL         = "url"         // of a link
	keySource      = "source"      // of an image from the web
	keyCreated     = "created"
	keyTags        = "tags"
)

var reserved = []string{keyBlock, keyChannel, keyTitle, keyDescription, keyURL, keySource, keyCreated}

// kind is the kind of a block, as notes distinguish them.
type kind string

const (
	kindText kind = "Text"
	kindLink kind = "Link"
	kindFile kind = "File" // an image or attachment
)

// doc is what a note and a block have in common.
type doc struct {
	Kind        kind
	Title       string
	Body        string            // the text, or the description of a link or file
	Description string            // of a text
	URL         string            // of a link
	Source      string            // of a file
	Metadata    map[string]string // values as JSON
	Created     time.Time         `json:"-"`
}

// hash identifies what the doc says.
func (d doc) hash() string {
	d.Source = ""              // cannot be edited
	text, _ := json.Marshal(d) // strings always encode
	return hashOf(text)
}

// normal returns a text as it is compared: without differences of line ends and white space at the ends.
func normal(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// docOf converts a block.
func docOf(b *client.Block) doc {
	d := doc{Kind: kindText, Created: b.CreatedAt, Metadata: map[string]string{}}
	if b.Title != nil {
		d.Title = normal(*b.Title)
	}
	about := ""
	if b.Description != nil {
		about = normal(b.Description.Markdown)
	}
	switch {
	case b.Image != nil && b.Type == "Image", b.Attachment != nil && b.Type == "Attachment":
		d.Kind, d.Body = kindFile, about
		if b.Source != nil {
			d.Source = b.Source.URL
		}
	case b.Type == "Text":
		d.Description = about
		if b.Content != nil {
			d.Body = normal(b.Content.Markdown)
		}
	default:
		d.Kind, d.Body = kindLink, about
		if b.Source != nil {
			d.URL = b.Source.URL
		}
	}
	for k, v := range b.Metadata {
		if text, err := json.Marshal(v); err == nil && !slices.Contains(reserved, k) {
			d.Metadata[k] = value(string(text))
		}
	}
	if text, _ := unquote(d.Metadata[keyTags]); text != "" {
		d.Metadata[keyTags] = quote(strings.Join(tagsOf(text), ", "))
	}
	return d
}

// note is a parsed Markdown file.
type note struct {
	id      int64 // of a block
	channel int64
	title   *string
	doc
	other []string // lines of front matter that only the file has
}

var (
	errEncoding    = errors.New("is not a text in UTF-8")
	errFrontMatter = errors.New("the front matter is not valid YAML with one level")
)

// parse reads a Markdown file.
func parse(text []byte) (note, error) {
	n := note{doc: doc{Kind: kindText, Metadata: map[string]string{}}}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return n, errEncoding
	}
	matter, body, ok := frontmatter.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), maxFrontMatter)
	if ok {
		if err := n.fields(matter); err != nil {
			return n, err
		}
	}
	n.Body = strings.TrimSpace(body)
	if n.URL != "" {
		n.Kind = kindLink
	}
	return n, nil
}

// embed returns the file that the first line of the text shows, and the rest of the text.
func (n note) embed() (file, rest string) {
	first, rest, _ := strings.Cut(n.Body, "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), "![[")
	if name, ends := strings.CutSuffix(name, "]]"); ok && ends {
		name, _, _ = strings.Cut(name, "|")
		return name, strings.TrimSpace(rest)
	}
	return "", n.Body
}

// as returns what the note says about a block of a kind.
func (n note) as(k kind, title string) doc {
	d := n.doc
	d.Kind, d.Title = k, title
	if k == kindText {
		d.URL = ""
		return d
	}
	if k == kindFile {
		_, d.Body = n.embed()
		d.URL = ""
	}
	d.Body, d.Description = strings.TrimSpace(d.Description+"\n\n"+d.Body), ""
	return d
}

// fields reads front matter.
func (n *note) fields(matter string) error {
	pairs, err := frontmatter.Pairs(matter)
	if err != nil {
		return errFrontMatter
	}
	for _, pair := range pairs {
		if err := n.field(pair); err != nil {
			return err
		}
	}
	return nil
}

func (n *note) field(pair *ast.MappingValueNode) (err error) {
	name, value := pair.Key.GetToken().Value, scalar(pair.Value)
	text, plain := unquote(value)
	switch name {
	case keyBlock, keyChannel:
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return fmt.Errorf("%s: must be an id", name)
		}
		if n.id = id; name == keyChannel {
			n.id, n.channel = 0, id
		}
	case keyTitle:
		if plain {
			text = normal(text)
			n.title = &text
		}
	case keyDescription:
		n.Description = normal(text)
	case keyURL:
		n.URL = strings.TrimSpace(text)
	case keySource, keyCreated:
	case keyTags:
		tags := listOf(pair.Value)
		if len(tags) > 0 {
			n.Metadata[keyTags] = quote(strings.Join(tags, ", "))
		}
	default:
		if value == "" {
			n.other = append(n.other, strings.TrimRight(pair.String(), "\n")+"\n")
		} else {
			n.Metadata[name] = value
		}
	}
	return nil
}

// scalar returns a value as JSON, or "" if it is no text, number or boolean.
func scalar(node ast.Node) string {
	switch node := node.(type) {
	case *ast.StringNode:
		return quote(node.Value)
	case *ast.LiteralNode:
		return quote(strings.TrimSpace(node.Value.Value))
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text := node.GetToken().Value
		if json.Valid([]byte(text)) {
			var v any
			_ = json.Unmarshal([]byte(text), &v) // is valid
			same, _ := json.Marshal(v)
			return string(same)
		}
		return quote(text)
	}
	return ""
}

func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // strings always encode
	return strings.TrimSpace(b.String())
}

// unquote returns the text of a JSON value, and whether there is one.
func unquote(value string) (text string, ok bool) {
	if json.Unmarshal([]byte(value), &text) == nil {
		return text, true
	}
	return value, value != ""
}

// listOf returns the texts of a list, or of one text separated by commas.
func listOf(node ast.Node) (all []string) {
	if list, ok := node.(*ast.SequenceNode); ok {
		for _, v := range list.Values {
			text, _ := unquote(scalar(v))
			all = append(all, text)
		}
	} else {
		text, _ := unquote(scalar(node))
		all = []string{text}
	}
	return tagsOf(strings.Join(all, ","))
}

// tagsOf returns the tags of a text, which separates them by commas.
func tagsOf(text string) []string {
	all := strings.Split(text, ",")
	for i := range all {
		all[i] = strings.TrimPrefix(strings.TrimSpace(all[i]), "#")
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// render returns the Markdown file of a block. other are lines of front matter that the file keeps.
func render(id int64, d doc, file string, other []string) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	fmt.Fprintf(&b, "%s: %d\n", keyBlock, id)
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + quote(value) + "\n")
		}
	}
	line(keyTitle, d.Title)
	line(keyURL, d.URL)
	line(keySource, d.Source)
	line(keyDescription, d.Description)
	if text, _ := unquote(d.Metadata[keyTags]); text != "" {
		b.WriteString("tags:\n")
		for _, tag := range tagsOf(text) {
			b.WriteString("  - " + quote(tag) + "\n")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Metadata)) {
		if name != keyTags {
			b.WriteString(quote(name) + ": " + value(d.Metadata[name]) + "\n")
		}
	}
	line(keyCreated, d.Created.UTC().Format(time.RFC3339))
	for _, l := range other {
		b.WriteString(l)
	}
	b.WriteString("---\n")
	if file != "" {
		b.WriteString("![[" + path.Base(file) + "]]\n")
	}
	if d.Body != "" {
		b.WriteString("\n" + d.Body + "\n")
	}
	return []byte(b.String())
}

// value returns a JSON value as YAML.
func value(text string) string {
	if s, ok := unquote(text); ok && strings.HasPrefix(text, `"`) {
		return quote(s)
	}
	return text
}
