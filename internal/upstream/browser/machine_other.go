//go:build !linux

package browser

import "os/exec"

// Elsewhere than on Linux, we rely on Chromium to exit when its pipe closes, and to end
// its children when it exits.

func inOwnGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func endGroup(int) {}

func killLargeRenderers(int) map[int]int { return nil }

func lockFolder(string) (unlock func(), ok bool) { return func() {}, true }

func sweepFolders() {}
