package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/weburl"
)

type mcpCmd struct {
	Server    string `placeholder:"URL" default:"http://127.0.0.1:8080" help:"Address of the server, with the path of its API if it has one."`
	TokenFile string `name:"token-file" placeholder:"FILE" help:"File with a token of that server. Without one, VITRINE_TOKEN has the token."`
}

// Limits of the messages that are passed on.
const (
	mcpMaxMessage = 16 << 20
	mcpTimeout    = 5 * time.Minute
)

// Run passes messages on until the client closes the input.
func (cmd *mcpCmd) Run(c *console) error {
	token, err := tokenOf(cmd.TokenFile)
	if err != nil {
		return err
	}
	u, err := weburl.Parse(cmd.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return usageError{errors.New("--server: must be an http or https URL without a query")}
	}
	b := &mcpBridge{address: strings.TrimSuffix(cmd.Server, "/") + domain.AssistantsPath, token: token,
		client: &http.Client{Timeout: mcpTimeout}, out: c.Out, err: c.Err}
	return b.run(c.Ctx, os.Stdin)
}

// mcpBridge passes messages of the Model Context Protocol from standard input on to the endpoint of a server.
type mcpBridge struct {
	address, token string
	client         *http.Client
	out, err       io.Writer
	version        string // of the protocol, as the server answered initialize
}

// run passes on the lines of in, one after the other, since each has a response before the next one matters.
func (b *mcpBridge) run(ctx context.Context, in io.Reader) error {
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		s := bufio.NewScanner(in)
		s.Buffer(nil, mcpMaxMessage)
		for s.Scan() {
			select {
			case lines <- bytes.Clone(s.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- s.Err()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case line := <-lines:
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if err := b.pass(ctx, line); err != nil {
				return err
			}
		}
	}
}

// mcpMessage is the part of a message that the headers of its request repeat.
type mcpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
}

// pass sends a message and writes its response. It returns an error only if that cannot be written.
func (b *mcpBridge) pass(ctx context.Context, line []byte) error {
	var m mcpMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return b.fail(json.RawMessage("null"), -32700, "the message is not valid JSON")
	}
	body, status, err := b.post(ctx, m, line)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return b.fail(m.ID, -32603, "the server cannot be reached: "+err.Error())
	case status == http.StatusAccepted:
		return nil
	}
	var answer mcpMessage
	var compact bytes.Buffer
	if json.Unmarshal(body, &answer) != nil || json.Compact(&compact, body) != nil || status != http.StatusOK && !bytes.Contains(body, []byte(`"jsonrpc"`)) {
		return b.fail(m.ID, -32603, fmt.Sprintf("the server answered %d: %s", status, reasonOf(body)))
	}
	if m.Method == "initialize" {
		b.version = answer.Result.Version
	}
	_, err = b.out.Write(append(inASCII(compact.Bytes()), '\n'))
	return err
}

// post sends a message with the headers that the protocol requires.
func (b *mcpBridge) post(ctx context.Context, m mcpMessage, line []byte) (body []byte, status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.address, bytes.NewReader(line))
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if version := cmp.Or(m.Params.Meta.Version, b.version); version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	if m.Params.Meta.Version != "" { // the revision without a handshake
		r.Header.Set("Mcp-Method", m.Method)
		if name := cmp.Or(m.Params.Name, m.Params.URI); name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
	res, err := b.client.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(res.Body, mcpMaxMessage))
	return body, res.StatusCode, err
}

// reasonOf returns the message of an error of the server.
func reasonOf(body []byte) string {
	var e struct {
		Details struct {
			Message string `json:"message"`
		} `json:"details"`
	}
	if json.Unmarshal(body, &e) == nil && e.Details.Message != "" {
		return e.Details.Message
	}
	return strings.TrimSpace(string(body[:min(len(body), 200)]))
}

// fail answers a message with an error, or reports it if the message expects no answer.
func (b *mcpBridge) fail(id json.RawMessage, code int, why string) error {
	if id == nil {
		_, err := fmt.Fprintln(b.err, "vitrine: mcp:", why)
		return err
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	_, err = b.out.Write(append(inASCII(text), '\n'))
	return err
}

// inASCII escapes the characters of a JSON text beyond ASCII, because the command line replaces some of them in its output.
func inASCII(text []byte) []byte {
	out := make([]byte, 0, len(text)+1)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
