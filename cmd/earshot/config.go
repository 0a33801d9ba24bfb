package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"earshot/internal/app"
)

type configCmd struct {
	Check bool `help:"Only tell whether a server would start with these settings."`
	JSON  bool `name:"json" help:"Print one JSON object a setting."`
	serveCmd
	remote
}

// Help says what counts as a setting.
func (c *configCmd) Help() string {
	return `Prints the settings as 'earshot serve' and the commands for its users would have them in this place: each with its value and
where that comes from, which is a flag, a variable, the settings file or the default, in that order of strength. Give it the
flags that you would give to serve. Secrets are masked. Sections of the settings file and variables that hold keys are listed
where they are set.

With --check it prints nothing but tries the settings out, as serve does when it starts, without touching the database, the
captures or the address that they name. What is wrong is told on standard error.

Exit status: 0 the settings are fine, 1 they are not.

Examples:
  earshot config
  earshot --data /srv/earshot config --listen 0.0.0.0:8080
  EARSHOT_WORKERS=64 earshot config --json | jq 'select(.source != "default")'
  earshot config --check`
}

// setting is a line of the list.
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
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		if c.JSON {
			if err := json.NewEncoder(in.out).Encode(s); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, cmp.Or(oneLine(s.Value), "-"), s.Source)
	}
	return table.Flush()
}

// tryOut starts a server with the settings in an empty folder and ends it at once.
func (c *configCmd) tryOut(in *invocation) (err error) {
	dir, err := os.MkdirTemp("", "earshot-config-")
	if err != nil {
		return fmt.Errorf("try the settings out: %w", err)
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

// flagSettings are the settings that have flags.
func flagSettings(parsed *kong.Context, file *fileSettings) []setting {
	given := map[*kong.Flag]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			given[step.Flag] = true
		}
	}
	var list []setting
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) == 0 { // help, and what only this command has
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

// source names where the value of a flag comes from.
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

// variableSettings are the variables that belong to no flag: keys of official APIs and
// of the captures' bucket, and misspelt ones.
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

// sectionSettings are the sections of the settings file, value by value.
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

// flatten lists the values in a value.
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

// masked hides a secret, and the password in a URL.
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
