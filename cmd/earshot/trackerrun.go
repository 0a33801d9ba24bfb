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
	Wait   bool          `help:"Wait for all answers, and show how far it is."`
	Key    string        `help:"The same key again gives the same sweep: a repeated command starts no second one." placeholder:"KEY"`
	Repeat bool          `help:"Repeat the newest closed sweep, to see how much of a change is noise."`
	JSON   bool          `name:"json" help:"Print the sweep as JSON."`
	Every  time.Duration `help:"How often to look." default:"1s" hidden:""`
	trackerArg
}

// Help says what a sweep that is run by hand is.
func (c *trackerRunCmd) Help() string {
	return `Starts a sweep at once, apart from the schedule: every question on every target. Its tasks take their turns in the queue like
all others. Ctrl-C leaves it running. A sweep that might pass the tracker's ceiling is skipped.

With --repeat it asks again what the newest sweep has just asked, at the cost of a sweep. How far the two are apart is the noise
floor that 'earshot tracker compare' shows beside every change; in other numbers it does not count.

Exit status: 0 it was started, with --wait has all answers, 2 it was skipped or cancelled, or answers are missing, 130 it was
interrupted, 1 anything else.

Examples:
  printf 'name: coats\nprompts: [best coats]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply -
  earshot tracker run coats --wait && earshot tracker run coats --repeat --wait
  earshot tracker run coats --key "coats-$(date +%F)" --json | jq -r .id`
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
		fmt.Fprintf(in.errOut, "sweep %s has begun: %s, at most %s\n", sweep.ID, many(sweep.Progress.Planned, "question"), many(sweep.Credits.CreditsToCharge, "credit"))
	} else if started.Replayed {
		fmt.Fprintf(in.errOut, "sweep %s was started before with this key\n", sweep.ID)
	}
	if c.Wait {
		if sweep, err = c.follow(in, service, sweep); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = in.json(sweep)
	case sweep.State == earshot.SweepRunning:
		_, err = fmt.Fprintln(in.out, sweep.ID)
	default:
		_, err = fmt.Fprintln(in.out, c.told(sweep))
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
			text := fmt.Sprintf("interrupted; the sweep %s goes on on the server: 'earshot tracker sweeps %s' tells how it stands, 'earshot tracker cancel %s %s' stops it", id, c.Name, c.Name, id)
			return nil, exitError{errors.New(text), statusInterrupted}
		case <-time.After(c.Every):
		}
	}
}

// told is how a sweep ended, in a line.
func (c *trackerRunCmd) told(sweep *earshot.Sweep) string {
	text := fmt.Sprintf("sweep %s is %s", sweep.ID, sweep.State)
	if sweep.State == earshot.SweepClosed || sweep.State == earshot.SweepCanceled {
		text += fmt.Sprintf(": %s, for %s", coverage(sweep), many(sweep.Credits.CreditsCharged, "credit"))
	}
	return text
}

// shortfall is the error of a sweep of which not all was answered.
func (c *trackerRunCmd) shortfall(sweep *earshot.Sweep) error {
	text := ""
	switch sweep.State {
	case earshot.SweepRunning:
		return nil
	case earshot.SweepSkipped:
		text = fmt.Sprintf("the sweep was skipped (%s): 'earshot tracker show %s' tells what it can cost and what is spent", sweep.Reason, c.Name)
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

// reasonsOf counts what is missing of a sweep by reason.
func reasonsOf(sweep *earshot.Sweep) string {
	var parts []string
	for _, r := range sweep.Missing {
		parts = append(parts, fmt.Sprintf("%s %s", thousands(int64(r.Count)), r.Reason))
	}
	return strings.Join(parts, ", ")
}

type trackerSweepsCmd struct {
	State string `help:"Only those that are running, closed, canceled, skipped or missed." enum:"running,closed,canceled,skipped,missed," default:"" placeholder:"STATE"`
	Limit int    `help:"How many to list at most; 0 for all." default:"20" placeholder:"N"`
	JSON  bool   `name:"json" help:"Print one JSON object a sweep."`
	trackerArg
}

// Help says what the columns are.
func (c *trackerSweepsCmd) Help() string {
	return `Lists the sweeps of a tracker, newest first: the time for which each was due, how it ended, how many of its questions were
answered, are missing and were planned, what it cost in credits, its id, and why it was skipped.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: socks\nprompts: [best socks]\ntargets: [{provider: genassistant, country: US}]\n' | earshot tracker apply - && earshot tracker run socks --wait
  earshot tracker sweeps socks
  earshot tracker sweeps socks --state closed --limit 1 --json | jq .progress.coverage`
}

// Run lists.
func (c *trackerSweepsCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	q := earshot.SweepQuery{State: earshot.SweepState(c.State)}
	list := listing{
		explain: c.explain, limit: c.Limit, json: c.JSON, none: "there are no such sweeps; 'earshot tracker run " + c.Name + "' starts one",
		header: []string{"SLOT", "STATE", "ANSWERED", "MISSING", "PLANNED", "CREDITS", "ID", "REASON"},
	}
	if q.Limit, err = list.page(); err != nil {
		return err
	}
	return printList(in, list, service.Sweeps(in, c.Name, q), func(s *earshot.Sweep) []string {
		return []string{
			s.Slot, string(s.State), thousands(int64(s.Progress.Answered)), thousands(int64(s.Progress.Missing)), thousands(int64(s.Progress.Planned)),
			thousands(s.Credits.CreditsCharged), s.ID, s.Reason,
		}
	})
}

type trackerCancelCmd struct {
	trackerArg
	Sweep string `arg:"" help:"The sweep's id, as 'earshot tracker sweeps' lists it."`
}

// Help says what stays.
func (c *trackerCancelCmd) Help() string {
	return `Stops a sweep that runs: nothing more of it is asked, and what is queued is removed at no cost. What is being asked goes on and
is charged; its answers are kept.

Exit status: 0 it is being stopped, 130 it was interrupted, 1 anything else, such as a sweep that does not run.

Examples:
  id=$(earshot tracker list --json | jq -r 'select(.lastSweep.state == "running") | .name + " " + .lastSweep.id' | head -1); [ -z "$id" ] || earshot tracker cancel $id`
}

// Run cancels the sweep.
func (c *trackerCancelCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	canceled, err := service.CancelSweep(in, c.Name, c.Sweep)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "sweep %s is being stopped: %s removed from the queue\n", c.Sweep, many(canceled.Cleared, "task"))
	return err
}
