package filetype

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/formats.md lists all formats that become images or have a preview, and no others.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures, rest, ok := strings.Cut(string(text), "\n## Documents")
	if !ok {
		t.Fatal("the section about documents is missing")
	}
	mediaType := regexp.MustCompile("`((?:image|application)/[a-z+]+)`")
	listed := map[string]Class{}
	for _, m := range mediaType.FindAllStringSubmatch(pictures, -1) {
		if listed[m[1]] = kindOf(m[1], "").Class; listed[m[1]] != Raster && listed[m[1]] != Vector {
			t.Errorf("%s is listed, but does not become an Image", m[1])
		}
	}
	if !strings.Contains(rest, "`"+PDF+"`") {
		t.Errorf("%s is not listed", PDF)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "filetype.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, value := range spec.Values {
			literal, ok := value.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			name, err := strconv.Unquote(literal.Value)
			if class := kindOf(name, "").Class; err != nil || class != Raster && class != Vector {
				continue
			}
			if n++; listed[name] == 0 {
				t.Errorf("%s is not listed", name)
			}
		}
		return true
	})
	if n < 10 || n != len(listed) {
		t.Errorf("%d formats in the source, %d are listed", n, len(listed))
	}
	for extension := range textual {
		if !strings.Contains(rest, "`."+extension+"`") {
			t.Errorf(".%s is not listed", extension)
		}
	}
}
