package earshot

import "time"

// What the API takes. A field without omitempty or omitzero is required, the tag
// schema says what else a value must be (package schema lists the formats), and
// the comment is the description that users read. The server's decoder, the
// OpenAPI document, the dashboard's forms and the tools of MCP all come from these
// types.

// Request is a request of one provider.
type Request interface {
	// Provider is the provider's path under /v1/monitor/.
	Provider() string
	// TaskType is what an asynchronous task with this request is called.
	TaskType() string
}

// ChatAssistantRequest asks the chat assistant.
type ChatAssistantRequest struct {
	Prompt  string `json:"prompt" schema:"prompt"`
	Country string `json:"country" schema:"country"`
	State   string `json:"state,omitempty" schema:"state"`
	// Ask for the older desktop interface, which tells the model and the search queries. Best effort and temporary, so be ready for both shapes.
	Legacy bool `json:"legacy,omitempty"`
	// Leave it to the assistant whether to search the web. Sources, citation pills and search queries are then often empty.
	DisableWebSearch bool                 `json:"disableWebSearch,omitempty"`
	Include          ChatAssistantInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// ChatAssistantInclude says what to add to the result. The paid parts cost one
// add-on together, however many are asked for.
type ChatAssistantInclude struct {
	// A URL to the stored page; where the answer came as a stream, to a page with the answer and its sources.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// The raw payload of the assistant. Paid.
	RawResponse bool `json:"rawResponse,omitempty"`
	// The queries that the assistant searched for. Paid.
	SearchQueries bool `json:"searchQueries,omitempty"`
	// The ads in the answer. Paid.
	Ads bool `json:"ads,omitempty"`
	// Shopping cards and inline products, with prices and offers. Paid.
	Shopping bool `json:"shopping,omitempty"`
}

// AssistantRequest is what most assistants take. Each of them has a type of its
// own, with these fields.
type AssistantRequest struct {
	Prompt  string           `json:"prompt" schema:"prompt"`
	Country string           `json:"country" schema:"country"`
	State   string           `json:"state,omitempty" schema:"state"`
	Include AssistantInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// AssistantInclude says what to add to the result. It costs nothing.
type AssistantInclude struct {
	// A URL to the stored page; where the answer came as a stream, to a page with the answer and its sources.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// The raw events of the assistant.
	RawResponse bool `json:"rawResponse,omitempty"`
}

// GenAssistantRequest asks the generative assistant.
type GenAssistantRequest AssistantRequest

// SocialAssistantRequest asks the social assistant.
type SocialAssistantRequest AssistantRequest

// OfficeAssistantRequest asks the office assistant.
type OfficeAssistantRequest AssistantRequest

// AnswerEngineRequest asks the answer engine.
type AnswerEngineRequest AssistantRequest

// SearchAIModeRequest asks the AI mode of the search engine.
type SearchAIModeRequest struct {
	Prompt   string              `json:"prompt" schema:"prompt"`
	Country  string              `json:"country,omitempty" schema:"country"`
	GL       string              `json:"gl,omitempty" schema:"gl"`
	HL       string              `json:"hl,omitempty" schema:"hl"`
	Location string              `json:"location,omitempty" schema:"location,excludes=uule"`
	UULE     string              `json:"uule,omitempty" schema:"uule"`
	Device   Device              `json:"device,omitempty" schema:"enum=desktop|mobile"`
	Include  SearchAIModeInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// SearchAIModeInclude says what to add to the result.
type SearchAIModeInclude struct {
	// A URL to the stored page.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// Merchant offers for up to 6 product clusters, as `productResults`. 1 credit for each cluster returned.
	ExpandProducts bool `json:"expandProducts,omitempty"`
	SearchGoto     any  `json:"searchGoto,omitempty" schema:"ignored"`
}

// Device is whose result page to read. `mobile` is the same as `android`.
type Device string

// The devices.
const (
	Desktop Device = "desktop"
	Mobile  Device = "mobile" // the same as Android
	IOS     Device = "ios"
	Android Device = "android"
)

// Values lists the devices.
func (Device) Values() []Device { return []Device{Desktop, Mobile, IOS, Android} }

// WebSearchRequest searches the web: for `query` in a `country` (or `gl`), or with
// a complete `url` of the search engine.
type WebSearchRequest struct {
	Query string `json:"query,omitempty" schema:"query,unless=url"`
	// A complete search URL with path `/search` and a `q`, in the place of `query`, `location`, `uule` and `pages`. Of its parameters `q`, `gl`, `hl`, `uule`, `num`, `start`, `tbs` and `safe` are used; one with `tbm` is refused. `num` sets the depth, in whole pages of 10, at most 10.
	URL      string           `json:"url,omitempty" schema:"uri,excludes=query|location|uule|pages"`
	Country  string           `json:"country,omitempty" schema:"country"`
	GL       string           `json:"gl,omitempty" schema:"gl"`
	HL       string           `json:"hl,omitempty" schema:"hl"`
	Location string           `json:"location,omitempty" schema:"location,excludes=uule"`
	UULE     string           `json:"uule,omitempty" schema:"uule"`
	Device   Device           `json:"device,omitempty"`
	Pages    int              `json:"pages,omitempty" schema:"pages"`
	Include  WebSearchInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// WebSearchInclude says what to add to the result. `searchoverview` and
// `paaSearchoverview` together cost one add-on.
type WebSearchInclude struct {
	// A URL to each stored page, in order.
	HTML bool `json:"html,omitempty"`
	// The AI overview of the page; an empty object asks for it.
	SearchOverview *SearchOverviewInclude `json:"searchoverview,omitempty"`
	// Fill questions that are answered by an overview with Markdown and sources.
	PAASearchOverview bool `json:"paaSearchoverview,omitempty"`
	SearchGoto        any  `json:"searchGoto,omitempty" schema:"ignored"`
}

// SearchOverviewInclude asks for the AI overview; an empty object is enough. Costs
// 2 credits.
type SearchOverviewInclude struct {
	// The overview as Markdown too.
	Markdown bool `json:"markdown,omitempty"`
}

// NewsRequest searches the news.
type NewsRequest struct {
	Query   string      `json:"query" schema:"query"`
	Country string      `json:"country,omitempty" schema:"country"`
	GL      string      `json:"gl,omitempty" schema:"gl"`
	HL      string      `json:"hl,omitempty" schema:"hl"`
	Device  Device      `json:"device,omitempty"`
	Pages   int         `json:"pages,omitempty" schema:"pages"`
	Include NewsInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// NewsInclude says what to add to the result. It costs nothing.
type NewsInclude struct {
	// A URL to each stored page, in order.
	HTML bool `json:"html,omitempty"`
}

// GotoRequest asks where a redirect link leads.
type GotoRequest struct {
	// A link on the search engine's main host whose path is `/goto` or `/url`.
	URL string `json:"url" schema:"uri"`
}

// TaskRequest is a task to be queued.
type TaskRequest struct {
	// Which provider runs the task.
	TaskType string `json:"taskType" schema:"taskType"`
	// The body of the provider's synchronous call.
	Payload any `json:"payload" schema:"object"`
	// Higher numbers go first.
	Priority int `json:"priority,omitempty" schema:"min=1,max=10,default=1"`
	// A string that no other kept task or call of the organization has. Printable characters only.
	IdempotencyKey string `json:"idempotencyKey,omitempty" schema:"idempotencyKey"`
	// Where to announce that the task ended.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// NewTask makes a task of a provider's request.
func NewTask(request Request) TaskRequest {
	return TaskRequest{TaskType: request.TaskType(), Payload: request}
}

// WebhookRequest is where to send a webhook.
type WebhookRequest struct {
	// An absolute http or https URL without a user name, a password or a fragment. Hosts that are or resolve to a private, loopback or otherwise internal address are refused, here when that can be seen, and whenever a connection is made. So are ports below 1024 other than 80 and 443, and ports that are known for another service.
	URL string `json:"url" schema:"uri"`
}

// BatchFile is a file of questions, with what holds for rows that do not say it themselves.
type BatchFile struct {
	// What the file holds: a table with a header, one JSON object a line, or a prompt a line. At most 20,000 lines.
	Text string `json:"text"`
	// How the text is written. Without it the text decides: it is `ndjson` if it begins with a brace, a `table` if its first line names `prompt`, `query` or `url`, and otherwise a list of prompts, which may be quoted as in a table. With `lines` every line is a prompt as it stands.
	Format string `json:"format,omitempty" schema:"enum=table|ndjson|lines"`
	// The name of the run. Under another name the same questions have other idempotency keys, so they are asked and paid anew.
	Run string `json:"run,omitempty" schema:"maxLength=200"`
	// Which provider answers rows that name none.
	TaskType string `json:"taskType,omitempty" schema:"taskType"`
	// Where rows ask from that name no place.
	Country string `json:"country,omitempty" schema:"country"`
	// The priority of rows that name none.
	Priority int `json:"priority,omitempty" schema:"min=1,max=10,default=1"`
	// The webhook of rows that name none.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// KeyRequest is a key to be made.
type KeyRequest struct {
	// What to call the key, such as the machine or the person that will use it.
	Name string `json:"name,omitempty" schema:"maxLength=100"`
	// What the key may do; without it everything but `admin`.
	Scopes []string `json:"scopes,omitempty" schema:"enum=read|monitor|tasks|track|admin,minItems=1,unique"`
	// When it ends by itself, in RFC 3339; a time to come. Without it, never.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	KeyCeilings
}

// KeyCeilings are what a key may spend. 0, or leaving it out, is no ceiling. Days and months are
// those of UTC.
type KeyCeilings struct {
	// The most credits that its calls and tasks may cost in a day.
	CreditsPerDay int `json:"creditsPerDay,omitempty" schema:"min=0,max=1000000000"`
	// The same for a month.
	CreditsPerMonth int `json:"creditsPerMonth,omitempty" schema:"min=0,max=1000000000"`
}

// SessionRequest signs in to the dashboard, with a token or with a key.
type SessionRequest struct {
	// The one-time token in the address that `earshot serve` prints.
	Token string `json:"token,omitempty" schema:"maxLength=100"`
	// An API key.
	Key string `json:"key,omitempty" schema:"maxLength=200"`
}

// CountryQuery says which countries to list.
type CountryQuery struct {
	// Only the countries in which this is offered.
	Model string `json:"model,omitempty" schema:"model"`
}

// StateQuery says of which country to list the states.
type StateQuery struct {
	// An ISO 3166-1 alpha-2 code. Only `US` has states.
	Country string `json:"country" schema:"country"`
}

// TaskQuery says which tasks to list.
type TaskQuery struct {
	// Only tasks in this state.
	Status Status `json:"status,omitempty"`
	// Only tasks of this type.
	TaskType string `json:"taskType,omitempty" schema:"taskType"`
	PageQuery
}

// PageQuery says which page of a list to read.
type PageQuery struct {
	// How many items a page has at most.
	Limit int `json:"limit,omitempty" schema:"min=1,max=100,default=50"`
	// Where to go on: the `nextCursor` of the page before. With the same filter.
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// EventQuery says which ended tasks to read. The cursor `latest` leaves out every
// task that has ended so far.
type EventQuery struct{ PageQuery }

// DeliveryQuery says which webhooks to list.
type DeliveryQuery struct {
	// Only webhooks in this state: a try is planned, one was acknowledged, or the tries are spent.
	State DeliveryState `json:"state,omitempty"`
	PageQuery
}

// LedgerQuery says which entries of the ledger to list.
type LedgerQuery struct {
	// Only entries of this kind.
	Kind LedgerKind `json:"kind,omitempty"`
	PageQuery
}

// UsageQuery says which days of usage to read, at most 366.
type UsageQuery struct {
	// The first day. Without it, the first of the billing cycle.
	From string `json:"from,omitempty" schema:"date"`
	// The last day, included. Without it, today.
	To string `json:"to,omitempty" schema:"date"`
}

// StatsQuery says how many hours of statistics to read.
type StatsQuery struct {
	// How many hours, the current one included.
	Hours int `json:"hours,omitempty" schema:"min=1,max=24,default=24"`
}
