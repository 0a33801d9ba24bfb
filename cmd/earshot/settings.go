package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	goccy "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"go.yaml.in/yaml/v3"

	"earshot/internal/app"
	"earshot/internal/schema"
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
	return file.read(string(path), text, ctx.Model)
}

// fileSettings is the content of the settings file: flags by their names, and sections
// for which there are no flags.
type fileSettings struct {
	app.Settings `yaml:",inline"`
	Flags        map[string]any `yaml:",inline"`

	path  string
	lines map[string]int // of the flags
}

// read decodes the file. Errors name the line.
func (f *fileSettings) read(path string, text []byte, model *kong.Application) error {
	f.path, f.lines = path, map[string]int{}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		// This library's lines are wrong by one or absent.
		_, located := parser.ParseBytes(text, 0)
		if syntax, ok := errors.AsType[*goccy.SyntaxError](located); ok && syntax.Token != nil {
			return fmt.Errorf("settings file %s, line %d: %s", path, syntax.Token.Position.Line, syntax.Message)
		}
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil // it is empty
	}
	names := settingNames{"": flagNames(model), "providers": providerNames(), "apis": apiNames()}
	errs := f.check(document.Content[0], reflect.TypeFor[app.Settings](), "", names)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(f)
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		for _, problem := range wrong.Errors { // each begins with its line
			errs = append(errs, fmt.Errorf("settings file %s, %s", path, problem))
		}
		return errors.Join(errs...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	return nil
}

// settingNames are the names that may stand in a mapping beside the fields of its type, by
// the place of the mapping. At a place without an entry, a map may have any name.
type settingNames map[string][]string

// flagNames are the settings that are flags: of the program and of serve.
func flagNames(model *kong.Application) []string {
	var names []string
	for _, node := range append([]*kong.Node{model.Node}, model.Children...) {
		if node == model.Node || node.Name == "serve" {
			for _, flag := range node.Flags {
				names = append(names, flag.Name)
			}
		}
	}
	return names
}

// check finds names below a node that no field of its type has.
func (f *fileSettings) check(node *yaml.Node, t reflect.Type, place string, names settingNames) (errs []error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode {
		for i, item := range node.Content {
			errs = append(errs, f.check(item, t.Elem(), fmt.Sprintf("%s[%d]", place, i), names)...)
		}
		return errs
	}
	if node.Kind != yaml.MappingNode || (t.Kind() != reflect.Struct && t.Kind() != reflect.Map) {
		return nil // a value; whether it fits is for the decoder to say
	}
	fields := fieldsOf(t)
	known := slices.Concat(slices.Sorted(maps.Keys(fields)), names[place])
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		inner := strings.TrimPrefix(place+"."+key.Value, ".")
		if place == "" {
			f.lines[key.Value] = key.Line
		}
		valueType, isField := fields[key.Value]
		switch {
		case key.Tag == "!!merge":
			errs = append(errs, f.check(value, t, place, names)...)
		case isField:
			errs = append(errs, f.check(value, valueType, inner, names)...)
		case len(known) > 0 && !slices.Contains(known, key.Value):
			hint := ""
			if near := schema.Nearest(key.Value, known); near != "" {
				hint = fmt.Sprintf(", did you mean %q?", near)
			}
			errs = append(errs, fmt.Errorf("settings file %s, line %d: there is no setting %q%s", f.path, key.Line, inner, hint))
		case t.Kind() == reflect.Map:
			errs = append(errs, f.check(value, t.Elem(), inner, names)...)
		}
	}
	return errs
}

// fieldsOf returns the types of a struct's fields by their names in YAML.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return fields
	}
	for field := range t.Fields() {
		name, inline := strings.CutSuffix(field.Tag.Get("yaml"), ",inline")
		if inline {
			maps.Copy(fields, fieldsOf(field.Type))
		} else if name != "" {
			fields[name] = field.Type
		}
	}
	return fields
}

// Validate is part of kong.Resolver; read has checked the file.
func (f *fileSettings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag in the file, unless a variable sets the flag.
func (f *fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value := f.Flags[flag.Name]
	if value == nil {
		return nil, nil
	}
	// Kong would refuse a value that does not fit without its line.
	read := reflect.New(flag.Target.Type()).Elem()
	err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(value, kong.FlagValueToken)}, read)
	if choices := flag.EnumSlice(); err == nil && flag.Enum != "" && !slices.Contains(choices, fmt.Sprint(read)) {
		err = fmt.Errorf("must be one of %s, but is %q", strings.Join(choices, ", "), fmt.Sprint(read))
	}
	if err != nil {
		return nil, fmt.Errorf("settings file %s, line %d: %w", f.path, f.lines[flag.Name], err)
	}
	return value, nil
}
