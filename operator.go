package earshot

import "time"

// OrganizationHeader is the header that names the organization of a request by its id. An operator acts
// for that organization, with its scopes `read` and `admin`.
const OrganizationHeader = "Earshot-Organization"

// Organization is an organization as the operator sees it.
type Organization struct {
	ID   string `json:"id" schema:"uuid"`
	Name string `json:"name"`
	// The plan's name, such as `free` or `hobby`.
	Plan string `json:"plan"`
	// The credit balance.
	Credits int64 `json:"credits"`
	// The number of running calls and tasks.
	Running int `json:"running" schema:"min=0"`
}

// OrganizationQuery is a filter of organizations.
type OrganizationQuery struct {
	// Only the organization with this name.
	Name string `json:"name,omitempty" schema:"maxLength=100"`
}

// OrganizationList is the organizations, by name.
type OrganizationList struct {
	Organizations List[Organization] `json:"organizations"`
	// Names of organizations whose data cannot be reached at the moment, because a database of Citus is down.
	Unreachable List[string] `json:"unreachable"`
}

// OrganizationRequest is an organization to create.
type OrganizationRequest struct {
	Name string `json:"name" schema:"maxLength=100"`
	// The plan's name; left out, `free`.
	Plan string `json:"plan,omitempty" schema:"maxLength=100"`
	// The credits to start with; left out, the credits of the plan.
	Credits *int64 `json:"credits,omitempty" schema:"min=0,max=1000000000000000"`
}

// NewOrganization is a new organization with its secrets. Only this response contains the secrets.
type NewOrganization struct {
	Succeeded
	Organization Organization `json:"organization"`
	// A key with all scopes except `admin`.
	Key string `json:"key"`
	// The secret with which the organization verifies webhooks.
	WebhookSecret string `json:"webhookSecret"`
}

// OrganizationPatch is a change of an organization. Fields that are left out stay.
type OrganizationPatch struct {
	// The name of the new plan. Its credits are granted with the next billing cycle.
	Plan string `json:"plan,omitempty" schema:"maxLength=100"`
	// The new credit balance.
	Credits *int64 `json:"credits,omitempty" schema:"min=0,max=1000000000000000"`
}

// ChangedOrganization is the organization after the change.
type ChangedOrganization struct {
	Succeeded
	Organization Organization `json:"organization"`
}

// MaxCredits is the highest balance: JSON clients represent it exactly.
const MaxCredits = 1_000_000_000_000_000

// CreditsGrant is credits to add to a balance.
type CreditsGrant struct {
	Credits int64 `json:"credits" schema:"min=1,max=1000000000000000"`
}

// OperatorKeyRequest is an operator key to create.
type OperatorKeyRequest struct {
	// A name for the key, such as the machine or the person that will use it.
	Name string `json:"name,omitempty" schema:"maxLength=100"`
	// When the key expires: a future time in RFC 3339. By default, it never expires.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// BalanceFinding is a stored value that differs from the value computed from other rows.
type BalanceFinding struct {
	// The organization's name.
	Organization string `json:"organization"`
	What         string `json:"what"`
	Stored       int64  `json:"stored"`
	Actual       int64  `json:"actual"`
}

// BalanceAudit is the result of recomputing all balances and counters.
type BalanceAudit struct {
	// Whether all balances and counters agree with the stored rows.
	OK       bool                 `json:"ok"`
	Findings List[BalanceFinding] `json:"findings"`
}

// PasswordReset is whose password to delete.
type PasswordReset struct {
	// The user's email.
	Email string `json:"email" schema:"maxLength=254"`
}

// PasswordResetLink is the link with which a user sets a new password. It works once, within 24 hours.
type PasswordResetLink struct {
	Succeeded
	URL string `json:"url"`
}
