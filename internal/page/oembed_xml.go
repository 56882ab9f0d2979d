package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// readXML returns the texts of the elements in <oembed>.
func readXML(body []byte, charsets func(string, io.Reader) (io.Reader, error)) (map[string]string, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charsets
	collected := map[string][]byte{}
	depth, name := 0, "" // name of the open element in the root
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return asStrings(collected), nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			switch local := strings.ToLower(t.Name.Local); {
			case depth == 1 && local != "oembed":
				return nil, errors.New("the root is not oembed")
			case depth == 2:
				name = local
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 2 && slices.Contains(oEmbedFields, name) {
				collected[name] = append(collected[name], t...)
			}
		}
	}
}

func asStrings(collected map[string][]byte) map[string]string {
	values := make(map[string]string, len(collected))
	for name, text := range collected {
		values[name] = string(text)
	}
	return values
}
