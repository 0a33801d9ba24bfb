package earshot

// Credits is an organization's balance and billing cycle.
type Credits struct {
	// The credit balance, including held credits.
	Remaining int64 `json:"remaining" schema:"min=0"`
	// Credits reserved for running calls and tasks.
	Held int64 `json:"held" schema:"min=0"`
	// Credits granted at the start of each billing cycle.
	PerCycle int64 `json:"perCycle" schema:"min=0"`
	// Credits charged since the current cycle began.
	CycleUsed      int64     `json:"cycleUsed" schema:"min=0"`
	CycleStartedAt Timestamp `json:"cycleStartedAt"`
	CycleResetsAt  Timestamp `json:"cycleResetsAt"`
	// The plan's name, such as `free` or `hobby`.
	Plan string `json:"plan"`
}

// State is a US state that a request can name.
type State struct {
	Code string `json:"code" schema:"state"`
	Name string `json:"name"`
}

// Key is an API key without its secret.
type Key struct {
	// The part of the key between `ear_live_` and the next underscore.
	ID string `json:"id"`
	// The name that its owner gave the key; empty when it has no name.
	Name      string       `json:"name"`
	Scopes    List[string] `json:"scopes" schema:"enum=read|monitor|tasks|track|admin|operator"`
	CreatedAt Timestamp    `json:"createdAt"`
	// When the key expires; `null` when it never expires.
	ExpiresAt *Timestamp `json:"expiresAt"`
	// When the key was last used, accurate to one minute; `null` when it was never used.
	LastUsedAt *Timestamp `json:"lastUsedAt"`
	RevokedAt  *Timestamp `json:"revokedAt"`
	// Whether this key made the request.
	Current bool `json:"current"`
	// The version of the key, for `If-Match`.
	ETag string `json:"etag"`
	// The key's spending limits and what it has spent; absent when the key has no limit.
	Budget *KeyBudget `json:"budget,omitempty"`
}

// Tag returns the version of the key.
func (k Key) Tag() string { return k.ETag }

// KeyBudget is the spending limits of a key and what it has spent since it first had a
// limit. Days and months are in UTC.
type KeyBudget struct {
	// The most credits that the key may spend in a day; 0 for no limit.
	CreditsPerDay   int64 `json:"creditsPerDay" schema:"min=0"`
	CreditsPerMonth int64 `json:"creditsPerMonth" schema:"min=0"`
	UsedToday       int64 `json:"usedToday" schema:"min=0"`
	UsedThisMonth   int64 `json:"usedThisMonth" schema:"min=0"`
	// Credits reserved for the key's running calls and tasks.
	Held int64 `json:"held" schema:"min=0"`
}

// ChangedKey is the key after the change.
type ChangedKey struct {
	Succeeded
	Key Key `json:"key"`
}

// Tag returns the version of the key.
func (c ChangedKey) Tag() string { return c.Key.ETag }

// KeyList is the keys of an organization, newest first.
type KeyList struct {
	Keys List[*Key] `json:"keys"`
}

// NewKey is a new key with its secret.
type NewKey struct {
	Succeeded
	Key Key `json:"key"`
	// The whole key, to send in the `Authorization` header. The response to its creation is the only place that shows it.
	Secret string `json:"secret"`
}

// RevokedKey is the key after it was revoked.
type RevokedKey struct {
	Succeeded
	Key Key `json:"key"`
}

// LedgerEntry is one change of the balance.
type LedgerEntry struct {
	// The entry's id. A charge has the id of its task, or the `X-Request-Id` of its call.
	ID   string     `json:"id" schema:"uuid"`
	At   Timestamp  `json:"at"`
	Kind LedgerKind `json:"kind"`
	// The credits added to the balance; negative when credits were taken.
	Credits int64 `json:"credits"`
	// The task that was charged; `null` for a call, and when the task is no longer stored.
	TaskID *string `json:"taskId" schema:"uuid"`
	// The provider whose call or task was charged; `null` for other kinds of entries, and when the call or task is no longer stored.
	Note *string `json:"note"`
	// The tracker whose task was charged; absent when no tracker asked for it.
	Tracker string `json:"tracker,omitempty"`
	// The id of the key whose call or task was charged, or `tracker`; absent for other kinds of entries, and when the call or task is no longer stored.
	KeyID string `json:"keyId,omitempty"`
	// The batch whose charges this entry sums up; only with `group=true`.
	Batch string `json:"batch,omitempty" schema:"uuid"`
	// The sweep whose charges this entry sums up; only with `group=true`.
	Sweep string `json:"sweep,omitempty" schema:"uuid"`
	// How many tasks of the batch or sweep were queued; only with `batch` or `sweep`.
	Tasks int `json:"tasks,omitempty" schema:"min=0"`
}

// LedgerKind is why the balance changed. `grant` adds the credits of a billing cycle or
// extra credits; `charge` is the price of a task or call; `lapse` removes the credits
// that were unused at the end of a cycle; `adjust` is a correction by the operator.
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

// RotatedSecret is the new webhook secret.
type RotatedSecret struct {
	Succeeded
	// The new secret. This response is the only place that shows it.
	Secret string `json:"secret"`
	// Until this time, webhooks are also signed with the previous secret.
	PreviousValidUntil Timestamp `json:"previousValidUntil"`
}

// WebhookTest is the result of a test of a webhook. It has a `status` when the receiver
// answered, and an `error` when the receiver did not answer.
type WebhookTest struct {
	// Whether the receiver answered with a 2xx status.
	Delivered bool `json:"delivered"`
	// The HTTP status of the receiver's answer.
	Status *int `json:"status" schema:"min=100,max=999"`
	// Why the receiver did not answer.
	Error *string `json:"error"`
	// The beginning of the receiver's answer, at most 200 characters.
	Answer string `json:"answer,omitempty"`
	// How long the test took, in milliseconds.
	Ms int64 `json:"ms" schema:"min=0"`
}

// WebhookTestEvent is the body of the message that a test of a webhook sends.
type WebhookTestEvent struct {
	Test   True      `json:"test"`
	SentAt Timestamp `json:"sentAt"`
}

// WebhookTestResponse is the result of a test of a webhook.
type WebhookTestResponse struct {
	Succeeded
	Test WebhookTest `json:"test"`
}

// Session is who is signed in to the dashboard: a key or a user of an organization.
type Session struct {
	// The organization's name.
	Organization string `json:"organization"`
	// The organization's id.
	OrganizationID string `json:"organizationId" schema:"uuid"`
	// The id of the key or user.
	KeyID string `json:"keyId"`
	// The name of the key, or the email of the user; empty for a key without a name.
	KeyName string `json:"keyName"`
	// The scopes of the key, or of the user's role.
	Scopes List[string] `json:"scopes" schema:"enum=read|monitor|tasks|track|admin|operator"`
	// The user; absent after a sign-in with a key.
	User *SessionUser `json:"user,omitempty"`
	// The user's organizations, by name; empty after a sign-in with a key.
	Organizations List[SessionOrganization] `json:"organizations"`
}

// SessionResponse is the dashboard's session.
type SessionResponse struct {
	Succeeded
	// `null` when nobody is signed in.
	Session *Session `json:"session"`
	// How to sign in; absent while somebody is signed in.
	SignIn *SignInWays `json:"signIn,omitempty"`
	// Where to sign out from the identity provider too; absent when it does not offer that.
	SignOutURL string `json:"signOutUrl,omitempty"`
}
