package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"earshot/internal/app"
)

// settingsFile is the flag that names the settings file.
type settingsFile string

// BeforeResolve reads the file before any flag takes its value from there, for the
// commands to which it matters.
func (f settingsFile) BeforeResolve(file *fileSettings, ctx *kong.Context, trace *kong.Path) error {
	path, ok := ctx.FlagValue(trace.Flag).(settingsFile)
	if !ok || path == "" || !usesSetting(ctx.Selected(), "config") {
		return nil
	}
	text, err := os.ReadFile(string(path))
	if err != nil {
		return fmt.Errorf("settings file: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(file); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	return nil
}

// fileSettings is the content of the settings file: flags by their names, and sections
// for which there are no flags.
type fileSettings struct {
	app.Settings `yaml:",inline"`
	Flags        map[string]any `yaml:",inline"`
}

// Validate refuses a name that is no setting: those are the flags of the program and
// of serve.
func (f *fileSettings) Validate(model *kong.Application) error {
	known := map[string]bool{}
	for _, node := range append([]*kong.Node{model.Node}, model.Children...) {
		if node == model.Node || node.Name == "serve" {
			for _, flag := range node.Flags {
				known[flag.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Flags)) {
		if !known[name] {
			return fmt.Errorf("settings file: there is no setting %q", name)
		}
	}
	return nil
}

// Resolve returns the value of a flag in the file, unless a variable sets the flag.
func (f *fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	return f.Flags[flag.Name], nil
}
