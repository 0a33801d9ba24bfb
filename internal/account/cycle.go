package account

import "time"

// Cycle gives the billing cycle that holds now, for an organization that began
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
