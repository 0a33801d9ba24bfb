package store_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// A commit whose answer was lost may reach the server after the node has begun to clean up.
func TestAJobWhoseBeginCommitsLateIsStillReleased(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	o, node := storetest.Organization(t, s, 1, 100), aNode(t, s)
	job := aJob(o, node, 5)

	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	late, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`UPDATE organizations SET running = running + 1, held = held + 5 WHERE id = $1`, []any{o.ID}},
		{
			`INSERT INTO jobs (id, organization, key_id, provider, mode, status, request, most, node, created_at, started_at)
			VALUES ($1, $2, 'key', 'chatassistant', 'sync', 'PROCESSING', '{}', 5, $3, 1, 1)`, []any{job.ID, o.ID, node},
		},
	} {
		if _, err := late.ExecContext(t.Context(), statement.query, statement.args...); err != nil {
			t.Fatal(err)
		}
	}

	settled := make(chan error, 1)
	go func() {
		_, err := s.Settle(failed(job), time.Now())
		settled <- err
	}()
	waitForLock(t, raw)
	if err := late.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-settled; err != nil {
		t.Errorf("settling: %v", err)
	}
	end, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
	if err != nil || end.Running != 0 || end.Held != 0 {
		t.Errorf("at the end: %+v, %v", end, err)
	}
	storetest.Audited(t, s)
}

// waitForLock returns when a session waits for a lock.
func waitForLock(t *testing.T, db *sql.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for waiting := 0; waiting == 0; {
		err := db.QueryRowContext(ctx, `SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAChargeAroundTheResetBelongsToOneCycle(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		begun := func() store.Job {
			job := aJob(o, node, 10)
			begin(t, s, job)
			return job
		}
		before, after := begun(), begun()
		reset := time.UnixMilli(o.CycleResetsAt)

		// No call has noticed the reset yet.
		end, err := s.Settle(completed(after, 10), reset.Add(time.Second))
		if err != nil || end.CycleUsed != 10 || end.CycleStartedAt != o.CycleResetsAt {
			t.Errorf("settled after the reset: %+v, %v", end, err)
		}
		storetest.Audited(t, s)
		// By a slow clock, the reset is still in the future.
		end, err = s.Settle(completed(before, 10), reset.Add(-time.Second))
		if err != nil || end.CycleUsed != 20 {
			t.Errorf("settled as if before the reset: %+v, %v", end, err)
		}
		storetest.Audited(t, s)
	})
}
