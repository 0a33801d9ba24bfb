package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"earshot/internal/app"
	"earshot/internal/schema"
)

// settingsFile is the flag with the path of the settings file.
type settingsFile string

// BeforeResolve reads the file before kong resolves the flags, if the command uses the file.
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

// fileSettings is the content of the settings file: flags by name, and sections without
// flags.
type fileSettings struct {
	app.Settings
	Flags map[string]any

	path  string
	lines map[string]int // of the flags
}

// read decodes the file. Errors contain the line.
func (f *fileSettings) read(path string, text []byte, model *kong.Application) error {
	f.path, f.lines = path, map[string]int{}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return f.located(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil // it is empty
	}
	body := file.Docs[0].Body
	names := settingNames{"": flagNames(model), "providers": providerNames(), "apis": apiNames(), "vendors": vendorNames()}
	if err := errors.Join(f.check(body, reflect.TypeFor[app.Settings](), "", names)...); err != nil {
		return err
	}
	if err := yaml.NodeToValue(body, &f.Flags); err != nil {
		return f.located(err)
	}
	sections := fieldsOf(reflect.TypeFor[app.Settings]())
	maps.DeleteFunc(f.Flags, func(name string, _ any) bool { return sections[name] != nil })
	if err := yaml.NodeToValue(body, &f.Settings); err != nil {
		return f.located(err)
	}
	return nil
}

// located returns an error with its line, but without the source text, which may contain secrets.
func (f *fileSettings) located(err error) error {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
		return fmt.Errorf("settings file %s, line %d: %s", f.path, e.GetToken().Position.Line, e.GetMessage())
	}
	return fmt.Errorf("settings file %s: %w", f.path, err)
}

// settingNames are the allowed names of a mapping in addition to the fields of its type, by
// the path of the mapping. At a path without an entry, a map may have any name.
type settingNames map[string][]string

// flagNames returns the flags of the program and of serve.
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

// check returns an error for each unknown name below a node.
func (f *fileSettings) check(node ast.Node, t reflect.Type, place string, names settingNames) (errs []error) {
	if anchor, ok := node.(*ast.AnchorNode); ok {
		node = anchor.Value
	}
	if list, ok := node.(*ast.SequenceNode); ok && t.Kind() == reflect.Slice {
		for i, item := range list.Values {
			errs = append(errs, f.check(item, t.Elem(), fmt.Sprintf("%s[%d]", place, i), names)...)
		}
		return errs
	}
	if t == reflect.TypeFor[app.ShadowList]() {
		t = t.Elem() // a single item without a list
	}
	mapping, ok := node.(ast.MapNode)
	if !ok || (t.Kind() != reflect.Struct && t.Kind() != reflect.Map) {
		return nil // a scalar or an alias; the decoder checks it
	}
	fields := fieldsOf(t)
	known := slices.Concat(slices.Sorted(maps.Keys(fields)), names[place])
	for entries := mapping.MapRange(); entries.Next(); {
		if entries.Key().IsMergeKey() {
			errs = append(errs, f.check(entries.Value(), t, place, names)...)
			continue
		}
		key := entries.Key().GetToken()
		name, line := key.Value, key.Position.Line
		inner := strings.TrimPrefix(place+"."+name, ".")
		if place == "" {
			f.lines[name] = line
		}
		valueType, isField := fields[name]
		switch {
		case isField:
			errs = append(errs, f.check(entries.Value(), valueType, inner, names)...)
		case len(known) > 0 && !slices.Contains(known, name):
			errs = append(errs, fmt.Errorf("settings file %s, line %d: there is no setting %q%s", f.path, line, inner, schema.Hint(name, known)))
		case t.Kind() == reflect.Map:
			errs = append(errs, f.check(entries.Value(), t.Elem(), inner, names)...)
		}
	}
	return errs
}

// fieldsOf returns the types of a struct's fields by YAML name.
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

// Validate refuses invalid values.
func (f *fileSettings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag in the file, unless an environment variable sets the
// flag. A flag without a variable belongs to its command alone.
func (f *fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value := f.Flags[flag.Name]
	if value == nil {
		return nil, nil
	}
	// Decode the value here, because kong's error would not contain the line.
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
