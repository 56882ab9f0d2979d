package wasm

import "github.com/tetratelabs/wazero/experimental"

// allocate returns the memory of one instance, which grows in place up to limit bytes. A Go slice
// would be copied to a larger one each time, and both would exist at once. The garbage collector
// does not manage this memory.
func allocate(limit int64) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory {
		region, err := mapMemory(int(limit))
		if err != nil { // the system does not support it
			return &linearMemory{region: make([]byte, limit)}
		}
		return &linearMemory{region: region, mapped: true}
	})
}

type linearMemory struct {
	region []byte
	mapped bool
}

// Reallocate implements experimental.LinearMemory. Beyond the limit, it returns nil: out of
// memory.
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
