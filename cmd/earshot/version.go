package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(in *invocation) error {
	_, err := fmt.Fprintln(in.out, version())
	return err
}

// release is the version that a build without a repository is told, such as that of the
// container image: -ldflags '-X main.release=v1.2.3'.
var release string

// version is that of the module and of the source code, as far as the build knows them.
func version() string {
	text := cmp.Or(release, "development")
	if build, ok := debug.ReadBuildInfo(); ok {
		text = described(build)
	}
	return fmt.Sprintf("earshot %s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func described(build *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	text := cmp.Or(release, build.Main.Version)
	if text == "" || text == "(devel)" {
		text = "development"
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(" (revision %.12s of %s", revision, cmp.Or(settings["vcs.time"], "an unknown time"))
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
		text += ")"
	}
	return text
}
