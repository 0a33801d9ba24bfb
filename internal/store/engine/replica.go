package engine

import (
	"errors"
	"net"

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
	settings := map[string]string{"default_transaction_read_only": "on", "statement_timeout": "60s"}
	lookups, reports := openPostgresPool(pg, reportConnections, settings, toServer), openPostgresPool(pg, reportConnections, settings, toServer)
	lookups.explain, reports.explain = explainReplica, explainReplica
	whole := &Shard{Dialect: s.Dialect, Queue: lookups.DB, Lookups: lookups, Reports: reports, Clock: s.Clock}
	replica := &DB{
		Shard: whole, Shards: []*Shard{whole},
		close: func() error { return errors.Join(reports.Close(), lookups.Close()) },
	}
	replica.Start(newUnit) // the server rejects writes
	return replica, nil
}

// explainReplica converts errors of a replica that does not answer or does not have all tables yet to
// CodeServerUnavailable.
func explainReplica(err error) error {
	code := postgresCode(err)
	var network net.Error
	if postgresDialect.Unavailable(err) || postgresDialect.disconnected(err) || postgresDialect.retryable(err) || errors.As(err, &network) ||
		code == "42P01" || code == "42703" { // no such table, no such column
		return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database for reports does not answer, try again", Err: err}
	}
	return err
}
