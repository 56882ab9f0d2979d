package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"vitrine/internal/browser"
	"vitrine/internal/browser/browsertest"
	"vitrine/internal/fetch"
)

// web answers requests from a map, and records them.
type web struct {
	files map[string]string // "type|body", or "" for none, by address
	mu    sync.Mutex
	asked map[string]int
}

func (w *web) Get(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	w.asked[r.URL]++
	w.mu.Unlock()
	text := w.files[r.URL]
	to := r.URL
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		to, text = target, w.files[target]
	}
	kind, body, ok := strings.Cut(text, "|")
	if !ok {
		return nil, &fetch.Error{Reason: "Not found", Status: http.StatusNotFound}
	}
	at, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > r.MaxBytes {
		return nil, fetch.ErrTooLarge
	}
	return &fetch.Response{URL: at, Status: http.StatusOK, ContentType: kind, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func newBrowser(t *testing.T, address string) *browser.Browser {
	t.Helper()
	b, err := browser.New(address, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func page(t *testing.T, address, text string) browser.Page {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return browser.Page{URL: at, ContentType: "text/html; charset=utf-8", Body: []byte(text)}
}

func limits() browser.Limits {
	l := browser.Default()
	l.Time, l.Load, l.Step, l.Quiet = 2*time.Minute, time.Minute, time.Minute, 200*time.Millisecond
	return l
}

// holds fails a test if a page lacks a text.
func holds(t *testing.T, shown *browser.Rendered, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(shown.HTML), text) {
			t.Errorf("the page lacks %q:\n%.3000s", text, shown.HTML)
		}
	}
}

// trap is a server that no request of a page may reach. It counts connections, even those that send nothing.
func trap(t *testing.T) (address string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String(), connections
}

// The browser makes no connection for a page. Our client answers the requests of the page.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, browsertest.Start(t))
	at, connections := trap(t)
	const attempts = `<!DOCTYPE html><title>Hostile</title><link rel=preconnect href="http://TRAP/"><link rel=prefetch href="http://TRAP/prefetch">
<link rel=stylesheet href="http://TRAP/style.css"><link rel=icon href="http://TRAP/icon"><link rel=manifest href="http://TRAP/manifest">
<link rel=modulepreload href="http://TRAP/module.js"><script type=speculationrules>{"prerender": [{"urls": ["/next", "http://TRAP/prerender"]}], "prefetch": [{"urls": ["http://TRAP/x"]}]}</script>
<img src="http://TRAP/image"><iframe src="http://TRAP/frame"></iframe><iframe src="http://other.example/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
<iframe src="chrome://version"></iframe><video src="http://TRAP/video" autoplay></video><object data="http://TRAP/object"></object><embed src="http://TRAP/embed">
<iframe src="data:text/html,<script>fetch('http://TRAP/data').catch(() => {})</script>"></iframe><iframe srcdoc="<img src='http://TRAP/srcdoc'>"></iframe>
<form action="http://TRAP/form" method=post target=f><input name=a value=b></form><iframe name=f></iframe><a id=get download href="/download">x</a><a id=ping ping="http://TRAP/ping" href="#x">x</a>
<p id=log></p><script>
const log = [], attempt = (name, f) => { try { const made = f(); log.push(name + (made ? ' began' : ' did nothing')); if (made?.catch) made.catch(() => {}); } catch (e) { log.push(name + ' failed'); } };
const spread = 'for (const a of ["http://TRAP/worker", "http://169.254.169.254/"]) fetch(a).catch(() => {}); try { new WebSocket("ws://TRAP/") } catch {} try { importScripts("http://TRAP/import") } catch {}';
attempt('fetch', () => fetch('http://TRAP/fetch', {mode: 'no-cors'}));
attempt('post', () => fetch('http://TRAP/post', {method: 'POST', body: 'x', mode: 'no-cors', keepalive: true}));
attempt('beacon', () => navigator.sendBeacon('http://TRAP/beacon', 'x'));
attempt('socket', () => new WebSocket('ws://TRAP/socket'));
attempt('events', () => new EventSource('http://TRAP/events'));
attempt('worker', () => new Worker(URL.createObjectURL(new Blob([spread]))));
attempt('worker of this site', () => new Worker('/worker.js'));
attempt('shared', () => new SharedWorker(URL.createObjectURL(new Blob([spread]))));
attempt('service', () => navigator.serviceWorker.register('/service.js'));
attempt('transport', () => new WebTransport('https://TRAP/'));
attempt('peer', () => { const p = new RTCPeerConnection({iceServers: [{urls: 'stun:TRAP'}, {urls: 'turn:TRAP?transport=tcp', username: 'a', credential: 'b'}]}); p.createDataChannel('x'); return p.createOffer().then(o => p.setLocalDescription(o)); });
attempt('popup', () => window.open('http://TRAP/popup'));
attempt('blank popup', () => { const w = window.open('about:blank'); w.location = 'http://TRAP/blank'; return w; });
attempt('dialog', () => { alert('Stop'); confirm('Really?'); prompt('Why?'); });
attempt('form', () => document.forms[0].submit());
attempt('download', () => document.getElementById('get').click());
attempt('ping', () => document.getElementById('ping').click());
attempt('frame', () => { const f = document.createElement('iframe'); document.body.append(f); new f.contentWindow.WebSocket('ws://TRAP/frame'); });
attempt('reports', () => document.head.insertAdjacentHTML('beforeend', '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'; report-uri http://TRAP/report">'));
document.getElementById('log').textContent = log.join(', ');
onbeforeunload = () => 'Stay';
</script>`
	w := &web{asked: map[string]int{}, files: map[string]string{
		"http://other.example/frame":       "text/html|<p>Other</p><script>fetch('http://TRAP/other', {mode: 'no-cors'}).catch(() => {}); new Image().src = 'http://TRAP/other-image'; try { new WebSocket('ws://TRAP/other') } catch {}; window.open('http://TRAP/other-popup'); new Worker(URL.createObjectURL(new Blob(['fetch(\"http://TRAP/x\")'])))</script>",
		"http://hostile.example/worker.js": "text/javascript|fetch('http://TRAP/worker')", "http://hostile.example/service.js": "text/javascript|fetch('http://TRAP/service')"}}
	for address, text := range w.files {
		w.files[address] = strings.ReplaceAll(text, "TRAP", at)
	}
	for _, address := range []string{"http://hostile.example/", "https://hostile.example/"} {
		shown, err := b.Render(t.Context(), w, page(t, address, strings.ReplaceAll(attempts, "TRAP", at)), limits())
		if err != nil {
			t.Fatal(err)
		}
		holds(t, shown, "fetch began", "post began", "socket failed", "transport failed", "peer failed", "popup did nothing", "dialog did nothing")
		t.Logf("%s", shown.HTML[strings.Index(string(shown.HTML), "<p id"):])
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("the browser connected %d times", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range []string{"fetch", "image", "frame", "style.css", "other"} {
		if w.asked["http://"+at+"/"+path] == 0 {
			t.Errorf("our client was not asked for %s: %v", path, w.asked)
		}
	}
	for address := range w.asked {
		if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") || strings.Contains(address, "post") || strings.Contains(address, "download") {
			t.Errorf("our client was asked for %s", address)
		}
	}
}

// The browser shows what scripts write.
func TestRender(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, browsertest.Start(t))
	w := &web{asked: map[string]int{}, files: map[string]string{
		"http://app.example/app.js":     `text/javascript|` + app,
		"http://app.example/data":       `-> http://data.example/v2/data`,
		"http://data.example/v2/data":   `application/json|{"text": "Loaded text"}`,
		"http://app.example/late.png":   `-> http://data.example/late.svg`,
		"http://data.example/late.svg":  `image/svg+xml|<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`,
		"http://frame.example/":         `text/html|<p>Framed</p><script>parent.postMessage("Frame began", "*")</script>`,
		"http://app.example/missing.js": "",
	}}
	shown, err := b.Render(t.Context(), w, page(t, "http://app.example/", `<!DOCTYPE html><title>App</title><body><p>Loading</p><noscript>Enable scripts</noscript>
<div style="height: 3000px"></div><img id=late data-src=/late.png><iframe src=http://frame.example/></iframe><script src=/missing.js></script><script src=/app.js></script>`), limits())
	if err != nil {
		t.Fatal(err)
	}
	holds(t, shown, "<!DOCTYPE html>", "Loaded text", "Frame began", ".written { color: red; }", "adopted", `<template shadowrootmode="open">`, "In the shadow", `src="data:image/png;base64,`,
		`<img id="late" src="http://app.example/late.png">`, `value="Typed"`)
	for _, text := range []string{"<script", "Enable scripts", "secret", "Loading<"} {
		if strings.Contains(string(shown.HTML), text) {
			t.Errorf("the page holds %q:\n%s", text, shown.HTML)
		}
	}
	if shown.Lost != nil || shown.URL.String() != "http://app.example/view" || http.DetectContentType(shown.Picture) != "image/webp" || http.DetectContentType(shown.PDF) != "application/pdf" {
		t.Errorf("%v, %s, %.20q, %.20q", shown.Lost, shown.URL, shown.Picture, shown.PDF)
	}
	got, err := shown.Parts.Get(t.Context(), fetch.Request{URL: "http://app.example/late.png#x", MaxBytes: 1 << 20})
	if err != nil || got.URL.String() != "http://data.example/late.svg" || got.ContentType != "image/svg+xml" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := shown.Parts.Get(t.Context(), fetch.Request{URL: "http://app.example/missing.js", MaxBytes: 1 << 20}); err == nil {
		t.Error("the missing file was found")
	}
	for address, n := range w.asked {
		if n != 1 {
			t.Errorf("%s was fetched %d times", address, n)
		}
	}
	again, err := b.Render(t.Context(), w, page(t, "http://app.example/", `<p id=was></p><script>was.textContent = "Kept: " + localStorage.getItem("kept") + document.cookie</script>`), limits())
	if err != nil {
		t.Fatal(err)
	}
	holds(t, again, "Kept: null<")
}

const app = `
document.querySelector('p').textContent = 'Shown';
localStorage.setItem('kept', 'yes');
document.cookie = 'kept=yes';
history.replaceState(null, '', '/view');
addEventListener('message', e => document.body.append(e.data));
fetch('/data').then(r => r.json()).then(d => document.body.append(d.text));
const style = document.head.appendChild(document.createElement('style'));
style.sheet.insertRule('.written { color: red }');
const sheet = new CSSStyleSheet();
sheet.replaceSync('.adopted { color: blue }');
document.adoptedStyleSheets = [sheet];
const host = document.body.appendChild(document.createElement('x-host'));
host.attachShadow({mode: 'open'}).innerHTML = '<b>In the shadow</b>';
const canvas = document.body.appendChild(document.createElement('canvas'));
canvas.getContext('2d').fillRect(0, 0, 5, 5);
document.body.appendChild(document.createElement('input')).value = 'Typed';
const hidden = document.body.appendChild(document.createElement('input'));
hidden.type = 'password';
hidden.value = 'secret';
const image = document.getElementById('late');
new IntersectionObserver(seen => { if (seen.some(e => e.isIntersecting)) image.src = image.dataset.src; }).observe(image);
setInterval(() => alert('Hello'), 10);
`

// A page that never ends its work or makes too much of it is bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, browsertest.Start(t))
	l := limits()
	l.Load, l.Requests, l.Bytes, l.PartBytes, l.DOM, l.Height = time.Second, 20, 3000, 2000, 100_000, 2000
	w := &web{asked: map[string]int{}, files: map[string]string{}}
	for i := range 200 {
		w.files[fmt.Sprintf("http://a.example/%d", i)] = "text/plain|" + strings.Repeat("x", 500)
	}
	shown, err := b.Render(t.Context(), w, page(t, "http://a.example/", `<p>Many</p><div style="height: 1000000px"></div><script>
		for (let i = 0; i < 200; i++) fetch('/' + i).catch(() => {}); setInterval(() => fetch('/again?' + Math.random()).catch(() => {}), 5)</script>`), l)
	if err != nil || shown.Picture == nil {
		t.Fatalf("%v, %v", err, shown)
	}
	if len(w.asked) > l.Requests {
		t.Errorf("%d requests", len(w.asked))
	}
	l.Time, l.Step = 5*time.Second, 2*time.Second
	for name, text := range map[string]string{
		"endless script": `<p>x</p><script>addEventListener("load", () => { for (;;); })</script>`,
		"large page":     `<body><script>document.body.append("x".repeat(200000))</script>`,
		"much text":      `<script>document.documentElement.lang = "x".repeat(4e7)</script>`,
		"other page":     `<script>location = "http://a.example/missing"</script>`,
	} {
		if shown, err := b.Render(t.Context(), w, page(t, "http://a.example/", text), l); err == nil && name != "other page" {
			t.Errorf("%s: %.200s", name, shown.HTML)
		}
	}
	if shown, err := b.Render(t.Context(), w, page(t, "http://a.example/", "<p>It still works</p>"), limits()); err != nil {
		t.Error(err)
	} else {
		holds(t, shown, "It still works")
	}
}

// A browser that hangs, crashes, answers nonsense or is not there causes an error in time.
func TestBadBrowser(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	at, _ := trap(t)
	socket := func(talk func(ctx context.Context, c *websocket.Conn) error) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/json/version" {
				_, _ = fmt.Fprintf(w, `{"webSocketDebuggerUrl": "ws://%s/devtools/browser/x"}`, r.Host)
				return
			}
			c, err := websocket.Accept(w, r, nil)
			if err == nil {
				_ = talk(r.Context(), c)
				_ = c.CloseNow()
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	say := func(text string) string {
		return socket(func(ctx context.Context, c *websocket.Conn) error {
			for {
				if _, _, err := c.Read(ctx); err != nil {
					return err
				}
				if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
					return err
				}
			}
		})
	}
	l := limits()
	l.Time, l.Step = 2*time.Second, time.Second
	for name, address := range map[string]string{
		"gone":     gone.URL,
		"silent":   say(`{"method": "x"}`),
		"garbage":  say("<html>"),
		"error":    say(`{"id": 1, "error": {"message": "No"}}`),
		"shapes":   say(`{"id": 1, "result": {"browserContextId": 7}}`),
		"others":   say(`{"id": 99, "result": {}}`),
		"nothing":  say(`{}`),
		"huge":     say(strings.Repeat("x", 40<<20)),
		"closes":   socket(func(context.Context, *websocket.Conn) error { return nil }),
		"hangs up": "ws://" + at,
		"no json":  "http://" + at,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, err := newBrowser(t, address).Render(t.Context(), &web{}, page(t, "http://a.example/", "<p>x</p>"), l)
			if err == nil || shown != nil {
				t.Errorf("%v, %v", shown, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newBrowser(t, say("{}")).Render(ctx, &web{}, page(t, "http://a.example/", ""), l); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
