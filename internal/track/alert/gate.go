package alert

import "earshot"

const (
	// EnoughCoverage is the minimum share of a target's planned answers that a change
	// detector needs. A grade above exploratory needs the same share.
	EnoughCoverage = 0.8
	// CeilingNear is the share of the monthly ceiling that raises an alert.
	CeilingNear = 0.8
)

// Count counts the answers of one target in a sweep.
type Count struct {
	Planned    int
	Answered   int
	Blocked    int // missing because the provider blocked the request
	Unreadable int // missing because the answer could not be parsed
}

// Gate returns the kind of alert to raise if too many answers are missing, or "". The
// change detectors must then skip the sweep on this target: the received answers are a
// biased sample.
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
