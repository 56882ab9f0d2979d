package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// maxMessage limits a message of the browser, most of whose content comes from the page.
const maxMessage = 32 << 20

// maxVersion limits the description of the browser at /json/version.
const maxVersion = 64 << 10

// conn is a connection to the browser that speaks the Chrome DevTools Protocol.
type conn struct {
	ws    *websocket.Conn
	event func(e event) // called for one event after another; it must not wait for a reply

	mu    sync.Mutex
	last  int64
	calls map[int64]chan reply
	done  chan struct{} // closed when the connection ends
	err   error         // why, once done is closed
}

// command is a message to the browser.
type command struct {
	ID      int64  `json:"id"`
	Session string `json:"sessionId,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// event is a message from the browser that answers no command.
type event struct {
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// reply is the answer to a command.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// object contains the parameters of a command.
type object map[string]any

// dial connects to the browser within a time. The connection ends with ctx.
func dial(ctx context.Context, address *url.URL, within time.Duration, handle func(e event)) (*conn, error) {
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	at, host, err := endpoint(soon, address)
	if err != nil {
		return nil, err
	}
	ws, answer, err := websocket.Dial(soon, at, &websocket.DialOptions{HTTPClient: client, Host: host})
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w", err)
	}
	if answer.Body != nil {
		_ = answer.Body.Close()
	}
	ws.SetReadLimit(maxMessage)
	c := &conn{ws: ws, event: handle, calls: map[int64]chan reply{}, done: make(chan struct{})}
	go c.run(ctx)
	return c, nil
}

// client connects to the browser, never through a proxy.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// endpoint returns the address of the browser's WebSocket and the Host header for it. An http address leads to it. Chromium
// answers http requests only if Host is an address or localhost, which it repeats in its answer.
func endpoint(ctx context.Context, address *url.URL) (at, host string, err error) {
	if address.Scheme == "ws" || address.Scheme == "wss" {
		return address.String(), "", nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.JoinPath("json/version").String(), nil)
	if err != nil {
		return "", "", err
	}
	if address.Scheme == "http" {
		host = "localhost"
		request.Host = host
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", "", fmt.Errorf("connect to the browser: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if answer.StatusCode != http.StatusOK {
		return "", "", fmt.Errorf("connect to the browser: it answered %s", answer.Status)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxVersion)).Decode(&version); err != nil {
		return "", "", fmt.Errorf("connect to the browser: %w", err)
	}
	found, err := url.Parse(version.Address)
	if err != nil || found.Path == "" {
		return "", "", errors.New("connect to the browser: its answer names no WebSocket")
	}
	to := *address
	to.Scheme, to.Path, to.RawPath, to.RawQuery = "ws", found.Path, "", found.RawQuery
	if address.Scheme == "https" {
		to.Scheme = "wss"
	}
	return to.String(), host, nil
}

// run reads messages until the connection ends.
func (c *conn) run(ctx context.Context) {
	defer close(c.done)
	for {
		_, text, err := c.ws.Read(ctx)
		if err != nil {
			c.err = fmt.Errorf("the connection to the browser ended: %w", err)
			return
		}
		var message struct {
			ID int64 `json:"id"`
			event
			reply
		}
		if err := json.Unmarshal(text, &message); err != nil {
			c.err = fmt.Errorf("the browser sent a bad message: %w", err)
			_ = c.ws.CloseNow()
			return
		}
		if message.ID == 0 {
			c.event(message.event)
			continue
		}
		c.mu.Lock()
		waiting := c.calls[message.ID]
		delete(c.calls, message.ID)
		c.mu.Unlock()
		if waiting != nil {
			waiting <- message.reply
		}
	}
}

// close ends the connection.
func (c *conn) close() {
	_ = c.ws.CloseNow()
	<-c.done
}

// call sends a command, waits for the reply and decodes it into result unless that is nil.
func (c *conn) call(ctx context.Context, session, method string, params, result any) error {
	answer := make(chan reply, 1)
	id := c.register(answer)
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	if err := c.write(ctx, command{id, session, method, params}); err != nil {
		return err
	}
	select {
	case got := <-answer:
		switch {
		case got.Error != nil:
			return fmt.Errorf("%s: %.200s", method, got.Error.Message)
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(got.Result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// send sends a command without waiting for its reply.
func (c *conn) send(ctx context.Context, session, method string, params any) {
	_ = c.write(ctx, command{c.register(nil), session, method, params}) // run notices that the connection ended
}

// register returns the id of a new command, whose reply goes to answer unless that is nil.
func (c *conn) register(answer chan reply) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	if answer != nil {
		c.calls[c.last] = answer
	}
	return c.last
}

func (c *conn) write(ctx context.Context, m command) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := c.ws.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	return nil
}
