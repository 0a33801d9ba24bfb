package account

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CheckName returns what is wrong with the name of an organization or a key.
func CheckName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errors.New("a name has 1 to 100 printable characters")
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

	Queued  int   // tasks that wait
	Running int   // jobs under way; at most Plan.Slots unless the plan shrank
	Balance int64 // the ledger's sum
	Held    int64 // the part of Balance that running jobs may still take

	Events int64 // tasks that have ended so far

	CycleStartedAt int64
	CycleResetsAt  int64
	CycleGrant     int64 // granted for this cycle
	CycleUsed      int64 // charged in this cycle

	KeyBudgets int // keys that have a ceiling
}

// Available is how many credits a new job can still reserve.
func (o *Organization) Available() int64 { return o.Balance - o.Held }

// Unused is the part of the cycle's grant that expires at its end. Charges use up the
// grant first, so credits beyond it stay; credits held by running jobs stay too.
func (o *Organization) Unused() int64 {
	return max(0, min(o.CycleGrant-o.CycleUsed, o.Available()))
}

// Principal is who makes a request: an organization by one of its keys.
type Principal struct {
	KeyID             string
	Scopes            []Scope
	OrganizationID    string
	RequestsPerSecond int

	// How the organization stood when the key was read.
	Slots, Running int
	Balance        int64
}

// Cycle returns the billing cycle that contains now, for an organization that began
// at anchor. A cycle is a calendar month from the anchor's day and time; in
// months without that day it begins on their last one.
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
