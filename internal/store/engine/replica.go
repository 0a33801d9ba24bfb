package engine

import (
	"errors"

	"earshot"
)

// OpenReadReplica opens a read replica of the database. The replica need not answer yet: until
// it does, reads fail with CodeServerUnavailable.
func (s *DB) OpenReadReplica(url string, newUnit func(*Tx) Unit) (*DB, error) {
	if s.Dialect.Exclusive || !Shared(url) {
		return nil, errors.New("the database for reports must be the postgres:// URL of a read replica, and the main database must be PostgreSQL too")
	}
	if s.Sharded() {
		return nil, errors.New("a database on Citus cannot have a read replica: reports are read from the workers")
	}
	pg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	replica := &DB{log: s.log}
	replica.close = func() error { return errors.Join(replica.Reports.Close(), replica.Lookups.Close()) }
	replica.guard(pg)
	settings := map[string]string{"default_transaction_read_only": "on", "statement_timeout": "60s"}
	lookups, reports := openPostgresPool(pg, reportConnections, settings, toServer), openPostgresPool(pg, reportConnections, settings, toServer)
	lookups.explain, reports.explain = explainReplica, explainReplica
	replica.Shard = &Shard{Dialect: s.Dialect, Queue: lookups.DB, Lookups: lookups, Reports: reports, Clock: s.Clock}
	replica.Shards = []*Shard{replica.Shard}
	replica.Start(newUnit) // the server rejects writes
	return replica, nil
}

// explainReplica converts errors of a replica that does not answer or does not have all tables yet to
// CodeServerUnavailable.
func explainReplica(err error) error {
	code := postgresCode(err)
	if postgresDialect.Unavailable(err) || postgresDialect.retryable(err) || code == "57014" || // canceled by its recovery
		code == "42P01" || code == "42703" { // no such table, no such column
		return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database for reports does not answer, try again", Err: err}
	}
	return err
}
