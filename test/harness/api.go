package harness

// The paths of the API.
const (
	ChatPath       = "/v1/monitor/chatassistant"
	GotoPath       = "/v1/monitor/websearch/goto"
	TaskPath       = "/v1/async/task"
	BatchPath      = "/v1/async/task/batch"
	TasksPath      = "/v1/async/tasks"
	StatusPath     = "/v1/async/status"
	QueuePath      = "/v1/async/queue"
	QuotePath      = "/v1/quote"
	UsagePath      = "/v1/usage"
	StatsPath      = "/v1/stats"
	EventsPath     = "/v1/events"
	LivePath       = "/v1/live"
	DeliveriesPath = "/v1/webhooks/deliveries"
	RotatePath     = "/v1/webhooks/secret/rotate"
	TestPath       = "/v1/webhooks/test"
	KeysPath       = "/v1/keys"
	LedgerPath     = "/v1/ledger"
	SessionPath    = "/v1/session"
)

// Requests that succeed.
const (
	// GoodCall is a call of the chat assistant, which costs 5 credits.
	GoodCall = `{"prompt":"best hats","country":"US"}`
	// GoodTask is the same as a task.
	GoodTask = `{"taskType":"CHATASSISTANT","payload":` + GoodCall + `}`
	// EveryFlag is a call of the chat assistant with every option, which costs 7.
	EveryFlag = `{"prompt":"best hats","country":"US","state":"CO","legacy":false,"disableWebSearch":false,` +
		`"include":{"html":true,"markdown":true,"rawResponse":true,"searchQueries":true,"ads":true,"shopping":true}}`
	// NoTask is an id that no task has.
	NoTask = "01a0805a-0000-7000-8000-000000000000"
)
