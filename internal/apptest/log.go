package apptest

import (
	"strings"
	"sync"
)

// logbook keeps what the server logs.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Log gives the lines that the server has logged so far that hold a text, such as
// a request's id.
func (r *Rig) Log(about string) []string {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	var found []string
	for line := range strings.Lines(r.log.text.String()) {
		if strings.Contains(line, about) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}
