package capture

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vitrine/internal/fetch"
	"vitrine/internal/weburl"
)

// kind is what a part of a page is used as.
type kind int

const (
	framePart kind = iota
	stylePart
	imagePart
	fontPart
	videoPart
	soundPart
)

// accepted are the values of the Accept header.
var accepted = map[kind]string{
	framePart: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
	stylePart: "text/css,*/*;q=0.1",
	imagePart: "image/avif,image/webp,image/*;q=0.9,*/*;q=0.5",
	fontPart:  "font/woff2,font/woff;q=0.9,*/*;q=0.5",
	videoPart: "video/mp4,video/webm;q=0.9,video/*;q=0.8",
	soundPart: "audio/*,*/*;q=0.5",
}

const (
	parallel     = 3  // requests for one page at once, fewer than the client allows per site
	busyTries    = 10 // attempts while other fetches use the site; the client waits before each gives up
	siteFailures = 3  // after this many, a site that does not answer is not asked again
)

// Reasons why a part stays out.
var (
	errParts  = &Error{"The page has too many parts"}
	errBytes  = &Error{"The copy would be too large"}
	errKind   = &Error{"It is not of the kind that the page uses it as"}
	errNotWeb = &Error{"Its address is not valid"}
	errTime   = &Error{"The time for the copy was up"}
	errMedia  = &Error{"The videos and sounds are too large"}
	errDeep   = &Error{"It is nested too deeply"}
)

// part is something that a page refers to. The fields below done are set when done is closed.
type part struct {
	kind    kind
	address string
	done    chan struct{}

	url         *url.URL // after redirects
	contentType string   // as the server declares it; only of style sheets and frames
	body        []byte   // of style sheets and frames
	data        string   // the data: address of an image or a font
	err         error
}

// name is how a page refers to a part.
type name struct {
	kind      kind
	base      *url.URL
	reference string
}

// loader fetches each part of a page once.
type loader struct {
	ctx    context.Context
	from   Getter
	limits Limits
	slots  chan struct{}
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu         sync.Mutex
	parts      map[string]*part // by kind and address
	named      map[name]*part
	requests   int
	references int
	fetched    int64 // bytes
	played     int64 // bytes of videos and sounds
	used       int64 // bytes of the file
	sites      map[string]int
	kept       int
	missing    []Missing
	omitted    int
}

func newLoader(ctx context.Context, from Getter, limits Limits) *loader {
	ctx, cancel := context.WithCancel(ctx)
	return &loader{ctx: ctx, cancel: cancel, from: from, limits: limits, slots: make(chan struct{}, parallel),
		parts: map[string]*part{}, named: map[name]*part{}, sites: map[string]int{}}
}

// stop ends all fetches.
func (l *loader) stop() {
	l.cancel()
	l.all.Wait()
}

// want returns the part at a reference, and begins to fetch it if it is new. A nil base means that the reference must
// be a data: address.
func (l *loader) want(k kind, base *url.URL, reference string) *part {
	reference = strings.TrimSpace(reference)
	if isData(reference) {
		return l.inline(k, reference)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	as := name{k, base, reference}
	if p, ok := l.named[as]; ok {
		return p
	}
	l.references++
	if l.references > l.limits.Elements || l.ctx.Err() != nil {
		return &part{kind: k, address: reference, done: closed, err: errParts}
	}
	at, err := resolve(base, reference)
	address := reference
	if err == nil {
		at.Fragment, at.RawFragment = "", ""
		address = at.String()
	}
	key := string(rune('0'+k)) + address
	if p, ok := l.parts[key]; ok {
		l.named[as] = p
		return p
	}
	p := &part{kind: k, address: address, done: make(chan struct{})}
	l.parts[key], l.named[as] = p, p
	switch {
	case err != nil:
		p.err = errNotWeb
	case l.requests >= l.limits.Parts:
		p.err = errParts
	}
	if p.err != nil {
		close(p.done)
		l.note(p)
		return p
	}
	l.requests++
	l.all.Go(func() {
		defer close(p.done)
		l.fetch(p)
		l.mu.Lock()
		defer l.mu.Unlock()
		if p.err != nil {
			l.note(p)
		} else {
			l.kept++
		}
	})
	return p
}

// closed is a channel for parts that need no fetch.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// resolve returns the address of a reference on a page.
func resolve(base *url.URL, reference string) (*url.URL, error) {
	if base == nil {
		return nil, errNotWeb
	}
	if strings.HasPrefix(reference, "https://") || strings.HasPrefix(reference, "http://") {
		return weburl.Parse(reference)
	}
	return weburl.Resolve(base, reference)
}

// wait waits until a part is fetched, and returns the reason if it was not.
func (l *loader) wait(p *part) error {
	<-p.done
	return p.err
}

// charge counts bytes of the file, and reports whether they fit in.
func (l *loader) charge(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used+int64(n) > l.limits.Bytes {
		return false
	}
	l.used += int64(n)
	return true
}

// embed returns the data: address of an image or a font for one place in the file.
func (l *loader) embed(p *part) (string, bool) {
	if l.wait(p) != nil {
		return "", false
	}
	if !l.charge(len(p.data)) {
		l.miss(&part{kind: p.kind, address: p.address, err: errBytes})
		return "", false
	}
	return p.data, true
}

// miss reports a part that stays out.
func (l *loader) miss(p *part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(p)
}

// note reports a part that stays out. The caller holds the lock.
func (l *loader) note(p *part) {
	l.omitted++
	if len(l.missing) < maxReported {
		l.missing = append(l.missing, Missing{Address: shortened(p.address), Reason: reasonOf(p.err)})
	}
}

// shortened limits the length of a reported address, which may be one of data.
func shortened(address string) string {
	if isData(address) {
		head, _, _ := strings.Cut(address[:min(len(address), 100)], ",")
		return strings.ToValidUTF8(head, "\uFFFD") + ",…"
	}
	if len(address) > weburl.MaxLength {
		return strings.ToValidUTF8(address[:weburl.MaxLength], "") + "…"
	}
	return address
}

func reasonOf(err error) string {
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return e.Reason
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return "It could not be fetched"
}

// report returns the number of parts in the file, and those that are missing.
func (l *loader) report() (int, []Missing, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept, l.missing, l.omitted
}

func (l *loader) fetch(p *part) {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-l.ctx.Done():
		p.err = errTime
		return
	}
	at, err := url.Parse(p.address)
	if err != nil {
		p.err = errNotWeb
		return
	}
	site := fetch.Site(at)
	limit, err := l.mayFetch(site, p.kind)
	if err == nil {
		err = l.read(p, limit)
		l.judge(site, err)
	}
	switch {
	case l.ctx.Err() != nil && err != nil:
		err = errTime
	case errors.Is(err, fetch.ErrTooLarge) && p.kind.plays():
		err = errMedia
	case errors.Is(err, fetch.ErrTooLarge) && limit < l.limits.PartBytes:
		err = errBytes
	}
	p.err = err
}

var errSite = &Error{"Its server does not answer, or wants no more requests"}

// plays reports whether parts of a kind are videos or sounds.
func (k kind) plays() bool { return k == videoPart || k == soundPart }

// mayFetch returns how many bytes a part may have.
func (l *loader) mayFetch(site string, k kind) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.limits.Bytes*3/4 - l.fetched // base64 makes four bytes of three
	switch {
	case l.sites[site] >= siteFailures:
		return 0, errSite
	case left <= 0:
		return 0, errBytes
	case !k.plays():
		return min(l.limits.PartBytes, left), nil
	case l.played >= l.limits.AllMedia:
		return 0, errMedia
	}
	return min(l.limits.MediaBytes, l.limits.AllMedia-l.played, left), nil
}

// judge counts the failures of a site. One that asks for fewer requests gets no more.
func (l *loader) judge(site string, err error) {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, fetch.ErrBusy) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable:
		l.sites[site] = siteFailures
	case e.Status == 0 && e.Temporary:
		l.sites[site]++
	}
}

// read fetches a part and checks its kind by its bytes.
func (l *loader) read(p *part, limit int64) error {
	ctx, cancel := context.WithTimeout(l.ctx, l.limits.PartTime)
	defer cancel()
	var answer *fetch.Response
	err := error(fetch.ErrBusy)
	for try := 0; try < busyTries && errors.Is(err, fetch.ErrBusy); try++ {
		answer, err = l.from.Get(ctx, fetch.Request{URL: p.address, Accept: accepted[p.kind], MaxBytes: limit})
	}
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.fetched += int64(len(body))
	over := l.fetched > l.limits.Bytes*3/4
	if p.kind.plays() {
		l.played += int64(len(body))
	}
	silent := l.played > l.limits.AllMedia
	l.mu.Unlock()
	switch {
	case over:
		return errBytes
	case silent && p.kind.plays():
		return errMedia
	}
	p.url = answer.URL
	return p.fill(answer.ContentType, answer.Charset, body, 0)
}

// inline returns the part in a data: address.
func (l *loader) inline(k kind, address string) *part {
	p := &part{kind: k, address: address, done: closed}
	if contentType, charset, body, ok := decodeData(address); ok {
		p.err = p.fill(contentType, charset, body, 0)
	} else {
		p.err = errNotWeb
	}
	if p.err != nil {
		l.miss(p)
	}
	return p
}

// fill stores the content of a part if its bytes are of the kind that the page uses it as. depth counts the images
// around an image.
func (p *part) fill(contentType, charset string, body []byte, depth int) error {
	switch p.kind {
	case framePart:
		if !isPage(contentType, body) {
			return errKind
		}
	case stylePart:
		if contentType != "text/css" && contentType != "" && contentType != "text/plain" {
			return errKind
		}
	case imagePart:
		media, image := imageOf(body, depth)
		if media == "" {
			return errKind
		}
		p.data = dataAddress(media, image)
		return nil
	case fontPart:
		media := fontOf(body)
		if media == "" {
			return errKind
		}
		p.data = dataAddress(media, body)
		return nil
	case videoPart, soundPart:
		media := mediaOf(body)
		if media == "" {
			return errKind
		}
		p.data = dataAddress(media, body)
		return nil
	}
	p.body, p.contentType = body, contentType
	if charset != "" {
		p.contentType += "; charset=" + charset
	}
	return nil
}

func dataAddress(media string, body []byte) string {
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(body)
}

// isData reports whether a reference is a data: address.
func isData(reference string) bool {
	return len(reference) >= 5 && strings.EqualFold(reference[:5], "data:")
}

// decodeData returns the content of a data: address (RFC 2397).
func decodeData(address string) (contentType, charset string, body []byte, ok bool) {
	address, _, _ = strings.Cut(address, "#")
	head, rest, ok := strings.Cut(address[len("data:"):], ",")
	if !ok {
		return "", "", nil, false
	}
	fields := strings.Split(strings.ToLower(head), ";")
	contentType = strings.TrimSpace(fields[0])
	encoded := false
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "base64":
			encoded = true
		case "charset":
			charset = strings.Trim(value, `"'`)
		}
	}
	rest = unescaped(rest)
	if !encoded {
		return contentType, charset, []byte(rest), true
	}
	rest = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\f", "").Replace(rest)
	body, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(rest, "="))
	return contentType, charset, body, err == nil
}

// unescaped decodes the percent-encoded bytes of a text, and keeps everything else.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := hexValue(text[i+1]), hexValue(text[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// hexValue returns the value of a hexadecimal digit, or -1.
func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
