package load

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/test/harness/program"
)

// Program is the released program, running in its own process.
type Program struct {
	BaseURL string
	Log     string       // path of its log file
	Kill    func()       // kills the process
	Stop    func() error // sends SIGTERM and waits for the end of the process
	PID     int
	address string // address of its database
}

// Build returns the program earshot without the race detector.
func Build(tb testing.TB) (binary string) {
	tb.Helper()
	return program.Earshot(tb)
}

// Start runs the program on a database until the test ends.
func Start(tb testing.TB, binary, address string, flags ...string) *Program {
	tb.Helper()
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--allow-private-webhooks"}, flags...)
	if store.Shared(address) {
		args = append(args, "--database", address, "--data", tb.TempDir())
	} else {
		args = append(args, "--data", filepath.Dir(address))
	}
	p := Run(tb, binary, args...)
	p.address = address
	return p
}

// Run runs a program that prints its URL after program.Ready, until the test ends.
func Run(tb testing.TB, binary string, args ...string) *Program {
	tb.Helper()
	log, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.CommandContext(context.WithoutCancel(tb.Context()), binary, args...)
	command.Stderr = log
	greeting, err := program.Start(command)
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		tb.Fatalf("%v\n%s", err, said)
	}
	p := &Program{Log: log.Name(), PID: command.Process.Pid}
	p.Stop = func() error { return program.Stop(command) }
	p.Kill = sync.OnceFunc(func() {
		_ = command.Process.Signal(syscall.SIGKILL)
		_ = command.Wait()
		_ = log.Close()
	})
	tb.Cleanup(p.Kill)
	_, shown, _ := strings.Cut(greeting, program.Ready)
	p.BaseURL, _, _ = strings.Cut(strings.TrimSpace(shown), "/#")
	return p
}

// Rate limits for Accounts, in requests per second.
const (
	Unlimited = 1 << 30
	Hasty     = 1
)

// Accounts creates organizations with a rate limit and no other effective limits, and
// returns their keys.
func (p *Program) Accounts(tb testing.TB, rate, n int) []string {
	tb.Helper()
	s, err := store.Open(tb.Context(), store.Config{URL: p.address})
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	plan := account.Plan{Name: "business", Slots: 100_000, CreditsPerCycle: 1 << 40, RequestsPerSecond: rate, QueueCapacity: 1 << 20}
	keys := make([]string, n)
	for i := range keys {
		key := account.NewKey()
		_, err := orgs.New(s).CreateOrganization(orgs.NewOrganization{
			Name: "load-" + key.ID, Plan: plan, FirstGrant: 1 << 40, WebhookSecret: account.NewWebhookSecret(), Key: key,
		}, account.Operator(), s.Now())
		if err != nil {
			tb.Fatal(err)
		}
		keys[i] = key.Text
	}
	return keys
}

// Memory returns the current and the maximum resident memory of the process in MB.
func (p *Program) Memory(tb testing.TB) (now, most int) {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
	if err != nil {
		tb.Fatal(err)
	}
	read := func(name string) int {
		_, after, _ := strings.Cut(string(text), name+":")
		fields := strings.Fields(after)
		if len(fields) == 0 {
			return 0
		}
		kib, _ := strconv.Atoi(fields[0])
		return kib << 10 / 1_000_000
	}
	return read("VmRSS"), read("VmHWM")
}
