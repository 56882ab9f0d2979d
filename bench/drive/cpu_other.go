//go:build !unix

package drive

import "time"

// CPUTime is not known here.
func CPUTime() time.Duration { return 0 }
