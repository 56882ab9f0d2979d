//go:build !unix

package drive

import "time"

// CPUTime is unknown on this system.
func CPUTime() time.Duration { return 0 }
