package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Help returns the command's long help.
func (versionCmd) Help() string {
	return `Prints the version, the revision of the source code, and the Go version and platform of the build.

Exit status: 0 it was printed, 1 anything else.

Examples:
  earshot version`
}

// Run prints the version.
func (versionCmd) Run(in *invocation) error {
	_, err := fmt.Fprintln(in.out, version())
	return err
}

// release is the version of a build without a repository, such as the container image. It
// is set by -ldflags '-X main.release=v1.2.3'.
var release string

// version returns the version of the module and the revision of the source code, if known.
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
