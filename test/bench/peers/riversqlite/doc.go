// Package riversqlite measures River on SQLite, as package peers measures it on
// PostgreSQL. It is a separate module because River's SQLite driver is released to the
// module proxy less often than River: the newest driver there, v0.31.0, works only with
// that version of River. River has improved the driver since (v0.40.0: bulk operations), so
// the figure is for this version only.
package riversqlite
