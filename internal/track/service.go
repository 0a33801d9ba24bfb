// Package track asks the same questions again and again, on a schedule, and keeps the
// answers. Each subject has a folder of its own; this package runs sweeps and puts the
// subjects together.
//
//	service.go  what is needed, and the loops of a node
//	apply.go    storing a definition
//	sweep.go    starting, submitting, ending and closing sweeps
//	record.go   ended tasks become answers
//	view.go     trackers and sweeps as clients see them
//
// The subjects, from the bottom up. A subject imports only those above it in this list.
//
//	schedule    when something is due, in civil times
//	stats       intervals, change detectors and other statistics
//	source mention analysis  what is found in one answer
//	metric      numbers of counted answers; packed: their encoding
//	alert       which changes are worth an alert, and the text of messages
//	definition  a tracker's definition, and the plan of a sweep
//	ruleset     by which names and code brands are found
//	aggregate   counting answers, and the stored sums of closed sweeps
//	numbers     metrics, sources and comparisons as clients see them
//	answers     lists, filters and searches of kept answers
//	watch       change detectors see closed sweeps and raise alerts
//	report      reports: gathered, rendered, and sent when due
//	channel     where alerts and reports are sent
//	export      tables as files, for a client or by day; proof: their check offline
//	demo        trackers with a history that is made up
//	reanalysis  analysing kept answers again when the rules change
//
// There is one queue and one ledger: a sweep is made of ordinary tasks. The database holds
// which sweeps are due, how far each is submitted and which ended tasks are recorded. Each
// of these changes in the same transaction as what follows from it, so that any node may
// do the next step, and two that try do it once.
package track

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/alert"
	"earshot/internal/track/answers"
	"earshot/internal/track/channel"
	"earshot/internal/track/definition"
	"earshot/internal/track/demo"
	"earshot/internal/track/export"
	"earshot/internal/track/numbers"
	"earshot/internal/track/reanalysis"
	"earshot/internal/track/report"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/watch"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// Config is what trackers need.
type Config struct {
	Store     *tracking.Store
	Catalogue *provider.Catalogue
	Jobs      Jobs
	// CheckWebhook tells why a URL cannot be told anything.
	CheckWebhook func(url string) error
	// CheckAddress tells why a text is no address for mail; Mail tells that mail can be sent.
	CheckAddress func(address string) error
	Mail         bool
	// TestChannel sends a message once and tells how that went.
	TestChannel func(ctx context.Context, organization string, m *alert.Message) (*earshot.WebhookTest, error)
	// BaseURL is the address that people know the service by.
	BaseURL string
	// Planned is called when a webhook was planned.
	Planned func()
	// Exports is where files of trackers are written, nil for nowhere.
	Exports Exports
	// Lab reaches a lab with a world of its own, without a network and unrecorded.
	Lab func(*lab.World) (*upstream.Client, error)
	Log *slog.Logger
}

// Exports is where files of trackers are written.
type Exports = export.Destination

// Jobs is what trackers need of the runner of jobs.
type Jobs interface {
	// Price is the maximum cost of a task.
	Price(about provider.Definition, request provider.Request) int64
	// Wake has the scheduler look for tasks.
	Wake()
}

// Service keeps trackers. It is safe for concurrent use. Each subject has a package of its
// own, whose exported methods are methods of Service, too.
type Service struct {
	Config
	wake      chan struct{}
	wakeAddUp chan struct{}

	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	*numbers.Reader
	*answers.Explorer
	*watch.Watcher
	*report.Reporter
	*channel.Directory
	*export.Exporter
	*demo.Maker
	*reanalysis.Analyser
}

// New makes a Service; Run must be called for sweeps to start.
func New(cfg Config) *Service {
	s := &Service{Config: cfg, wake: make(chan struct{}, 1), wakeAddUp: make(chan struct{}, 1)}
	s.connect(nil)
	return s
}

// On returns a service that reads from a copy of the database. It is for operations that
// only read, and need not be run.
func (s *Service) On(replica *tracking.Store) *Service {
	reader := &Service{Config: s.Config, wake: s.wake, wakeAddUp: s.wakeAddUp}
	reader.Store = replica
	reader.connect(s.counter)
	return reader
}

// price is the maximum cost of a task. A service that only reads has no Jobs, and asks for no price.
func (s *Service) price(about provider.Definition, request provider.Request) int64 {
	return s.Jobs.Price(about, request)
}

// connect makes the subjects. What is not yet counted is counted by main, if given.
func (s *Service) connect(main *aggregate.Counter) {
	s.definitions = definition.NewReader(definition.Config{
		Store: s.Store, Catalogue: s.Catalogue, Price: s.price, CheckWebhook: s.CheckWebhook, Exports: s.Exports != nil,
	})
	s.panels = ruleset.NewPanels(s.Store, s.definitions, s.Log)
	if main == nil {
		s.counter = aggregate.NewCounter(s.Store, s.definitions, s.panels, s.Log, s.Wake)
	} else {
		s.counter = main.On(s.Store, s.definitions, s.panels)
	}
	s.Reader = numbers.NewReader(s.Store, s.definitions, s.panels, s.counter)
	s.Explorer = answers.NewExplorer(s.Store, s.definitions, s.panels, s.Reader, s.Log)
	s.Watcher = watch.NewWatcher(s.Store, s.definitions, s.panels, s.counter, s.Log, s.Planned)
	s.Reporter = report.NewReporter(s.Store, s.definitions, s.counter, s.Reader, s.Log, s.Planned)
	s.Directory = channel.NewDirectory(channel.Config{
		Store: s.Store, Definitions: s.definitions, CheckWebhook: s.CheckWebhook, CheckAddress: s.CheckAddress, Mail: s.Mail,
		TestChannel: s.TestChannel, BaseURL: s.BaseURL,
	})
	s.Exporter = export.NewExporter(s.Store, s.definitions, s.panels, s.counter, s.Reader, s.Explorer, s.Exports, s.Log)
	s.Maker = demo.NewMaker(s.Store, s.Catalogue, s.definitions, s.panels, s.Lab)
	s.Analyser = reanalysis.NewAnalyser(s.Store, s.definitions, s.panels, s.counter, s.Exporter, s.Log, s.Wake)
}

const (
	// stepEvery is how long a due sweep, or an ended task, may wait to be noticed.
	stepEvery = 500 * time.Millisecond
	// lostEvery is how often tasks are looked for that are no longer there.
	lostEvery = 10 * time.Second
	// tidyEvery is how often what is past its time is looked for.
	tidyEvery = time.Minute
)

// Run starts sweeps that are due, submits their tasks, records their answers and closes
// them, until ctx ends. All nodes may do it side by side. What takes as long as a tracker
// is large has a loop of its own, so that the sweeps of others begin in time.
func (s *Service) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { again(ctx, stepEvery, nil, func() { s.watch(ctx) }) })
	if s.Exports != nil {
		loops.Go(func() {
			again(ctx, stepEvery, nil, func() { s.log(ctx, "writing exports failed", s.WriteDays(ctx, s.Store.Now)) })
		})
	}
	loops.Go(func() {
		again(ctx, lostEvery, nil, func() { s.log(ctx, "looking for lost tasks failed", s.trusted(ctx, s.recordLost)) })
	})
	loops.Go(func() {
		again(ctx, tidyEvery, nil, func() { s.log(ctx, "removing old answers failed", s.tidy(ctx)) })
	})
	loops.Go(func() {
		again(ctx, stepEvery, s.wakeAddUp, func() { s.log(ctx, "adding up answers failed", s.trusted(ctx, s.addUp)) })
	})
	// An upgrade may have brought other rules.
	s.log(ctx, "renewing rules failed", s.RenewRules(ctx, s.Store.Now()))
	again(ctx, stepEvery, s.wake, func() { s.log(ctx, "a step of the trackers failed", s.trusted(ctx, s.moveOn)) })
	return nil
}

// again does something every so often, and when it is woken, until ctx ends.
func again(ctx context.Context, every time.Duration, wake <-chan struct{}, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-tick.C:
		}
		do()
	}
}

// trusted does what depends on the time, such as beginning sweeps, only by a clock that
// can be trusted.
func (s *Service) trusted(ctx context.Context, do func(ctx context.Context, now time.Time) error) error {
	now, err := s.Store.TrustedNow()
	if err != nil {
		return err
	}
	return do(ctx, now)
}

// watch has the change detectors see sweeps that have ended, and sends reports that are
// due.
func (s *Service) watch(ctx context.Context) {
	s.log(ctx, "looking for what moved failed", s.Watcher.Step(ctx, s.Store.Now()))
	s.log(ctx, "sending reports failed", s.trusted(ctx, s.SendDue))
}

func (s *Service) log(ctx context.Context, message string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.Error(message, "error", err)
	}
}

// Wake has the loops look at once.
func (s *Service) Wake() {
	for _, wake := range []chan struct{}{s.wake, s.wakeAddUp} {
		select {
		case wake <- struct{}{}:
		default: // it will look already
		}
	}
}

// Step does once what Run does again and again.
func (s *Service) Step(ctx context.Context, now time.Time) error {
	return errors.Join(s.moveOn(ctx, now), s.recordLost(ctx, now), s.addUp(ctx, now), s.Watcher.Step(ctx, now), s.SendDue(ctx, now), s.WriteDays(ctx, func() time.Time { return now }))
}

// moveOn starts sweeps, records answers, and closes sweeps of which all have come.
func (s *Service) moveOn(ctx context.Context, now time.Time) error {
	return errors.Join(s.startDue(ctx, now), s.record(ctx), s.advance(ctx, now))
}

// addUp makes tallies that were asked for, and goes on with answers that are to be
// analysed anew.
func (s *Service) addUp(ctx context.Context, now time.Time) error {
	return errors.Join(s.counter.TallyNext(ctx), s.Analyser.Step(ctx, now))
}

// tidy removes answers that are past their time and what is left of deleted trackers and
// of rules that are no longer used.
func (s *Service) tidy(ctx context.Context) error {
	now, err := s.Store.TrustedNow()
	for err == nil && ctx.Err() == nil {
		var n int
		if n, err = s.Store.DeleteTracked(ctx, now); n == 0 {
			break
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(s.RenewRules(ctx, now), s.Tidy(ctx), s.counter.TallyAll(ctx))
}
