package engine

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// workerPatience is how long connecting to a worker is not tried again after it failed.
	workerPatience = time.Minute
	// shardConnectionTime is how long a connection of a shard lasts: the shard may have been
	// moved, or its worker be back.
	shardConnectionTime = 5 * time.Minute
)

// WorkerConnector connects to the worker that has a shard: there a statement is planned and
// run by the one server that has the rows, and a commit has one phase.
//
// It is a shorter way, not another one. Every server of Citus knows all tables and sends
// statements to where their rows are, so a connection to the coordinator, which is made
// where the worker cannot be reached, or to a worker that no longer has the shard does the
// same, only slower.
type WorkerConnector struct {
	driver.Connector // to the coordinator

	Config pgx.ConnConfig
	Find   func(context.Context) (WorkerPlace, error)

	mu     sync.Mutex
	known  WorkerPlace // as it was found last
	failed time.Time   // when the worker could not be reached; zero when it could
}

// WorkerPlace is where a shard lies.
type WorkerPlace struct {
	Host   string
	Port   uint16
	Server int64 // what PostgreSQL calls its system identifier
}

// Connect implements driver.Connector.
func (c *WorkerConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if place, ok := c.place(ctx); ok {
		conn, err := stdlib.GetConnector(place.config(&c.Config), stdlib.OptionAfterConnect(place.check)).Connect(ctx)
		if err == nil {
			return conn, nil
		}
		c.mu.Lock()
		c.failed = time.Now()
		c.mu.Unlock()
	}
	return c.Connector.Connect(ctx)
}

// place finds the worker. The coordinator may be away while the worker is not: then it is
// where it was.
func (c *WorkerConnector) place(ctx context.Context) (_ WorkerPlace, ok bool) {
	c.mu.Lock()
	wait := time.Since(c.failed) < workerPatience
	c.mu.Unlock()
	if wait {
		return WorkerPlace{}, false
	}
	// A worker that is silent must not use up the time that is left for the coordinator.
	ctx, cancel := context.WithTimeout(ctx, c.Config.ConnectTimeout)
	defer cancel()
	found, err := c.Find(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.known, c.failed = found, time.Time{}
	}
	return c.known, c.known.Host != ""
}

// config leads to the worker, by the same user and password.
func (p WorkerPlace) config(coordinator *pgx.ConnConfig) pgx.ConnConfig {
	own := coordinator.Copy()
	// What is left of them is the same host, with or without TLS.
	own.Fallbacks = slices.DeleteFunc(own.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != own.Host || f.Port != own.Port })
	named := func(c *tls.Config) {
		if c != nil && c.ServerName != "" {
			c.ServerName = p.Host
		}
	}
	own.Host, own.Port = p.Host, p.Port
	named(own.TLSConfig)
	for _, f := range own.Fallbacks {
		f.Host, f.Port = p.Host, p.Port
		named(f.TLSConfig)
	}
	return *own
}

// check refuses a server that has the worker's address but is another: what the coordinator
// calls localhost is here somebody else.
func (p WorkerPlace) check(ctx context.Context, conn *pgx.Conn) error {
	var server int64
	err := conn.QueryRow(ctx, ServerIdentity).Scan(&server)
	if err == nil && server != p.Server {
		err = errors.New("the server at the worker's address is another")
	}
	if err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	return nil
}

// ServerIdentity is a query for the system identifier of the server.
const ServerIdentity = `SELECT system_identifier FROM pg_control_system()`

// FindWorker finds the worker that has the shard in a schema, by way of the coordinator.
func (p *Shard) FindWorker(ctx context.Context, schema string) (found WorkerPlace, err error) {
	organizations := pgx.Identifier{schema, RootTable}.Sanitize()
	err = p.Lookups.QueryRowContext(ctx, `
		SELECT nodename, nodeport FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
		WHERE logicalrelid = $1::regclass AND noderole = 'primary' AND metadatasynced`, organizations).Scan(&found.Host, &found.Port)
	if err == nil { // the worker is asked for this, since it has the table
		err = p.Lookups.QueryRowContext(ctx, `SELECT (`+ServerIdentity+`) FROM (SELECT COUNT(*) FROM (SELECT 1 FROM `+organizations+` LIMIT 1) AS o) AS one`).Scan(&found.Server)
	}
	if err != nil {
		return WorkerPlace{}, fmt.Errorf("find the worker of %s: %w", schema, err)
	}
	return found, nil
}
