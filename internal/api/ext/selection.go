package ext

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-faster/jx"

	"vitrine/internal/app/collections"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// Limits of a selection.
const (
	maxFields   = 50
	maxExpanded = 10 // things of each kind that are added to an item
)

// tree is a set of fields, each with a set of the fields below it. nil selects all of them.
type tree map[string]tree

// selection is what a request wants of the items of a list.
type selection struct {
	fields tree // nil for all
	expand []string
}

// forms are the schemas of /v3 that the items of a list follow, with their possible expansions.
type forms struct {
	schemas []string
	expand  []string
}

var (
	blocksAndChannels = forms{[]string{"Block", "Channel"}, []string{"channels", "contents", "owner", "user"}}
	comments          = forms{[]string{"Comment"}, []string{"user"}}
	users             = forms{[]string{"User"}, nil}
	groups            = forms{[]string{"Group"}, nil}
	members           = forms{[]string{"User", "GroupMember"}, nil}
	followed          = forms{[]string{"Channel", "User", "Group"}, blocksAndChannels.expand}
	connections       = forms{[]string{"Connection"}, nil}
	everything        = forms{[]string{"Block", "Channel", "User", "Group"}, blocksAndChannels.expand}
)

// selected returns the selection of a request. Unknown names are Unprocessable.
func (h *handler) selected(fields, expand ext.OptString, of forms) (s selection, err error) {
	if expand.Set && expand.Value != "" {
		for _, name := range strings.Split(expand.Value, ",") {
			if !slices.Contains(of.expand, name) {
				return s, domain.NewUnprocessable("expand: " + quoted(name) + " cannot be expanded here" + choices(of.expand))
			}
			s.expand = append(s.expand, name)
		}
		slices.Sort(s.expand)
		s.expand = slices.Compact(s.expand)
	}
	if !fields.Set || fields.Value == "" {
		return s, nil
	}
	names := strings.Split(fields.Value, ",")
	if len(names) > maxFields {
		return s, domain.NewUnprocessable("fields: has more than 50 names")
	}
	known := h.known(of, s.expand)
	s.fields = tree{}
	for _, name := range names {
		if !s.fields.add(strings.Split(name, "."), known) {
			return s, domain.NewUnprocessable("fields: there is no field " + quoted(name))
		}
	}
	return s, nil
}

// quoted returns a name as JSON, shortened.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > 60 {
		name = string(runes[:60]) + "…"
	}
	text, _ := json.Marshal(name) // never fails for strings
	return string(text)
}

func choices(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": use " + strings.Join(names, ", ")
}

// add adds a path if it is known. A nil tree knows every path below.
func (t tree) add(path []string, known tree) bool {
	below, ok := known[path[0]]
	if known != nil && !ok || path[0] == "" {
		return false
	}
	has, before := t[path[0]]
	if len(path) == 1 {
		t[path[0]] = nil
		return true
	}
	if below != nil && len(below) == 0 {
		return false // a plain value
	}
	if before && has == nil {
		return tree{}.add(path[1:], below) // selected as a whole already
	}
	if has == nil {
		has = tree{}
	}
	if !has.add(path[1:], below) {
		return false
	}
	t[path[0]] = has
	return true
}

// known returns the fields of forms, including expansions.
func (h *handler) known(of forms, expand []string) tree {
	all := h.fields()
	merged := tree{"web_url": tree{}}
	for _, schema := range of.schemas {
		merge(merged, all[schema])
	}
	for _, name := range expand {
		below := tree{"web_url": tree{}}
		switch name {
		case "user":
			merge(below, all["User"])
		case "owner":
			merge(below, all["User"])
			merge(below, all["Group"])
		case "channels":
			merge(below, all["Channel"])
		case "contents":
			merge(below, all["Channel"])
			merge(below, all["Block"])
		}
		merged[name] = below
	}
	return merged
}

func merge(to, from tree) {
	for name, below := range from {
		if was, ok := to[name]; ok && len(was) > 0 && len(below) > 0 {
			below = maps.Clone(below)
			merge(below, was)
		} else if ok && len(was) > 0 {
			continue
		}
		to[name] = below
	}
}

// shown adds what is expanded to an item, and drops the fields that are not selected.
func (s selection) shown(item wire.JSON, more map[string]wire.JSON) (wire.JSON, error) {
	if s.fields == nil && len(more) == 0 {
		return item, nil
	}
	var e jx.Encoder
	err := s.fields.copy(jx.DecodeBytes(item), &e, more)
	return e.Bytes(), err
}

// copy copies the selected fields of a value. more replaces fields of an object, or adds them.
func (t tree) copy(d *jx.Decoder, e *jx.Encoder, more map[string]wire.JSON) error {
	switch {
	case t == nil && len(more) == 0:
		raw, err := d.Raw()
		e.Raw(raw)
		return err
	case d.Next() == jx.Array:
		e.ArrStart()
		err := d.Arr(func(d *jx.Decoder) error { return t.copy(d, e, nil) })
		e.ArrEnd()
		return err
	case d.Next() != jx.Object:
		raw, err := d.Raw()
		e.Raw(raw)
		return err
	}
	e.ObjStart()
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		name := string(key)
		below, ok := t[name]
		if _, replaced := more[name]; replaced || t != nil && !ok {
			return d.Skip()
		}
		e.FieldStart(name)
		return below.copy(d, e, nil)
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if below, ok := t[name]; err == nil && (ok || t == nil) {
			e.FieldStart(name)
			err = below.copy(jx.DecodeBytes(more[name]), e, nil)
		}
	}
	e.ObjEnd()
	return err
}

// expanded reads what is added to items. The number of statements does not depend on the number of items.
func (h *handler) expanded(ctx context.Context, s selection, all []domain.Entity) (of func(domain.Entity) map[string]wire.JSON, err error) {
	if len(s.expand) == 0 || len(all) == 0 {
		return func(domain.Entity) map[string]wire.JSON { return nil }, nil
	}
	who := httpedge.Actor(ctx)
	found, err := h.app.Finder.Expand(ctx, who, all, s.expand, maxExpanded)
	if err != nil {
		return nil, err
	}
	return func(t domain.Entity) map[string]wire.JSON {
		more := map[string]wire.JSON{}
		if user, ok := found.User(t); ok {
			more["user"] = h.found(who, user)
		}
		if owner, ok := found.Owner(t); ok {
			more["owner"] = h.found(who, owner)
		}
		if channels, ok := found.Channels(t); ok {
			more["channels"] = list(channels, func(c domain.Entity) wire.JSON { return h.found(who, c) })
		}
		if contents, ok := found.Contents(t); ok {
			more["contents"] = list(contents, func(c collections.Content) wire.JSON { return withPage(h.item(c), h.pageOf(c)) })
		}
		return more
	}, nil
}

func (h *handler) found(who domain.Actor, t domain.Entity) wire.JSON {
	return withPage(h.entity(who, t), h.at.Entity(t).URL())
}

func list[T any](all []T, encode func(T) wire.JSON) wire.JSON {
	var e jx.Encoder
	e.ArrStart()
	for _, item := range all {
		e.Raw(encode(item))
	}
	e.ArrEnd()
	return e.Bytes()
}

// fieldsOf returns the fields of the schemas of a description, by name.
func fieldsOf(d *describe.Description) func() map[string]tree {
	return sync.OnceValue(func() map[string]tree {
		var doc struct {
			Components struct {
				Schemas map[string]any `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(d.JSON(), &doc); err != nil {
			panic(err) // the description was checked
		}
		all := map[string]tree{}
		for _, form := range slices.Concat(everything.schemas, comments.schemas, connections.schemas, members.schemas) {
			all[form] = fieldTree(doc.Components.Schemas, doc.Components.Schemas[form], 0)
		}
		return all
	})
}

// maxFieldDepth is how many names a field has at most.
const maxFieldDepth = 4

// fieldTree returns the fields of a schema. An empty tree is a plain value, and nil an object with any fields.
func fieldTree(schemas map[string]any, node any, depth int) tree {
	t := tree{}
	schema, _ := node.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		return fieldTree(schemas, schemas[ref[strings.LastIndexByte(ref, '/')+1:]], depth)
	}
	if depth == maxFieldDepth {
		return t
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		parts, _ := schema[key].([]any)
		for _, p := range parts {
			below := fieldTree(schemas, p, depth)
			if below == nil {
				return nil
			}
			merge(t, below)
		}
	}
	if items, ok := schema["items"]; ok {
		merge(t, fieldTree(schemas, items, depth))
	}
	props, _ := schema["properties"].(map[string]any)
	if _, open := schema["additionalProperties"]; open && props == nil {
		return nil
	}
	for name, p := range props {
		merge(t, tree{name: fieldTree(schemas, p, depth+1)})
	}
	return t
}
