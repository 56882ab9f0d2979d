package browser

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/fetch"
	"vitrine/internal/weburl"
)

// visit is the rendering of one page.
type visit struct {
	ctx      context.Context
	cancel   context.CancelFunc
	conn     atomic.Pointer[conn]
	parts    *parts
	limits   Limits
	requests sync.WaitGroup
	context  string // of the browser, for this page only
	session  string // of the page
	frame    string // the main one

	loaded  chan struct{} // receives a value when the page is loaded
	crashed chan struct{} // closed when the page crashed
	crash   sync.Once

	mu      sync.Mutex
	active  int       // requests
	changed time.Time // when active changed
	paused  int       // all requests so far
}

func newVisit(ctx context.Context, p *parts, limits Limits) *visit {
	v := &visit{parts: p, limits: limits, loaded: make(chan struct{}, 1), crashed: make(chan struct{}), changed: time.Now()}
	v.ctx, v.cancel = context.WithCancel(ctx)
	return v
}

var (
	everyRequest = object{"patterns": []object{{"urlPattern": "*"}}}
	everyFrame   = object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
)

var errCrashed = errors.New("browser: the page crashed")

// browser sends a command to the browser.
func (v *visit) browser(method string, params object, result any) error {
	return v.command("", method, params, result)
}

// call sends a command to the page.
func (v *visit) call(method string, params object, result any) error {
	return v.command(v.session, method, params, result)
}

func (v *visit) command(session, method string, params object, result any) error {
	ctx, cancel := context.WithTimeout(v.ctx, v.limits.Step)
	defer cancel()
	go func() {
		select {
		case <-v.crashed:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := v.conn.Load().call(ctx, session, method, params, result)
	select {
	case <-v.crashed:
		return errCrashed
	default:
		return err
	}
}

// settle waits until the page makes no requests for some time, and after a navigation until it is loaded. A page that is not quiet
// in time counts as complete.
func (v *visit) settle(navigated bool) error {
	limit := time.NewTimer(v.limits.Load)
	defer limit.Stop()
	loaded := v.loaded
	if !navigated {
		loaded = nil
	}
	look := time.NewTicker(v.limits.Quiet / 10)
	defer look.Stop()
	for {
		select {
		case <-loaded:
			navigated, loaded = false, nil
		case <-look.C:
			if !navigated && v.quiet() {
				return nil
			}
		case <-limit.C:
			return nil
		case <-v.crashed:
			return errCrashed
		case <-v.conn.Load().done:
			return v.conn.Load().err
		case <-v.ctx.Done():
			return v.ctx.Err()
		}
	}
}

func (v *visit) quiet() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.active == 0 && time.Since(v.changed) >= v.limits.Quiet
}

// handle handles an event. It does not wait.
func (v *visit) handle(e event) {
	switch e.Method {
	case "Fetch.requestPaused":
		var r pausedRequest
		if json.Unmarshal(e.Params, &r) != nil {
			return // the request stays paused
		}
		v.mu.Lock()
		v.paused++
		over := v.paused > 2*v.limits.Requests
		if !over {
			v.active++
			v.changed = time.Now()
		}
		v.mu.Unlock()
		if over {
			v.fail(e.Session, r)
			return
		}
		v.requests.Go(func() {
			v.answer(e.Session, r)
			v.mu.Lock()
			defer v.mu.Unlock()
			v.active--
			v.changed = time.Now()
		})
	case "Target.attachedToTarget":
		v.attached(e)
	case "Page.loadEventFired":
		select {
		case v.loaded <- struct{}{}:
		default:
		}
	case "Page.javascriptDialogOpening":
		v.send(e.Session, "Page.handleJavaScriptDialog", object{"accept": false})
	case "Inspector.targetCrashed":
		v.crash.Do(func() { close(v.crashed) })
	}
}

// attached lets a frame of another site begin once its requests are paused. Other targets, such as workers, never begin.
func (v *visit) attached(e event) {
	var to struct {
		Session string `json:"sessionId"`
		Target  struct {
			Type string `json:"type"`
		} `json:"targetInfo"`
		Waits bool `json:"waitingForDebugger"`
	}
	if json.Unmarshal(e.Params, &to) != nil || to.Target.Type != "iframe" || !to.Waits {
		return
	}
	v.send(to.Session, "Fetch.enable", everyRequest)
	v.send(to.Session, "Target.setAutoAttach", everyFrame)
	v.send(to.Session, "Page.enable", nil)
	v.send(to.Session, "Page.addScriptToEvaluateOnNewDocument", object{"source": disabled})
	v.send(to.Session, "Runtime.runIfWaitingForDebugger", nil)
}

// send sends a command without waiting for its reply.
func (v *visit) send(session, method string, params object) {
	if c := v.conn.Load(); c != nil {
		c.send(v.ctx, session, method, params)
	}
}

// pausedRequest is a request that waits for our answer.
type pausedRequest struct {
	ID      string `json:"requestId"`
	Kind    string `json:"resourceType"`
	Request struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
}

// kinds are the kinds of requests that are answered. Videos, sounds, event streams and reports are not.
var kinds = map[string]bool{"Document": true, "Stylesheet": true, "Image": true, "Font": true, "Script": true, "XHR": true, "Fetch": true, "Manifest": true}

// answer answers a request.
func (v *visit) answer(session string, r pausedRequest) {
	address, err := weburl.Parse(r.Request.URL) // http or https only
	if err != nil || address.User != nil || !kinds[r.Kind] && r.Request.Method != http.MethodOptions {
		v.fail(session, r)
		return
	}
	switch r.Request.Method {
	case http.MethodGet:
	case http.MethodOptions: // asks for the permission to send a request
		v.fulfill(session, r, http.StatusNoContent, nil, nil)
		return
	default:
		v.fail(session, r)
		return
	}
	f, err := v.parts.file(v.ctx, address, r.header("Accept"))
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Status != 0 {
		v.fulfill(session, r, e.Status, nil, nil)
		return
	}
	switch {
	case err != nil:
		v.fail(session, r)
	case key(f.url) != key(address):
		v.fulfill(session, r, http.StatusFound, []header{{"Location", f.url.String()}}, nil)
	default:
		v.fulfill(session, r, http.StatusOK, []header{{"Content-Type", f.mediaType()}}, f.body)
	}
}

// header is one of a request or an answer.
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (r pausedRequest) header(name string) string {
	for key, value := range r.Request.Headers {
		if http.CanonicalHeaderKey(key) == name {
			return value
		}
	}
	return ""
}

// policy keeps a page from opening windows, downloads, dialogs, workers and sockets.
const policy = "sandbox allow-scripts allow-same-origin; worker-src 'none'; connect-src http: https: data: blob:; object-src 'none'; webrtc 'block'"

// fulfill answers a request. Scripts of all sites may read the answer, because it was fetched without cookies.
func (v *visit) fulfill(session string, r pausedRequest, status int, headers []header, body []byte) {
	headers = append(headers, header{"Content-Security-Policy", policy}, header{"X-DNS-Prefetch-Control", "off"},
		header{"Access-Control-Allow-Origin", cmp.Or(r.header("Origin"), "*")}, header{"Access-Control-Allow-Credentials", "true"},
		header{"Access-Control-Allow-Headers", cmp.Or(r.header("Access-Control-Request-Headers"), "*")}, header{"Access-Control-Allow-Methods", "GET"})
	v.send(session, "Fetch.fulfillRequest", object{"requestId": r.ID, "responseCode": status, "responseHeaders": headers,
		"body": base64.StdEncoding.EncodeToString(body)})
}

// fail refuses a request.
func (v *visit) fail(session string, r pausedRequest) {
	v.send(session, "Fetch.failRequest", object{"requestId": r.ID, "errorReason": "BlockedByClient"})
}
