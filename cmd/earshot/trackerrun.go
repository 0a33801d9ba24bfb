package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type trackerRunCmd struct {
	Wait   bool          `help:"Wait for all answers, and show the progress."`
	Key    string        `help:"An idempotency key: the same command with the same key starts no second sweep." placeholder:"KEY"`
	Repeat bool          `help:"Repeat the newest closed sweep, to measure the normal variation."`
	Every  time.Duration `help:"How often to poll." default:"1s" hidden:""`
	output `set:"formats=table,json"`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerRunCmd) Help() string {
	return `Starts a sweep now, independently of the schedule: every prompt on every target. Its tasks wait in the queue like all others. Ctrl-C
leaves the sweep running. A sweep that might exceed the tracker's ceiling is skipped.

--repeat runs the newest closed sweep again, at the cost of a sweep. The difference between the two is the noise floor that
'earshot tracker compare' shows next to every change; the repeated sweep does not count in any other metric.

Exit status: 0 it was started, with --wait has all answers, 2 it was skipped or canceled, or answers are missing, 130 it was
interrupted, 1 anything else.

Examples:
  printf 'name: coats\nprompts: [best coats]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply -
  earshot tracker run coats --wait && earshot tracker run coats --repeat --wait
  earshot tracker run coats --key "coats-$(date +%F)" --jq .id`
}

// Run starts the sweep.
func (c *trackerRunCmd) Run(in *invocation) error {
	service, err := c.connect(client.WithRetries(batchRetries))
	if err != nil {
		return err
	}
	if err := service.Ready(in); err != nil {
		return c.remote.explain(err)
	}
	start := service.StartSweep
	if c.Repeat {
		start = service.RepeatSweep
	}
	started, err := start(in, c.Name, c.Key)
	if err != nil {
		return c.explain(err)
	}
	sweep := &started.Sweep
	if !started.Replayed && sweep.State == earshot.SweepRunning {
		fmt.Fprintf(in.errOut, "sweep %s has started: %s, at most %s\n", sweep.ID, many(sweep.Progress.Planned, "task"), many(sweep.Credits.CreditsToCharge, "credit"))
	} else if started.Replayed {
		fmt.Fprintf(in.errOut, "sweep %s was already started with this key\n", sweep.ID)
	}
	if c.Wait {
		if sweep, err = c.follow(in, service, sweep); err != nil {
			return err
		}
	}
	switch {
	case !c.isTable():
		err = c.json(in, sweep)
	case sweep.State == earshot.SweepRunning:
		_, err = fmt.Fprintln(in.out, sweep.ID)
	default:
		_, err = fmt.Fprintln(in.out, result(sweep))
	}
	return errors.Join(err, c.shortfall(sweep))
}

// follow waits for the end of a sweep.
func (c *trackerRunCmd) follow(in *invocation, service *client.Client, sweep *earshot.Sweep) (*earshot.Sweep, error) {
	bar := newProgress(in.errOut, isTerminal(in.errOut))
	bar.begin(sweep.Progress.Planned, time.Now())
	defer bar.clear()
	id := sweep.ID
	for {
		var err error
		if sweep, err = service.Sweep(in, c.Name, id); err != nil && in.Err() == nil {
			return nil, c.explain(err)
		}
		if err == nil {
			if sweep.State != earshot.SweepRunning {
				return sweep, nil
			}
			bar.show(sweep.Progress.Answered+sweep.Progress.Missing, sweep.Progress.Missing, time.Now())
		}
		select {
		case <-in.Done():
			text := fmt.Sprintf("interrupted; the sweep %s continues on the server: 'earshot tracker sweeps %s' shows its state, 'earshot api DELETE /v1/trackers/%s/sweeps/%s' cancels it", id, c.Name, c.Name, id)
			return nil, exitError{errors.New(text), statusInterrupted}
		case <-time.After(c.Every):
		}
	}
}

// result returns the result of a sweep in one line.
func result(sweep *earshot.Sweep) string {
	text := fmt.Sprintf("sweep %s is %s", sweep.ID, sweep.State)
	if sweep.State == earshot.SweepClosed || sweep.State == earshot.SweepCanceled {
		text += fmt.Sprintf(": %s, for %s", coverage(sweep), many(sweep.Credits.CreditsCharged, "credit"))
	}
	return text
}

// shortfall returns an error if answers of the sweep are missing.
func (c *trackerRunCmd) shortfall(sweep *earshot.Sweep) error {
	text := ""
	switch sweep.State {
	case earshot.SweepRunning:
		return nil
	case earshot.SweepSkipped:
		text = fmt.Sprintf("the sweep was skipped (%s): 'earshot tracker show %s' shows its cost and what is spent", sweep.Reason, c.Name)
	case earshot.SweepCanceled, earshot.SweepMissed:
		text = fmt.Sprintf("the sweep was %s", sweep.State)
	case earshot.SweepClosed:
		if sweep.Progress.Missing == 0 {
			return nil
		}
		text = fmt.Sprintf("%s missing (%s): 'earshot tracker answers %s --sweep %s --outcome missing' lists them", many(sweep.Progress.Missing, "answer"), reasonsOf(sweep), c.Name, sweep.ID)
	}
	return exitError{errors.New(text), statusIncomplete}
}

// reasonsOf returns the number of missing answers by reason.
func reasonsOf(sweep *earshot.Sweep) string {
	var parts []string
	for _, r := range sweep.Missing {
		parts = append(parts, fmt.Sprintf("%s %s", thousands(int64(r.Count)), r.Reason))
	}
	return strings.Join(parts, ", ")
}

type trackerSweepsCmd struct {
	State string `help:"Only sweeps in this state: running, closed, canceled, skipped or missed." enum:"running,closed,canceled,skipped,missed," default:"" placeholder:"STATE"`
	Limit int    `help:"The maximum number of sweeps; 0 for all." default:"20" placeholder:"N"`
	output
	trackerArg
}

// Help returns the command's long help.
func (c *trackerSweepsCmd) Help() string {
	return `Lists the sweeps of a tracker, newest first: the time for which each was due, its state, the numbers of answered, missing and planned
answers, its cost in credits, its id, and why it was skipped.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: socks\nprompts: [best socks]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run socks --wait
  earshot tracker sweeps socks
  earshot tracker sweeps socks --state closed --limit 1 --jq '.[].progress.coverage'`
}

// Run lists the sweeps.
func (c *trackerSweepsCmd) Run(in *invocation, service *client.Client) error {
	q := earshot.SweepQuery{State: earshot.SweepState(c.State)}
	q.Limit = page(c.Limit)
	sweeps, err := firstOf(service.Sweeps(in, c.Name, q), c.Limit)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("SLOT|STATE|ANSWERED|MISSING|PLANNED|CREDITS|ID|REASON", sweeps, func(s *earshot.Sweep) []any {
		return []any{s.Slot, s.State, s.Progress.Answered, s.Progress.Missing, s.Progress.Planned, s.Credits.CreditsCharged, s.ID, s.Reason}
	})
	t.none = "there are no such sweeps; 'earshot tracker run " + c.Name + "' starts one"
	return c.print(in, t)
}
