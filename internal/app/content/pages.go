package content

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/source"
	"vitrine/internal/words"
)

// pageFolder is the folder of rendered pages of documents. They are made for the first reader. The sweep deletes them
// all once they take too much space.
const (
	pageFolder    = "pages/"
	mostPageBytes = 1 << 30
)

// Limits for rendering: one page at a time for each client and on this server, so that a reader who scrolls waits a little,
// and nobody keeps others from reading.
const (
	waitingPages       = 40
	waitingPageClients = 20
	pageMaxWait        = 30 * time.Second
)

// refusedFor is the time for which a page that cannot be rendered is not tried again.
const refusedFor = 10 * time.Minute

// documentPages renders pages of documents on request.
type documentPages struct {
	clients budget.Slots[any]
	turn    budget.Slots[struct{}]

	mu      sync.Mutex
	stored  int64              // bytes stored since the last sweep
	refused map[string]refusal // by object
}

type refusal struct {
	err   error
	until time.Time
}

func (p *documentPages) init() {
	const busy = "Too many pages are being rendered: try again in a few seconds"
	p.clients = budget.Slots[any]{AtOnce: 1, Waiting: waitingPages, MaxWait: pageMaxWait, Refusal: busy}
	p.turn = budget.Slots[struct{}]{AtOnce: 1, Waiting: waitingPageClients, MaxWait: pageMaxWait, Refusal: busy}
	p.refused = map[string]refusal{}
}

// PageNumber returns the number in the name of a page, and false for other names.
func PageNumber(name string) (n int, ok bool) {
	digits := strings.TrimSuffix(strings.TrimPrefix(name, "page-"), ".jpg")
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 1 && n <= media.MaxPages && name == domain.PageName(n)
}

// OpenPage opens a page of the document under a key, as a JPEG. Like OpenShown, it needs no actor, and returns NotFound
// if an operator hides the block. client is any comparable value that identifies the client.
func (a *Content) OpenPage(ctx context.Context, client any, key string, n int) (o OpenedFile, err error) {
	if !isUploadKey(key) {
		return o, domain.NewNotFound()
	}
	f, err := a.Store.Blobs().ShownFile(ctx, key)
	if err != nil {
		return o, err
	}
	if !f.IsDocument() {
		return o, domain.NewNotFound()
	}
	o.File, o.ContentType = f, "image/jpeg"
	o.File.Resized = "jpg"
	o.Content, err = a.pageObject(ctx, client, f, domain.PageName(n), func(src media.Source) ([]byte, error) {
		return a.studio.ReadPage(ctx, src, n-1)
	})
	return o, err
}

// Outline describes the pages of a document.
type Outline = media.Outline

// Outline returns the pages of a document, for a caller who may see its block. The error is Unprocessable if they
// cannot be read.
func (a *Content) Outline(ctx context.Context, client any, f domain.File) (o Outline, err error) {
	made, err := a.pageObject(ctx, client, f, "outline.json", func(src media.Source) ([]byte, error) {
		o, err := a.studio.ReadOutline(ctx, src)
		if err != nil {
			return nil, err
		}
		return json.Marshal(o)
	})
	if err != nil {
		return o, err
	}
	defer closing(made)
	if err := json.NewDecoder(made).Decode(&o); err != nil {
		return o, fmt.Errorf("content: the pages of %s: %w", f.Object, err)
	}
	return o, nil
}

// pageObject opens an object that is made from a document. If it is not stored, it is made and stored.
func (a *Content) pageObject(ctx context.Context, client any, f domain.File, name string, make func(media.Source) ([]byte, error)) (*blob.File, error) {
	object := pagesOf(f.Object) + name
	got, err := a.blobs.Open(ctx, object)
	if !errors.Is(err, blob.ErrNotFound) {
		return got, err
	}
	p := &a.pages
	if err := p.clients.Enter(ctx, client); err != nil {
		return nil, err
	}
	defer p.clients.Leave(client)
	if err := p.turn.Enter(ctx, struct{}{}); err != nil {
		return nil, err
	}
	defer p.turn.Leave(struct{}{})
	if got, err = a.blobs.Open(ctx, object); !errors.Is(err, blob.ErrNotFound) { // made in the meantime
		return got, err
	}
	if err := p.refusal(object, a.Now()); err != nil {
		return nil, err
	}
	original, err := a.blobs.Open(ctx, f.Object)
	if err != nil {
		return nil, missing(err)
	}
	defer closing(original)
	made, err := make(source.NewWindow(io.NewSectionReader(original, 0, original.Size)))
	if unusable, ok := errors.AsType[*media.Error](err); ok && ctx.Err() == nil {
		err = domain.Wrap(domain.Unprocessable, unusable.Reason, err)
		p.refuse(object, refusal{err, a.Now().Add(refusedFor)})
	}
	if err != nil {
		return nil, err
	}
	if p.store(len(made)) && a.spare(int64(len(made))) == nil {
		if err := a.blobs.Put(ctx, object, bytes.NewReader(made), int64(len(made)), ""); err != nil {
			return nil, err
		}
	}
	return &blob.File{Info: blob.Info{Size: int64(len(made))}, Content: inMemory{bytes.NewReader(made)}}, nil
}

// pagesOf returns the folder of the pages of an original in the storage.
func pagesOf(object string) string { return pageFolder + strings.TrimPrefix(object, originals) + "/" }

// inMemory is a blob.Content in memory.
type inMemory struct{ *bytes.Reader }

// Close implements io.Closer.
func (inMemory) Close() error { return nil }

// store counts bytes to store and reports whether they may be stored.
func (p *documentPages) store(bytes int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stored += int64(bytes)
	return p.stored <= mostPageBytes
}

// refusal returns why an object could not be made a short time ago, or nil.
func (p *documentPages) refusal(object string, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.refused[object]; ok && now.Before(r.until) {
		return r.err
	}
	return nil
}

// refuse remembers why an object cannot be made.
func (p *documentPages) refuse(object string, r refusal) {
	const most = 1000
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) >= most {
		clear(p.refused)
	}
	p.refused[object] = r
}

// sweepPages deletes all rendered pages if they take too much space. Those that are read again are rendered again.
func (a *Content) sweepPages(ctx context.Context) error {
	var names []string
	var bytes int64
	err := a.blobs.List(ctx, pageFolder, func(name string, size int64) error {
		names = append(names, name)
		bytes += size
		return nil
	})
	if err != nil {
		return err
	}
	if bytes > mostPageBytes {
		for _, name := range names {
			if err := a.blobs.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	a.pages.mu.Lock()
	defer a.pages.mu.Unlock()
	a.pages.stored = 0
	return nil
}

// PageHit is a page of a document that contains a phrase. Its text begins shortly before it.
type PageHit struct {
	Number int // counted from 1
	Text   string
}

// FindPages returns the first pages that contain a phrase, regardless of case, accents and line breaks.
func FindPages(o Outline, phrase string, most int) (hits []PageHit) {
	wanted := oneLine(words.Fold(phrase))
	for i, p := range o.Pages {
		if len(hits) == most || wanted == "" {
			break
		}
		before, _, found := strings.Cut(oneLine(words.Fold(p.Text)), wanted)
		if found {
			hits = append(hits, PageHit{i + 1, fromWord(p.Text, strings.Count(before, " "))})
		}
	}
	return hits
}

// oneLine returns a text with single spaces between its words.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// fromWord returns a text from a few words before the one with an index.
func fromWord(text string, at int) string {
	const before = 6
	all := strings.Fields(text)
	if at <= before || at > len(all) {
		return strings.Join(all, " ")
	}
	return "… " + strings.Join(all[at-before:], " ")
}
