package earshot

import "time"

// The requests of the API. A field without omitempty or omitzero is required. The tag
// schema restricts the value (package schema lists the formats), and the comment is the
// description that users read. The server's decoder, the OpenAPI document, the
// dashboard's forms and the MCP tools are generated from these types.

// Request is a request to one provider.
type Request interface {
	// Provider returns the provider's path under /v1/monitor/.
	Provider() string
	// TaskType returns the type of a task with this request.
	TaskType() string
}

// ChatAssistantRequest is a prompt for ChatGPT.
type ChatAssistantRequest struct {
	Prompt  string `json:"prompt" schema:"prompt"`
	Country string `json:"country" schema:"country"`
	State   string `json:"state,omitempty" schema:"state"`
	// Ask the older desktop interface, which reports the model and the search queries. Best effort: the interface may disappear, so handle results with and without these fields.
	Legacy bool `json:"legacy,omitempty"`
	// Let the assistant decide whether to search the web. Sources, citation pills and search queries are then often empty.
	DisableWebSearch bool                 `json:"disableWebSearch,omitempty"`
	Include          ChatAssistantInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// ChatAssistantInclude is the optional parts of the result. All paid parts together cost
// one add-on.
type ChatAssistantInclude struct {
	// A URL of the stored page. When the answer came as a stream, the page shows the answer and its sources.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// The assistant's raw response. Paid.
	RawResponse bool `json:"rawResponse,omitempty"`
	// The web searches that the assistant made. Paid.
	SearchQueries bool `json:"searchQueries,omitempty"`
	// The ads in the answer. Paid.
	Ads bool `json:"ads,omitempty"`
	// Shopping cards and inline products, with prices and offers. Paid.
	Shopping bool `json:"shopping,omitempty"`
}

// AssistantRequest is a prompt for an assistant. Each of the assistants below has its own
// type with these fields.
type AssistantRequest struct {
	Prompt  string           `json:"prompt" schema:"prompt"`
	Country string           `json:"country" schema:"country"`
	State   string           `json:"state,omitempty" schema:"state"`
	Include AssistantInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// AssistantInclude is the optional parts of the result. They are free of charge.
type AssistantInclude struct {
	// A URL of the stored page. When the answer came as a stream, the page shows the answer and its sources.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// The assistant's raw events.
	RawResponse bool `json:"rawResponse,omitempty"`
}

// GenAssistantRequest is a prompt for Gemini.
type GenAssistantRequest AssistantRequest

// SocialAssistantRequest is a prompt for Grok.
type SocialAssistantRequest AssistantRequest

// OfficeAssistantRequest is a prompt for Copilot.
type OfficeAssistantRequest AssistantRequest

// AnswerEngineRequest is a prompt for Perplexity.
type AnswerEngineRequest AssistantRequest

// ClaudeRequest is a prompt for Claude.
type ClaudeRequest AssistantRequest

// ModelRequest is a prompt for a model that the operator of the service lists.
type ModelRequest struct {
	// The name of a model that the operator of the service lists. An unknown name is refused with the names that there are.
	Model   string           `json:"model" schema:"maxLength=100"`
	Prompt  string           `json:"prompt" schema:"prompt"`
	Country string           `json:"country" schema:"country"`
	State   string           `json:"state,omitempty" schema:"state"`
	Include AssistantInclude `json:"include,omitzero"`
	// `false` asks only the first upstream of the provider's list. Otherwise the next one is asked when the first cannot answer.
	Fallback *bool `json:"fallback,omitempty"`
}

// SearchAIModeRequest is a prompt for Google AI Mode.
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

// SearchAIModeInclude is the optional parts of the result.
type SearchAIModeInclude struct {
	// A URL of the stored page.
	HTML bool `json:"html,omitempty"`
	// The answer as Markdown.
	Markdown bool `json:"markdown,omitempty"`
	// Merchant offers for up to 6 groups of products, in `productResults`. Costs 1 credit for each group returned.
	ExpandProducts bool `json:"expandProducts,omitempty"`
	SearchGoto     any  `json:"searchGoto,omitempty" schema:"ignored"`
}

// Device is the device whose result page is read. `mobile` is the same as `android`.
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

// WebSearchRequest is a Google Search: for a `query` in a `country` (or `gl`), or with a
// complete search `url`.
type WebSearchRequest struct {
	Query string `json:"query,omitempty" schema:"query,unless=url"`
	// A complete search URL with the path `/search` and a parameter `q`, instead of `query`, `location`, `uule` and `pages`. Only the parameters `q`, `gl`, `hl`, `uule`, `num`, `start`, `tbs` and `safe` are used; a URL with `tbm` is refused. `num` sets the number of results, in whole pages of 10, at most 10 pages.
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

// WebSearchInclude is the optional parts of the result. `searchoverview` and
// `paaSearchoverview` together cost one add-on.
type WebSearchInclude struct {
	// A URL of each stored page, in order.
	HTML bool `json:"html,omitempty"`
	// The AI overview of the page. Send an empty object to request it.
	SearchOverview *SearchOverviewInclude `json:"searchoverview,omitempty"`
	// Add the Markdown and the sources of People Also Ask questions that are answered by an AI overview.
	PAASearchOverview bool `json:"paaSearchoverview,omitempty"`
	SearchGoto        any  `json:"searchGoto,omitempty" schema:"ignored"`
}

// SearchOverviewInclude is the optional parts of the AI overview. An empty object
// requests the overview alone. Costs 2 credits.
type SearchOverviewInclude struct {
	// Also return the overview as Markdown.
	Markdown bool `json:"markdown,omitempty"`
}

// NewsRequest is a search in Google News.
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

// NewsInclude is the optional parts of the result. They are free of charge.
type NewsInclude struct {
	// A URL of each stored page, in order.
	HTML bool `json:"html,omitempty"`
}

// GotoRequest is a redirect link to resolve.
type GotoRequest struct {
	// A link on the search engine's main host whose path is `/goto` or `/url`.
	URL string `json:"url" schema:"uri"`
}

// TaskRequest is a task to queue.
type TaskRequest struct {
	// The provider that runs the task.
	TaskType string `json:"taskType" schema:"taskType"`
	// The request body of the provider's synchronous call.
	Payload any `json:"payload" schema:"object"`
	// Tasks with a higher priority run first.
	Priority int `json:"priority,omitempty" schema:"min=1,max=10,default=1"`
	// A string that no other stored call or task of the organization uses. Printable characters only.
	IdempotencyKey string `json:"idempotencyKey,omitempty" schema:"idempotencyKey"`
	// Where to send a webhook when the task ends.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// NewTask returns a task with a provider's request.
func NewTask(request Request) TaskRequest {
	return TaskRequest{TaskType: request.TaskType(), Payload: request}
}

// WebhookRequest is the receiver of a webhook.
type WebhookRequest struct {
	// An absolute http or https URL without a user name, a password or a fragment. Hosts that are, or resolve to, a private, loopback or otherwise internal address are refused, both now and whenever a connection is made. Ports below 1024 other than 80 and 443 are refused, and so are ports of well-known other services.
	URL string `json:"url" schema:"uri"`
}

// BatchFile is a file of prompts, with defaults for its rows.
type BatchFile struct {
	// The file's content: a table with a header, one JSON object per line, or one prompt per line. At most 20,000 lines.
	Text string `json:"text"`
	// The file's format. By default, a text that begins with a brace is `ndjson`; a text whose first line names `prompt`, `query` or `url` is a `table`; any other text is a list of prompts, which may be quoted as in a table. With `lines`, every line is one prompt, taken literally.
	Format string `json:"format,omitempty" schema:"enum=table|ndjson|lines"`
	// The name of the run. With a different name, the same prompts get different idempotency keys, so they are asked and charged again.
	Run string `json:"run,omitempty" schema:"maxLength=200"`
	// The provider of rows that do not name one.
	TaskType string `json:"taskType,omitempty" schema:"taskType"`
	// The country of rows that name no place.
	Country string `json:"country,omitempty" schema:"country"`
	// The priority of rows that do not set one.
	Priority int `json:"priority,omitempty" schema:"min=1,max=10,default=1"`
	// The webhook of rows that do not set one.
	Webhook *WebhookRequest `json:"webhook,omitempty"`
}

// KeyRequest is a key to create.
type KeyRequest struct {
	// A name for the key, such as the machine or the person that will use it.
	Name string `json:"name,omitempty" schema:"maxLength=100"`
	// The scopes of the key. By default, all scopes except `admin`.
	Scopes []string `json:"scopes,omitempty" schema:"enum=read|monitor|tasks|track|admin,minItems=1,unique"`
	// When the key expires: a future time in RFC 3339. By default, it never expires.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	KeyCeilings
}

// KeyCeilings are the spending limits of a key. 0, or a limit that is left out, means no
// limit. Days and months are in UTC.
type KeyCeilings struct {
	// The most credits that the key's calls and tasks may cost in a day.
	CreditsPerDay int `json:"creditsPerDay,omitempty" schema:"min=0,max=1000000000"`
	// The most credits that the key's calls and tasks may cost in a month.
	CreditsPerMonth int `json:"creditsPerMonth,omitempty" schema:"min=0,max=1000000000"`
}

// KeyPatch is a change of a key. A field that is left out keeps its value.
type KeyPatch struct {
	// The new name of the key; `null` removes it.
	Name *string `json:"name,omitempty" schema:"maxLength=100,null"`
	// The most credits that the key's calls and tasks may cost in a day (UTC); 0 or `null` removes the limit.
	CreditsPerDay *int64 `json:"creditsPerDay,omitempty" schema:"min=0,max=1000000000,null"`
	// The most credits that the key's calls and tasks may cost in a month (UTC); 0 or `null` removes the limit.
	CreditsPerMonth *int64 `json:"creditsPerMonth,omitempty" schema:"min=0,max=1000000000,null"`
}

// SessionRequest is a sign-in to the dashboard, with a token, with a key, or with an email and a
// password.
type SessionRequest struct {
	// The one-time token in the URL that `earshot serve` prints.
	Token string `json:"token,omitempty" schema:"maxLength=100"`
	// An API key.
	Key string `json:"key,omitempty" schema:"maxLength=200"`
	// The user's email.
	Email    string `json:"email,omitempty" schema:"maxLength=254"`
	Password string `json:"password,omitempty" schema:"maxLength=200"`
}

// CountryQuery is a filter of the list of countries.
type CountryQuery struct {
	// Only countries that this provider serves.
	Model string `json:"model,omitempty" schema:"model"`
}

// StateQuery is the country whose states are listed.
type StateQuery struct {
	// An ISO 3166-1 alpha-2 code. Only `US` has states.
	Country string `json:"country" schema:"country"`
}

// TaskQuery is a filter of the list of tasks.
type TaskQuery struct {
	// Only tasks in this state.
	Status Status `json:"status,omitempty"`
	// Only tasks of this type.
	TaskType string `json:"taskType,omitempty" schema:"taskType"`
	PageQuery
}

// PageQuery is a page of a list.
type PageQuery struct {
	// The maximum number of items in the page.
	Limit int `json:"limit,omitempty" schema:"min=1,max=100,default=50"`
	// The `nextCursor` of the previous page. Use the same filters as for that page.
	Cursor string `json:"cursor,omitempty" schema:"cursor"`
}

// EventQuery is a page of finished tasks. The cursor `latest` skips all tasks that have
// finished so far.
type EventQuery struct{ PageQuery }

// DeliveryQuery is a filter of the list of webhook deliveries.
type DeliveryQuery struct {
	// Only deliveries in this state: `pending` (an attempt is planned), `delivered` (acknowledged) or `failed` (no attempts left).
	State DeliveryState `json:"state,omitempty"`
	PageQuery
}

// LedgerQuery is a filter of the ledger.
type LedgerQuery struct {
	// Only entries of this kind.
	Kind LedgerKind `json:"kind,omitempty"`
	// Sum up the charges of each batch and each sweep in one entry, which has the id of the batch or sweep. A page may then have fewer entries than `limit`, even none, although more pages follow.
	Group bool `json:"group,omitempty"`
	// Only the charges of the tasks of this batch or sweep, one by one.
	Of string `json:"of,omitempty" schema:"uuid"`
	PageQuery
}

// UsageQuery is a range of at most 366 days.
type UsageQuery struct {
	// The first day. By default, the first day of the billing cycle.
	From string `json:"from,omitempty" schema:"date"`
	// The last day, inclusive. By default, today.
	To string `json:"to,omitempty" schema:"date"`
}

// StatsQuery is the number of hours to read.
type StatsQuery struct {
	// How many hours, including the current hour.
	Hours int `json:"hours,omitempty" schema:"min=1,max=24,default=24"`
}
