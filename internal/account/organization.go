package account

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CheckName returns an error if name cannot be the name of an organization or a key.
func CheckName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errors.New("a name must have 1 to 100 printable characters")
	}
	return nil
}

// Organization is the state of an account: its limits, how much of them is in use, and
// its credits. Times are Unix milliseconds.
type Organization struct {
	ID        string
	Name      string
	Plan      Plan
	CreatedAt int64

	Queued  int   // queued tasks
	Running int   // running jobs; at most Plan.Slots, unless the plan was reduced
	Balance int64 // sum of the ledger
	Held    int64 // part of Balance that is reserved for running jobs

	Events int64 // number of tasks that have ended

	CycleStartedAt int64
	CycleResetsAt  int64
	CycleGrant     int64 // granted for this cycle
	CycleUsed      int64 // charged in this cycle

	KeyBudgets int // number of keys with a credit limit
}

// Available returns the number of credits that a new job can still reserve.
func (o *Organization) Available() int64 { return o.Balance - o.Held }

// Unused returns the part of the cycle's grant that expires at the end of the cycle.
// Charges use up the grant first. Other credits and credits held by running jobs do not
// expire.
func (o *Organization) Unused() int64 {
	return max(0, min(o.CycleGrant-o.CycleUsed, o.Available()))
}

// Principal is the authenticated client of a request: an organization and one of its keys or
// users. For a user, KeyID is the id of the user and KeyName the email.
type Principal struct {
	KeyID, KeyName    string // empty for the operator on the socket
	UserID            string // empty for a key
	SessionID         string // empty for a key
	Role              Role   // empty for a key
	Scopes            []Scope
	OrganizationID    string // empty for the operator on the socket, unless the request names one
	RequestsPerSecond int
	Once              *Once // of the request; nil without an Idempotency-Key

	// State of the organization when the key was read.
	Slots, Running int
	Balance        int64
}

// IsOperator reports whether the principal may act for every organization.
func (p *Principal) IsOperator() bool { return slices.Contains(p.Scopes, ScopeOperator) }

// Credential returns the public part of the key or session of the principal.
func (p *Principal) Credential() string {
	if p.SessionID != "" {
		return string(SessionSecret) + p.SessionID
	}
	return string(KeySecret) + p.KeyID
}

// Cycle returns the billing cycle that contains now, for an organization that was created
// at anchor. A cycle is a month that begins on the anchor's day and time. In months
// without that day, it begins on the last day.
func Cycle(anchor, now time.Time) (start, end time.Time) {
	anchor, now = anchor.UTC(), now.UTC()
	months := (now.Year()-anchor.Year())*12 + int(now.Month()) - int(anchor.Month())
	start = addMonths(anchor, months)
	if start.After(now) {
		months--
		start = addMonths(anchor, months)
	}
	return start, addMonths(anchor, months+1)
}

func addMonths(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), lastDay)-1)
}
