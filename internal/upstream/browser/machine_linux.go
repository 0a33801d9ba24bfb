package browser

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxMemory is how much memory one page may use. Real pages stay under 500 MiB.
const maxMemory = 1536 << 20

// inOwnGroup puts the command into its own process group, which can be killed as a
// whole, and asks the kernel to kill it when we die. We become the parent of orphaned
// children of Chromium, so that we can reap them. The first process of a container often
// does not, and zombies would pile up.
func inOwnGroup(cmd *exec.Cmd) {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER of prctl(2)
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills the command and its children. It ignores a group that has ended.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endGroup kills the rest of a group whose leader has been reaped, and waits until all
// its processes have ended.
func endGroup(group int) {
	const pause, tries = 5 * time.Millisecond, 6000
	for range tries {
		for reaped := group; reaped > 0; {
			reaped, _ = syscall.Wait4(-group, nil, syscall.WNOHANG, nil)
		}
		if errors.Is(syscall.Kill(-group, syscall.SIGKILL), syscall.ESRCH) {
			return
		}
		time.Sleep(pause)
	}
}

// killLargeRenderers kills the pages of a group that use more than maxMemory
// and returns their sizes by process id.
func killLargeRenderers(group int) map[int]int {
	killed := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, pgrp, size := readStat(path)
		if pgrp != group || size < maxMemory {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if bytes.Contains(command, []byte("--type=renderer")) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed[pid] = size
		}
	}
	return killed
}

// readStat returns a process's id, group and resident bytes, or zeros if it has ended.
func readStat(path string) (pid, group, size int) {
	text, _ := os.ReadFile(path)
	// The second field, the command's name, is in parentheses and may contain any text.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 22 {
		return 0, 0, 0
	}
	pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
	group, _ = strconv.Atoi(fields[2])
	pages, _ := strconv.Atoi(fields[21])
	return pid, group, pages * os.Getpagesize()
}

// lockFolder locks a folder until unlock is called or this process ends. It returns false
// if another process has locked or deleted the folder.
func lockFolder(folder string) (unlock func(), ok bool) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, false
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if _, gone := os.Stat(folder); err != nil || gone != nil {
		_ = file.Close()
		return nil, false
	}
	return func() { _ = file.Close() }, true
}

// sweepFolders removes the profile folders that no process has locked: their service
// was killed.
func sweepFolders() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, folder := range folders {
		if unlock, ok := lockFolder(folder); ok {
			_ = os.RemoveAll(folder)
			unlock()
		}
	}
}
