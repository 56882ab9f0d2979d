package source

import (
	"bytes"
	"encoding/json"

	"vitrine/internal/domain"
)

// maxForeignKeys is how many keys of metadata are kept. It is more than can be imported, so that the
// report can name the keys that were not imported.
const maxForeignKeys = 10 * domain.MaxMetadataKeys

// Metadata is metadata from another server. Decoding it takes little memory, even if it has many keys or
// large values. Numbers keep their digits.
type Metadata map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return json.Unmarshal(text, (*map[string]any)(m)) // null, or an error that names the type
	}
	*m = Metadata{}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for len(*m) < maxForeignKeys && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if (*m)[key.(string)], err = scalar(raw); err != nil {
			return err
		}
	}
	return nil
}

// scalar decodes a scalar value. Lists and objects become empty ones, since they are not imported.
func scalar(raw json.RawMessage) (any, error) {
	switch raw[0] {
	case '[':
		return []any{}, nil
	case '{':
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}
