package earshot

import "time"

// Credits is an organization's balance and billing cycle. Held is the part of
// Remaining that running jobs have set aside.
type Credits struct {
	Remaining      int64     `json:"remaining"`
	Held           int64     `json:"held"`
	PerCycle       int64     `json:"perCycle"`
	CycleStartedAt Timestamp `json:"cycleStartedAt"`
	CycleResetsAt  Timestamp `json:"cycleResetsAt"`
	Plan           string    `json:"plan"`
}

// State is a part of a country that a request can name.
type State struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// Timestamp is a time on the wire: RFC 3339, UTC, milliseconds.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000Z"

// At makes a Timestamp of Unix milliseconds, as the store keeps times.
func At(millis int64) Timestamp { return Timestamp{time.UnixMilli(millis)} }

// When makes a Timestamp of a time, and nil of one that has not come.
func When(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return &Timestamp{t}
}

// MarshalJSON writes the time in UTC with exactly three decimals.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timestampLayout) + `"`), nil
}
