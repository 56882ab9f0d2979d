package collections

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// kindTypes are the types of things that the values of the operator `type` name.
var kindTypes = map[string][]string{
	"text": {string(domain.TextBlock)}, "image": {string(domain.ImageBlock)}, "link": {string(domain.LinkBlock)},
	"attachment": {string(domain.AttachmentBlock)}, "embed": {string(domain.EmbedBlock)}, "block": domain.BlockTypes,
	"channel": {string(domain.SubjectChannel)}, "user": {string(domain.SubjectUser)}, "group": {string(domain.SubjectGroup)},
}

// applyOperators adds the operators of a query to the filters of a search. some is false if nothing can pass both: an
// operator names nothing that the actor sees, or contradicts a filter.
func applyOperators(ctx context.Context, v *store.Snapshot, actor domain.Actor, of words.Filters, in *domain.Search) (some bool, err error) {
	in.From, in.Before, in.Commented = of.From, of.Before, of.Commented
	if len(of.Kinds) > 0 {
		var types []string
		for _, kind := range of.Kinds {
			for _, t := range kindTypes[kind] {
				if !slices.Contains(types, t) && (len(in.Types) == 0 || slices.Contains(in.Types, t)) {
					types = append(types, t)
				}
			}
		}
		if in.Types = types; len(types) == 0 {
			return false, nil
		}
	}
	if len(of.Extensions) > 0 {
		in.Extensions = slices.DeleteFunc(slices.Clone(of.Extensions), func(name string) bool {
			return !slices.Contains(domain.FileExtensions, name) || len(in.Extensions) > 0 && !slices.Contains(in.Extensions, name)
		})
		if len(in.Extensions) == 0 {
			return false, nil
		}
	}
	if of.In != "" {
		id, err := channelNamed(ctx, v, actor.UserID, of.In)
		if err != nil || id == 0 {
			return false, err
		}
		switch in.Channel {
		case 0:
			in.Channel = id
		case id:
		default:
			in.AlsoIn = id
		}
	}
	if of.By != "" {
		user, group, err := principalNamed(ctx, v, actor.UserID, of.By)
		if err != nil || user == 0 && group == 0 || !narrow(&in.Author, user) || !narrow(&in.Group, group) {
			return false, err
		}
	}
	return true, nil
}

// narrow sets a filter, if there is a value, and reports whether it was not set to another one.
func narrow[T domain.UserID | domain.GroupID](filter *T, to T) bool {
	if to == 0 || *filter == to {
		return true
	}
	free := *filter == 0
	*filter = to
	return free
}

// channelNamed returns the channel with a slug or a title, or 0 if the viewer sees none.
func channelNamed(ctx context.Context, v *store.Snapshot, viewer domain.UserID, name string) (domain.ChannelID, error) {
	c, err := v.Channels().Channel(ctx, viewer, slug(name))
	if domain.KindOf(err) != domain.NotFound {
		return c.ID, err
	}
	id, err := v.Named(ctx, viewer, domain.SubjectChannel, name)
	return domain.ChannelID(id), err
}

// principalNamed returns the id of the person or group with a slug or a name, or 0 for both if nobody has it.
func principalNamed(ctx context.Context, v *store.Snapshot, viewer domain.UserID, name string) (user domain.UserID, group domain.GroupID, err error) {
	u, err := v.Users().User(ctx, slug(name))
	if domain.KindOf(err) != domain.NotFound {
		return u.ID, 0, err
	}
	g, err := v.Groups().Group(ctx, viewer, slug(name))
	if domain.KindOf(err) != domain.NotFound {
		return 0, g.ID, err
	}
	id, err := v.Named(ctx, viewer, domain.SubjectUser, name)
	if err != nil || id != 0 {
		return domain.UserID(id), 0, err
	}
	id, err = v.Named(ctx, viewer, domain.SubjectGroup, name)
	return 0, domain.GroupID(id), err
}

func slug(name string) domain.Ref { return domain.Ref{Slug: strings.ToLower(name)} }

// filterNames are the operators that forms of filters set.
var filterNames = []string{"type", "ext", "by", "in", "after", "before", "tag", "has"}

// MetadataKey returns the key of the first condition on metadata in a query, or "".
func MetadataKey(query string) string { return words.Parse(query).MetadataKey() }

// FiltersOf returns the values of the operators of a query that forms can set, by name.
func FiltersOf(query string) map[string]string {
	q, values := words.Parse(query), map[string]string{}
	for _, p := range q.Parts {
		if before := values[p.Name]; before != "" { // tags
			p.Value = before + ", " + p.Value
		}
		values[p.Name] = p.Value
	}
	values["type"], values["ext"] = strings.Join(q.Filters.Kinds, ","), strings.Join(q.Filters.Extensions, ", ")
	return values
}

// WithFilters replaces the operators of a query that forms can set. It returns the names of malformed values.
func WithFilters(query string, values map[string]string) (replaced string, malformed []string) {
	var all []string
	for _, p := range words.Parse(query).Parts {
		if !slices.Contains(filterNames, p.Name) {
			all = append(all, p.Text)
		}
	}
	for _, name := range filterNames {
		separate := []string{values[name]}
		if name == "tag" {
			separate = words.Tags(values[name])
		}
		for _, value := range separate {
			if value = strings.Join(strings.Fields(value), " "); value == "" {
				continue
			}
			if name == "type" || name == "ext" {
				value = strings.ReplaceAll(value, " ", "")
			}
			one := operator(name, value)
			if parts := words.Parse(one).Parts; len(parts) != 1 || !parts[0].Operator {
				malformed = append(malformed, name)
			}
			all = append(all, one)
		}
	}
	return strings.Join(all, " "), malformed
}

// AddOperator adds an operator to a query that does not have it.
func AddOperator(query, name, value string) string {
	if value == "" || FiltersOf(query)[name] != "" {
		return query
	}
	return strings.TrimSpace(query + " " + operator(name, value))
}

// operator writes an operator, with quotes if its value has other characters than letters and digits.
func operator(name, value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != ',' }) {
		value = `"` + strings.ReplaceAll(value, `"`, "") + `"`
	}
	return name + ":" + value
}

// Operator is an operator of a query as it was written, and the query without it.
type Operator struct{ Text, Without string }

// Operators returns the operators and quoted phrases of a query that can be searched for, up to a limit.
func Operators(query string) (all []Operator) {
	if Shortened(query) != query {
		return nil
	}
	parts := words.Parse(query).Parts
	for i, p := range parts {
		if p.Operator && len(all) < words.MaxOperators {
			all = append(all, Operator{p.Text, words.Other(parts, i)})
		}
	}
	return all
}
