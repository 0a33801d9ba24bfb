package alert

import "earshot"

const (
	// EnoughCoverage is the least share of a target's answers with which its series go on,
	// the same that makes numbers more than exploratory.
	EnoughCoverage = 0.8
	// CeilingNear is the share of a month's ceiling from which on is told of it.
	CeilingNear = 0.8
)

// Count is what became of the questions of one target in a sweep.
type Count struct {
	Planned    int
	Answered   int
	Blocked    int // missing because the provider refused
	Unreadable int // missing because no parser understood the answer
}

// Gate tells why the series of a target must not be stepped with a sweep, "" when they
// may: those who answered after all are no fair sample of those who were asked.
func (c Count) Gate() earshot.AlertKind {
	if float64(c.Answered) >= EnoughCoverage*float64(c.Planned) {
		return ""
	}
	missing := c.Planned - c.Answered
	switch {
	case 2*c.Blocked > missing:
		return earshot.AlertBlocked
	case 2*c.Unreadable > missing:
		return earshot.AlertUnreadable
	default:
		return earshot.AlertCoverage
	}
}
