package web

import (
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Twin is another block of the reader's with the same image or a link to the same page.
type Twin struct {
	present.Block
	Channels []present.Channel
}

// Twins returns the reader's other blocks with the content of a block.
func (v *Visit) Twins(b domain.Block) (all []Twin, err error) {
	found, err := v.App().Finder.Twins(v.R.Context(), v.Actor(), b)
	for i := range found {
		t := Twin{Block: v.Addresses().Block(&found[i].Block)}
		for j := range found[i].Channels {
			t.Channels = append(t.Channels, v.Addresses().Channel(&found[i].Channels[j].Channel))
		}
		all = append(all, t)
	}
	return all, err
}

// TwinTags returns what the ETag of a page with twins depends on.
func TwinTags(all []Twin) (tags []string) {
	for _, t := range all {
		tags = append(tags, strconv.FormatInt(int64(t.ID), 10), t.Heading())
		for _, c := range t.Channels {
			tags = append(tags, c.Path(), c.Title)
		}
	}
	return tags
}
