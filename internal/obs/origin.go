package obs

// Origin identifies what caused some work, for the log: a request to this server, and the trace it
// belongs to (https://www.w3.org/TR/trace-context/). Jobs store it as JSON.
type Origin struct {
	Request string `json:"request_id,omitempty"`
	Trace   string `json:"traceparent,omitempty"`
}

// TraceID returns the ID of the trace, or "" without one.
func (o Origin) TraceID() string { return TraceID(o.Trace) }
