// Build measures the first build of the program, with an empty build cache: the processor time of the
// compiler by module or package, the total, and the size of the program.
//
//	go run ./bench/build              # as "make build"
//	go run ./bench/build -plain       # as "go run ./cmd/vitrine"
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	plain := flag.Bool("plain", false, "build without the flags of the Makefile")
	packages := flag.Bool("packages", false, "list packages instead of modules")
	rows := flag.Int("rows", 30, "rows to print")
	limit := flag.Int64("limit", 0, "fail if the program has more bytes")
	flag.Parse()
	if err := run(*plain, *packages, *rows, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// action is one step of a build, as -debug-actiongraph writes it. Times are in nanoseconds.
type action struct {
	Mode, Package   string
	CmdUser, CmdSys time.Duration
}

func run(plain, byPackage bool, rows int, limit int64) error {
	dir, err := os.MkdirTemp("", "vitrine-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	modules, err := modulesOf("./cmd/vitrine")
	if err != nil {
		return err
	}
	program, actions := filepath.Join(dir, "vitrine"), filepath.Join(dir, "actions.json")
	build := exec.Command("make", "--no-print-directory", "build", "BIN="+program)
	if plain {
		build = exec.Command("go", "build", "-o", program, "./cmd/vitrine")
	}
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"), "GOFLAGS=-debug-actiongraph="+actions)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	began := time.Now()
	if err := build.Run(); err != nil {
		return fmt.Errorf("%s: %w", build, err)
	}
	took := time.Since(began)
	text, err := os.ReadFile(actions)
	if err != nil {
		return err
	}
	var steps []action
	if err := json.Unmarshal(text, &steps); err != nil {
		return fmt.Errorf("%s: %w", actions, err)
	}
	about, err := os.Stat(program)
	if err != nil {
		return err
	}
	printSums(sum(steps, modules, byPackage), rows)
	usage := build.ProcessState
	fmt.Printf("\nprocessor time %.1f s, %.1f s by the clock; the program has %.1f MB\n",
		(usage.UserTime() + usage.SystemTime()).Seconds(), took.Seconds(), float64(about.Size())/1e6)
	if limit > 0 && about.Size() > limit {
		return fmt.Errorf("the program has %d bytes, more than %d", about.Size(), limit)
	}
	return nil
}

// modulesOf returns the modules of all packages that a package depends on.
func modulesOf(root string) (map[string]string, error) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}std{{end}}", root).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %w: %s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		pkg, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		modules[pkg] = module
	}
	return modules, nil
}

// total is the processor time of some packages.
type total struct {
	name     string
	packages int
	time     time.Duration
}

// sum adds up the steps by module or package. The linker has its own row.
func sum(steps []action, modules map[string]string, byPackage bool) []total {
	sums := map[string]total{}
	for _, a := range steps {
		name := modules[a.Package]
		if a.Mode == "link" {
			name = "(linker)"
		} else if byPackage || name == "" {
			name = cmp.Or(a.Package, a.Mode)
		}
		if used := a.CmdUser + a.CmdSys; used > 0 {
			sums[name] = total{name, sums[name].packages + 1, sums[name].time + used}
		}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b total) int {
		return cmp.Or(cmp.Compare(b.time, a.time), strings.Compare(a.name, b.name))
	})
}

func printSums(sums []total, rows int) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer func() { _ = w.Flush() }() // to standard output
	fmt.Fprint(w, "seconds\tpackages\t \n")
	var rest total
	for i, t := range sums {
		if i < rows {
			fmt.Fprintf(w, "%.2f\t%d\t  %s\n", t.time.Seconds(), t.packages, t.name)
			continue
		}
		rest = total{"(others)", rest.packages + t.packages, rest.time + t.time}
	}
	if rest.packages > 0 {
		fmt.Fprintf(w, "%.2f\t%d\t  %s\n", rest.time.Seconds(), rest.packages, rest.name)
	}
}
