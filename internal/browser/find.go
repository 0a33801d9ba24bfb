package browser

import (
	"errors"
	"os/exec"
)

// candidates are the names of Chromium, the smallest build first. Debian's
// command for it is a script that stays as the parent of the browser and would
// be killed in its place, so the program itself comes before it.
var candidates = []string{
	"/usr/lib/chromium/chromium-headless-shell",
	"chromium-headless-shell",
	"chrome-headless-shell",
	"chromium",
	"chromium-browser",
	"google-chrome",
}

// Find returns the path of this machine's Chromium.
func Find() (string, error) {
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install the package chromium-headless-shell, chromium or google-chrome")
}
