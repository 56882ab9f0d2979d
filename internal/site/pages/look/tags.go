package look

import (
	"net/url"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// tag is a tag with the address of everything that has it.
type tag struct{ Name, Path string }

// tagsOf returns the tags in metadata.
func tagsOf(m domain.Metadata) (all []tag) {
	for _, name := range collections.TagsOf(m) {
		all = append(all, tag{name, "/search?q=" + url.QueryEscape(collections.TagQuery(name))})
	}
	return all
}

// tagChoices is how many tags are suggested.
const tagChoices = 8

// suggestTags answers the script of a field for tags.
func suggestTags(v *web.Visit) error {
	tags, err := v.App().Finder.Tags(v.R.Context(), v.Actor(), v.Query("q"), tagChoices)
	if err != nil {
		return err
	}
	var options []web.Option
	for _, tag := range tags {
		options = append(options, web.Option{Value: tag, Label: tag})
	}
	return v.Options(options)
}
