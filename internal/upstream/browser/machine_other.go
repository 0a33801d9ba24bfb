//go:build !linux

package browser

import "os/exec"

// Chromium ends its children itself when it ends, and ends itself when the pipe
// to us closes. Linux, where the service runs, does not rely on that.

func inOwnGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func endGroup(int) {}

func killLargeRenderers(int) map[int]int { return nil }

func lockFolder(string) (unlock func(), ok bool) { return func() {}, true }

func sweepFolders() {}
