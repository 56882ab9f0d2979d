package domain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Metadata is the free key-value data of a block, channel or connection: a flat JSON object in
// canonical form, without white space and with sorted keys, so that equal data has equal text. ""
// means that it was never set, which is null in the API; emptied metadata is "{}".
type Metadata string

// MergeMetadata applies a patch, a JSON object, to the current metadata. Values replace existing
// ones; null removes a key if allowNull is set, and is an error otherwise. Numbers keep their
// digits. It returns Invalid for faults in the patch, with all of them in Fields, sorted by key,
// and Unprocessable if the merged result exceeds a limit. With an error it returns current.
func MergeMetadata(current Metadata, patch []byte, allowNull bool) (Metadata, error) {
	changes, err := decodeMetadata(patch)
	if err != nil {
		return current, InvalidField("metadata", FieldMalformed, "must be an object")
	}
	merged := map[string]json.RawMessage{}
	if current != "" {
		if merged, err = decodeMetadata([]byte(current)); err != nil {
			return current, Wrap(Internal, "Stored metadata cannot be read", err)
		}
	}
	var faults Faults
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		value, code, why := metadataValue(changes[key], allowNull)
		if !validMetadataKey(key) {
			faults.Add(metadataField(key), FieldMalformed, fmt.Sprintf("a key must be 1 to %d letters, digits or _", MaxMetadataKeyLength))
		}
		if why != "" {
			faults.Add(metadataField(key), code, why)
		}
		if value == nil {
			delete(merged, key)
		} else {
			merged[key] = value
		}
	}
	if err := faults.Err(); err != nil {
		return current, err
	}
	if len(merged) > MaxMetadataKeys {
		return current, NewUnprocessable(fmt.Sprintf("Metadata may have at most %d keys", MaxMetadataKeys))
	}
	text := encodeMetadata(merged)
	if len(text) > MaxMetadataBytes {
		return current, NewUnprocessable(fmt.Sprintf("Metadata may have at most %d bytes of JSON", MaxMetadataBytes))
	}
	return Metadata(text), nil
}

// metadataValue returns the canonical text of a value, nil for an allowed null, or a fault. The raw
// text must be well-formed JSON.
func metadataValue(raw json.RawMessage, allowNull bool) (value json.RawMessage, code FieldCode, why string) {
	switch raw[0] {
	case '"':
		return metadataString(raw)
	case 't', 'f':
		return raw, "", ""
	case '{', '[':
		return nil, FieldMalformed, "must be a string, a number or a boolean"
	case 'n':
		if !allowNull {
			return nil, FieldMalformed, "must be a string, a number or a boolean, not null"
		}
		return nil, "", ""
	}
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		return nil, FieldOutOfRange, "is a number out of range"
	}
	return raw, "", ""
}

func metadataString(raw json.RawMessage) (value json.RawMessage, code FieldCode, why string) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || !utf8.Valid(raw) {
		return nil, FieldMalformed, "is not a proper string"
	}
	if strings.IndexByte(s, 0) >= 0 {
		return nil, FieldMalformed, "must not contain NUL"
	}
	if utf8.RuneCountInString(s) > MaxMetadataValueLength {
		return nil, FieldTooLong, fmt.Sprintf("must be at most %d characters", MaxMetadataValueLength)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return nil, FieldMalformed, "is not a proper string"
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), "", ""
}

// decodeMetadata parses an object. If a key occurs twice, the last value wins.
func decodeMetadata(text []byte) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("null instead of an object")
	}
	return object, nil
}

func encodeMetadata(object map[string]json.RawMessage) string {
	var b strings.Builder
	separator := "{"
	for _, key := range slices.Sorted(maps.Keys(object)) {
		b.WriteString(separator + `"` + key + `":`)
		b.Write(object[key])
		separator = ","
	}
	if len(object) == 0 {
		b.WriteString(separator)
	}
	b.WriteString("}")
	return b.String()
}

func validMetadataKey(key string) bool {
	return key != "" && len(key) <= MaxMetadataKeyLength && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// metadataField returns the field of a key for an error, truncated if it is very long.
func metadataField(key string) string {
	if validMetadataKey(key) {
		return "metadata." + key
	}
	return fmt.Sprintf("metadata.%.60q", key)
}

// Values returns the values as texts by key. It skips invalid metadata.
func (m Metadata) Values() map[string]string {
	if m == "" {
		return nil
	}
	object, err := decodeMetadata([]byte(m))
	if err != nil {
		return nil
	}
	values := make(map[string]string, len(object))
	for key, raw := range object {
		text := string(raw)
		if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
			continue
		}
		values[key] = text
	}
	return values
}

// TagsKey is the key of tags, which are separated by commas.
const TagsKey = "tags"
