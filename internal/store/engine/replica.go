package engine

import (
	"errors"
	"net"

	"earshot"
)

// OpenReadReplica opens a read replica of the database. It need not answer yet: reads fail with
// CodeServerUnavailable while it does not.
func (s *DB) OpenReadReplica(url string, newUnit func(*Tx) Unit) (*DB, error) {
	if s.Dialect.Exclusive || !Shared(url) {
		return nil, errors.New("the database for reports must be the postgres:// URL of a copy of the database, which must be PostgreSQL itself")
	}
	if s.Sharded() {
		return nil, errors.New("a database on Citus has no copy that is one server: reports are read from the workers")
	}
	pg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	settings := map[string]string{"default_transaction_read_only": "on", "statement_timeout": "60s"}
	lookups, reports := OpenPostgresPool(pg, reportConnections, settings, ToServer), OpenPostgresPool(pg, reportConnections, settings, ToServer)
	lookups.explain, reports.explain = replicaAway, replicaAway
	whole := &Shard{Dialect: s.Dialect, Queue: lookups.DB, Lookups: lookups, Reports: reports, Clock: s.Clock}
	replica := &DB{
		Shard: whole, Shards: []*Shard{whole},
		close: func() error { return errors.Join(reports.Close(), lookups.Close()) },
	}
	replica.Start(newUnit) // the database itself refuses what is written
	return replica, nil
}

// replicaAway tells clients of a replica that does not answer, or does not have the tables
// yet that the database has.
func replicaAway(err error) error {
	code := postgresCode(err)
	var network net.Error
	if PostgresDialect.Unavailable(err) || PostgresDialect.disconnected(err) || PostgresDialect.retryable(err) || errors.As(err, &network) ||
		code == "42P01" || code == "42703" { // no such table, no such column
		return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database for reports does not answer, try again", Err: err}
	}
	return err
}
