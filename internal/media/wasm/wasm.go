// Package wasm runs code compiled to WebAssembly, without files, clock or network, and with a
// memory limit.
package wasm

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

	"vitrine/internal/media/source"
)

// PageSize is the unit of WebAssembly's memory, in bytes.
const PageSize = 64 << 10

// Module is C code compiled to WebAssembly. It has no access to files, clock or network. Every
// call gets an instance with fresh memory, so the effects of a broken file end with it. Compiling
// takes a moment and happens on first use.
//
// A call cannot be interrupted. Code that wazero can interrupt (WithCloseOnContextDone) is three
// to five times slower: 16 s of CPU instead of 5 for an AVIF of 12 million pixels. The work of a
// decoder is bounded by the one frame that it decodes, which the memory of its instance limits.
type Module struct {
	Compressed []byte // the code, compressed with gzip

	mu       sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// Instance is a running module.
type Instance struct {
	mod api.Module
	ctx context.Context
}

// Compiling is how many bytes compiling a module takes, including its code.
const Compiling = 48 << 20

// Compiled is a cache of machine code that outlives runtimes, or nil for none. Only tests set it (mediatest): a server
// compiles a module again when it needs it again, and uses no memory for it in the meantime.
var Compiled wazero.CompilationCache

// RuntimeConfig returns the configuration that all runtimes start from.
func RuntimeConfig() wazero.RuntimeConfig {
	config := wazero.NewRuntimeConfig()
	if Compiled != nil {
		config = config.WithCompilationCache(Compiled)
	}
	return config
}

// Started reports whether the module is compiled.
func (m *Module) Started() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.compiled != nil
}

// Open starts an instance with up to limit bytes of memory. The caller closes it. No call begins
// after ctx has ended.
func (m *Module) Open(ctx context.Context, limit int64) (*Instance, error) {
	runtime, compiled, err := m.compile()
	if err != nil {
		return nil, err
	}
	limit = max(int64(smallestMemory(compiled)), limit/PageSize*PageSize)
	mod, err := runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocate(limit)), compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("start a codec: %w", err)
	}
	return &Instance{mod: mod, ctx: ctx}, nil
}

// smallestMemory returns the initial memory of a module in bytes.
func smallestMemory(compiled wazero.CompiledModule) uint64 {
	var bytes uint64
	for _, m := range compiled.ExportedMemories() {
		bytes = max(bytes, uint64(m.Min())*PageSize)
	}
	return bytes
}

// Compile compiles the module unless it is compiled already.
func (m *Module) Compile() error {
	_, _, err := m.compile()
	return err
}

func (m *Module) compile() (wazero.Runtime, wazero.CompiledModule, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.compiled != nil {
		return m.runtime, m.compiled, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(m.Compressed))
	if err != nil {
		return nil, nil, fmt.Errorf("unpack a codec: %w", err)
	}
	code, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("unpack a codec: %w", err)
	}
	// The module outlives this request, so it must not depend on its context.
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, RuntimeConfig())
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

// Close frees the module's runtime. It may be opened again.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runtime == nil {
		return nil
	}
	runtime := m.runtime
	m.runtime, m.compiled = nil, nil
	return runtime.Close(context.Background())
}

// Close ends an instance and frees its memory.
func (i *Instance) Close() {
	_ = i.mod.Close(context.WithoutCancel(i.ctx)) // memory only: it has nothing to flush
}

// Call calls a function that returns one number. If the function fails, the file is at fault.
func (i *Instance) Call(name string, args ...uint64) (uint64, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	results, err := i.mod.ExportedFunction(name).Call(i.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("codec: %w", err)
	}
	return results[0], nil
}

// Alloc allocates n bytes and returns their address.
func (i *Instance) Alloc(n int) (uint64, error) {
	at, err := i.Call("malloc", uint64(n))
	if err == nil && at == 0 {
		err = source.Refused("The image needs too much memory to be read")
	}
	return at, err
}

// Put copies b into the memory and returns the address.
func (i *Instance) Put(b []byte) (uint64, error) {
	return i.Fill(bytes.NewReader(b), len(b))
}

// Fill reads n bytes from r into the memory and returns the address.
func (i *Instance) Fill(r io.Reader, n int) (uint64, error) {
	at, err := i.Alloc(n)
	if err != nil {
		return 0, err
	}
	to, err := i.Get(at, n)
	if err != nil {
		return 0, err
	}
	_, err = io.ReadFull(r, to)
	return at, err
}

// Get returns n bytes of the instance's memory, valid until it is closed.
func (i *Instance) Get(at uint64, n int) ([]byte, error) {
	b, ok := i.mod.Memory().Read(uint32(at), uint32(n))
	if !ok {
		return nil, errors.New("codec: read beyond its memory")
	}
	return b, nil
}

// Numbers returns n 32-bit numbers.
func (i *Instance) Numbers(at uint64, n int) ([]int, error) {
	all := make([]int, n)
	for j := range all {
		v, ok := i.mod.Memory().ReadUint32Le(uint32(at) + uint32(4*j))
		if !ok {
			return nil, errors.New("codec: read beyond its memory")
		}
		all[j] = int(v)
	}
	return all, nil
}
