package database

import "testing"

// The list of mounts has the kinds of file systems in user space.
func TestMountKind(t *testing.T) {
	t.Parallel()
	if kind, err := mountKind("/proc"); err != nil || kind != "proc" {
		t.Errorf("/proc is %q, %v", kind, err)
	}
}
