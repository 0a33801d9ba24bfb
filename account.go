package earshot

// Credits is an organization's balance and billing cycle.
type Credits struct {
	// The balance, held credits included.
	Remaining int64 `json:"remaining" schema:"min=0"`
	// Set aside for jobs that run.
	Held int64 `json:"held" schema:"min=0"`
	// Granted at each reset.
	PerCycle int64 `json:"perCycle" schema:"min=0"`
	// Charged since the cycle began.
	CycleUsed      int64     `json:"cycleUsed" schema:"min=0"`
	CycleStartedAt Timestamp `json:"cycleStartedAt"`
	CycleResetsAt  Timestamp `json:"cycleResetsAt"`
	// The plan, such as `free` or `hobby`.
	Plan string `json:"plan"`
}

// State is a part of a country that a request can name.
type State struct {
	Code string `json:"code" schema:"state"`
	Name string `json:"name"`
}

// Key is an API key without its secret.
type Key struct {
	// The part of the key between `ear_live_` and the next underscore.
	ID string `json:"id"`
	// What its owner calls it; empty when it has no name.
	Name      string       `json:"name"`
	Scopes    List[string] `json:"scopes" schema:"enum=read|monitor|tasks|track|admin"`
	CreatedAt Timestamp    `json:"createdAt"`
	// When it ends by itself; null for never.
	ExpiresAt *Timestamp `json:"expiresAt"`
	// Exact to a minute; null when it was never used.
	LastUsedAt *Timestamp `json:"lastUsedAt"`
	RevokedAt  *Timestamp `json:"revokedAt"`
	// Whether it is the key that makes the request.
	Current bool `json:"current"`
	// What it may spend; absent for one without a ceiling.
	Budget *KeyBudget `json:"budget,omitempty"`
}

// KeyBudget is what a key may spend, and has spent since it has a ceiling. Days and months
// are those of UTC.
type KeyBudget struct {
	// 0 for no ceiling.
	CreditsPerDay   int64 `json:"creditsPerDay" schema:"min=0"`
	CreditsPerMonth int64 `json:"creditsPerMonth" schema:"min=0"`
	UsedToday       int64 `json:"usedToday" schema:"min=0"`
	UsedThisMonth   int64 `json:"usedThisMonth" schema:"min=0"`
	// What its running jobs may still take.
	Held int64 `json:"held" schema:"min=0"`
}

// ChangedKey is a key that was just changed.
type ChangedKey struct {
	Succeeded
	Key Key `json:"key"`
}

// KeyList is all the keys of an organization, newest first.
type KeyList struct {
	Keys List[*Key] `json:"keys"`
}

// NewKey is a key that was just made.
type NewKey struct {
	Succeeded
	Key Key `json:"key"`
	// The whole key, to be sent in `Authorization`. It is shown this once.
	Secret string `json:"secret"`
}

// RevokedKey is a key that was just revoked.
type RevokedKey struct {
	Succeeded
	Key Key `json:"key"`
}

// LedgerEntry is one change of the balance.
type LedgerEntry struct {
	// Of a charge, the id of its task or the `X-Request-Id` of its call.
	ID   string     `json:"id" schema:"uuid"`
	At   Timestamp  `json:"at"`
	Kind LedgerKind `json:"kind"`
	// What was added to the balance; negative for what was taken.
	Credits int64 `json:"credits"`
	// The task that was charged; null for a call and once the task is no longer kept.
	TaskID *string `json:"taskId" schema:"uuid"`
	// The provider that was charged for; null for other kinds and once the task or call is no longer kept.
	Note *string `json:"note"`
	// The tracker that was charged for; absent when there was none.
	Tracker string `json:"tracker,omitempty"`
}

// LedgerKind says why a balance changed. `grant` gives credits, those of a cycle or
// more; `charge` is the price of a task or call; `lapse` is what was unused at a
// cycle's end; `adjust` is a correction by the operator.
type LedgerKind string

// The kinds of ledger entries.
const (
	LedgerGrant  LedgerKind = "grant"
	LedgerCharge LedgerKind = "charge"
	LedgerLapse  LedgerKind = "lapse"
	LedgerAdjust LedgerKind = "adjust"
)

// Values lists the kinds.
func (LedgerKind) Values() []LedgerKind {
	return []LedgerKind{LedgerGrant, LedgerCharge, LedgerLapse, LedgerAdjust}
}

// LedgerPage is a page of the ledger, newest first.
type LedgerPage struct {
	Entries    List[LedgerEntry] `json:"entries"`
	NextCursor *string           `json:"nextCursor" schema:"nextCursor"`
}

// RotatedSecret is a new webhook secret.
type RotatedSecret struct {
	Succeeded
	// It is shown this once.
	Secret string `json:"secret"`
	// Until then webhooks carry a signature with the secret before as well.
	PreviousValidUntil Timestamp `json:"previousValidUntil"`
}

// WebhookTest is how a test of a webhook went; `status` when the receiver
// answered, `error` when it did not.
type WebhookTest struct {
	// Whether the receiver acknowledged with a 2xx.
	Delivered bool `json:"delivered"`
	// What the receiver answered.
	Status *int `json:"status" schema:"min=100,max=999"`
	// Why there was no answer.
	Error *string `json:"error"`
	// How long it took.
	Ms int64 `json:"ms" schema:"min=0"`
}

// WebhookTestEvent is the body of the message that a test of a webhook sends.
type WebhookTestEvent struct {
	Test   True      `json:"test"`
	SentAt Timestamp `json:"sentAt"`
}

// WebhookTestResponse tells how a test of a webhook went.
type WebhookTestResponse struct {
	Succeeded
	Test WebhookTest `json:"test"`
}

// Session is who is signed in to the dashboard.
type Session struct {
	// The organization's name.
	Organization string `json:"organization"`
	// The id of the key that the session uses.
	KeyID string `json:"keyId"`
	// What the key may do.
	Scopes List[string] `json:"scopes" schema:"enum=read|monitor|tasks|track|admin"`
}

// SessionResponse tells who is signed in to the dashboard.
type SessionResponse struct {
	Succeeded
	// Null when nobody is.
	Session *Session `json:"session"`
}
