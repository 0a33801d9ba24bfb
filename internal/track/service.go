// Package track runs trackers: they ask the same prompts on a schedule and store the answers.
// This package runs the sweeps and connects its subpackages.
//
//	service.go  dependencies, and the loops of a node
//	apply.go    applies definitions
//	sweep.go    starts, submits, cancels and closes sweeps
//	record.go   turns ended tasks into answers
//	view.go     the API views of trackers and sweeps
//	work.go     background work: analyses, counts and reviews
//
// The subpackages from the bottom up. A package imports only packages above it in this list.
//
//	schedule    due times in civil time
//	stats       intervals, change detectors and other statistics
//	source mention analysis  brands and citations in one answer
//	metric      metrics of counted answers; packed: their encoding
//	alert       decides which changes raise an alert; writes messages
//	definition  definitions of trackers, and the plan of a sweep
//	ruleset     versions of the rules that find brands
//	aggregate   counts answers; the stored sums of closed sweeps
//	numbers     the API views of metrics, sources and comparisons
//	answers     lists, filters and searches of stored answers
//	contents    lists of the searches, sources, products and ads in answers
//	review      finds what a person should look at; lists and marks it
//	watch       runs change detectors over closed sweeps and raises alerts
//	report      renders reports and sends them on schedule
//	channel     notification channels for alerts and reports
//	export      tables as files, for a client or by day
//	demo        trackers with made-up answers
//	reanalysis  analyses stored answers again when the rules change
//
// A sweep consists of ordinary tasks in the one queue. The database stores which sweeps are
// due, how far each is submitted, and which ended tasks are recorded. Each of these changes in
// the same transaction as its consequences. So any node may do the next step, and if two nodes
// try, only one succeeds.
package track

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/alerting"
	"earshot/internal/store/analysing"
	"earshot/internal/store/exporting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/alert"
	"earshot/internal/track/answers"
	"earshot/internal/track/channel"
	"earshot/internal/track/contents"
	"earshot/internal/track/definition"
	"earshot/internal/track/demo"
	"earshot/internal/track/export"
	"earshot/internal/track/numbers"
	"earshot/internal/track/reanalysis"
	"earshot/internal/track/report"
	"earshot/internal/track/review"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/watch"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// Config holds the dependencies of a Service.
type Config struct {
	Store     *tracking.Store
	Catalogue *provider.Catalogue
	Vendors   provider.Vendors
	Jobs      Jobs
	// CheckWebhook returns an error if a URL cannot receive webhooks.
	CheckWebhook func(url string) error
	// CheckAddress returns an error if a text is not an email address.
	CheckAddress func(address string) error
	// Mail says whether the service can send email.
	Mail bool
	// TestChannel sends a message once and returns the result.
	TestChannel func(ctx context.Context, organization string, m *alert.Message) (*earshot.WebhookTest, error)
	// BaseURL is the public URL of the service.
	BaseURL string
	// Planned is called after a webhook was queued.
	Planned func()
	// Exports is the destination of exported files, or nil.
	Exports Exports
	// Lab opens a client of the built-in lab with the given world. It uses no network and
	// records nothing.
	Lab func(*lab.World) (*upstream.Client, error)
	Log *slog.Logger
}

// Exports is the destination of exported files.
type Exports = export.Destination

// Jobs is the part of the job runner that trackers need.
type Jobs interface {
	// Price returns the maximum cost of a task.
	Price(about provider.Definition, request provider.Request) int64
	// Wake makes the scheduler look for tasks.
	Wake()
}

// Service manages trackers. It is safe for concurrent use. The exported methods of the
// embedded types are methods of Service, too.
type Service struct {
	Config
	wake     chan struct{}
	wakeWork chan struct{}

	days        *exporting.Store
	analyses    *analysing.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	*numbers.Reader
	*answers.Explorer
	*contents.Lister
	*watch.Watcher
	*report.Reporter
	*channel.Directory
	*export.Exporter
	*demo.Maker
	*reanalysis.Analyser
	*review.Reviewer
}

// New returns a Service. No sweeps start before Run is called.
func New(cfg Config) *Service {
	s := &Service{Config: cfg, wake: make(chan struct{}, 1), wakeWork: make(chan struct{}, 1)}
	s.connect(nil)
	return s
}

// On returns a Service that reads from a replica of the database, for operations that only
// read. Run need not be called on it.
func (s *Service) On(replica *tracking.Store) *Service {
	reader := &Service{Config: s.Config, wake: s.wake, wakeWork: s.wakeWork}
	reader.Store = replica
	reader.connect(s.counter)
	return reader
}

// connect creates the embedded types. If main is not nil, it counts answers that are not
// aggregated yet.
func (s *Service) connect(main *aggregate.Counter) {
	base := s.Store.Store
	s.days, s.analyses = exporting.New(base), analysing.New(base)
	s.definitions = definition.NewReader(definition.Config{
		Store: s.Store, Catalogue: s.Catalogue, Vendors: s.Vendors, CheckWebhook: s.CheckWebhook, CheckFact: review.CheckFact, Exports: s.Exports != nil,
		// Not s.Jobs.Price: Jobs is nil in a service that only reads.
		Price: func(about provider.Definition, request provider.Request) int64 { return s.Jobs.Price(about, request) },
	})
	s.panels = ruleset.NewPanels(s.analyses, s.definitions, s.Log)
	if main == nil {
		s.counter = aggregate.NewCounter(base, s.definitions, s.panels, s.Log, s.Wake)
	} else {
		s.counter = main.On(base, s.definitions, s.panels)
	}
	s.Reader = numbers.NewReader(s.Store, s.definitions, s.panels, s.counter)
	s.Explorer = answers.NewExplorer(base, s.definitions, s.panels, s.Reader, s.Log)
	s.Lister = contents.NewLister(s.Store, s.definitions, s.panels, s.counter, s.Explorer)
	s.Watcher = watch.NewWatcher(base, s.definitions, s.panels, s.counter, s.Lister, s.Log, s.Planned)
	s.Reporter = report.NewReporter(base, s.definitions, s.counter, s.Reader, s.Log, s.Planned)
	s.Directory = channel.NewDirectory(channel.Config{
		Store: alerting.New(base), Trackers: s.Store, Definitions: s.definitions, CheckWebhook: s.CheckWebhook, CheckAddress: s.CheckAddress, Mail: s.Mail,
		TestChannel: s.TestChannel, BaseURL: s.BaseURL,
	})
	s.Exporter = export.NewExporter(base, s.definitions, s.panels, s.counter, s.Explorer, s.Exports, s.Log)
	s.Maker = demo.NewMaker(s.Store, s.Catalogue, s.definitions, s.panels, s.Lab)
	s.Reviewer = review.NewReviewer(s.Store, s.definitions, s.panels, s.Explorer, s.Log, func() { s.Jobs.Wake() })
	s.Analyser = reanalysis.NewAnalyser(base, s.definitions, s.panels, s.counter, s.Exporter, s.Log, s.Wake)
}

const (
	// stepEvery is the interval of looking for due sweeps and ended tasks.
	stepEvery = 500 * time.Millisecond
	// lostEvery is the interval of looking for tasks that were removed from the queue.
	lostEvery = 10 * time.Second
	// tidyEvery is the interval of deleting expired answers.
	tidyEvery = time.Minute
	// findEvery is the interval of looking for background work that nobody has entered.
	findEvery = time.Hour
)

// Run starts due sweeps, submits their tasks, records their answers and closes them until ctx
// ends. All nodes may run it at the same time. Work whose duration depends on the size of a
// tracker has its own loop, so that it does not delay the sweeps of other trackers.
func (s *Service) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { s.again(ctx, stepEvery, nil, func() { s.watch(ctx) }) })
	loops.Go(func() {
		s.again(ctx, stepEvery, nil, func() { s.log(ctx, "writing exports failed", s.WriteDays(ctx, s.Store.Now)) })
	})
	loops.Go(func() {
		s.again(ctx, lostEvery, nil, func() { s.log(ctx, "looking for lost tasks failed", s.trusted(ctx, s.recordLost)) })
	})
	loops.Go(func() {
		s.again(ctx, tidyEvery, nil, func() { s.log(ctx, "removing old answers failed", s.tidy(ctx)) })
	})
	loops.Go(func() {
		s.again(ctx, stepEvery, s.wakeWork, func() { s.log(ctx, "background work failed", s.Work(ctx, s.Store.TrustedNow)) })
	})
	// An upgrade may have changed the rules.
	s.step(func() { s.log(ctx, "renewing rules failed", s.RenewRules(ctx, s.Store.Now())) })
	loops.Go(func() {
		find := func() { s.log(ctx, "looking for background work failed", s.FindWork(ctx)) }
		s.step(find)
		s.again(ctx, findEvery, nil, find)
	})
	s.again(ctx, stepEvery, s.wake, func() { s.log(ctx, "running sweeps failed", s.trusted(ctx, s.moveOn)) })
	return nil
}

// again is the function again with steps.
func (s *Service) again(ctx context.Context, every time.Duration, wake <-chan struct{}, do func()) {
	again(ctx, every, wake, func() { s.step(do) })
}

// step calls do. A panic ends only this step, not the node.
func (s *Service) step(do func()) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("background work of trackers panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// again calls do at an interval and whenever wake receives, until ctx ends.
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

// trusted calls do with the current time. It returns an error if the clock cannot be trusted.
func (s *Service) trusted(ctx context.Context, do func(ctx context.Context, now time.Time) error) error {
	now, err := s.Store.TrustedNow()
	if err != nil {
		return err
	}
	return do(ctx, now)
}

// watch runs the change detectors over sweeps that have ended, and sends due reports.
func (s *Service) watch(ctx context.Context) {
	s.log(ctx, "change detection failed", s.Watcher.Step(ctx, s.Store.Now()))
	s.log(ctx, "sending reports failed", s.trusted(ctx, s.SendDue))
}

func (s *Service) log(ctx context.Context, message string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.Error(message, "error", err)
	}
}

// Wake makes the loops run at once.
func (s *Service) Wake() {
	for _, wake := range []chan struct{}{s.wake, s.wakeWork} {
		select {
		case wake <- struct{}{}:
		default: // already woken
		}
	}
}

// Step runs each loop of Run once, except for deleting expired answers.
func (s *Service) Step(ctx context.Context, now time.Time) error {
	return errors.Join(s.moveOn(ctx, now), s.recordLost(ctx, now), s.Work(ctx, func() (time.Time, error) { return now, nil }), s.Watcher.Step(ctx, now), s.SendDue(ctx, now), s.WriteDays(ctx, func() time.Time { return now }))
}

// moveOn starts due sweeps, records answers, submits tasks and closes finished sweeps.
func (s *Service) moveOn(ctx context.Context, now time.Time) error {
	return errors.Join(s.startDue(ctx, now), s.record(ctx), s.advance(ctx, now))
}

// tidy deletes expired answers, the rows of deleted trackers, and rules that are no longer used.
func (s *Service) tidy(ctx context.Context) error {
	now, err := s.Store.TrustedNow()
	if err != nil {
		return err
	}
	_, err = s.Store.DeleteTracked(ctx, now)
	return errors.Join(err, s.days.Expire(now), s.RenewRules(ctx, now), s.Tidy(ctx))
}
