package docs

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// decode reads a YAML file of the module.
func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// exists wants a file of the module.
func exists(t *testing.T, by, name string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, name)); err != nil {
		t.Errorf("%s names %s: %v", by, name, err)
	}
}

func TestComposeNamesThingsThatExist(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Build       struct{ Context, Target string }
			Command     []string
			Environment map[string]string
			Volumes     []string
			Healthcheck struct{ Test []string }
			DependsOn   map[string]any `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	decode(t, "compose.yaml", &file)
	u, nodes := ask(t), 0
	for name, service := range file.Services {
		if len(service.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		for _, volume := range service.Volumes {
			if source, _, _ := strings.Cut(volume, ":"); !known(file.Volumes, source) {
				t.Errorf("%s: there is no volume %s", name, source)
			}
		}
		if service.Build.Context == "" {
			continue
		}
		nodes++
		if !strings.Contains(read(t, filepath.Join(service.Build.Context, "Dockerfile")), " AS "+service.Build.Target+"\n") {
			t.Errorf("%s: the Dockerfile has no stage %q", name, service.Build.Target)
		}
		for _, problem := range u.problems(strings.Join(service.Command, " ")) {
			t.Errorf("%s: %s", name, problem)
		}
		for variable := range service.Environment {
			if !u.variables[variable] {
				t.Errorf("%s: nothing reads %s", name, variable)
			}
		}
		if !known(file.Services, "postgres") || !known(service.DependsOn, "postgres") {
			t.Errorf("%s does not wait for the database", name)
		}
	}
	if nodes != 2 {
		t.Errorf("there are %d nodes", nodes)
	}
}

func known[V any](things map[string]V, name string) bool {
	_, ok := things[name]
	return ok
}

func TestTheImagesAndPackagesSetVariablesThatExist(t *testing.T) {
	t.Parallel()
	u, text := ask(t), read(t, "Dockerfile")
	for _, file := range []string{"Dockerfile", "packaging/environment"} {
		names := variablePattern.FindAllString(read(t, file), -1)
		if len(names) == 0 {
			t.Errorf("%s sets no variable", file)
		}
		for _, name := range names {
			if !u.variables[name] {
				t.Errorf("%s: nothing reads %s", file, name)
			}
		}
	}
	for _, match := range regexp.MustCompile(`(?m)go build .* (\./\S+)|^COPY (\w+) `).FindAllStringSubmatch(text, -1) {
		exists(t, "the Dockerfile", match[1]+match[2])
	}
}

func TestABuildWithoutARepositoryIsToldItsVersion(t *testing.T) {
	t.Parallel()
	out, err := program.Command(t, binary, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "earshot "+program.Version) {
		t.Errorf("it says %q, %v", out, err)
	}
	response, err := http.Get(start(t).url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(metrics), `version="`+program.Version+`"`) {
		t.Errorf("the metrics are %s (%v)", metrics, err)
	}
	for _, file := range []string{"Dockerfile", ".goreleaser.yaml"} {
		if !strings.Contains(read(t, file), "-X main.release=") {
			t.Errorf("%s does not set the version", file)
		}
	}
}

func TestTheUnitNamesThingsThatExist(t *testing.T) {
	t.Parallel()
	settings := map[string][]string{}
	section := regexp.MustCompile(`^\[(Unit|Service|Install)\]$`)
	for line := range strings.SplitSeq(read(t, "packaging/earshot.service"), "\n") {
		name, value, ok := strings.Cut(line, "=")
		switch {
		case line == "", strings.HasPrefix(line, "#"), section.MatchString(line):
		case !ok:
			t.Errorf("%q is no setting", line)
		default:
			settings[name] = append(settings[name], value)
		}
	}
	u := ask(t)
	started, arguments, _ := strings.Cut(strings.Join(settings["ExecStart"], " "), " ")
	if filepath.Base(started) != "earshot" {
		t.Errorf("it starts %s", started)
	}
	for _, problem := range u.problems(arguments) {
		t.Error(problem)
	}
	want := "EARSHOT_DATA=%S/" + strings.Join(settings["StateDirectory"], "")
	if !u.variables["EARSHOT_DATA"] || !slices.Contains(settings["Environment"], want) {
		t.Errorf("the data are not in its state folder: %v", settings["Environment"])
	}
	for name, value := range map[string]string{"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "CapabilityBoundingSet": ""} {
		if !slices.Equal(settings[name], []string{value}) {
			t.Errorf("%s is %v", name, settings[name])
		}
	}
	// The program is not installed here.
	unit := filepath.Join(t.TempDir(), "earshot.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(read(t, "packaging/earshot.service"), "ExecStart=earshot ", "ExecStart="+binary+" ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := program.Command(t, tool.Find(t, "systemd-analyze"), "verify", unit).CombinedOutput()
	if err != nil || len(text) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, text)
	}
}

func TestThePackagesHaveTheCompletionsOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "fish"} {
		out, err := program.Command(t, binary, "completion", shell).Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(string(out), binary, "/usr/bin/earshot"); read(t, "packaging/completion/earshot."+shell) != want {
			t.Errorf("%s should be\n%s", shell, want)
		}
	}
}

func TestTheReleaseNamesThingsThatExist(t *testing.T) {
	t.Parallel()
	var file struct {
		Version int
		Builds  []struct {
			Main, Binary      string
			Env, Goos, Goarch []string
		}
		Archives []struct{ Files []string }
		Nfpms    []struct {
			Formats  []string
			Contents []struct{ Src, Dst, Type string }
			Scripts  map[string]string
		}
		Dockers []struct {
			Flags []string
			Args  map[string]string `yaml:"build_args"`
		} `yaml:"dockers_v2"`
		Checksum struct{ Algorithm string }
	}
	decode(t, ".goreleaser.yaml", &file)
	if file.Version != 2 || len(file.Builds) != 1 || len(file.Archives) != 1 || len(file.Nfpms) != 1 || len(file.Dockers) != 2 || file.Checksum.Algorithm != "sha256" {
		t.Fatalf("it was read as %+v", file)
	}
	build := file.Builds[0]
	exists(t, ".goreleaser.yaml", build.Main)
	if !slices.Equal(build.Env, []string{"CGO_ENABLED=0"}) || !slices.Equal(build.Goos, []string{"linux", "darwin"}) || !slices.Equal(build.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("it builds %+v", build)
	}
	for _, name := range file.Archives[0].Files {
		exists(t, ".goreleaser.yaml", name)
	}
	packages := file.Nfpms[0]
	if !slices.Equal(packages.Formats, []string{"deb", "rpm"}) || len(packages.Contents) == 0 || len(packages.Scripts) != 3 {
		t.Errorf("the packages are %+v", packages)
	}
	for _, content := range packages.Contents {
		if content.Type != "dir" {
			exists(t, ".goreleaser.yaml", content.Src)
		}
	}
	for _, script := range packages.Scripts {
		if text, err := program.Command(t, "sh", "-n", filepath.Join(root, script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, text)
		}
	}
	dockerfile := read(t, "Dockerfile")
	for _, image := range file.Dockers {
		for name := range image.Args {
			if !regexp.MustCompile(`(?m)^ARG .*\b` + name + `=`).MatchString(dockerfile) {
				t.Errorf("the Dockerfile has no argument %s", name)
			}
		}
		for _, stage := range []string{image.Args["BINARY"], strings.TrimPrefix(image.Flags[0], "--target=")} {
			if !strings.Contains(dockerfile, " AS "+stage+"\n") {
				t.Errorf("the Dockerfile has no stage %q", stage)
			}
		}
	}
}
