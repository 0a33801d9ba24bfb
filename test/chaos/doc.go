// Package chaos kills the real program repeatedly at random moments, and then checks through
// the API that nothing was lost, duplicated or charged incorrectly. It contains only tests.
//
//	chaos_test.go     the test, its rounds, and the faults of each database
//	program_test.go   building and running the program
//	postgres_test.go  faults of PostgreSQL itself
//	upgrade_test.go   replacing nodes of the last release under load
//	day_test.go       a day with all kinds of work and faults of what the nodes depend on, in an hour
//	pair_test.go      a PostgreSQL with a standby, a small disk and a clock that can be stepped
//	wire_test.go      faults of the connections to PostgreSQL
//	load_test.go      organizations that submit tasks and make calls during the test
//	http_test.go      requests whose outcome may stay unknown
//	receiver_test.go  the receiver of webhooks
//	check_test.go     the invariants, which are checked after all work has ended
//	sweep_test.go     trackers whose sweeps run during the test, and their invariants
//	told_test.go      alerts and reports of the trackers
//	people_test.go    people who sign in, and whose keys, roles, invitations and share links change
//	auditlog_test.go  their invariants: each change is there, and has one entry in the audit log
//	ticket_test.go    tasks that wait for a vendor's ticket: none is submitted twice or lost
//	vendor_test.go    the vendor that these tasks are sent to
//
// A short version runs with all tests. The long version is make soak, with the variables
//
//	EARSHOT_SOAK_CYCLES  number of kills on SQLite; PostgreSQL gets half as many.
//	                     The test of tickets has at most 200 on each database
//	EARSHOT_SOAK_TIME    no new cycle starts after this time; default 1h
//	EARSHOT_SOAK_DAY     how long the day takes; without it, the short version compares no figures
//	EARSHOT_SOAK_SEED    repeats the random choices of a run, but not its timing
//
// With -artifacts, the logs of the nodes are kept.
package chaos
