package collections

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// TagsOf returns the tags in metadata.
func TagsOf(m domain.Metadata) []string { return words.Tags(m.Values()[domain.TagsKey]) }

// JoinTags returns a list of tags as metadata store it. The list may be typed by a user.
func JoinTags(typed string) (string, error) {
	tags := words.Tags(typed)
	for _, tag := range tags {
		if len([]rune(tag)) > words.MaxTag {
			return "", domain.InvalidField(domain.TagsKey, domain.FieldTooLong, "has a tag that is too long")
		}
	}
	if len(tags) >= words.MaxTags && strings.Count(typed, ",") >= words.MaxTags {
		return "", domain.InvalidField(domain.TagsKey, domain.FieldTooLong, "has too many tags")
	}
	return strings.Join(tags, ", "), nil
}

// TagQuery returns the query that finds everything with a tag.
func TagQuery(tag string) string { return operator("tag", tag) }

// How many of the latest items with a matching tag are examined for completions.
const taggedLooked = 50

// Tags lists tags that begin with a text, of the latest items that the actor sees and, first, of the actor's own. More
// frequent ones come first.
func (a *Finder) Tags(ctx context.Context, actor domain.Actor, start string, limit int) (tags []string, err error) {
	if _, err := choice(start, limit); err != nil {
		return nil, err
	}
	scopes := []domain.SearchScope{domain.SearchMine, domain.SearchAll}
	if !actor.SignedIn() {
		scopes = scopes[1:]
	}
	seen := map[string]bool{}
	for _, scope := range scopes {
		if len(tags) >= limit {
			break
		}
		in := domain.Search{Types: append(slices.Clone(domain.BlockTypes), string(domain.SubjectChannel)), Scope: scope,
			Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: domain.Page{Number: 1, Per: taggedLooked}}
		l, err := a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (domain.List[domain.Subject], error) {
			return v.Search(ctx, store.SearchQuery{Search: in, Viewer: actor.UserID, Words: words.TagQuery(start)})
		})
		if err != nil {
			return nil, err
		}
		for _, tag := range frequent(l.Items, start) {
			if key := strings.ToLower(tag); !seen[key] {
				tags, seen[key] = append(tags, tag), true
			}
		}
	}
	return tags[:min(len(tags), limit)], nil
}

// frequent returns the tags of items that begin with a text, the most frequent first.
func frequent(items []domain.Entity, start string) (tags []string) {
	counts := map[string]int{}
	for _, item := range items {
		var m domain.Metadata
		switch {
		case item.Block != nil:
			m = item.Block.Metadata
		case item.Channel != nil:
			m = item.Channel.Metadata
		}
		for _, tag := range TagsOf(m) {
			if !words.StartsTag(start, tag) {
				continue
			}
			if counts[tag]++; counts[tag] == 1 {
				tags = append(tags, tag)
			}
		}
	}
	slices.SortStableFunc(tags, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	return tags
}
