package describe

// CheckBody returns every violation in a request body of the operation, sorted by field; nothing
// if the body is valid. It reads JSON: call it if Accepts has accepted the content type.
// Operations whose body is not described as application/json have nothing to check.
//
// In addition to the schema, it rejects what a decoder or the database could not handle: text that
// is not JSON or not UTF-8, NUL in any string, repeated keys, nesting deeper than 64, and integers
// that are not written as integers of 64 bits. Unknown fields are ignored, and neither they nor
// items beyond a limit use memory.
func (o *Operation) CheckBody(body []byte) []Violation {
	if o.body == nil {
		return nil
	}
	if len(body) == 0 {
		if o.BodyRequired {
			return []Violation{{"body", "is required"}}
		}
		return nil
	}
	value, found, more, ok := decode(body, o.shape())
	if !ok {
		return found
	}
	x := explainer{value: value, root: "body", schemas: o.schemas}
	return tidy(append(found, x.check(o.body)...), more)
}
