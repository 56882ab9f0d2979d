package apptest

import (
	"strings"
	"sync"
)

// logbook stores the server's log.
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

// Log returns the log lines so far that contain a text, such as a request id.
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
