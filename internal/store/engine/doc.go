// Package engine is how the store reaches its database. It knows nothing of jobs or trackers.
//
// A DB has shards. SQLite and PostgreSQL are one shard; on Citus the organizations are spread
// over several, and a shard has all rows of its organizations. Each shard has three pools of
// connections: Queue for transactions, Lookups for short reads through an index, and Reports
// for reads that may scan, so that no kind of work waits for another.
//
// Writes are committed in groups. A Writer takes all writes that wait at the same moment, locks
// the rows of their organizations, reads what they need, lets each decide, stores everything
// and commits once. What the writes of a group share is a Unit, which the domain implements:
// the engine decides only when rows are locked and when a group is committed, retried or split
// up. All writes of one organization on a node go through the same Writer.
//
//	db.go               opening a database, migrations, what the dialects say differently
//	writer.go           group commit; what happens when a row is locked from outside
//	tx.go               a transaction
//	table.go            tables and their columns, stated once
//	statement.go        statements that run over many rows at once
//	pipeline.go         how such statements reach PostgreSQL: arrays in binary format, one round trip
//	direct.go           how they reach SQLite: the driver's prepared statements
//	pool.go             reads and snapshots
//	sqlite.go postgres.go  the two databases
//	shard.go            where the rows of an organization are; asking all shards
//	citus.go worker.go  shards on the workers of Citus
//	replica.go          a read replica for reports
//	schema.go           the tables as the database describes them; loading rows as they are
//	clock.go            which time to trust
//	notify.go           telling other nodes that there may be tasks
//
// Invariants that the domain relies on:
//
//   - A write that was applied and committed is answered with nil exactly once. After
//     ErrUnknownOutcome only a read can tell whether it was committed.
//   - Between Unit.Lock and the end of the transaction nobody else changes the rows of the
//     locked organizations, on any node.
//   - Apply may run more than once, each time with a new Unit, and must keep no state from a
//     run that failed.
//   - An error of one write never fails another of the same group: the group is run again
//     one by one.
package engine
