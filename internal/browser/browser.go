// Package browser renders web pages in a headless Chromium, which an operator runs, over the Chrome DevTools Protocol.
//
// Pages are hostile. The browser makes no network request itself: each request of a page is paused and answered with what our
// own client fetches, within limits, and the proxy of the page's context does not exist, so anything that is not paused
// fails. Each page has a context of its own, which ends with the connection.
package browser

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/weburl"
)

// Limits of rendering one page. It holds at most Bytes, Parallel times PartBytes, DOM, Picture and PDF in memory, and two
// messages of the browser.
type Limits struct {
	Time       time.Duration // for everything
	Load       time.Duration // until the page is loaded, and then until it requests nothing; rendering continues then
	Quiet      time.Duration // without requests, after which a page counts as complete
	Step       time.Duration // for one command
	Requests   int
	Parallel   int   // requests at once
	Bytes      int64 // of all answers
	PartBytes  int64 // of one answer
	PartTime   time.Duration
	DOM        int // of the rendered page, in UTF-16 units
	Width      int // of the window, in pixels
	Window     int // height of the window, in pixels
	Height     int // of the picture, in pixels
	Picture    int64
	PDF        int64
	PictureFor string // format of the picture: webp, png or jpeg
}

// Default returns the limits for pages from the web.
func Default() Limits {
	return Limits{Time: time.Minute, Load: 15 * time.Second, Quiet: 500 * time.Millisecond, Step: 15 * time.Second, Requests: 400, Parallel: 3,
		Bytes: 24 << 20, PartBytes: 8 << 20, PartTime: 20 * time.Second, DOM: 5 << 20, Width: 1280, Window: 800, Height: 12_000,
		Picture: 8 << 20, PDF: 16 << 20, PictureFor: "webp"}
}

// Browser is the browser of an operator. It need not run yet.
type Browser struct {
	address *url.URL
	log     *slog.Logger
}

// New returns the browser at an http, https, ws or wss address.
func New(address string, log *slog.Logger) (*Browser, error) {
	at, err := url.Parse(address)
	return &Browser{at, log}, err
}

// Page is a page that was fetched.
type Page struct {
	URL         *url.URL
	ContentType string // with the character set, if the server declares it
	Body        []byte
}

// Rendered is a page as the browser shows it.
type Rendered struct {
	URL     *url.URL
	HTML    []byte // UTF-8
	Picture []byte // of the whole page, or nil
	PDF     []byte // or nil
	Lost    error  // why Picture or PDF are missing, or nil
	Parts   Getter // answers with the files that the browser received, and fetches others
}

// The scripts run in a world of their own, whose objects the page cannot change.
var (
	//go:embed scroll.js
	scrollScript string
	//go:embed serialize.js
	serializeScript string
)

// Scripts of a page find none of these, whose requests cannot be paused.
const disabled = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocket', 'WebSocketStream', 'SharedWorker'])
	delete globalThis[name]`

// noProxy is the proxy for requests that were not paused. Port 9 discards what it receives, if anything listens there.
const noProxy = "http://127.0.0.1:9"

// maxPart is the number of bytes of a PDF that are read at once.
const maxPart = 1 << 20

// Render shows a page in the browser. Its files come from from. If it fails, the parts that the browser received are lost.
func (b *Browser) Render(ctx context.Context, from Getter, first Page, limits Limits) (*Rendered, error) {
	shown, err := b.render(ctx, from, first, limits)
	if err != nil {
		b.log.WarnContext(ctx, "the browser cannot render a page", "host", first.URL.Host, "error", err)
	} else if shown.Lost != nil {
		b.log.WarnContext(ctx, "the browser took no picture or no PDF of a page", "host", first.URL.Host, "error", shown.Lost)
	}
	return shown, err
}

func (b *Browser) render(ctx context.Context, from Getter, first Page, limits Limits) (*Rendered, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	v := newVisit(ctx, newParts(from, first, limits), limits)
	defer v.requests.Wait()
	defer v.cancel()
	c, err := dial(v.ctx, b.address, limits.Step, v.handle)
	if err != nil {
		return nil, err
	}
	defer c.close()
	v.conn.Store(c)
	if err := v.open(); err != nil {
		return nil, err
	}
	defer v.dispose()
	return v.render(first)
}

// open creates the page in a context of its own.
func (v *visit) open() error {
	var created struct {
		Context string `json:"browserContextId"`
		Target  string `json:"targetId"`
		Session string `json:"sessionId"`
	}
	if err := v.browser("Target.createBrowserContext", object{"disposeOnDetach": true, "proxyServer": noProxy, "proxyBypassList": "<-loopback>"}, &created); err != nil {
		return err
	}
	v.context = created.Context
	if err := v.browser("Browser.setDownloadBehavior", object{"behavior": "deny", "browserContextId": v.context}, nil); err != nil {
		return err
	}
	if err := v.browser("Target.createTarget", object{"url": "about:blank", "browserContextId": v.context}, &created); err != nil {
		return err
	}
	if err := v.browser("Target.attachToTarget", object{"targetId": created.Target, "flatten": true}, &created); err != nil {
		return err
	}
	v.session = created.Session
	for _, c := range []struct {
		method string
		params object
	}{
		{"Fetch.enable", everyRequest},
		{"Target.setAutoAttach", everyFrame},
		{"Inspector.enable", nil},
		{"Page.enable", nil},
		{"Page.addScriptToEvaluateOnNewDocument", object{"source": disabled}},
		{"Emulation.setDeviceMetricsOverride", object{"width": v.limits.Width, "height": v.limits.Window, "deviceScaleFactor": 1, "mobile": false}},
		{"Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}}}},
	} {
		if err := v.call(c.method, c.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// dispose closes the page and deletes its cookies and storage. If the browser does not answer, it does so when the connection ends.
func (v *visit) dispose() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), time.Second)
	defer cancel()
	_ = v.conn.Load().call(ctx, "", "Target.disposeBrowserContext", object{"browserContextId": v.context}, nil)
}

// render loads the page and reads what it shows.
func (v *visit) render(first Page) (*Rendered, error) {
	var started struct {
		Frame string `json:"frameId"`
		Error string `json:"errorText"`
	}
	if err := v.call("Page.navigate", object{"url": first.URL.String()}, &started); err != nil {
		return nil, err
	}
	if started.Error != "" {
		return nil, fmt.Errorf("browser: the page does not load: %.200s", started.Error)
	}
	v.frame = started.Frame
	if err := v.settle(true); err != nil {
		return nil, err
	}
	var height float64
	if err := v.evaluate(fmt.Sprintf("(%s)(%d)", scrollScript, v.limits.Height), &height); err != nil {
		return nil, err
	}
	if err := v.settle(false); err != nil {
		return nil, err
	}
	shown := &Rendered{Parts: v.parts}
	var page struct{ URL, HTML string }
	if err := v.evaluate(fmt.Sprintf("(%s)(%d)", serializeScript, v.limits.DOM), &page); err != nil {
		return nil, err
	}
	at, err := weburl.Parse(page.URL)
	if err != nil || page.HTML == "" || len(page.HTML) > 3*v.limits.DOM {
		return nil, errors.New("browser: it does not show the page")
	}
	shown.URL, shown.HTML = at, []byte(page.HTML)
	var lost [2]error
	shown.Picture, lost[0] = v.picture()
	shown.PDF, lost[1] = v.pdf()
	shown.Lost = errors.Join(lost[:]...)
	return shown, nil
}

// evaluate runs a script in the page and waits for its result.
func (v *visit) evaluate(script string, result any) error {
	var world struct {
		ID int64 `json:"executionContextId"`
	}
	if err := v.call("Page.createIsolatedWorld", object{"frameId": v.frame}, &world); err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	answer.Result.Value = result
	if err := v.call("Runtime.evaluate", object{"expression": script, "contextId": world.ID, "awaitPromise": true, "returnByValue": true}, &answer); err != nil {
		return err
	}
	if answer.Exception != nil {
		return fmt.Errorf("browser: a script failed: %.200s", answer.Exception.Text+" "+answer.Exception.Exception.Description)
	}
	return nil
}

// picture returns a picture of the whole page, up to the limit for its height.
func (v *visit) picture() ([]byte, error) {
	var size struct {
		Content struct {
			Width  float64 `json:"width"`
			Height float64 `json:"height"`
		} `json:"cssContentSize"`
	}
	if err := v.call("Page.getLayoutMetrics", nil, &size); err != nil {
		return nil, err
	}
	height := min(max(int(size.Content.Height), v.limits.Window), v.limits.Height)
	params := object{"format": v.limits.PictureFor, "captureBeyondViewport": true, "optimizeForSpeed": true,
		"clip": object{"x": 0, "y": 0, "width": v.limits.Width, "height": height, "scale": 1}}
	if v.limits.PictureFor != "png" {
		params["quality"] = 80
	}
	var taken struct {
		Data []byte `json:"data"`
	}
	if err := v.call("Page.captureScreenshot", params, &taken); err != nil {
		return nil, err
	}
	if len(taken.Data) == 0 || int64(len(taken.Data)) > v.limits.Picture {
		return nil, errors.New("browser: the picture is too large")
	}
	return taken.Data, nil
}

// pdf returns the page as it is printed.
func (v *visit) pdf() ([]byte, error) {
	var printed struct {
		Stream string `json:"stream"`
	}
	if err := v.call("Page.printToPDF", object{"printBackground": true, "transferMode": "ReturnAsStream"}, &printed); err != nil {
		return nil, err
	}
	var text []byte
	for {
		var part struct {
			Data    string `json:"data"`
			Encoded bool   `json:"base64Encoded"`
			End     bool   `json:"eof"`
		}
		if err := v.call("IO.read", object{"handle": printed.Stream, "size": maxPart}, &part); err != nil {
			return nil, err
		}
		data := []byte(part.Data)
		if part.Encoded {
			var err error
			if data, err = base64.StdEncoding.DecodeString(part.Data); err != nil {
				return nil, err
			}
		}
		if text = append(text, data...); int64(len(text)) > v.limits.PDF {
			return nil, errors.New("browser: the PDF is too large")
		}
		switch {
		case part.End && !strings.HasPrefix(string(text[:min(len(text), 5)]), "%PDF-"):
			return nil, errors.New("browser: it made no PDF")
		case part.End:
			return text, nil
		case len(data) == 0:
			return nil, errors.New("browser: the PDF ends early")
		}
	}
}
