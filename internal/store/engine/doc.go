// Package engine gives the store access to its database. It knows nothing of jobs or trackers:
// a new column or query needs no change here.
//
// A DB has shards. SQLite and PostgreSQL have one shard. On Citus the organizations are
// distributed over several shards, and a shard has all rows of its organizations. Each shard has
// three connection pools, so that one kind of work does not wait for another: Queue for
// transactions, Lookups for short reads through an index, and Reports for reads that may scan.
//
// Writes use group commit. A Writer takes all writes that are waiting, locks the rows of their
// organizations, reads the rows that the writes need, lets each write decide, stores all
// decisions and commits once. The state that the writes of a group share is a Unit, which the
// domain implements. The engine only decides when rows are locked and when a group is committed,
// retried or split. All writes of one organization on a node go through the same Writer.
//
//	db.go               opening a database, migrations, differences between the databases
//	writer.go           group commit; handling of rows that others have locked
//	tx.go               transactions
//	table.go            tables and their columns
//	statement.go        statements that run over many rows at once
//	pipeline.go         sending these statements to PostgreSQL: binary arrays, one round trip
//	direct.go           running these statements on SQLite: the driver's prepared statements
//	pool.go             reads and snapshots
//	sqlite.go postgres.go  the two databases
//	shard.go            finding the shard of an organization; querying all shards
//	circuit.go          servers that hang
//	citus.go worker.go  shards on the workers of Citus
//	replica.go          a read replica for reports
//	schema.go           tables as described by the database, for copying whole databases
//	clock.go            which time to trust
//	notify.go           notifying other nodes of new tasks
//
// Invariants that the domain relies on:
//
//   - A write is answered with nil only after it was committed, and each write is answered
//     exactly once. After ErrUnknownOutcome only a read can show whether the write was committed.
//   - Between Unit.Lock and the end of the transaction nobody else changes the rows of the
//     locked organizations, on any node.
//   - Apply may run more than once, each time with a new Unit, and must not keep state from a
//     failed run.
//   - An error of one write never fails another write of the same group: the engine runs the
//     writes of the group again one by one.
package engine
