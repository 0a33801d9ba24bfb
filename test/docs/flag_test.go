package docs

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/provider"
)

var (
	flagPattern     = regexp.MustCompile(`(?:^|[\s"'])--([a-z][a-z-]*)`)
	variablePattern = regexp.MustCompile(`\bEARSHOT_[A-Z_]+[A-Z]\b`)
)

// usage is what the program says of itself.
type usage struct {
	commands  map[string][]string // flags by command
	variables map[string]bool
}

// ask returns what the help of every command says.
func ask(t *testing.T) usage {
	t.Helper()
	u, err := described()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// described reads the help of every command once for all tests.
var described = sync.OnceValues(func() (usage, error) {
	u := usage{commands: map[string][]string{}, variables: map[string]bool{}}
	listed := regexp.MustCompile(`(?m)^  ([a-z-]+(?: [a-z]+){0,2})(?: .*)?$`)
	text, err := help()
	if err != nil {
		return u, err
	}
	_, commands, _ := strings.Cut(text, "\nCommands:\n")
	for _, match := range listed.FindAllStringSubmatch(commands, -1) {
		text, err := help(strings.Fields(match[1])...)
		if err != nil {
			return u, err
		}
		for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, )?--(?:\[no-\])?([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
			u.commands[match[1]] = append(u.commands[match[1]], flag[1])
		}
		for _, name := range variablePattern.FindAllString(text, -1) {
			u.variables[name] = true
		}
	}
	if len(u.commands["serve"]) < 10 || len(u.commands["org create"]) < 5 {
		return u, fmt.Errorf("the help was not understood: %v", u.commands)
	}
	for _, d := range definitions() {
		for _, api := range d.APIs {
			u.add(api)
		}
	}
	u.add(provider.API{Name: "name"}) // the pages write it for all of them
	u.addVendor("name")
	for _, vendor := range app.Vendors() {
		u.addVendor(vendor.Definition().Name)
	}
	u.variables["EARSHOT_MODEL_NAME_API_KEY"], u.variables["EARSHOT_MODEL_NAME_API_KEY_FILE"] = true, true // for any model
	return u, nil
})

// add notes the variables of an official API.
func (u usage) add(api provider.API) {
	suffixes := []string{"_API_KEY", "_API_KEY_FILE", "_URL", "_MODEL"}
	if api.Redirects != "" {
		suffixes = append(suffixes, "_REDIRECTS")
	}
	for _, suffix := range suffixes {
		u.variables["EARSHOT_"+strings.ToUpper(api.Name)+suffix] = true
	}
}

// addVendor adds the variables of a vendor.
func (u usage) addVendor(name string) {
	for _, suffix := range []string{"_API_KEY", "_API_KEY_FILE", "_URL", "_USER"} {
		u.variables["EARSHOT_"+strings.ToUpper(name)+suffix] = true
	}
}

func help(command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, binary, append(command, "--help")...).Output()
	if err != nil {
		err = fmt.Errorf("the help of %v: %w", command, err)
	}
	return string(text), err
}

// command finds which one a command line runs; flags may stand before it.
func (u usage) command(line string) string {
	words := strings.Fields(line)
	for i := range words {
		for end := min(i+3, len(words)); end > i; end-- {
			if name := strings.Join(words[i:end], " "); u.commands[name] != nil {
				return name
			}
		}
	}
	return ""
}

// problems tells what is wrong with a command line of the program.
func (u usage) problems(line string) []string {
	command := u.command(line)
	if command == "" {
		return []string{"no such command"}
	}
	var all []string
	for _, match := range flagPattern.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(u.commands[command], match[1]) {
			all = append(all, "there is no --"+match[1])
		}
	}
	return all
}

// commandLines finds what is run of the program in a text: its arguments, up to
// the end of the command.
func commandLines(text string) []string {
	text = strings.ReplaceAll(text, "\\\n", " ")
	var all []string
	for _, match := range regexp.MustCompile(`(?m)\bearshot ([a-z-]+(?: [^|;&)#\n]*)?)(?:[|;&)#]|$)`).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

func TestCommandsAndFlagsOfThePagesExist(t *testing.T) {
	t.Parallel()
	u := ask(t)
	var every []string
	for _, flags := range u.commands {
		every = append(every, flags...)
	}
	found := 0
	for _, p := range pages(t, "README.md", "docs/*.md") {
		texts := p.spans()
		for _, b := range p.blocks {
			if strings.HasPrefix(b.info, "sh") {
				texts = append(texts, b.text)
			}
		}
		for _, text := range texts {
			for _, line := range commandLines(text) {
				found++
				for _, problem := range u.problems(line) {
					t.Errorf("%s: earshot %s: %s", p.name, line, problem)
				}
			}
			if match := flagPattern.FindStringSubmatch(text); strings.HasPrefix(text, "--") && !slices.Contains(every, match[1]) {
				t.Errorf("%s: no command has %s", p.name, text)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands were found", found)
	}
}

func TestVariablesOfThePagesExist(t *testing.T) {
	t.Parallel()
	u := ask(t)
	for _, p := range pages(t, "README.md", "docs/*.md") {
		text := p.prose
		for _, b := range p.blocks {
			text += b.text
		}
		for _, name := range variablePattern.FindAllString(text, -1) {
			if !u.variables[name] {
				t.Errorf("%s: nothing reads %s; there are %v", p.name, name, slices.Sorted(maps.Keys(u.variables)))
			}
		}
	}
}

func TestEverySettingOfTheServerIsDescribed(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/settings.md")
	for _, flag := range ask(t).commands["serve"] {
		if flag != "help" && !strings.Contains(text, "`--"+flag+"`") {
			t.Errorf("docs/settings.md does not tell of --%s", flag)
		}
	}
}
