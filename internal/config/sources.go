package config

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// origin is where a text comes from. The zero value is the configuration's default.
type origin struct {
	source source
	name   string // flag with dashes, variable, or path of the configuration file
	line   int    // in the configuration file
}

type source int

const (
	fromDefault source = iota
	fromFile
	fromEnvironment
	fromFlag
)

// place returns the name of the origin, such as --addr, VITRINE_ADDR or /etc/vitrine.toml:12.
func (o origin) place() string {
	if o.source == fromFile {
		return shownPath(o.name) + ":" + strconv.Itoa(o.line)
	}
	return o.name
}

func (o origin) String() string {
	return [...]string{"default", "file ", "environment ", "flag "}[o.source] + o.place()
}

// sourced is a text with its origin.
type sourced struct {
	text   string
	origin origin
}

// layers holds the texts of all sources by flag, with precedence applied.
type layers map[string]sourced

// set replaces the text of a setting. Texts of the configuration file also give way to the file
// variant of a setting, and the other way round; flags and variables for both are a mistake.
func (l layers) set(flag, text string, from origin) {
	other, isFile := strings.CutSuffix(flag, fileSuffix)
	if !isFile {
		other = flag + fileSuffix
	}
	if l[other].origin.source == fromFile && from.source != fromFile {
		delete(l, other)
	}
	l[flag] = sourced{text, from}
}

// texts returns the texts by flag.
func (l layers) texts() Texts {
	all := Texts{}
	for flag, s := range l {
		all[flag] = s.text
	}
	return all
}

// origin returns the origin of a setting in effect, and whether the text is in a file that the
// origin names.
func (l layers) origin(flag string) (from origin, named bool) {
	if s := l[flag]; s.text != "" {
		return s.origin, false
	}
	if s := l[flag+fileSuffix]; s.text != "" {
		return s.origin, true
	}
	return origin{}, false
}

// placed adds the line of the configuration file to problems with values from it.
func (l layers) placed(found []error) []error {
	for i, err := range found {
		if p, ok := err.(Problem); ok {
			if from, _ := l.origin(p.Flag); from.source == fromFile {
				p.Place = from.place()
				found[i] = p
			}
		}
	}
	return found
}

// sources holds the flags of a command line. Its methods combine them with the environment and the
// configuration file.
type sources struct {
	declared []Declaration
	given    []*string // values by index in declared; nil if the flag is not given
	file     *readOnce
}

// readOnce keeps the configuration file, which may be a pipe that can only be read once.
type readOnce struct {
	done  bool
	file  configFile
	found problems
}

func (r *readOnce) read(path string) (configFile, problems) {
	if r == nil {
		return readConfigFile(path)
	}
	if !r.done {
		r.file, r.found = readConfigFile(path)
		r.done = true
	}
	return r.file, r.found
}

// Set sets a flag as if it were given on the command line.
func (s *sources) Set(flag, value string) {
	i := slices.IndexFunc(s.declared, func(d Declaration) bool { return d.Flag == flag })
	if i < 0 {
		s.declared, s.given = append(s.declared, Declaration{Flag: flag}), append(s.given, nil)
		i = len(s.given) - 1
	}
	s.given[i] = &value
}

// Text returns the text of a setting, or "" if it is not given anywhere.
func (s sources) Text(flag string) string {
	all, _, _ := s.layers()
	return all[flag].text
}

// Settings returns all settings in effect with their origins. Secrets are hidden.
func (s sources) Settings(cfg Config) Settings {
	layers, _, _ := s.layers()
	all := cfg.Redacted()
	for i, setting := range all {
		from, named := layers.origin(setting.Flag)
		if all[i].Origin = from.String(); named {
			all[i].Origin = "file named by " + from.place()
		}
	}
	return all
}

// Problem returns an error in the value of a setting.
func (s sources) Problem(flag string, err error) error {
	layers, _, _ := s.layers()
	return layers.placed([]error{Problem{Flag: flag, Message: err.Error()}})[0]
}

// ExposedFile returns the path of the configuration file if it contains secrets and every user of
// the machine can read it.
func (s sources) ExposedFile() string {
	_, file, _ := s.layers()
	if file.readableByAll && file.secret {
		return file.path
	}
	return ""
}

// layers combines all sources. An empty variable counts as unset. An empty flag means the default.
func (s sources) layers() (layers, configFile, problems) {
	all := layers{}
	path := os.Getenv(envName(configFlag))
	if i := slices.IndexFunc(s.declared, func(d Declaration) bool { return d.Flag == configFlag }); i >= 0 && s.given[i] != nil {
		path = *s.given[i]
	}
	file, found := s.file.read(path)
	for _, d := range s.declared {
		if in, ok := file.values[d.Flag]; ok {
			all.set(d.Flag, in.text, in.origin)
		}
	}
	for _, d := range s.declared {
		if text := os.Getenv(d.Env()); text != "" {
			all.set(d.Flag, text, origin{source: fromEnvironment, name: d.Env()})
		}
	}
	for i, d := range s.declared {
		if text := s.given[i]; text != nil {
			all.set(d.Flag, *text, origin{source: fromFlag, name: "--" + d.Flag})
		}
	}
	return all, file, found
}

// resolve returns the Config of all sources. If the configuration file has errors, it does not check
// that settings fit, because the wrong ones are missing.
func (s sources) resolve(common bool) (Config, []error) {
	layers, file, found := s.layers()
	if file.broken {
		return Config{}, found
	}
	cfg, given, more := layers.texts().parse(common)
	if len(found) == 0 {
		cfg.complete(given, common, &more)
	}
	return cfg, append(slices.Clone(found), layers.placed(more)...)
}
