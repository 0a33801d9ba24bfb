package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// took runs a job that ends at the given time after ms milliseconds, or ends without having started.
func took(t *testing.T, s *store.Store, o *account.Organization, node, provider string, end time.Time, ms int64, fails bool) {
	t.Helper()
	job := aJob(o, node, 5)
	job.Provider = provider
	if ms >= 0 {
		job.StartedAt = end.Add(-time.Duration(ms) * time.Millisecond)
	}
	begin(t, s, job)
	settlement := completed(job, 1)
	if fails {
		settlement = failed(job)
	}
	settle(t, s, settlement, end)
}

func TestStatsAddUpByHourAndProvider(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, other, node := storetest.Organization(t, s, 5, 1000), storetest.Organization(t, s, 5, 1000), aNode(t, s)
		hour := time.Now().UTC().Truncate(time.Hour).Add(24 * time.Hour) // after the cycle's start
		before := hour.Add(-time.Millisecond)
		for ms := range int64(20) {
			took(t, s, o, node, "chatassistant", hour.Add(time.Minute), 10*(20-ms), ms%4 == 0) // 10, 20 … 200 ms
		}
		for ms, provider := range map[int64]string{1_999: "websearch", 123_456: "websearch/news", 7_200_000: "answerengine", -1: "genassistant"} {
			took(t, s, o, node, provider, before, ms, provider == "genassistant")
		}
		took(t, s, o, node, "chatassistant", before.Add(-time.Hour), 5, false)
		took(t, s, other, node, "chatassistant", hour, 5, false)

		at := func(t time.Time) earshot.Timestamp { return earshot.At(t.Truncate(time.Hour).UnixMilli()) }
		want := []earshot.HourStats{
			{At: at(before), Provider: "answerengine", Jobs: 1, P50Ms: new(int64(2_000_000)), P95Ms: new(int64(2_000_000))},
			{At: at(before), Provider: "genassistant", Jobs: 1, Failed: 1},
			{At: at(before), Provider: "websearch", Jobs: 1, P50Ms: new(int64(1_990)), P95Ms: new(int64(1_990))},
			{At: at(before), Provider: "websearch/news", Jobs: 1, P50Ms: new(int64(123_000)), P95Ms: new(int64(123_000))},
			{At: at(hour), Provider: "chatassistant", Jobs: 20, Failed: 5, P50Ms: new(int64(100)), P95Ms: new(int64(190))},
		}
		check := func(when string) {
			t.Helper()
			got, err := s.Stats(t.Context(), o.ID, before)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v, (-want +got):\n%s", when, err, diff)
			}
		}
		check("while the jobs are kept")
		later := hour.AddDate(0, 0, 1)
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 26 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		check("once they are gone")
		if got, err := s.Stats(t.Context(), o.ID, hour.Add(time.Hour)); err != nil || len(got) != 0 {
			t.Errorf("of the next hour there is %v, %v", got, err)
		}
	})
}

// An hour has few rows, whatever its number of jobs, and they are deleted when it is past.
func TestStatsOfPastHoursAreDeletedInBatches(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 10_000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		hour := time.Now().UTC().Truncate(time.Hour).Add(24 * time.Hour)
		// More rows of one hour than a batch has.
		err := s.Exec(`
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
			INSERT INTO statistics (organization, hour, provider, ms, jobs, failed) SELECT o.id, CAST($1 AS bigint), 'websearch', i, 1, 0 FROM n, organizations o`,
			hour.UnixMilli()/time.Hour.Milliseconds()-1)
		if err != nil {
			t.Fatal(err)
		}
		took(t, s, o, node, "chatassistant", hour, 7, false)
		for _, want := range []int{500, 200, 0} {
			if n, err := s.DeleteStats(t.Context(), hour.Add(time.Minute)); err != nil || n != want {
				t.Errorf("deleted %d, %v; want %d", n, err, want)
			}
		}
		if got, err := s.Stats(t.Context(), o.ID, hour.AddDate(0, 0, -1)); err != nil || len(got) != 1 || got[0].Jobs != 1 {
			t.Errorf("left are %+v, %v", got, err)
		}
	})
}
