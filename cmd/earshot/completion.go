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

// Help says where the script goes.
func (c *completionCmd) Help() string {
	return `Prints a script by which a shell completes commands, flags and their values at the Tab key.

bash: put this into ~/.bashrc:

  source <(earshot completion bash)

zsh: put this into ~/.zshrc, after compinit:

  source <(earshot completion zsh)

fish: run once:

  earshot completion fish > ~/.config/fish/completions/earshot.fish

Exit status: 0 it was printed, 1 anything else.

Examples:
  earshot completion bash
  earshot completion zsh
  earshot completion fish`
}

// Run prints the script. In it the shell asks this program what can follow.
func (c *completionCmd) Run(in *invocation, parsed *kong.Context) error {
	if err := (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(parsed); err != nil || c.Shell != "fish" {
		return err
	}
	// bash and zsh complete the names of files where the program knows nothing. fish needs this line.
	_, err := fmt.Fprintln(in.out, `complete -c earshot -n "not __complete_earshot | string length -q" -F`)
	return err
}

// completed reports whether a shell asked what can follow a line, and prints the answer.
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

// addFlags gives the commands below a node the settings that they read, and a command
// that may be left out gives its flags to the one above it.
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
