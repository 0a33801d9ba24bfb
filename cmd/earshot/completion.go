package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

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

// Run prints the script.
func (c *completionCmd) Run(in *invocation, parsed *kong.Context) error {
	places := placesOf(parsed.Model.Node, "")
	script := map[string]func([]place) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell]
	_, err := fmt.Fprint(in.out, script(places))
	return err
}

// place is a position of the cursor: after the words of a command.
type place struct {
	path  string // "" for the program, "/tasks/show" for a command
	words []word // what can follow
}

// word is one completion.
type word struct {
	text, help string
	values     []string // what a flag can be followed by
}

// placesOf lists the places of a command and of those below it.
func placesOf(node *kong.Node, path string) []place {
	here := place{path: path}
	var below []place
	for _, child := range node.Children {
		if !child.Hidden {
			here.words = append(here.words, word{text: child.Name, help: child.Help})
			below = append(below, placesOf(child, path+"/"+child.Name)...)
		}
	}
	for _, argument := range node.Positional {
		for _, value := range choices(argument) {
			here.words = append(here.words, word{text: value, help: argument.Help})
		}
	}
	for _, group := range append(node.AllFlags(true), defaultFlags(node)) {
		for _, flag := range group {
			if node.Parent != nil && isSetting(flag) && !usesSetting(node, flag.Name) {
				continue
			}
			here.words = append(here.words, word{text: "--" + flag.Name, help: flag.Help, values: choices(flag.Value)})
		}
	}
	return append([]place{here}, below...)
}

// defaultFlags are those of the command that runs where none is named.
func defaultFlags(node *kong.Node) []*kong.Flag {
	if node.DefaultCmd == nil {
		return nil
	}
	return node.DefaultCmd.Flags
}

// choices are the values that an argument or a flag can have, nil where they are
// not few. The tag complete names those that do not come from an enum.
func choices(value *kong.Value) []string {
	switch value.Tag.Get("complete") {
	case "provider":
		return providerNames()
	case "country":
		return geo.Countries()
	case "state":
		return stateCodes()
	}
	if value.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(value.EnumSlice(), func(v string) bool { return v == "" })
}

func stateCodes() []string {
	var codes []string
	for _, state := range geo.States() {
		codes = append(codes, state.Code)
	}
	return codes
}

// paths are the commands, as patterns of a case.
func paths(places []place) string {
	var all []string
	for _, p := range places[1:] {
		all = append(all, p.path)
	}
	return strings.Join(all, "|")
}

// shellCases are the words of each place and the values of each flag, as cases in the
// syntax that bash and zsh share.
func shellCases(places []place) (words, values string) {
	var byPlace, byFlag strings.Builder
	seen := map[string]bool{}
	for _, p := range places {
		var texts []string
		for _, w := range p.words {
			texts = append(texts, w.text)
			if w.values != nil && !seen[w.text] {
				seen[w.text] = true
				fmt.Fprintf(&byFlag, "    %s) choices=%q ;;\n", w.text, strings.Join(w.values, " "))
			}
		}
		fmt.Fprintf(&byPlace, "      %q) choices=%q ;;\n", p.path, strings.Join(texts, " "))
	}
	return byPlace.String(), byFlag.String()
}

func bashScript(places []place) string {
	words, values := shellCases(places)
	return `_earshot() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" place="" word choices=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place/$word" in ` + paths(places) + `) place="$place/$word" ;; esac
  done
  case "$previous" in
` + values + `    *) case "$place" in
` + words + `    esac ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _earshot earshot
`
}

func zshScript(places []place) string {
	cases, values := shellCases(places)
	return `#compdef earshot
_earshot() {
  local previous="${words[CURRENT-1]}" place="" word
  for word in "${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in ` + paths(places) + `) place="$place/$word" ;; esac
  done
  local choices=""
  case "$previous" in
` + values + `    *) case "$place" in
` + cases + `    esac ;;
  esac
  compadd -- ${=choices} || _files
}
compdef _earshot earshot
`
}

func fishScript(places []place) string {
	var script strings.Builder
	script.WriteString(`function __earshot_place
  set -l place ""
  for word in (commandline -opc)[2..-1]
    switch "$place/$word"
      case ` + fishQuoted(strings.Split(paths(places), "|")...) + `
        set place "$place/$word"
    end
  end
  echo "$place"
end
`)
	for _, p := range places {
		for _, w := range p.words {
			condition := fishQuoted(`test (__earshot_place) = "` + p.path + `"`)
			option, isFlag := strings.CutPrefix(w.text, "--")
			switch {
			case !isFlag:
				fmt.Fprintf(&script, "complete -c earshot -n %s -a %s -d %s\n", condition, fishQuoted(w.text), fishQuoted(w.help))
			case w.values != nil:
				fmt.Fprintf(&script, "complete -c earshot -n %s -l %s -x -a %s -d %s\n", condition, option, fishQuoted(strings.Join(w.values, " ")), fishQuoted(w.help))
			default:
				fmt.Fprintf(&script, "complete -c earshot -n %s -l %s -d %s\n", condition, option, fishQuoted(w.help))
			}
		}
	}
	return script.String()
}

func fishQuoted(texts ...string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	}
	return strings.Join(quoted, " ")
}
