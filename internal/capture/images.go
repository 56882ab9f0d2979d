package capture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/net/html/charset"
)

// sniffed is the number of bytes that identify an image or a font.
const sniffed = 3072

// pictures are the types of images that browsers show, by the name that the detector gives them.
var pictures = map[string]string{"image/png": "image/png", "image/vnd.mozilla.apng": "image/apng", "image/gif": "image/gif", "image/jpeg": "image/jpeg",
	"image/webp": "image/webp", "image/avif": "image/avif", "image/bmp": "image/bmp", "image/x-icon": "image/x-icon"}

// fonts are the types of fonts that browsers load.
var fonts = map[string]string{"font/woff2": "font/woff2", "font/woff": "font/woff", "font/ttf": "font/ttf", "font/otf": "font/otf"}

// imageOf returns the type of an image and its bytes, or "". It trusts only the bytes. Drawings lose their scripts and
// references.
func imageOf(body []byte, depth int) (string, []byte) {
	found := mimetype.Detect(body[:min(len(body), sniffed)]).String()
	found, _, _ = strings.Cut(found, ";")
	if media, ok := pictures[found]; ok {
		return media, body
	}
	if !strings.HasPrefix(found, "text/") && found != "image/svg+xml" && found != "application/xml" {
		return "", nil
	}
	drawing, err := cleanDrawing(body, depth)
	if err != nil {
		return "", nil
	}
	return "image/svg+xml", drawing
}

// fontOf returns the type of a font, or "".
func fontOf(body []byte) string {
	return fonts[mimetype.Detect(body[:min(len(body), sniffed)]).String()]
}

// plays are the types of videos and sounds that browsers play, by the name that the detector gives them.
var plays = map[string]string{"video/mp4": "video/mp4", "video/quicktime": "video/mp4", "video/webm": "video/webm", "video/ogg": "video/ogg",
	"audio/mpeg": "audio/mpeg", "audio/ogg": "audio/ogg", "audio/flac": "audio/flac", "audio/wav": "audio/wav", "audio/aac": "audio/aac",
	"audio/mp4": "audio/mp4", "audio/x-m4a": "audio/mp4", "application/ogg": "audio/ogg"}

// mediaOf returns the type of a video or a sound, or "".
func mediaOf(body []byte) string {
	return plays[mimetype.Detect(body[:min(len(body), sniffed)]).String()]
}

// maxDrawings limits the drawings inside one another, and maxDepth the elements of one.
const (
	maxDrawings = 2
	maxDepth    = 256
)

var errDrawing = errors.New("capture: not a drawing")

// entity matches the declaration of an entity, which editors of drawings use for addresses of namespaces. The decoder
// does not expand entities inside of them.
var entity = regexp.MustCompile(`<!ENTITY\s+([A-Za-z_][\w.-]{0,40})\s+(?:"([^"]{0,200})"|'([^']{0,200})')`)

// foreign are elements that have no place in the copy of a drawing.
var foreign = map[string]bool{"script": true, "iframe": true, "frame": true, "object": true, "embed": true, "applet": true, "link": true,
	"meta": true, "base": true, "audio": true, "video": true, "source": true, "track": true, "handler": true, "listener": true}

// cleanDrawing returns an SVG file without scripts and without references to other files.
func cleanDrawing(body []byte, depth int) ([]byte, error) {
	if depth > maxDrawings {
		return nil, errDrawing
	}
	in := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	in.Strict = false
	in.Entity = map[string]string{}
	in.CharsetReader = charset.NewReaderLabel
	w := drawing{depth: depth}
	for {
		token, err := in.RawToken()
		if errors.Is(err, io.EOF) && w.rooted && len(w.open) == 0 {
			return w.out.Bytes(), nil
		}
		if err != nil {
			return nil, errors.Join(errDrawing, err)
		}
		switch t := token.(type) {
		case xml.Directive:
			for _, found := range entity.FindAllSubmatch(append([]byte("<!"), t...), 20) {
				in.Entity[string(found[1])] = string(found[2]) + string(found[3])
			}
		case xml.StartElement:
			err = w.start(t)
		case xml.EndElement:
			err = w.end(t)
		case xml.CharData:
			w.text(t)
		}
		if err != nil {
			return nil, err
		}
	}
}

// drawing writes the elements of a drawing that may stay.
type drawing struct {
	out    bytes.Buffer
	depth  int
	open   []string
	rooted bool
	hidden int    // open elements that are left out
	style  []byte // text of the open <style>
}

func (w *drawing) start(t xml.StartElement) error {
	name := qualified(t.Name)
	local := strings.ToLower(t.Name.Local)
	if len(w.open) == 0 && (w.rooted || local != "svg") || len(w.open) >= maxDepth {
		return errDrawing
	}
	w.rooted = true
	w.open = append(w.open, name)
	if w.hidden > 0 || foreign[local] || animatesAddress(t) {
		w.hidden++
		return nil
	}
	w.out.WriteString("<" + name)
	for _, a := range t.Attr {
		key, value := strings.ToLower(a.Name.Local), a.Value
		switch {
		case strings.HasPrefix(key, "on"):
			continue
		case a.Name.Space == "xmlns" || a.Name.Space == "" && key == "xmlns":
		case key == "href" || key == "src" || key == "base":
			if value = w.reference(value); value == "" {
				continue
			}
		case strings.ContainsAny(value, `(\`):
			value = declarations(value)
		}
		w.out.WriteString(" " + qualified(a.Name) + `="`)
		_ = xml.EscapeText(&w.out, []byte(value)) // a buffer does not fail
		w.out.WriteString(`"`)
	}
	w.out.WriteString(">")
	return nil
}

// reference returns a reference that stays inside the drawing: to another element, or to an image in a data: address.
func (w *drawing) reference(value string) string {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "#") {
		return value
	}
	if !isData(value) {
		return ""
	}
	_, _, body, ok := decodeData(value)
	if !ok {
		return ""
	}
	media, image := imageOf(body, w.depth+1)
	if media == "" {
		return ""
	}
	return dataAddress(media, image)
}

func (w *drawing) end(t xml.EndElement) error {
	name := qualified(t.Name)
	if len(w.open) == 0 || w.open[len(w.open)-1] != name {
		return errDrawing
	}
	w.open = w.open[:len(w.open)-1]
	if w.hidden > 0 {
		w.hidden--
		return nil
	}
	if w.style != nil {
		_ = xml.EscapeText(&w.out, []byte(rules(string(w.style)))) // a buffer does not fail
		w.style = nil
	}
	w.out.WriteString("</" + name + ">")
	return nil
}

func (w *drawing) text(t xml.CharData) {
	switch {
	case w.hidden > 0 || len(w.open) == 0:
	case strings.EqualFold(localName(w.open[len(w.open)-1]), "style"):
		w.style = append(w.style, t...)
	default:
		_ = xml.EscapeText(&w.out, t) // a buffer does not fail
	}
}

// animatesAddress reports whether an animation would change a reference.
func animatesAddress(t xml.StartElement) bool {
	for _, a := range t.Attr {
		if strings.EqualFold(a.Name.Local, "attributeName") && isReference(a.Value) {
			return true
		}
	}
	return false
}

// isReference reports whether an attribute, possibly with a prefix, contains a reference.
func isReference(name string) bool {
	name = strings.ToLower(localName(strings.TrimSpace(name)))
	return name == "href" || name == "src" || strings.HasPrefix(name, "on")
}

// localName returns a name without its prefix.
func localName(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
