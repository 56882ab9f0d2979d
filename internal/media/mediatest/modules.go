package mediatest

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"

	"vitrine/internal/media/wasm"
)

// KeepModules makes this process store the machine code of modules in the user's cache folder, so that tests compile each
// module only once. Compiling PDFium takes 8 s of processor time, and with the race detector more than a minute.
var KeepModules = sync.OnceFunc(func() {
	if folder, err := os.UserCacheDir(); err == nil {
		if onDisk, err := wazero.NewCompilationCacheWithDir(filepath.Join(folder, "vitrine-test", "modules")); err == nil {
			wasm.Compiled = onDisk
			return
		}
	}
	wasm.Compiled = wazero.NewCompilationCache()
})
