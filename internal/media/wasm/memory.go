package wasm

import "github.com/tetratelabs/wazero/experimental"

// allocate returns the memory of one instance, which grows up to limit bytes in
// its place: a slice of Go's would be copied to a larger one each time, and
// both would be there at once. It is not the garbage collector's.
func allocate(limit int64) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory {
		region, err := mapMemory(int(limit))
		if err != nil { // where there is no such thing
			return &linearMemory{region: make([]byte, limit)}
		}
		return &linearMemory{region: region, mapped: true}
	})
}

type linearMemory struct {
	region []byte
	mapped bool
}

// Reallocate implements experimental.LinearMemory. To code that asks for more
// than the limit there is no more memory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.region)) {
		return nil
	}
	return m.region[:size:size]
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() {
	if m.mapped {
		unmapMemory(m.region)
	}
	m.region, m.mapped = nil, false
}
