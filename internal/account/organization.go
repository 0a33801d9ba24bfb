package account

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName tells what is wrong with an organization's name.
func CheckName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errors.New("a name has 1 to 100 printable characters")
	}
	return nil
}

// Organization is an account as it stands: its limits, what of them is in use,
// and its credits. Times are Unix milliseconds.
type Organization struct {
	ID        string
	Name      string
	Plan      Plan
	CreatedAt int64

	Queued  int   // tasks that wait
	Running int   // jobs under way; at most Plan.Slots unless the plan shrank
	Balance int64 // the ledger's sum
	Held    int64 // the part of Balance that running jobs may still take

	Events int64 // tasks that have ended so far

	CycleStartedAt int64
	CycleResetsAt  int64
	CycleGrant     int64 // granted for this cycle
	CycleUsed      int64 // charged in this cycle
}

// Available is what a new job can still set aside.
func (o *Organization) Available() int64 { return o.Balance - o.Held }

// Unused is the part of the cycle's grant that lapses at its end. Charges take
// the grant first, so credits beyond it stay; what running jobs hold stays too.
func (o *Organization) Unused() int64 {
	return max(0, min(o.CycleGrant-o.CycleUsed, o.Available()))
}

// Principal is who makes a request: an organization by one of its keys.
type Principal struct {
	KeyID             string
	Scopes            []Scope
	OrganizationID    string
	RequestsPerSecond int
}
