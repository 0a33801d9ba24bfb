package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/track/schedule"
)

// TestAYearOfSlots compares the slots of a year with an independent search through the year
// for the time at which each civil time is due.
func TestAYearOfSlots(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		zone string
		year int // a year in which clocks change in both directions
	}{{"America/New_York", 2026}, {"Europe/Berlin", 2026}, {"Australia/Lord_Howe", 2026}, {"America/Sao_Paulo", 2018}, {"UTC", 2028}, {"Pacific/Apia", 2011}} {
		t.Run(one.zone, func(t *testing.T) {
			t.Parallel()
			location, err := time.LoadLocation(one.zone)
			if err != nil {
				t.Fatal(err)
			}
			due := dueTimes(location, one.year)
			for _, s := range []earshot.Schedule{
				{Every: "1h"},
				{Every: "1h", At: "00:30"},
				{Every: "6h", At: "02:15"},
				{Every: "day", At: "02:30"},
				{Every: "day", At: "00:00"},
				{Every: "day"},
				{Every: "week", Weekday: "sunday", At: "02:00"},
				{Every: "week", At: "01:45"},
				{Every: "month", MonthDay: 31, At: "06:00"},
				{Every: "month"},
				{Cron: "*/30 * * * *"},
				{Cron: "0 6 * * 1-5"},
				{Cron: "15 2 29 2 *"},
				{Cron: "0 0 13 * 5"},
			} {
				s.Timezone = one.zone
				rule, problems := schedule.New(s)
				if problems != nil {
					t.Fatalf("%+v: %v", s, problems)
				}
				compare(t, s, rule, location, one.year, due)
			}
		})
	}
}

// step divides the times of all slots of the test and of all clock changes.
const step = 15 * time.Minute

// dueTimes returns the time at which each civil quarter of an hour of a year is due.
func dueTimes(location *time.Location, year int) map[int64]time.Time {
	due := make(map[int64]time.Time, 370*24*4)
	moment, end := time.Date(year-1, 12, 30, 0, 0, 0, 0, time.UTC), time.Date(year+1, 1, 3, 0, 0, 0, 0, time.UTC)
	last := moment.Unix() // civil
	for ; moment.Before(end); moment = moment.Add(step) {
		_, offset := moment.In(location).Zone()
		for ; last <= moment.Unix()+int64(offset); last += int64(step / time.Second) {
			due[last] = moment
		}
	}
	return due
}

func compare(t *testing.T, s earshot.Schedule, rule *schedule.Rule, location *time.Location, year int, due map[int64]time.Time) {
	t.Helper()
	slot, err := schedule.ParseSlot(fmt.Sprintf("%d-12-31T23:59", year-1))
	if err != nil {
		t.Fatal(err)
	}
	for civil := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); civil.Year() == year; civil = civil.Add(step) {
		if !matches(s, civil) {
			continue
		}
		next, ok := rule.Next(slot)
		if want := civil.Format("2006-01-02T15:04"); !ok || next.String() != want {
			t.Fatalf("%+v: the slot after %s is %s, want %s", s, slot, next, want)
		}
		slot = next
		at, want := rule.At(slot), due[civil.Unix()]
		if !at.Equal(want) {
			t.Fatalf("%+v: %s is due at %s, want %s", s, slot, at.In(location), want.In(location))
		}
		if civil.Weekday() != time.Sunday || civil.Hour() > 3 { // clocks change on Sundays
			continue
		}
		if after, _ := rule.After(at.Add(-time.Second)); !rule.At(after).Equal(at) {
			t.Fatalf("%+v: a second before %s the next slot is %s", s, slot, after)
		}
	}
}

// matches reports whether a civil time is a slot, without using the rule.
func matches(s earshot.Schedule, civil time.Time) bool {
	hour, minute := 0, 0
	if s.At != "" {
		hour, minute = int(s.At[0]-'0')*10+int(s.At[1]-'0'), int(s.At[3]-'0')*10+int(s.At[4]-'0')
	}
	is := func(h, m int) bool { return civil.Minute() == m && civil.Hour() == h }
	switch s.Every + s.Cron {
	case "1h":
		return civil.Minute() == minute
	case "6h":
		return civil.Minute() == minute && civil.Hour()%6 == 2
	case "day":
		return is(hour, minute)
	case "week":
		return is(hour, minute) && civil.Weekday() == map[string]time.Weekday{"sunday": time.Sunday, "": time.Monday}[s.Weekday]
	case "month":
		if !is(hour, minute) {
			return false
		}
		last := civil.AddDate(0, 0, 1).Day() == 1
		return civil.Day() == max(1, s.MonthDay) || last && civil.Day() < s.MonthDay
	case "*/30 * * * *":
		return civil.Minute()%30 == 0
	case "0 6 * * 1-5":
		return is(6, 0) && civil.Weekday() != time.Saturday && civil.Weekday() != time.Sunday
	case "15 2 29 2 *":
		return is(2, 15) && civil.Month() == time.February && civil.Day() == 29
	case "0 0 13 * 5":
		return is(0, 0) && (civil.Day() == 13 || civil.Weekday() == time.Friday)
	}
	panic("no such schedule")
}

func TestInvalidSchedules(t *testing.T) {
	t.Parallel()
	for field, s := range map[string]earshot.Schedule{
		"timezone": {Every: "day", Timezone: "Europe/Bärlin"},
		"weekday":  {Every: "day", Weekday: "monday"},
		"monthDay": {Every: "week", MonthDay: 3},
		"cron":     {Cron: "61 * * * *"},
		"within":   {Every: "6h", Within: "7h"},
	} {
		if _, problems := schedule.New(s); len(problems) != 1 || problems[0].Field != field {
			t.Errorf("%+v: %v", s, problems)
		}
	}
	for _, every := range []string{"0h", "-1h", "x"} { // the schema rejects them; New must not panic
		if rule, problems := schedule.New(earshot.Schedule{Every: every}); rule == nil || problems != nil {
			t.Errorf("every %q: %v, %v", every, rule, problems)
		}
	}
	for _, text := range []string{"@daily", "TZ=0 * * * * *", "* * * *", "0 0 30 2 *", "a b c d e", "0 0 0 * * *"} {
		if _, problems := schedule.New(earshot.Schedule{Cron: text}); len(problems) != 1 {
			t.Errorf("%q: %v", text, problems)
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for want, s := range map[time.Duration]earshot.Schedule{
		4 * time.Hour:    {Every: "day"},
		3 * time.Hour:    {Every: "6h"},
		90 * time.Minute: {Every: "day", Within: "1h30m"},
		15 * time.Minute: {Cron: "*/30 * * * *"},
	} {
		if rule, problems := schedule.New(s); problems != nil || rule.Within != want {
			t.Errorf("%+v: %v, %v", s, rule, problems)
		}
	}
}
