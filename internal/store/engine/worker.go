package engine

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// workerRetryTime is how long a worker is not tried again after a failed connection.
	workerRetryTime = time.Minute
	// shardConnectionTime limits the life of a connection to a shard, since the shard may have been
	// moved or its worker may answer again.
	shardConnectionTime = 5 * time.Minute
)

// workerConnector connects directly to the worker that has a shard, which then plans and runs
// statements alone and commits in one phase.
//
// If the worker cannot be reached, workerConnector connects to the coordinator. Every Citus server
// knows all tables and forwards statements to the server that has the rows. So the coordinator, or
// a worker that no longer has the shard, gives the same results, only more slowly.
type workerConnector struct {
	*worker
	driver.Connector // to the coordinator

	config pgx.ConnConfig
	dial   pgconn.DialFunc // for the worker
	probes bool            // connects while the circuit is open
}

// worker is the worker that has a shard, as far as this node knows it.
type worker struct {
	find    func(context.Context) (workerPlace, error)
	circuit *circuit
	log     *slog.Logger

	mu       sync.Mutex
	known    workerPlace // the last place found
	failed   time.Time   // when connecting to the worker failed; zero if it succeeded
	failedIn *period     // of the circuit, when connecting failed
}

// connector returns the connector of a pool of the shard.
func (w *worker) connector(dial pgconn.DialFunc, probes bool) connecting {
	return func(coordinator pgx.ConnConfig) driver.Connector {
		return &workerConnector{worker: w, Connector: toServer(coordinator), config: coordinator, dial: dial, probes: probes}
	}
}

// throughCoordinator reports whether the last attempt to connect to the worker directly failed.
func (w *worker) throughCoordinator() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.failed.IsZero()
}

// workerPlace is the address of the worker that has a shard.
type workerPlace struct {
	host   string
	port   uint16
	server int64 // system identifier of PostgreSQL
}

// Connect implements driver.Connector.
func (c *workerConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.circuit.isOpen() && !c.probes {
		return nil, errSilent
	}
	if place, ok := c.place(ctx); ok {
		config := place.configFrom(&c.config)
		config.DialFunc = c.dial
		conn, err := stdlib.GetConnector(config, stdlib.OptionAfterConnect(place.check)).Connect(ctx)
		c.connected(place, err)
		if err == nil {
			return conn, nil
		}
	}
	return c.Connector.Connect(ctx)
}

// connected remembers whether connecting to the worker failed.
func (w *worker) connected(place workerPlace, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.failed
	w.failed = time.Time{}
	if err != nil {
		w.failed, w.failedIn = time.Now(), w.circuit.closed.Load()
	}
	switch {
	case err != nil && before.IsZero():
		w.log.Warn("connecting to a worker failed; this node reaches its shard through the coordinator, which takes a connection of each server and more CPU time", "shard", w.circuit.server, "worker", place.host, "error", err)
	case err == nil && !before.IsZero():
		w.log.Info("connected to a worker again", "shard", w.circuit.server, "worker", place.host)
	}
}

// place returns the address of the worker. If the coordinator does not answer, place returns the
// last known address.
func (c *workerConnector) place(ctx context.Context) (_ workerPlace, ok bool) {
	c.mu.Lock()
	wait := time.Since(c.failed) < workerRetryTime && c.failedIn == c.circuit.closed.Load()
	c.mu.Unlock()
	if wait {
		return workerPlace{}, false
	}
	// A worker that does not answer must leave enough time to connect to the coordinator.
	ctx, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	found, err := c.find(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.known = found
	}
	return c.known, c.known.host != ""
}

// configFrom returns the configuration for the worker, with the same user and password.
func (p workerPlace) configFrom(coordinator *pgx.ConnConfig) pgx.ConnConfig {
	own := coordinator.Copy()
	// Keep only the fallbacks to the same host, with or without TLS.
	own.Fallbacks = slices.DeleteFunc(own.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != own.Host || f.Port != own.Port })
	named := func(c *tls.Config) {
		if c != nil && c.ServerName != "" {
			c.ServerName = p.host
		}
	}
	own.Host, own.Port = p.host, p.port
	named(own.TLSConfig)
	for _, f := range own.Fallbacks {
		f.Host, f.Port = p.host, p.port
		named(f.TLSConfig)
	}
	return *own
}

// check returns an error if a different server has the worker's address: for example,
// "localhost" on the coordinator is another machine than on this node.
func (p workerPlace) check(ctx context.Context, conn *pgx.Conn) error {
	var server int64
	err := conn.QueryRow(ctx, serverIdentity).Scan(&server)
	if err == nil && server != p.server {
		err = errors.New("another server has the worker's address")
	}
	if err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	return nil
}

// serverIdentity is a query for the system identifier of the server.
const serverIdentity = `SELECT system_identifier FROM pg_control_system()`

// findWorker asks the coordinator for the worker that has the shard in a schema.
func (p *Shard) findWorker(ctx context.Context, schema string) (found workerPlace, err error) {
	organizations := pgx.Identifier{schema, rootTable}.Sanitize()
	err = p.Lookups.QueryRowContext(ctx, `
		SELECT nodename, nodeport FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
		WHERE logicalrelid = $1::regclass AND noderole = 'primary' AND metadatasynced`, organizations).Scan(&found.host, &found.port)
	if err == nil { // the query names the table so that the worker runs it
		err = p.Lookups.QueryRowContext(ctx, `SELECT (`+serverIdentity+`) FROM (SELECT COUNT(*) FROM (SELECT 1 FROM `+organizations+` LIMIT 1) AS o) AS one`).Scan(&found.server)
	}
	if err != nil {
		return workerPlace{}, fmt.Errorf("find the worker of %s: %w", schema, err)
	}
	return found, nil
}
