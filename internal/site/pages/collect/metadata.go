package collect

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// row is a key and its value in a form.
type row struct {
	N          int // number of the row, from 1
	Key, Value string
	Was        string // the key when the form was rendered, "" for a new row
}

// blankRows is how many empty rows a form has.
const blankRows = 2

// rows returns the rows of a metadata form: the posted ones, or else the stored ones. tagged leaves out tags, which have
// a field of their own.
func rows(f *web.Form, m domain.Metadata, tagged bool) (all []row) {
	if f.Posted() && f.Values("meta_key") != nil {
		for _, r := range posted(f) {
			all = append(all, row{Key: f.Fitting("meta_key", r.Key), Value: f.Fitting("meta_value", r.Value), Was: f.Fitting("meta_was", r.Was)})
		}
	} else {
		values := m.Values()
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if key == domain.TagsKey && tagged {
				continue
			}
			all = append(all, row{Key: key, Value: values[key], Was: key})
		}
		for range blankRows {
			all = append(all, row{})
		}
	}
	for i := range all {
		all[i].N = i + 1
	}
	return all
}

// posted returns the rows of a posted form, including values that are too long to show again.
func posted(f *web.Form) (all []row) {
	keys, values, was := f.Values("meta_key"), f.Values("meta_value"), f.Values("meta_was")
	for i := range min(len(keys), len(values), len(was), domain.MaxMetadataKeys+blankRows) {
		all = append(all, row{Key: keys[i], Value: values[i], Was: was[i]})
	}
	return all
}

// metadataPatch returns the form's changes of metadata as a JSON merge patch; nil for no change.
// Values are texts, but unchanged numbers stay numbers. A row with an emptied key is removed. Keys
// that others added in the meantime stay.
func metadataPatch(f *web.Form, m domain.Metadata) ([]byte, error) {
	is, patch := m.Values(), map[string]any{}
	var faults domain.Faults
	kept := map[string]bool{}
	rows := posted(f)
	for _, r := range rows {
		key := strings.TrimSpace(r.Key)
		switch {
		case key == "" && strings.TrimSpace(r.Value) != "" && r.Was == "":
			faults.Add("metadata", domain.FieldRequired, "has a value without a name: "+r.Value)
		case key == "":
		case kept[key]:
			faults.Add("metadata", domain.FieldRepeated, "has the name "+key+" twice")
		default:
			kept[key] = true
			if value, there := is[key]; !there || value != r.Value {
				patch[key] = r.Value
			}
		}
	}
	for _, r := range rows {
		if r.Was != "" && !kept[r.Was] {
			patch[r.Was] = nil
		}
	}
	var wrong error
	if typed := given(f, "tags"); typed != nil {
		var tags string
		tags, wrong = collections.JoinTags(*typed)
		was, _ := collections.JoinTags(f.Get(seenPrefix + "tags"))
		switch {
		case wrong != nil:
		case tags == was: // so tags that others changed in the meantime stay
		case tags == "":
			patch[domain.TagsKey] = nil
		default:
			patch[domain.TagsKey] = tags
		}
	}
	if err := domain.JoinFaults(faults.Err(), wrong); err != nil || len(patch) == 0 {
		return nil, err
	}
	change, err := json.Marshal(patch)
	if err == nil {
		_, err = domain.MergeMetadata(m, change, true) // reported together with the errors of other fields
	}
	return change, err
}

// underMetadata reports errors of single keys at the field metadata, in the reader's language.
func underMetadata(v *web.Visit, err error) error {
	invalid, ok := errors.AsType[*domain.Error](err)
	if !ok || invalid.Kind != domain.Invalid {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i, f := range fields {
		key, ok := strings.CutPrefix(f.Path, "metadata.")
		if !ok {
			continue
		}
		if key == domain.TagsKey && given(v.Form(), "tags") != nil {
			fields[i].Path = key
			continue
		}
		fields[i].Path, fields[i].Text = "metadata", v.Lang.Fault(f.Text)
		if key = strings.Trim(key, `"`); utf8.RuneCountInString(key) <= domain.MaxMetadataKeyLength {
			fields[i].Text = "“" + key + "”: " + fields[i].Text
		}
	}
	return domain.NewInvalid(fields...)
}
