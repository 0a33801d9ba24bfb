package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"earshot/internal/app"
)

type configCmd struct {
	Check bool `help:"Only check whether a server would start with these settings."`
	output
	serveCmd
	remote
}

// Help returns the command's long help.
func (c *configCmd) Help() string {
	return `Prints each setting of 'earshot serve' and of the client commands, with its value and its source: a flag, an environment
variable, the settings file or the default, in that order of precedence. Pass the same flags as to serve. Secrets are masked.
Sections of the settings file, and environment variables with keys, are listed if they are set.

With --check, it prints no settings but starts a server with them and stops it at once. It uses neither the configured
database nor the captures nor the listen address. Errors are printed to standard error.

Exit status: 0 the settings are valid, 1 they are not.

Examples:
  earshot config
  earshot --data /srv/earshot config --listen 0.0.0.0:8080
  EARSHOT_WORKERS=64 earshot config --jq '.[] | select(.source != "default")'
  earshot config --check`
}

// setting is a row of the output.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Run prints the settings, or checks them.
func (c *configCmd) Run(in *invocation, parsed *kong.Context, file *fileSettings, root *cli) error {
	if c.Check {
		return c.tryOut(in)
	}
	list := append(flagSettings(parsed, file), variableSettings(parsed)...)
	sections, err := sectionSettings(root.Config, file)
	if err != nil {
		return err
	}
	list = append(list, sections...)
	t := tableOf("NAME|VALUE|SOURCE", list, func(s *setting) []any { return []any{s.Name, s.Value, s.Source} })
	return c.print(in, t)
}

// tryOut starts a server with the settings in an empty folder and stops it at once.
func (c *configCmd) tryOut(in *invocation) (err error) {
	dir, err := os.MkdirTemp("", "earshot-config-")
	if err != nil {
		return fmt.Errorf("check the settings: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg := app.Config{
		Data: dir, Listen: "127.0.0.1:0", Settings: in.cfg.Settings,
		BaseURL: c.BaseURL, Captures: c.Captures, Role: app.Role(c.Role), Workers: c.Workers, Retention: c.Retention, Upstreams: c.Upstream, SMTP: c.smtp(),
	}
	a, err := app.New(in, cfg)
	if err != nil {
		return err
	}
	ended, end := context.WithCancel(in)
	end()
	return a.Run(ended)
}

// flagSettings returns the settings that have flags.
func flagSettings(parsed *kong.Context, file *fileSettings) []setting {
	given := map[*kong.Flag]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			given[step.Flag] = true
		}
	}
	var list []setting
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) == 0 { // --help, and flags of this command alone
			continue
		}
		value := flag.Target.Interface()
		text := fmt.Sprint(value)
		if many, ok := value.([]string); ok {
			text = strings.Join(many, ",")
		}
		list = append(list, setting{flag.Name, masked(flag.Name, text), source(flag, given[flag], file)})
	}
	return list
}

// source returns the source of a flag's value.
func source(flag *kong.Flag, given bool, file *fileSettings) string {
	if given {
		return "flag"
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return "variable " + name
		}
	}
	if _, has := file.Flags[flag.Name]; has {
		return "file"
	}
	return "default"
}

// variableSettings returns the environment variables without a flag: keys of official APIs
// and of the captures' bucket, and misspelt variables.
func variableSettings(parsed *kong.Context) []setting {
	known := map[string]bool{}
	for _, flag := range parsed.Flags() {
		for _, name := range flag.Envs {
			known[name] = true
		}
	}
	var list []setting
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !known[name] && (strings.HasPrefix(name, "EARSHOT_") || name == "AWS_ACCESS_KEY_ID" || name == "AWS_SECRET_ACCESS_KEY") {
			list = append(list, setting{name, masked(name, value), "variable"})
		}
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// sectionSettings returns the values of the sections of the settings file.
func sectionSettings(path settingsFile, file *fileSettings) ([]setting, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(string(path))
	if err != nil {
		return nil, fmt.Errorf("settings file: %w", err)
	}
	var sections yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &sections, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("settings file %s: %s", path, yaml.FormatError(err, false, false))
	}
	var list []setting
	for _, section := range sections {
		name := fmt.Sprint(section.Key)
		if _, isFlag := file.Flags[name]; !isFlag {
			list = append(list, flatten(name, section.Value)...)
		}
	}
	return list, nil
}

// flatten returns the scalar values inside a value, with their paths.
func flatten(path string, value any) (list []setting) {
	switch value := value.(type) {
	case yaml.MapSlice:
		for _, item := range value {
			list = append(list, flatten(fmt.Sprintf("%s.%v", path, item.Key), item.Value)...)
		}
	case []any:
		for i, item := range value {
			list = append(list, flatten(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	case nil:
		list = []setting{{path, "", "file"}}
	default:
		list = []setting{{path, masked(path, fmt.Sprint(value)), "file"}}
	}
	return list
}

// secret matches the names of settings whose values must not be printed.
var secret = regexp.MustCompile(`(?i)(key|key_id|secret|token|password)$`)

const mask = "********"

// masked replaces a secret, or the password in a URL, by asterisks.
func masked(name, value string) string {
	if value == "" {
		return ""
	}
	if secret.MatchString(name) {
		return mask
	}
	if address, err := url.Parse(value); err == nil && address.User != nil {
		if _, has := address.User.Password(); has {
			return strings.Replace(address.Redacted(), ":xxxxx@", ":"+mask+"@", 1)
		}
	}
	return value
}
