package mailin

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Limits of the HTML of a mail and its pictures. A copy of a page may have three times as much.
const (
	maxHTML     = 10 << 20 // bytes, with the pictures in it
	maxPictures = 10 << 20 // bytes of all attached pictures
)

// picture is a part of a mail to which the HTML may refer by its Content-ID.
type picture struct {
	media string
	body  []byte
}

// address returns the data: address of a picture.
func (p picture) address() string {
	return "data:" + p.media + ";base64," + base64.StdEncoding.EncodeToString(p.body)
}

// keepPicture keeps a part with a Content-ID. It ignores a part that exceeds the limit of all, and further parts with the
// same id.
func (t *texts) keepPicture(h textproto.MIMEHeader, kind string, body io.Reader) {
	id := strings.Trim(strings.TrimSpace(h.Get("Content-Id")), "<>")
	if _, known := t.pictures[id]; known || id == "" {
		return
	}
	left := maxPictures - t.pictureBytes
	raw, _ := io.ReadAll(io.LimitReader(unencoded(h, body), int64(left)+1)) // what can be decoded
	if len(raw) == 0 || len(raw) > left {
		return
	}
	if !strings.HasPrefix(kind, "image/") {
		kind = "application/octet-stream" // the bytes decide
	}
	if t.pictures == nil {
		t.pictures = map[string]picture{}
	}
	t.pictures[id] = picture{kind, raw}
	t.pictureBytes += len(raw)
}

// split returns the HTML of a mail for its Markdown, which has no pictures, and for its copy, which has those that are attached. The
// copy is nil if the mail shows no picture, or if it is too large.
func (t *texts) split() (text, illustrated []byte) {
	w := illustrator{pictures: t.pictures}
	z := html.NewTokenizer(bytes.NewReader(t.html))
	for z.Next() != html.ErrorToken {
		raw := bytes.Clone(z.Raw()) // Token changes it
		token := z.Token()
		if token.Data != "img" && len(text)+len(raw) <= maxText {
			text = append(text, raw...)
		}
		w.write(token, raw)
	}
	if !w.shows || w.full {
		return text, nil
	}
	return text, w.out.Bytes()
}

// unseen are elements that mail programs do not show, although a page with them would load something. Their text is not shown
// either if browsers do not read it as HTML.
var unseen = map[string]bool{"applet": false, "audio": false, "embed": false, "frame": false, "iframe": true, "link": false, "noembed": true, "noframes": true,
	"noscript": true, "object": false, "script": true, "source": false, "track": false, "video": false}

// illustrator writes the HTML of a mail with its attached pictures.
type illustrator struct {
	pictures map[string]picture
	out      bytes.Buffer
	shows    bool // a picture
	full     bool // it is too large, even without pictures
	hiding   bool // the text that follows is not shown
	styling  bool // it is a style sheet
}

func (w *illustrator) write(t html.Token, raw []byte) {
	hides, hidden := unseen[t.Data]
	switch {
	case t.Type == html.CommentToken:
		return
	case t.Type == html.TextToken:
		if w.hiding {
			return
		}
		if w.styling {
			raw = []byte(w.styled(string(raw)))
		}
		w.append(raw)
		return
	}
	opens := t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
	w.hiding, w.styling = opens && hides, opens && t.Data == "style"
	if hidden || opens && t.Data == "img" && counts(t.Attr) {
		return
	}
	if !opens || !w.illustrate(&t) {
		w.append(raw)
		return
	}
	w.append([]byte(t.String()))
}

// illustrate replaces the references of an element to attached pictures, and reports whether it has changed any.
func (w *illustrator) illustrate(t *html.Token) (changed bool) {
	for i, a := range t.Attr {
		value := a.Val
		switch {
		case a.Key == "src" && (t.Data == "img" || t.Data == "input"), a.Key == "background":
			w.shows = w.shows || strings.TrimSpace(value) != ""
			value = w.resolved(value)
		case a.Key == "style":
			value = w.styled(value)
		}
		if value != a.Val {
			t.Attr[i].Val, changed = value, true
		}
	}
	return changed
}

// inStyle matches a reference of a style to an attached picture.
var inStyle = regexp.MustCompile(`(?i)url\(\s*(?:"(cid:[^"]{1,1000})"|'(cid:[^']{1,1000})'|(cid:[^\s"'()]{1,1000}))\s*\)`)

// styled replaces the references of styles to attached pictures.
func (w *illustrator) styled(text string) string {
	return inStyle.ReplaceAllStringFunc(text, func(found string) string {
		m := inStyle.FindStringSubmatch(found)
		address := w.resolved(m[1] + m[2] + m[3])
		if isAttached(address) {
			return found
		}
		w.shows = true
		return `url("` + address + `")`
	})
}

func isAttached(address string) bool {
	return len(address) > 4 && strings.EqualFold(address[:4], "cid:")
}

// resolved returns the data: address of the attached picture that an address names, or the address itself if there is none
// or no space for it.
func (w *illustrator) resolved(address string) string {
	id := strings.TrimSpace(address)
	if !isAttached(id) {
		return address
	}
	id = id[4:]
	p, ok := w.pictures[id]
	if plain, err := url.PathUnescape(id); !ok && err == nil {
		p, ok = w.pictures[plain]
	}
	if !ok || w.out.Len()+base64.StdEncoding.EncodedLen(len(p.body)) > maxHTML {
		return address
	}
	return p.address()
}

func (w *illustrator) append(raw []byte) {
	if w.full = w.full || w.out.Len()+len(raw) > maxHTML; !w.full {
		w.out.Write(raw)
	}
}

// counts reports whether an image cannot be seen, so that its only purpose is to find out who reads the mail.
func counts(attributes []html.Attribute) bool {
	for _, a := range attributes {
		switch a.Key {
		case "hidden":
			return true
		case "width", "height":
			if isPoint(a.Val) {
				return true
			}
		case "style":
			if hides(a.Val) {
				return true
			}
		}
	}
	return false
}

// isPoint reports whether a length is at most one pixel.
func isPoint(length string) bool {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(length)), "px")), 64)
	return err == nil && n <= 1
}

// hides reports whether a style attribute hides an element.
func hides(style string) bool {
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value, _, _ = strings.Cut(value, "!")
		switch name, value = strings.TrimSpace(name), strings.TrimSpace(value); name {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" {
				return true
			}
		case "opacity":
			if n, err := strconv.ParseFloat(value, 64); err == nil && n <= 0 {
				return true
			}
		case "width", "height", "max-width", "max-height":
			if isPoint(value) {
				return true
			}
		}
	}
	return false
}
