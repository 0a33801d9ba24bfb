package store

import (
	"errors"
	"net"

	"earshot"
)

// openReplica opens a read replica of the database. It need not answer yet: reads fail with
// CodeServerUnavailable while it does not.
func (s *db) openReplica(url string, newUnit func(*tx) unit) (*db, error) {
	if s.dialect.exclusive || !Shared(url) {
		return nil, errors.New("the database for reports must be the postgres:// URL of a copy of the database, which must be PostgreSQL itself")
	}
	if s.spread() {
		return nil, errors.New("a database on Citus has no copy that is one server: reports are read from the workers")
	}
	pg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	settings := map[string]string{"default_transaction_read_only": "on", "statement_timeout": "60s"}
	lookups, reports := openPostgresPool(pg, reportConnections, settings, toServer), openPostgresPool(pg, reportConnections, settings, toServer)
	lookups.explain, reports.explain = replicaAway, replicaAway
	whole := &part{dialect: s.dialect, queue: lookups.DB, lookups: lookups, reports: reports, clock: s.clock}
	replica := &db{
		part: whole, parts: []*part{whole},
		close: func() error { return errors.Join(reports.Close(), lookups.Close()) },
	}
	replica.start(newUnit) // the database itself refuses what is written
	return replica, nil
}

// replicaAway tells clients of a replica that does not answer, or does not have the tables
// yet that the database has.
func replicaAway(err error) error {
	code := postgresCode(err)
	var network net.Error
	if postgresDialect.unavailable(err) || postgresDialect.disconnected(err) || postgresDialect.retryable(err) || errors.As(err, &network) ||
		code == "42P01" || code == "42703" { // no such table, no such column
		return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database for reports does not answer, try again", Err: err}
	}
	return err
}
