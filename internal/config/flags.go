// Package config turns flags, environment variables and a configuration file into settings.
// Declarations declares each setting once. The command line parser only collects texts; Resolve
// parses and checks them, so that all problems are reported together.
package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"
)

// Common holds the flags that every command has. Embed it, or one of the following types, in a kong
// command, and give the parser the option AddFlags. An empty value means the default, so a variable
// may be left blank in a deployment file.
type Common struct{ sources }

// Resolve returns the part of Config that the common flags set, and all Problems.
func (c Common) Resolve() (Config, []error) { return c.resolve(true) }

// Flags holds all settings of the server.
type Flags struct{ sources }

// Resolve returns the Config and all Problems.
func (f Flags) Resolve() (Config, []error) { return f.resolve(false) }

// Site holds the common flags and the settings that determine the public address of the website.
type Site struct{ sources }

// Resolve returns the Config and all Problems. Other settings have their default.
func (s Site) Resolve() (Config, []error) { return s.resolve(false) }

// Mailing is Site with the setting that determines whether the server sends mail.
type Mailing struct{ sources }

// Resolve returns the Config and all Problems. Other settings have their default.
func (m Mailing) Resolve() (Config, []error) { return m.resolve(false) }

// offered is a flag of a command.
type offered struct {
	Declaration
	hidden bool
}

// holder is implemented by commands that embed flags.
type holder interface{ offer() ([]offered, *sources) }

func (c *Common) offer() ([]offered, *sources) {
	return offer(func(o *offered) bool { return o.Common }), &c.sources
}

func (f *Flags) offer() ([]offered, *sources) {
	return offer(func(*offered) bool { return true }), &f.sources
}

func (s *Site) offer() ([]offered, *sources) { return offer(ofSite), &s.sources }

func (m *Mailing) offer() ([]offered, *sources) {
	return offer(func(o *offered) bool {
		if o.Flag == "smtp-url" {
			o.Help = "The same as the server's. With it the server mails the links; without it they are printed."
			return true
		}
		return ofSite(o)
	}), &m.sources
}

func ofSite(o *offered) bool {
	switch o.Flag {
	case "site-url":
		o.Help = "Public address of the website, for links; the same as the server's."
		return true
	case "base-url", "addr", "tls-domain":
		o.hidden = true
		return true
	}
	return o.Common
}

// offer returns the declarations that choose accepts. choose may change them.
func offer(choose func(*offered) bool) (chosen []offered) {
	for _, d := range Declarations() {
		if o := (offered{Declaration: d}); choose(&o) {
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// AddFlags is the option that adds the flags of the settings to the commands that embed them.
func AddFlags() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		groups := map[string]*kong.Group{}
		for _, topic := range Topics() {
			groups[topic] = &kong.Group{Key: topic, Title: topic + ":"}
		}
		for _, command := range append(k.Model.Leaves(false), k.Model.Node) {
			h, ok := command.Target.Addr().Interface().(holder)
			if !ok {
				continue
			}
			flags, into := h.offer()
			own := command.Flags
			into.given, into.file = make([]*string, len(flags)), &readOnce{}
			for i, o := range flags {
				if slices.ContainsFunc(own, func(f *kong.Flag) bool { return f.Name == o.Flag }) {
					return fmt.Errorf("%s: the flag --%s is also a setting", command.FullPath(), o.Flag)
				}
				into.declared = append(into.declared, o.Declaration)
				command.Flags = append(command.Flags, o.kongFlag(&into.given[i], groups[o.Topic]))
			}
		}
		return nil
	})
}

// kongFlag returns the flag that sets into. The parser knows neither the default nor the variable:
// both would make the flag look given.
func (o offered) kongFlag(into **string, group *kong.Group) *kong.Flag {
	f := &kong.Flag{Group: group, PlaceHolder: o.Placeholder, Hidden: o.hidden}
	if f.PlaceHolder == "" && o.Default != "" {
		f.PlaceHolder = strconv.Quote(o.Default)
	}
	f.Value = &kong.Value{
		Flag: f, Name: o.Flag, Help: o.Help, OrigHelp: o.Help, Default: o.Default, Tag: &kong.Tag{},
		Target: reflect.ValueOf(into).Elem(), DefaultValue: reflect.ValueOf((*string)(nil)),
		Mapper: kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
			var text string
			err := ctx.Scan.PopValueInto("string", &text)
			target.Set(reflect.ValueOf(&text))
			return err
		}),
	}
	return f
}

// Variables returns the environment variables of a flag. The parser does not know those of settings.
func Variables(f *kong.Flag) []string {
	if IsSetting(f) {
		return []string{envName(f.Name)}
	}
	return f.Envs
}

// IsSetting reports whether a flag is a setting instead of a command's own flag.
func IsSetting(f *kong.Flag) bool { return f.Group != nil && slices.Contains(Topics(), f.Group.Key) }
