package media

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// pageSize is the unit of WebAssembly's memory, in bytes.
const pageSize = 64 << 10

// module is C code compiled to WebAssembly. It sees no files, no clock and no
// network, and every call gets an instance with fresh memory, so that nothing a
// broken file does outlasts it. Compiling takes a moment and happens when it is
// first needed.
//
// A call runs to its end. Code that wazero can stop (WithCloseOnContextDone) is
// three to five times as slow: 16 s of CPU instead of 5 for an AVIF of 12
// million pixels. How long a decoder works is bounded by the one frame that it
// decodes, and that by the memory of its instance.
type module struct {
	compressed []byte // gzip

	mu       sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// instance is a running module.
type instance struct {
	api.Module
	ctx context.Context
}

// compiling is how many bytes it takes to compile a module, and the code of it.
const compiling = 48 << 20

// started reports whether the module is compiled.
func (m *module) started() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.compiled != nil
}

// open starts an instance with up to limit bytes of memory, which the caller
// closes. No call begins after ctx.
func (m *module) open(ctx context.Context, limit int64) (*instance, error) {
	runtime, compiled, err := m.compile()
	if err != nil {
		return nil, err
	}
	limit = max(int64(smallestMemory(compiled)), limit/pageSize*pageSize)
	mod, err := runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocate(limit)), compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("start a codec: %w", err)
	}
	return &instance{Module: mod, ctx: ctx}, nil
}

// smallestMemory returns how many bytes a module begins with.
func smallestMemory(compiled wazero.CompiledModule) uint64 {
	var bytes uint64
	for _, m := range compiled.ExportedMemories() {
		bytes = max(bytes, uint64(m.Min())*pageSize)
	}
	return bytes
}

func (m *module) compile() (wazero.Runtime, wazero.CompiledModule, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.compiled != nil {
		return m.runtime, m.compiled, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(m.compressed))
	if err != nil {
		return nil, nil, fmt.Errorf("unpack a codec: %w", err)
	}
	code, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("unpack a codec: %w", err)
	}
	// Whoever asked first may leave: others still need what is compiled here.
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("prepare a codec: %w", err), runtime.Close(ctx))
	}
	compiled, err := runtime.CompileModule(ctx, code)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("compile a codec: %w", err), runtime.Close(ctx))
	}
	m.runtime, m.compiled = runtime, compiled
	return runtime, compiled, nil
}

// close frees the module's code. It may be opened again.
func (m *module) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runtime == nil {
		return nil
	}
	runtime := m.runtime
	m.runtime, m.compiled = nil, nil
	return runtime.Close(context.Background())
}

// close ends an instance and frees its memory.
func (i *instance) close() {
	_ = i.Module.Close(context.WithoutCancel(i.ctx)) // memory only: it has nothing to flush
}

// call calls a function that returns one number. What fails in it is the
// file's fault.
func (i *instance) call(name string, args ...uint64) (uint64, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	results, err := i.ExportedFunction(name).Call(i.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("codec: %w", err)
	}
	return results[0], nil
}

// alloc returns the address of n bytes.
func (i *instance) alloc(n int) (uint64, error) {
	at, err := i.call("malloc", uint64(n))
	if err == nil && at == 0 {
		err = refused("The image needs too much memory to be read")
	}
	return at, err
}

// put returns the address of a copy of b.
func (i *instance) put(b []byte) (uint64, error) {
	return i.fill(bytes.NewReader(b), len(b))
}

// fill returns the address of n bytes that are read from r.
func (i *instance) fill(r io.Reader, n int) (uint64, error) {
	at, err := i.alloc(n)
	if err != nil {
		return 0, err
	}
	to, err := i.get(at, n)
	if err != nil {
		return 0, err
	}
	_, err = io.ReadFull(r, to)
	return at, err
}

// get returns n bytes of the instance's memory, valid until it is closed.
func (i *instance) get(at uint64, n int) ([]byte, error) {
	b, ok := i.Memory().Read(uint32(at), uint32(n))
	if !ok {
		return nil, errors.New("codec: read beyond its memory")
	}
	return b, nil
}

// numbers returns n 32-bit numbers.
func (i *instance) numbers(at uint64, n int) ([]int, error) {
	all := make([]int, n)
	for j := range all {
		v, ok := i.Memory().ReadUint32Le(uint32(at) + uint32(4*j))
		if !ok {
			return nil, errors.New("codec: read beyond its memory")
		}
		all[j] = int(v)
	}
	return all, nil
}
