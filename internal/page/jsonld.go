package page

import (
	"encoding/json"
	"html"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxObjects limits the JSON-LD objects that are read per page.
	maxObjects = 1_000
	// maxValues is an approximate limit for the values of one JSON-LD script. Small values take a hundred
	// times the memory of their text.
	maxValues = 20_000
)

// linked is the metadata in a page's JSON-LD (schema.org).
type linked struct {
	title, description, author, site string
	images                           []string
}

// secondary are types that describe something other than the subject of the page.
var secondary = []string{"breadcrumblist", "itemlist", "listitem", "organization", "newsmediaorganization", "person",
	"website", "searchaction", "imageobject", "sitenavigationelement", "wpheader", "wpfooter", "webpageelement"}

// object is a JSON-LD object.
type object map[string]any

// readLinked reads the scripts of a page, and skips invalid JSON.
func readLinked(scripts []string) linked {
	var things []object
	for _, script := range scripts {
		things = gather(things, parseLinked(script), 0)
	}
	var found linked
	for _, t := range things {
		if t.is("website") {
			found.site = t.text("name")
			break
		}
	}
	best := slices.IndexFunc(things, func(t object) bool { return !t.isSecondary() && t.text("headline") != "" })
	if best < 0 {
		best = slices.IndexFunc(things, func(t object) bool { return !t.isSecondary() && t.text("name") != "" && !t.is("webpage") })
	}
	if best < 0 {
		best = slices.IndexFunc(things, func(t object) bool { return !t.isSecondary() })
	}
	if best < 0 {
		return found
	}
	t := things[best]
	found.title = firstLine(maxTitle, t.text("headline"), t.text("name"))
	found.description = t.text("description")
	found.author = strings.Join(names(t["author"]), ", ")
	if publisher := names(t["publisher"]); found.site == "" && len(publisher) > 0 {
		found.site = publisher[0]
	}
	found.images = slices.Concat(addresses(t["image"]), addresses(t["thumbnailUrl"]))
	return found
}

// parseLinked parses one script. It tolerates common mistakes: a surrounding comment or CDATA, a
// trailing semicolon, line breaks inside strings. It returns nil if the script is still invalid, or
// has too many values.
func parseLinked(script string) any {
	script = strings.TrimSpace(script)
	for _, wrapping := range []string{"<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA["} {
		script = strings.TrimSpace(strings.TrimPrefix(script, wrapping))
	}
	for _, wrapping := range []string{"-->", "/*]]>*/", "//]]>", "]]>", ";"} {
		script = strings.TrimSpace(strings.TrimSuffix(script, wrapping))
	}
	if values := strings.Count(script, ",") + strings.Count(script, "{") + strings.Count(script, "["); values > maxValues {
		return nil
	}
	var value any
	if json.Unmarshal([]byte(script), &value) == nil {
		return value
	}
	script = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, script)
	if json.Unmarshal([]byte(script), &value) == nil {
		return value
	}
	return nil
}

// gather adds the objects in the upper levels of a value.
func gather(things []object, value any, depth int) []object {
	if depth > 4 || len(things) >= maxObjects {
		return things
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			things = gather(things, item, depth+1)
		}
	case map[string]any:
		things = append(things, v)
		things = gather(things, v["@graph"], depth+1)
		things = gather(things, v["mainEntity"], depth+1)
	}
	return things
}

// is reports whether a thing is of a type, given in lower case.
func (t object) is(kind string) bool {
	return slices.Contains(t.kinds(), kind)
}

// isSecondary reports whether a thing cannot be the subject of a page, because it has no type or one of
// the types in aside.
func (t object) isSecondary() bool {
	kinds := t.kinds()
	return len(kinds) == 0 || slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(secondary, kind) })
}

// kinds returns the types of a thing in lower case without the vocabulary.
func (t object) kinds() []string {
	var kinds []string
	for _, kind := range texts(t["@type"]) {
		kind = strings.ToLower(kind)
		kinds = append(kinds, kind[strings.LastIndexAny(kind, "/:#")+1:])
	}
	return kinds
}

// text returns the first text of a property.
func (t object) text(property string) string {
	if all := texts(t[property]); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns a string, or the strings in an array. It decodes entities, which JSON does not need
// but pages contain.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{html.UnescapeString(v)}
	case []any:
		var all []string
		for _, item := range v[:min(len(v), maxImages)] {
			if s, ok := item.(string); ok {
				all = append(all, html.UnescapeString(s))
			}
		}
		return all
	}
	return nil
}

// names returns the names of people or organizations: strings, objects, or arrays of either.
func names(value any) []string {
	return properties(value, "name")
}

// addresses returns the addresses of images: strings, objects, or arrays of either.
func addresses(value any) []string {
	return properties(value, "url", "contentUrl")
}

// properties returns the strings in a value, and from each object in it the first wanted property
// that is a text.
func properties(value any, wanted ...string) []string {
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	var all []string
	for _, item := range items[:min(len(items), maxImages)] {
		switch v := item.(type) {
		case string:
			all = append(all, texts(v)...)
		case map[string]any:
			for _, property := range wanted {
				if s := object(v).text(property); s != "" {
					all = append(all, s)
					break
				}
			}
		}
	}
	return all
}
