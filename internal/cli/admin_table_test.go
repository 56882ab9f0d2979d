package cli

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each command, and each button of a form on the operator's pages, has an operation of the admin API or a reason why not, and
// each of these operations has a command or a button.
func TestAdminTable(t *testing.T) {
	t.Parallel()
	docs := read(t, "../../docs/admin.md")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ((?:button )?.+?) \| (.+) \|$`).FindAllStringSubmatch(docs[strings.Index(docs, "## Commands and pages"):], -1) {
		rows[strings.ReplaceAll(row[1], "`", "")] = row[2]
	}
	delete(rows, "command or button")
	delete(rows, "---")

	wanted := map[string]bool{}
	parser, err := newParser(io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		wanted[command.FullPath()] = true
	}
	forms := buttons(t, "../site/pages/operator/templates", "../site/pages/moderation/templates")
	if len(forms) < 40 {
		t.Errorf("there are only %d buttons", len(forms))
	}
	maps.Copy(wanted, forms)
	for name := range wanted {
		if rows[name] == "" {
			t.Errorf("%s is not in the table of docs/admin.md", name)
		}
	}
	described, operation := map[string]bool{}, regexp.MustCompile("`(admin[A-Z]\\w+)`")
	for _, found := range regexp.MustCompile(`operationId: (admin\w+)`).FindAllStringSubmatch(read(t, "../../api/ext.yaml"), -1) {
		described[found[1]] = true
	}
	used := map[string]bool{}
	for name, row := range rows {
		if !wanted[name] {
			t.Errorf("%s is no command and no button", name)
		}
		names := operation.FindAllStringSubmatch(row, -1)
		if len(names) == 0 && !strings.HasPrefix(row, "none: ") {
			t.Errorf("%s has no operation and no reason", name)
		}
		for _, found := range names {
			used[found[1]] = true
			if !described[found[1]] {
				t.Errorf("%s: api/ext.yaml has no operation %s", name, found[1])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		if !used[name] {
			t.Errorf("no command and no button has the operation %s", name)
		}
	}
}

// buttons returns the buttons of the forms that change something, by template and value, or name if the value varies.
func buttons(t *testing.T, folders ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	form := regexp.MustCompile(`(?s)<form[^>]*method="post".*?</form>`)
	named := regexp.MustCompile(`<button[^>]* name="([^"]+)" value="([^"]+)"`)
	for _, folder := range folders {
		files, err := filepath.Glob(folder + "/*.html")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			page := strings.TrimSuffix(filepath.Base(file), ".html")
			if page == "report" || page == "notices" { // of everybody
				continue
			}
			for _, f := range form.FindAllString(read(t, file), -1) {
				all := named.FindAllStringSubmatch(f, -1)
				if len(all) == 0 {
					found["button "+page] = true
				}
				for _, b := range all {
					value := b[2]
					if strings.Contains(value, "{{") {
						value = b[1]
					}
					found["button "+page+" "+value] = true
				}
			}
		}
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
