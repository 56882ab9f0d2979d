package pdf

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	_ "embed" // the engine
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"math"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"vitrine/internal/media/wasm"
)

//go:embed module/pdfium.wasm.gz
var packed []byte

// errLocked is the error for a document that requires a password or another credential.
var errLocked = errors.New("PDFium: the document is locked")

// engine is PDFium, compiled to machine code.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// startPDFium compiles PDFium. Its instances use at most limit bytes of memory, cannot access
// files, and end with the context of their current call.
func startPDFium(limit int64) (*engine, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack PDFium: %w", err)
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("unpack PDFium: %w", err)
	}
	ctx := context.Background() // the engine outlives this request
	e := &engine{runtime: wazero.NewRuntimeWithConfig(ctx, wasm.RuntimeConfig().
		WithMemoryLimitPages(uint32(limit/wasm.PageSize)).WithCloseOnContextDone(true))}
	if err := e.prepare(ctx, code); err != nil {
		return nil, errors.Join(fmt.Errorf("start PDFium: %w", err), e.close())
	}
	return e, nil
}

// prepare compiles the code and creates its imports.
func (e *engine) prepare(ctx context.Context, code []byte) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return err
	}
	if e.compiled, err = e.runtime.CompileModule(ctx, code); err != nil {
		return err
	}
	env := e.runtime.NewHostModuleBuilder("env")
	exceptions, err := emscripten.NewFunctionExporterForModule(e.compiled)
	if err != nil {
		return err
	}
	exceptions.ExportFunctions(env)
	for _, f := range e.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != "env" || strings.HasPrefix(name, "invoke_") || strings.HasPrefix(name, "emscripten_") {
			continue
		}
		call := nothing
		if name == "FPDF_FILEACCESS_CB" {
			call = readDocument
		}
		env.NewFunctionBuilder().WithGoModuleFunction(call, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err = env.Instantiate(ctx)
	return err
}

// nothing implements the callbacks of PDFium for forms, downloads and the like, which we do not
// use.
var nothing = api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
	if len(stack) > 0 {
		stack[0] = 0
	}
})

// documentKey is the key for the document, an *io.SectionReader, in the context of a call.
type documentKey struct{}

// readDocument passes a part of the document to PDFium. The parameters are ours, a position, an
// address and a size. It returns 0 if the part cannot be read.
var readDocument = api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
	position, to, size := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = 0
	document, ok := ctx.Value(documentKey{}).(*io.SectionReader)
	if !ok {
		return
	}
	if part, ok := mod.Memory().Read(to, size); ok {
		if n, _ := document.ReadAt(part, int64(position)); n == len(part) {
			stack[0] = uint64(n)
		}
	}
})

// close frees everything.
func (e *engine) close() error { return e.runtime.Close(context.Background()) }

// start starts an instance for a document, within ctx. The caller closes it.
func (e *engine) start(ctx context.Context, file *io.SectionReader) (*instance, error) {
	mod, err := e.runtime.InstantiateModule(ctx, e.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithRandSource(rand.Reader))
	if err != nil {
		return nil, err
	}
	return &instance{mod: mod, file: file}, nil
}

// instance is PDFium with one document.
type instance struct {
	mod      api.Module
	file     *io.SectionReader
	document uint64          // PDFium's handle; 0 before it is loaded
	ctx      context.Context // of the calls, with the file
	err      error           // the first error of a call; later calls do nothing
}

func (i *instance) close() { _ = i.mod.Close(context.Background()) } // frees memory, and fails after a crash

// call calls a function of PDFium that returns one number, or none.
func (i *instance) call(name string, args ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	results, err := i.mod.ExportedFunction(name).Call(i.ctx, args...)
	if err != nil {
		i.err = fmt.Errorf("%s: %w", name, err)
	}
	if err != nil || len(results) == 0 {
		return 0
	}
	return results[0]
}

// Errors of FPDF_GetLastError, and flags of FPDF_RenderPageBitmap (fpdfview.h).
const (
	errorPassword = 4
	errorSecurity = 5
	rgbaOrder     = 0x10
)

// load loads the document, if that was not done before. The calls that follow end with ctx.
func (i *instance) load(ctx context.Context) error {
	i.ctx = context.WithValue(ctx, documentKey{}, i.file)
	if i.document != 0 {
		return nil
	}
	i.call("FPDF_InitLibrary")
	i.document = i.call("FPDF_LoadCustomDocument", i.call("FPDF_FILEACCESS_Create", uint64(i.file.Size()), 0), 0)
	if i.err == nil && i.document == 0 {
		switch code := i.call("FPDF_GetLastError"); {
		case i.err != nil:
		case code == errorPassword || code == errorSecurity:
			return errLocked
		default:
			return fmt.Errorf("PDFium: no document: error %d", code)
		}
	}
	return i.err
}

// pages returns the number of pages of the loaded document.
func (i *instance) pages() int { return int(int32(i.call("FPDF_GetPageCount", i.document))) }

// outline returns the sizes of the first pages of the loaded document, so that each fits in a box of
// pixels and fills it in one direction.
func (i *instance) outline(width, height int) (o Outline, err error) {
	o.Count = i.pages()
	size := i.call("malloc", 16) // two numbers of 8 bytes
	defer i.call("free", size)
	for n := 0; n < min(o.Count, MaxPages) && i.err == nil; n++ {
		var page OutlinePage
		if uint32(i.call("FPDF_GetPageSizeByIndex", i.document, uint64(n), size, size+8)) != 0 {
			w, _ := i.mod.Memory().ReadFloat64Le(uint32(size))
			h, _ := i.mod.Memory().ReadFloat64Le(uint32(size + 8))
			if w > 0 && h > 0 {
				fit := within(width, height, w, h)
				page.Width, page.Height = fit.X, fit.Y
			}
		}
		o.Pages = append(o.Pages, page)
	}
	if i.err == nil && o.Count <= 0 {
		return o, errors.New("PDFium: no pages")
	}
	return o, i.err
}

// page renders a page of the loaded document onto white paper, so that it fits in a box of pixels and
// fills it in one direction.
func (i *instance) page(n, width, height int) (*image.RGBA, error) {
	page := i.call("FPDF_LoadPage", i.document, uint64(n))
	if i.err == nil && page == 0 {
		return nil, errors.New("PDFium: no page")
	}
	defer i.call("FPDF_ClosePage", page)
	size := within(width, height, api.DecodeF64(i.call("FPDF_GetPageWidth", page)), api.DecodeF64(i.call("FPDF_GetPageHeight", page)))
	w, h := uint64(size.X), uint64(size.Y)
	bitmap := i.call("FPDFBitmap_Create", w, h, 1)
	if i.err == nil && bitmap == 0 {
		return nil, errors.New("PDFium: no memory for the page")
	}
	defer i.call("FPDFBitmap_Destroy", bitmap)
	paper := uint64(0xFFFFFFFF)
	if uint32(i.call("FPDFPage_HasTransparency", page)) == 1 {
		paper = 0
	}
	i.call("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, paper)
	i.call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, w, h, 0, rgbaOrder)
	at := i.call("FPDFBitmap_GetBuffer", bitmap)
	if i.err != nil {
		return nil, i.err
	}
	pixels, ok := i.mod.Memory().Read(uint32(at), uint32(4*w*h))
	if !ok {
		return nil, errors.New("PDFium: the picture is beyond its memory")
	}
	drawn := &image.RGBA{Pix: pixels, Stride: 4 * size.X, Rect: image.Rectangle{Max: size}}
	sheet := image.NewRGBA(drawn.Rect)
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(sheet, sheet.Rect, drawn, image.Point{}, draw.Over)
	return sheet, nil
}

// within returns the size in pixels of a page, given its size in points, so that it fits in a box
// and fills it in one direction.
func within(width, height int, pageWidth, pageHeight float64) image.Point {
	w, h := float64(width), float64(height)
	if fit := w * (pageHeight / pageWidth); fit < h {
		h = fit
	} else if fit := h * (pageWidth / pageHeight); fit < w {
		w = fit
	}
	return image.Pt(int(math.Ceil(w)), int(math.Ceil(h)))
}
