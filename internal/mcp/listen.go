package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// stateless is the first revision of the protocol without sessions.
const stateless = "2026-07-28"

// subscriptionOf returns the id of a valid request for notifications (subscriptions/listen), nil for other messages. What is
// not valid is left to the SDK, which reports why.
func subscriptionOf(h http.Header, body []byte) json.RawMessage {
	const method = "subscriptions/listen"
	if h.Get("Mcp-Method") != method || h.Get("Mcp-Protocol-Version") != stateless {
		return nil
	}
	var in struct {
		Version string `json:"jsonrpc"`
		ID      json.RawMessage
		Method  string
		Params  struct {
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
			Notifications map[string]json.RawMessage
		}
	}
	var number json.Number
	var text string
	if json.Unmarshal(body, &in) != nil || in.Version != "2.0" || in.Method != method || in.Params.Meta.Version != stateless || in.Params.Notifications == nil ||
		string(in.ID) == "null" || json.Unmarshal(in.ID, &number) != nil && json.Unmarshal(in.ID, &text) != nil {
		return nil
	}
	return in.ID
}

// endSubscription answers such a request: this server has no notifications, so it agrees to none and ends the stream. The
// SDK does the same, but sometimes ends the response before it has written the result.
func endSubscription(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/subscriptionId":%s}`, id)
	_, _ = fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{%s,\"notifications\":{}}}\n\n"+
		"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{%s}}\n\n", meta, id, meta)
}
