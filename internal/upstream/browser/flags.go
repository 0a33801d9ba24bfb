package browser

import (
	"errors"
	"os"
	"os/exec"
)

// candidates are the names of Chromium, the smallest build first. Debian's command
// chromium-headless-shell is a script that stays the parent of the browser, and killing
// the script would not kill the browser. So the path of the program itself comes first.
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

// nowhere is the proxy for traffic that belongs to no visit: the discard port, on which
// nothing listens.
const nowhere = "127.0.0.1:9"

// flags are the arguments that Chromium is started with. Builds ignore flags
// that they do not know. Nothing here hides that the browser is headless or
// automated.
func flags(folder string) []string {
	all := []string{
		"--headless",
		"--remote-debugging-pipe",
		"--user-data-dir=" + folder,
		"--window-size=1280,1024",
		"--hide-scrollbars",
		"--mute-audio",
		"--password-store=basic",
		// Containers often have only 64 MiB in /dev/shm; Chromium crashes when it is full.
		"--disable-dev-shm-usage",
		// There is no screen. A page that animates all the time should not keep a core busy.
		"--disable-gpu",

		// All traffic takes the proxy of its visit, including traffic to loopback addresses.
		// Traffic that belongs to no visit is blocked. Chromium resolves no names.
		"--proxy-server=" + nowhere,
		"--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE localhost",
		"--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",

		// Chromium sends nothing on its own.
		"--no-first-run",
		"--no-default-browser-check",
		"--no-pings",
		"--no-service-autorun",
		"--disable-background-networking",
		"--disable-breakpad",
		"--disable-client-side-phishing-detection",
		"--disable-component-extensions-with-background-pages",
		"--disable-component-update",
		"--disable-crash-reporter",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-field-trial-config",
		"--disable-search-engine-choice-screen",
		"--disable-sync",
		"--metrics-recording-only",
		"--safebrowsing-disable-auto-update",
		"--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater," +
			"InterestFeedContentSuggestions,MediaRouter,OptimizationHints,Translate",

		// A page cannot ask for permissions, show dialogs or open windows.
		"--block-new-web-contents",
		"--deny-permission-prompts",
		"--disable-prompt-on-repost",
		"--noerrdialogs",

		// Visits run at the same time, each as if it were in the foreground.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-hang-monitor",
		"--disable-renderer-backgrounding",

		// Scripts of real pages use less than 200 MiB. maxMemory limits the other memory
		// of a page.
		"--js-flags=--max-old-space-size=512",
	}
	if unsandboxed() {
		all = append(all, "--no-sandbox")
	}
	return append(all, "about:blank")
}

// unsandboxed reports whether Chromium has to run without its sandbox. For root, it
// refuses to start with a sandbox.
func unsandboxed() bool { return os.Geteuid() == 0 }

// environment returns the environment variables of Chromium. It leaves out all others,
// because the service's variables may contain keys and passwords, and Chromium runs other
// people's code.
func environment(folder string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
		"HOME=" + folder,
		"TMPDIR=" + folder,
		"DBUS_SESSION_BUS_ADDRESS=disabled:",
	}
}
