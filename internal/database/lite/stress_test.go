//go:build !databasesql

package lite

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"modernc.org/libc"
)

// Connections are opened and closed while others work. They share SQLite's allocator, and must not write
// to memory in use: the test allocates small pieces and checks them.
func TestConnectionsLeaveMemoryOfOthersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var opening, holding sync.WaitGroup
	var over atomic.Bool
	opening.Go(func() {
		for until := time.Now().Add(2 * time.Second); time.Now().Before(until); {
			file, err := open(path, false)
			if err != nil {
				t.Error(err)
				return
			}
			if err := file.close(); err != nil {
				t.Error(err)
			}
		}
	})
	for range 1 {
		holding.Go(func() {
			tls := libc.NewTLS()
			defer tls.Close()
			const mine = 0x6d696e656d696e65
			for !over.Load() {
				var pieces [8]*uint64
				for i := range pieces {
					pieces[i] = (*uint64)(at(libc.Xmalloc(tls, 16)))
					*pieces[i] = mine
				}
				for _, p := range pieces {
					if *p != mine {
						t.Errorf("memory in use was written to: %#x", *p)
					}
					libc.Xfree(tls, uintptr(unsafe.Pointer(p)))
				}
			}
		})
	}
	opening.Wait()
	over.Store(true)
	holding.Wait()
}

// Concurrent use of a connection panics before it corrupts memory.
func TestConnectionIsForOneGoroutine(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.file.enter()
	defer c.file.leave()
	for name, use := range map[string]func(){
		"run": func() { _ = c.Run("SELECT 1") }, "close": func() { _ = c.file.close() }, "rewind": c.file.rewind,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s goes on", name)
				}
			}()
			use()
		}()
	}
}
