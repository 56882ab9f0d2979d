package strip

import (
	"bytes"
	"io"
)

// Apply applies a plan to a file in memory.
func (p Plan) Apply(file []byte) ([]byte, error) {
	return io.ReadAll(p.Open(memory{bytes.NewReader(file)}))
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }
