package api

import (
	"net/http"
	"reflect"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
)

// Operation is one operation of the API. What it takes and answers are zero values
// of the types of package earshot, from which the OpenAPI document is made; nil
// where there is nothing, or no JSON.
type Operation struct {
	Method, Path string
	Public       bool          // needs no key and counts against no limit of an account
	Vital        bool          // is answered whatever the load
	Scope        account.Scope // what the key must be allowed to do
	Submits      bool          // takes tasks in: an invalid body is answered with 422
	OrList       bool          // takes a list of bodies as well as one
	YAML         bool          // takes its body, which may be a long one, in YAML as well as in JSON
	BodyOptional bool          // takes a request without a body for one with an empty object

	Query, Body, Response any
	// Events are what a stream carries, of events or of lines.
	Events []any

	serve func(*Server, *call) error
}

// Operations is the whole API: one operation for each provider, and those of the
// service itself.
func Operations(providers []provider.Provider) []Operation {
	var operations []Operation
	for _, p := range providers {
		about := p.Definition()
		operations = append(operations, Operation{
			Method: "POST", Path: "/v1/monitor/" + about.Name, Scope: account.ScopeMonitor, Body: about.Request, Response: about.Result, serve: monitor(p),
		})
	}
	return append(operations, []Operation{
		{Method: "POST", Path: "/v1/monitor/websearch/goto", Scope: account.ScopeMonitor, Body: earshot.GotoRequest{}, Response: earshot.GotoResponse{}, serve: (*Server).resolve},

		{Method: "GET", Path: "/v1/countries", Scope: account.ScopeRead, Query: earshot.CountryQuery{}, Response: []string{}, serve: (*Server).countries},
		{Method: "GET", Path: "/v1/states", Scope: account.ScopeRead, Query: earshot.StateQuery{}, Response: []earshot.State{}, serve: (*Server).states},
		{Method: "GET", Path: "/v1/credits", Scope: account.ScopeRead, Response: earshot.Credits{}, serve: (*Server).credits},
		{Method: "GET", Path: "/v1/health/extraction", Scope: account.ScopeRead, Response: earshot.ExtractionHealth{}, serve: (*Server).extraction},

		{Method: "POST", Path: "/v1/async/task", Scope: account.ScopeTasks, Submits: true, Body: earshot.TaskRequest{}, Response: earshot.TaskSubmitted{}, serve: (*Server).submit},
		{Method: "POST", Path: "/v1/async/task/batch", Scope: account.ScopeTasks, Submits: true, Body: []earshot.TaskRequest{}, Response: earshot.Batch{}, serve: (*Server).submitBatch},
		{Method: "GET", Path: "/v1/async/task/{taskId}", Scope: account.ScopeRead, Response: earshot.TaskRecord{}, serve: (*Server).poll},
		{Method: "DELETE", Path: "/v1/async/task/{taskId}", Scope: account.ScopeTasks, Response: earshot.TaskCanceled{}, serve: (*Server).cancel},
		{Method: "GET", Path: "/v1/async/tasks", Scope: account.ScopeRead, Query: earshot.TaskQuery{}, Response: earshot.TaskPage{}, serve: (*Server).tasks},
		{Method: "GET", Path: "/v1/async/status", Scope: account.ScopeRead, Response: earshot.QueueStatus{}, serve: (*Server).queueStatus},
		{Method: "DELETE", Path: "/v1/async/queue", Scope: account.ScopeTasks, Response: earshot.QueueCleared{}, serve: (*Server).clear},

		{Method: "GET", Path: "/v1/requests", Scope: account.ScopeRead, Query: earshot.RequestQuery{}, Response: earshot.RequestPage{}, serve: (*Server).requests},
		{Method: "GET", Path: "/v1/requests/{id}", Scope: account.ScopeRead, Query: earshot.RequestReadQuery{}, Response: earshot.RequestRecord{}, serve: (*Server).request},

		{Method: "POST", Path: "/v1/requests/{id}/retry", Scope: account.ScopeTasks, Response: earshot.RequestRetried{}, serve: (*Server).retryRequest},

		{Method: "GET", Path: "/v1/batches", Scope: account.ScopeRead, Query: earshot.BatchQuery{}, Response: earshot.BatchPage{}, serve: (*Server).batches},
		{Method: "GET", Path: "/v1/batches/{id}", Scope: account.ScopeRead, Response: earshot.BatchRecord{}, serve: (*Server).batch},
		{Method: "POST", Path: "/v1/batches/{id}/retry", Scope: account.ScopeTasks, Response: earshot.BatchRetried{}, serve: (*Server).retryBatch},
		{Method: "GET", Path: "/v1/batches/{id}/results", Scope: account.ScopeRead, Query: earshot.BatchResultQuery{}, Events: []any{earshot.BatchResult{}}, serve: (*Server).batchResults},

		{Method: "POST", Path: "/v1/quote", Scope: account.ScopeRead, OrList: true, Body: earshot.TaskRequest{}, Response: earshot.Quote{}, serve: (*Server).quote},
		{Method: "GET", Path: "/v1/usage", Scope: account.ScopeRead, Query: earshot.UsageQuery{}, Response: earshot.Usage{}, serve: (*Server).usage},
		{Method: "GET", Path: "/v1/stats", Scope: account.ScopeRead, Query: earshot.StatsQuery{}, Response: earshot.Stats{}, serve: (*Server).stats},

		{Method: "GET", Path: "/v1/trackers", Scope: account.ScopeRead, Response: earshot.TrackerList{}, serve: (*Server).trackers},
		{Method: "GET", Path: "/v1/trackers/{name}", Scope: account.ScopeRead, Response: earshot.Tracker{}, serve: (*Server).tracker},
		{Method: "PUT", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, YAML: true, Query: earshot.TrackerQuery{}, Body: earshot.TrackerDefinition{}, Response: earshot.TrackerApplied{}, serve: (*Server).applyTracker},
		{Method: "PATCH", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, Body: earshot.TrackerPatch{}, Response: earshot.Tracker{}, serve: (*Server).patchTracker},
		{Method: "DELETE", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, Response: earshot.TrackerDeleted{}, serve: (*Server).deleteTracker},
		{Method: "POST", Path: "/v1/trackers/{name}/demo", Scope: account.ScopeTrack, BodyOptional: true, Body: earshot.DemoRequest{}, Response: earshot.DemoMade{}, serve: (*Server).makeDemo},
		{Method: "GET", Path: "/v1/trackers/{name}/sweeps", Scope: account.ScopeRead, Query: earshot.SweepQuery{}, Response: earshot.SweepPage{}, serve: (*Server).sweeps},
		{Method: "POST", Path: "/v1/trackers/{name}/sweeps", Scope: account.ScopeTrack, Body: earshot.SweepRequest{}, Response: earshot.SweepStarted{}, serve: (*Server).startSweep},
		{Method: "GET", Path: "/v1/trackers/{name}/sweeps/{id}", Scope: account.ScopeRead, Response: earshot.Sweep{}, serve: (*Server).sweep},
		{Method: "DELETE", Path: "/v1/trackers/{name}/sweeps/{id}", Scope: account.ScopeTrack, Response: earshot.SweepCancelResult{}, serve: (*Server).cancelSweep},
		{Method: "GET", Path: "/v1/trackers/{name}/metrics", Scope: account.ScopeRead, Query: earshot.MetricQuery{}, Response: earshot.MetricReport{}, serve: (*Server).trackerMetrics},
		{Method: "GET", Path: "/v1/trackers/{name}/compare", Scope: account.ScopeRead, Query: earshot.CompareQuery{}, Response: earshot.CompareReport{}, serve: (*Server).compareTracker},
		{Method: "GET", Path: "/v1/trackers/{name}/sources", Scope: account.ScopeRead, Query: earshot.SourceQuery{}, Response: earshot.SourceReport{}, serve: (*Server).trackerSources},
		{Method: "GET", Path: "/v1/trackers/{name}/rules", Scope: account.ScopeRead, Response: earshot.RulesList{}, serve: (*Server).trackerRules},
		{Method: "POST", Path: "/v1/trackers/{name}/reanalysis", Scope: account.ScopeTrack, Response: earshot.Reanalysis{}, serve: (*Server).reanalyseTracker},
		{Method: "GET", Path: "/v1/trackers/{name}/answers", Scope: account.ScopeRead, Query: earshot.AnswerQuery{}, Response: earshot.AnswerPage{}, serve: (*Server).answers},
		{Method: "GET", Path: "/v1/trackers/{name}/answers/{id}", Scope: account.ScopeRead, Response: earshot.TrackedAnswer{}, serve: (*Server).answer},
		{Method: "GET", Path: "/v1/trackers/{name}/diff", Scope: account.ScopeRead, Query: earshot.DiffQuery{}, Response: earshot.AnswerDiff{}, serve: (*Server).diffAnswers},
		{Method: "POST", Path: "/v1/trackers/{name}/names/try", Scope: account.ScopeRead, Body: earshot.NameTrial{}, Response: earshot.NameTried{}, serve: (*Server).tryNames},
		{Method: "GET", Path: "/v1/trackers/{name}/discover", Scope: account.ScopeRead, Query: earshot.DiscoverQuery{}, Response: earshot.DiscoverReport{}, serve: (*Server).discoverNames},
		{Method: "GET", Path: "/v1/trackers/{name}/export", Scope: account.ScopeRead, Query: earshot.ExportQuery{}, serve: (*Server).exportTracker},
		{Method: "GET", Path: "/v1/trackers/{name}/report", Scope: account.ScopeRead, Query: earshot.ReportQuery{}, serve: (*Server).trackerReport},
		{Method: "POST", Path: "/v1/trackers/{name}/report", Scope: account.ScopeTrack, BodyOptional: true, Body: earshot.ReportSendRequest{}, Response: earshot.ReportSent{}, serve: (*Server).sendReport},

		{Method: "GET", Path: "/v1/trackers/{name}/alerts", Scope: account.ScopeRead, Query: earshot.AlertQuery{}, Response: earshot.AlertPage{}, serve: (*Server).alerts},
		{Method: "POST", Path: "/v1/trackers/{name}/alerts/{id}/acknowledge", Scope: account.ScopeTrack, Response: earshot.AlertAcknowledged{}, serve: (*Server).acknowledgeAlert},
		{Method: "POST", Path: "/v1/trackers/{name}/alerts/test", Scope: account.ScopeTrack, BodyOptional: true, Body: earshot.AlertTestRequest{}, Response: earshot.AlertTestResult{}, serve: (*Server).testAlerts},
		{Method: "GET", Path: "/v1/channels", Scope: account.ScopeRead, Response: earshot.ChannelList{}, serve: (*Server).channels},
		{Method: "PUT", Path: "/v1/channels/{name}", Scope: account.ScopeAdmin, Body: earshot.ChannelRequest{}, Response: earshot.ChannelSaved{}, serve: (*Server).saveChannel},
		{Method: "DELETE", Path: "/v1/channels/{name}", Scope: account.ScopeAdmin, Response: earshot.ChannelDeleted{}, serve: (*Server).deleteChannel},

		{Method: "GET", Path: "/v1/live", Scope: account.ScopeRead, Events: []any{earshot.LiveStatus{}, earshot.LiveTasks{}}, serve: (*Server).live},
		{Method: "GET", Path: "/v1/events", Scope: account.ScopeRead, Query: earshot.EventQuery{}, Response: earshot.EventPage{}, serve: (*Server).events},
		{Method: "GET", Path: "/v1/webhooks/deliveries", Scope: account.ScopeRead, Query: earshot.DeliveryQuery{}, Response: earshot.DeliveryPage{}, serve: (*Server).deliveries},
		{Method: "GET", Path: "/v1/webhooks/deliveries/{id}", Scope: account.ScopeRead, Response: earshot.Delivery{}, serve: (*Server).delivery},
		{Method: "POST", Path: "/v1/webhooks/deliveries/{id}/resend", Scope: account.ScopeTasks, Response: earshot.DeliveryResent{}, serve: (*Server).resend},

		{Method: "GET", Path: "/v1/keys", Scope: account.ScopeAdmin, Response: earshot.KeyList{}, serve: (*Server).keyList},
		{Method: "POST", Path: "/v1/keys", Scope: account.ScopeAdmin, Body: earshot.KeyRequest{}, Response: earshot.NewKey{}, serve: (*Server).createKey},
		{Method: "PATCH", Path: "/v1/keys/{id}", Scope: account.ScopeAdmin, Body: earshot.KeyCeilings{}, Response: earshot.ChangedKey{}, serve: (*Server).changeKey},
		{Method: "DELETE", Path: "/v1/keys/{id}", Scope: account.ScopeAdmin, Response: earshot.RevokedKey{}, serve: (*Server).revokeKey},
		{Method: "GET", Path: "/v1/ledger", Scope: account.ScopeAdmin, Query: earshot.LedgerQuery{}, Response: earshot.LedgerPage{}, serve: (*Server).ledger},
		{Method: "POST", Path: "/v1/webhooks/secret/rotate", Scope: account.ScopeAdmin, Response: earshot.RotatedSecret{}, serve: (*Server).rotateSecret},
		{Method: "POST", Path: "/v1/webhooks/test", Scope: account.ScopeAdmin, Body: earshot.WebhookRequest{}, Response: earshot.WebhookTestResponse{}, serve: (*Server).testWebhook},

		{Method: "POST", Path: "/mcp", serve: (*Server).mcp},
		{Method: "GET", Path: "/mcp", serve: (*Server).mcp},
		{Method: "DELETE", Path: "/mcp", serve: (*Server).mcp},

		{Method: "GET", Path: "/v1/session", Public: true, Response: earshot.SessionResponse{}, serve: (*Server).session},
		{Method: "POST", Path: "/v1/session", Public: true, Body: earshot.SessionRequest{}, Response: earshot.SessionResponse{}, serve: (*Server).signIn},
		{Method: "DELETE", Path: "/v1/session", Public: true, Response: earshot.SessionResponse{}, serve: (*Server).signOut},
		{Method: "GET", Path: "/healthz", Public: true, Vital: true, Response: earshot.NodeStatus{}, serve: (*Server).alive},
		{Method: "GET", Path: "/readyz", Public: true, Vital: true, Response: earshot.NodeStatus{}, serve: (*Server).ready},
		{Method: "GET", Path: "/metrics", Public: true, Vital: true, serve: (*Server).serveMetrics},
		{Method: "GET", Path: "/openapi.json", Public: true, serve: (*Server).openAPI},
		{Method: "GET", Path: "/captures/{id}/{page}", Public: true, serve: (*Server).capture},
		{Method: "GET", Path: "/{$}", Public: true, serve: (*Server).dashboard},
		{Method: "GET", Path: "/docs", Public: true, serve: (*Server).dashboard},
		{Method: "GET", Path: "/assets/{file}", Public: true, serve: (*Server).dashboard},
	}...)
}

// maxBody is how long the body of an operation may be, 0 for one without.
func (o *Operation) maxBody() int64 {
	switch {
	case o.Body == nil:
		return 0
	case o.YAML:
		return maxDefinition
	case o.OrList || reflect.TypeOf(o.Body).Kind() == reflect.Slice:
		return maxBatch
	default:
		return maxBody
	}
}

// handled serves an operation by a plain handler, which fails on its own terms.
func (c *call) handled(h http.Handler) error {
	h.ServeHTTP(statusRecorder{c.w, c}, c.r)
	return nil
}

func (s *Server) dashboard(c *call) error { return c.handled(s.Dashboard) }
