package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	shell "github.com/posener/complete"

	"earshot/internal/geo"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help returns the command's long help.
func (c *completionCmd) Help() string {
	return `Prints a script that completes commands, flags and their values in a shell.

bash: add this line to ~/.bashrc:

  source <(earshot completion bash)

zsh: add this line to ~/.zshrc, after compinit:

  source <(earshot completion zsh)

fish: run once:

  earshot completion fish > ~/.config/fish/completions/earshot.fish

Exit status: 0 it was printed, 1 anything else.

Examples:
  earshot completion bash
  earshot completion zsh
  earshot completion fish`
}

// Run prints the script. The script calls this program to complete a command line.
func (c *completionCmd) Run(in *invocation, parsed *kong.Context) error {
	if err := (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(parsed); err != nil || c.Shell != "fish" {
		return err
	}
	// bash and zsh complete file names if the program has no suggestions; fish needs this line for it.
	_, err := fmt.Fprintln(in.out, `complete -c earshot -n "not __complete_earshot | string length -q" -F`)
	return err
}

// completed reports whether a shell called the program to complete a command line, and if
// so prints the suggestions.
func completed(parser *kong.Kong) (bool, error) {
	program, err := kongcompletion.Command(parser, kongcompletion.WithPredictors(map[string]shell.Predictor{
		"provider": shell.PredictSet(providerNames()...),
		"country":  shell.PredictSet(geo.Countries()...),
		"state":    shell.PredictSet(stateCodes()...),
	}))
	if err != nil {
		return false, fmt.Errorf("define the completion: %w", err)
	}
	settings := shell.Flags{}
	for _, flag := range parser.Model.Flags {
		if name := "--" + flag.Name; isSetting(flag) {
			settings[name] = program.GlobalFlags[name]
			delete(program.GlobalFlags, name)
		}
	}
	program.Flags = settings
	addFlags(&program, parser.Model.Node, settings)
	request := shell.New(parser.Model.Name, program)
	request.Out = parser.Stdout
	return request.Complete(), nil
}

// addFlags adds to each command below a node the settings that it reads, and to a command
// with a default subcommand the flags of that subcommand.
func addFlags(command *shell.Command, node *kong.Node, settings shell.Flags) {
	for _, child := range node.Children {
		below, shown := command.Sub[child.Name]
		if !shown {
			continue
		}
		if child.Tag.Has("settings") {
			for name, values := range settings {
				if usesSetting(child, strings.TrimPrefix(name, "--")) {
					below.GlobalFlags[name] = values
				}
			}
		}
		addFlags(&below, child, settings)
		command.Sub[child.Name] = below
		if child == node.DefaultCmd {
			command.Flags = below.GlobalFlags
		}
	}
}

func stateCodes() []string {
	var codes []string
	for _, state := range geo.States() {
		codes = append(codes, state.Code)
	}
	return codes
}
