package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/cli"
)

// asProgram makes the test binary act as the program, for tests that run it by name.
const asProgram = "VITRINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Run(context.Background(), os.Args, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// programFolder returns a folder that contains the program under its name.
func programFolder(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n" + asProgram + "=1 exec '" + self + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "vitrine"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inShell runs a script with the program on the path and returns the printed lines. It skips the
// test if the shell is missing.
func inShell(t *testing.T, script string, shell ...string) []string {
	t.Helper()
	path, err := exec.LookPath(shell[0])
	if err != nil {
		t.Skipf("%s is not installed", shell[0])
	}
	cmd := exec.CommandContext(t.Context(), path, append(shell[1:], script)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+programFolder(t)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// want checks the first words of lines.
func want(t *testing.T, lines []string, words ...string) {
	t.Helper()
	var found []string
	for _, line := range lines {
		found = append(found, strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == ':' })[:1]...)
	}
	if !slices.Equal(found, words) {
		t.Errorf("completed are %q, want %q", found, words)
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words []string
		want  []string
	}{
		{[]string{"us"}, []string{"user"}},
		{[]string{"user", "cr"}, []string{"create"}},
		{[]string{"user", "create", "--em"}, []string{"--email"}},
		{[]string{"user", "create", "--email", "--json", "--js"}, []string{"--json"}}, // anything can be a value
		{[]string{"user", "create", "--email", "x", "--em"}, nil},                     // already set
		{[]string{"serve", "--log-format", ""}, []string{"text", "json"}},
		{[]string{"serve", "--log-format=j"}, []string{"--log-format=json"}},
		{[]string{"serve", "--log-format", "=", "j"}, []string{"json"}}, // the way bash splits it
		{[]string{"serve", "--log-format", "="}, []string{"text", "json"}},
		{[]string{"serve", "--log-format", "=", "json", "--log-l"}, []string{"--log-level"}},
		{[]string{"serve", "--nonsense=x"}, nil},
		{[]string{"jobs", "list", "--state", "f"}, []string{"failed"}},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}},
		{[]string{"serve", "--data-dir", ""}, []string{":folders"}},
		{[]string{"serve", "--database-url-file", "x"}, []string{":files"}},
		{[]string{"token", "revoke", "--", "--js"}, nil},
		{[]string{"comple"}, []string{"completion"}}, // complete itself is hidden
		{[]string{"nonsense", "x"}, nil},
	} {
		out := run(t, append([]string{"complete", "--"}, tt.words...)...).ok().out
		var found []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			found = append(found, word)
		}
		if !slices.Equal(found, tt.want) {
			t.Errorf("%q: %q, want %q", tt.words, found, tt.want)
		}
	}
	if out := run(t, "complete").ok().out; !strings.Contains(out, "serve\tRun the server.\n") {
		t.Errorf("%q", out)
	}
}

// The completion scripts work in their shells.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	t.Run("bash", func(t *testing.T) {
		t.Parallel()
		want(t, inShell(t, `source <(vitrine completion bash); complete -p vitrine >/dev/null
COMP_WORDS=(vitrine us) COMP_CWORD=1; _vitrine vitrine; printf '%s\n' "${COMPREPLY[@]}"
COMP_WORDS=(vitrine serve --log-format = j) COMP_CWORD=4; _vitrine vitrine; printf '%s\n' "${COMPREPLY[@]}"
COMP_WORDS=(vitrine completion "") COMP_CWORD=2; _vitrine vitrine; printf '%s\n' "${COMPREPLY[@]}"`, "bash", "--norc", "-c"),
			"user", "json", "bash", "zsh", "fish")
	})
	t.Run("zsh", func(t *testing.T) {
		t.Parallel()
		want(t, inShell(t, `autoload -Uz compinit; compinit -D -u
_describe() { print -l -- ${(P)argv[-1]} }
source <(vitrine completion zsh)
[[ $_comps[vitrine] == _vitrine ]] || print not registered
words=(vitrine us) CURRENT=2; _vitrine
words=(vitrine serve --log-format j) CURRENT=4; _vitrine
words=(vitrine completion '') CURRENT=3; _vitrine`, "zsh", "-f", "-c"),
			"user", "json", "bash", "zsh", "fish")
	})
	t.Run("zsh without a set-up", func(t *testing.T) {
		t.Parallel()
		want(t, inShell(t, `export ZDOTDIR=$(mktemp -d)
source <(vitrine completion zsh); print $_comps[vitrine]
rm -r $ZDOTDIR`, "zsh", "-f", "-c"), "_vitrine")
	})
	t.Run("fish", func(t *testing.T) {
		t.Parallel()
		want(t, inShell(t, `vitrine completion fish | source
complete -C "vitrine us"; complete -C "vitrine serve --log-format j"; complete -C "vitrine completion " | sort`, "fish", "--no-config", "-c"),
			"user", "json", "bash", "fish", "zsh")
	})
	run(t, "completion", "tcsh").failsUsage("must be one of")
}

// The manual page contains every command and setting, and formatters accept it without a warning.
func TestManual(t *testing.T) {
	t.Parallel()
	text := run(t, "man").ok().out
	for _, want := range []string{`.SS "vitrine user create"`, `.B "\-\-data\-dir DIR"`, `.SS "Limits"`, `"VITRINE_ADDR"`, "Default: 15s."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "vitrine complete\"") {
		t.Error("what shells ask is in the manual")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-z", "-Kutf8")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// `help` and --help print the same, by topic, and suggest similar names.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{nil, {"serve"}, {"user", "create"}} {
		asked, flag := run(t, append([]string{"help"}, command...)...).ok(), run(t, append(command, "--help")...).ok()
		if asked.out != flag.out || asked.out == "" {
			t.Errorf("help %q:\n%s\n--help:\n%s", command, asked.out, flag.out)
		}
	}
	for _, command := range []string{"serve", "user", "token", "man", "complete"} {
		alone, amongAll := run(t, command, "--help").ok(), run(t, "--help", command).ok()
		if alone.out != amongAll.out || !strings.HasPrefix(alone.out, "Usage: vitrine "+command) {
			t.Errorf("parsed alone:\n%s\namong all:\n%s", alone.out, amongAll.out)
		}
	}
	run(t, "showversion").failsUsage("unexpected argument showversion")
	serve := run(t, "serve", "--help").out
	if data, mail := strings.Index(serve, "\nData:\n"), strings.Index(serve, "\nMail:\n"); data < 0 || mail < data {
		t.Errorf("the topics are not in their order:\n%s", serve)
	}
	if !strings.Contains(strings.Join(strings.Fields(serve), " "), "(default 15s, $VITRINE_REQUEST_TIMEOUT)") {
		t.Error("defaults are not shown")
	}
	run(t, "help", "serv").failsUsage(`did you mean one of "serve"`)
	run(t, "serve", "--adr", "x").failsUsage(`did you mean "--addr"`)
	if version := run(t, "--version").ok(); version.out != run(t, "version").out {
		t.Errorf("%q", version.out)
	}
}

// failsUsage checks for a usage error that contains text, without any output.
func (r result) failsUsage(text string) {
	r.t.Helper()
	if r.code != 2 || !strings.Contains(r.err, text) || r.out != "" {
		r.t.Errorf("%q: exit code %d, want 2 and %q\n%s%s", r.args, r.code, text, r.out, r.err)
	}
}
