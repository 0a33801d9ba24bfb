package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// usesSetting reports whether a command reads a setting of the server.
func usesSetting(command *kong.Node, name string) bool {
	for node := command; node != nil; node = node.Parent {
		if node.Tag != nil && node.Tag.Has("settings") {
			names := node.Tag.Get("settings")
			return names == "" || slices.Contains(strings.Split(names, ","), name)
		}
	}
	return false
}

// isSetting reports whether a flag is a setting that only some commands read.
func isSetting(flag *kong.Flag) bool { return flag.Group != nil && flag.Group.Key == "settings" }

// printHelp prints the help of a command with the settings that it reads. The help of the
// program itself lists no settings.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	selected := ctx.Selected()
	for _, flag := range ctx.Model.Flags {
		switch {
		case isSetting(flag):
			flag.Hidden = !usesSetting(selected, flag.Name)
		case flag.Name == "version":
			flag.Hidden = selected != nil
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// checkSettings refuses settings of the server for a command that does not read them.
func checkSettings(command *kong.Context) error {
	for _, step := range command.Path {
		if step.Flag != nil && !step.Resolved && isSetting(step.Flag) && !usesSetting(command.Selected(), step.Flag.Name) {
			return fmt.Errorf("--%s is a setting of the server; '%s' does not use it", step.Flag.Name, command.Selected().FullPath())
		}
	}
	return nil
}

// seeHelp returns a hint to the help text if err is a mistake on the command line.
func seeHelp(err error) string {
	mistaken, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return ""
	}
	command := mistaken.Context.Model.Name
	if selected := mistaken.Context.Selected(); selected != nil {
		command = selected.FullPath()
	}
	return "; see '" + command + " --help'"
}

var negative = regexp.MustCompile(`^-[0-9]+[a-z]?$`)

// withNegatives rewrites negative numbers and times such as -7d, which kong would parse as flags: the value of a
// flag becomes --flag=-5, and arguments are moved behind --.
func withNegatives(model *kong.Application, args []string) []string {
	var kept, arguments []string
	for i, arg := range args {
		switch {
		case arg == "--":
			return slices.Concat(kept, []string{"--"}, arguments, args[i+1:])
		case !negative.MatchString(arg):
			kept = append(kept, arg)
		case i > 0 && takesValue(model.Node, args[i-1]):
			kept[len(kept)-1] += "=" + arg
		default:
			arguments = append(arguments, arg)
		}
	}
	if len(arguments) == 0 {
		return kept
	}
	return slices.Concat(kept, []string{"--"}, arguments)
}

// takesValue reports whether a word is a flag of any command that takes a value.
func takesValue(node *kong.Node, word string) bool {
	isIt := func(flag *kong.Flag) bool { return "--"+flag.Name == word && !flag.IsBool() }
	return slices.ContainsFunc(node.Flags, isIt) ||
		slices.ContainsFunc(node.Children, func(child *kong.Node) bool { return takesValue(child, word) })
}
