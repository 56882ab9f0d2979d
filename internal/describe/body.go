package describe

// CheckBody gives everything in a request body that the description of the
// operation forbids, sorted by field; nothing when the body is fine. It reads
// JSON: give it the body when Accepts has taken the content type. Operations
// whose body is not described as application/json have nothing to check.
//
// Beyond the schema it refuses what a decoder or the database would stumble over:
// text that is not JSON or not UTF-8, NUL in any string, a key given twice, nesting
// deeper than 64, and integers that are not written as integers of 64 bits. Unknown
// fields are ignored, and neither they nor items beyond a limit take memory.
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
