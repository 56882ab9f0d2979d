package strip

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"vitrine/internal/media/source"
)

const (
	maxFile       = 5 << 20 // bytes
	maxOut        = 10 << 20
	maxDepth      = 200    // elements within elements
	maxAttributes = 10_000 // of an element
	maxEntities   = 100
	svgSpace      = "http://www.w3.org/2000/svg"
	xlinkSpace    = "http://www.w3.org/1999/xlink"
)

// Drawing is a vector image that is safe to serve.
type Drawing struct {
	Bytes         []byte
	Width, Height int // in pixels; 300 × 150 if the file does not specify it
}

// SanitizeSVG rewrites an SVG file with an allow-list of elements and attributes that draw. It
// removes scripts, event handlers, animations, links, foreign content, document types, entities,
// and all references except those to parts of the file and to small images within it. It omits
// other elements with their content, but keeps the content of links. It returns a *source.Error if
// the file is not SVG, exceeds 5 MiB or is nested too deeply.
func SanitizeSVG(r io.Reader) (Drawing, error) {
	file, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Drawing{}, fmt.Errorf("read an SVG file: %w", err)
	}
	if len(file) > maxFile {
		return Drawing{}, source.Refused("The drawing is larger than %d MiB", maxFile>>20)
	}
	drawing.Lock()
	defer drawing.Unlock()
	if file, err = utf8Text(file); err != nil {
		return Drawing{}, broken(err)
	}
	if maxEqualSigns(file) > maxAttributes {
		return Drawing{}, source.Refused("An element of the drawing has more than %d attributes", maxAttributes)
	}
	s := &writer{decoder: xml.NewDecoder(bytes.NewReader(file)), references: bytes.Count(file, []byte("&"))}
	s.decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // utf8Text already did this
	if err := s.document(); err != nil {
		return Drawing{}, broken(err)
	}
	s.drawing.Bytes = s.out.Bytes()
	return s.drawing, nil
}

// broken returns err as a *source.Error.
func broken(err error) error {
	if _, ok := errors.AsType[*source.Error](err); ok {
		return err
	}
	return source.Broken("drawing", err)
}

// drawing is locked while a drawing is read, which takes ten times the memory of the file for less
// than a second.
var drawing sync.Mutex

// maxEqualSigns returns the maximum number of equal signs between two opening angle brackets. This
// is an upper bound on the attributes of an element, because attribute values cannot contain such a
// bracket.
func maxEqualSigns(file []byte) int {
	limit := 0
	for part := range bytes.SplitSeq(file, []byte("<")) {
		limit = max(limit, bytes.Count(part, []byte("=")))
	}
	return limit
}

// writer copies the allowed parts from decoder to out.
type writer struct {
	decoder *xml.Decoder
	out     bytes.Buffer
	drawing Drawing
	open    []string // names of the enclosing elements, "" for those that are not written

	references int // upper bound of the entity references in the file
}

// document reads the root element. The decoder itself rejects text that is not well-formed, and
// entities that neither XML nor the document type defines.
func (s *writer) document() error {
	for {
		token, err := s.decoder.Token()
		if errors.Is(err, io.EOF) {
			if len(s.open) > 0 || s.out.Len() == 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.token(token); err != nil {
			return err
		}
		if s.out.Len() > maxOut {
			return source.Refused("The drawing is larger than %d MiB", maxFile>>20)
		}
	}
}

func (s *writer) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.EndElement:
		last := len(s.open) - 1
		if name := s.open[last]; name != "" {
			s.out.WriteString("</" + name + ">")
		}
		s.open = s.open[:last]
	case xml.CharData:
		if len(s.open) > 0 {
			return xml.EscapeText(&s.out, t)
		}
	case xml.Directive:
		return s.entities(t)
	}
	return nil // comments and instructions
}

// entity matches the declaration of a general entity with plain text: XML, section
// 4.2.1. Illustrator declares its namespaces this way.
var entity = regexp.MustCompile(`<!ENTITY\s+([A-Za-z_][\w.-]*)\s+(?:"([^"&%<]*)"|'([^'&%<]*)')\s*>`)

// entities reads the entities that a document type declares. They are expanded
// only once: texts with a reference or a tag are ignored. All references together
// must not expand to more than maxOut.
func (s *writer) entities(doctype []byte) error {
	if !bytes.HasPrefix(doctype, []byte("DOCTYPE")) || len(s.open) > 0 {
		return nil
	}
	s.decoder.Entity = map[string]string{}
	longest := 1
	for _, found := range entity.FindAllSubmatch(doctype, maxEntities) {
		text := string(found[2]) + string(found[3])
		s.decoder.Entity[string(found[1])] = text
		longest = max(longest, len(text))
	}
	if s.references > maxOut/longest {
		return source.Refused("The entities of the drawing expand to more than %d MiB", maxOut>>20)
	}
	return nil
}

// declared matches the encoding in an XML declaration: XML, section 4.3.3.
var declared = regexp.MustCompile(`^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']`)

// utf8Text converts a file to UTF-8, based on its byte order mark or its XML
// declaration: XML, appendix F.
func utf8Text(file []byte) ([]byte, error) {
	var from encoding.Encoding
	switch found := declared.FindSubmatch(file[:min(len(file), 200)]); {
	case bytes.HasPrefix(file, []byte{0xFE, 0xFF}), bytes.HasPrefix(file, []byte{0xFF, 0xFE}):
		from = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case found != nil:
		if from, _ = charset.Lookup(string(found[1])); from == nil {
			return nil, fmt.Errorf("encoding %q", found[1])
		}
	default:
		from = unicode.UTF8BOM
	}
	text, err := io.ReadAll(io.LimitReader(from.NewDecoder().Reader(bytes.NewReader(file)), 2*maxFile+1))
	if err == nil && len(text) > 2*maxFile {
		err = source.Refused("The drawing is larger than %d MiB", maxFile>>20)
	}
	return text, err
}

func (s *writer) start(e xml.StartElement) error {
	if len(s.open) == 0 {
		return s.root(e)
	}
	if len(s.open) >= maxDepth {
		return source.Refused("The drawing is nested too deeply")
	}
	name := e.Name.Local
	switch {
	case e.Name.Space != svgSpace:
		return s.skip()
	case name == "a":
		s.open = append(s.open, "")
		return nil
	case name == "style":
		return s.style()
	case !elements[name]:
		return s.skip()
	}
	return s.element(e, "")
}

func (s *writer) root(e xml.StartElement) error {
	if s.out.Len() > 0 || e.Name.Local != "svg" || e.Name.Space != svgSpace {
		return errors.New("not one element svg at the root")
	}
	s.drawing.Width, s.drawing.Height = sizeOf(e.Attr)
	if max(s.drawing.Width, s.drawing.Height) > source.MaxSide {
		return source.Refused("The drawing has %d × %d pixels, and a side may have %d", s.drawing.Width, s.drawing.Height, source.MaxSide)
	}
	return s.element(e, ` xmlns="`+svgSpace+`" xmlns:xlink="`+xlinkSpace+`"`)
}

// element writes a start tag with the allowed attributes.
func (s *writer) element(e xml.StartElement, declarations string) error {
	s.open = append(s.open, e.Name.Local)
	s.out.WriteString("<" + e.Name.Local + declarations)
	written := map[string]bool{}
	for _, a := range e.Attr {
		name := a.Name.Local
		if a.Name.Space == xlinkSpace && name == "href" {
			name = "xlink:href"
		} else if a.Name.Space != "" {
			continue
		}
		if written[name] || !attributeAllowed(e.Name.Local, name, a.Value) {
			continue
		}
		written[name] = true
		s.out.WriteString(" " + name + `="`)
		if err := xml.EscapeText(&s.out, []byte(a.Value)); err != nil {
			return err
		}
		s.out.WriteByte('"')
	}
	s.out.WriteByte('>')
	return nil
}

// skip omits the rest of an element.
func (s *writer) skip() error {
	for depth := 1; depth > 0; {
		token, err := s.decoder.Token()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if len(s.open)+depth > maxDepth {
			return source.Refused("The drawing is nested too deeply")
		}
	}
	return nil
}

// style copies a style sheet that loads nothing, and omits any other.
func (s *writer) style() error {
	var css strings.Builder
	for {
		token, err := s.decoder.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := s.skip(); err != nil {
				return err
			}
		case xml.CharData:
			css.Write(t)
		case xml.EndElement:
			if !inertCSS(css.String()) {
				return nil
			}
			s.out.WriteString("<style>")
			err := xml.EscapeText(&s.out, []byte(css.String()))
			s.out.WriteString("</style>")
			return err
		}
	}
}
