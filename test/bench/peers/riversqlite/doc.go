// Package riversqlite measures River on SQLite, as package peers measures it on
// PostgreSQL. It is a module of its own because River's SQLite driver is released
// to the module proxy less often than River: the newest one there, v0.31.0, fits
// only that version. River has reworked the driver since (v0.40.0: operations in
// bulk), so its figure is of this version and no newer one.
package riversqlite
