package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// direct runs statements on SQLite without database/sql, with the driver's own prepared
// statements and a reused slice of arguments. Most of these statements change one row, which takes
// less time than the overhead of database/sql.
type direct struct {
	conn     driver.Conn
	prepared map[string]*directStatement
	args     []driver.NamedValue
}

// directStatement is a prepared statement.
type directStatement struct {
	runnable
	order []int // index of the argument for each parameter
}

// runnable has the methods of the driver's statements that are needed.
type runnable interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// on sets the connection of a transaction. Prepared statements stay valid as long as the
// connection is the same.
func (d *direct) on(conn *sql.Conn) error {
	return conn.Raw(func(connection any) error {
		c, ok := connection.(driver.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", connection)
		}
		if d.conn != c {
			d.conn, d.prepared = c, map[string]*directStatement{}
		}
		return nil
	})
}

// parameterPattern matches a parameter of a statement.
var parameterPattern = regexp.MustCompile(`\$[0-9]+`)

func parameterNumber(parameter string) int {
	n, err := strconv.Atoi(parameter[1:])
	if err != nil {
		panic(err) // parameterPattern matches only digits
	}
	return n
}

// prepare returns a prepared statement. The driver looks up named parameters at every run, so
// prepare replaces them by unnamed ones, in the order of the text.
func (d *direct) prepare(text string) (*directStatement, error) {
	if s := d.prepared[text]; s != nil {
		return s, nil
	}
	var order []int
	prepared, err := d.conn.Prepare(parameterPattern.ReplaceAllStringFunc(text, func(name string) string {
		order = append(order, parameterNumber(name)-1)
		return "?"
	}))
	if err != nil {
		return nil, fmt.Errorf("prepare a statement: %w", err)
	}
	run, ok := prepared.(runnable)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's statement is a %T", prepared), prepared.Close())
	}
	s := &directStatement{run, order}
	d.prepared[text] = s
	return s, nil
}

// close closes the statements, which would keep the connection open.
func (d *direct) close() (err error) {
	for _, s := range d.prepared {
		err = errors.Join(err, s.Close())
	}
	return err
}

// run runs a statement with the arguments that value returns, and calls scan for each row that it
// returns. scan may be nil. ctx does not interrupt the statement, since the driver would start a
// goroutine for each statement.
func (d *direct) run(ctx context.Context, text string, scan func(Scanner) error, value func(i int) driver.Value) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := d.prepare(text)
	if err != nil {
		return err
	}
	d.args = d.args[:0]
	for i, n := range s.order {
		d.args = append(d.args, driver.NamedValue{Ordinal: i + 1, Value: value(n)})
	}
	defer clear(d.args) // release large values
	if scan == nil {
		_, err := s.ExecContext(context.WithoutCancel(ctx), d.args)
		return err
	}
	found, err := s.QueryContext(context.WithoutCancel(ctx), d.args)
	if err != nil {
		return err
	}
	if err := scanDirect(found, scan); err != nil {
		_ = found.Close() // it returns the same error
		return err
	}
	return found.Close()
}

// scanDirect calls scan for each row.
func scanDirect(found driver.Rows, scan func(Scanner) error) error {
	row := directRow{names: found.Columns()}
	row.values = make([]driver.Value, len(row.names))
	for {
		err := found.Next(row.values)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = scan(&row)
		}
		if err != nil {
			return err
		}
	}
}

// directRow is a row returned by SQLite.
type directRow struct {
	names  []string
	values []driver.Value
}

// Scan implements Scanner for the targets of columns.
func (r *directRow) Scan(into ...any) (err error) {
	for i, target := range into {
		value := r.values[i]
		ok := true
		switch target := target.(type) {
		case sql.Scanner:
			err = target.Scan(value)
		case *[]byte:
			*target, ok = valueBytes(value)
		case *string:
			*target, ok = value.(string)
		case **string:
			*target = nil
			if value != nil {
				var s string
				s, ok = value.(string)
				*target = &s
			}
		case *int64:
			*target, ok = value.(int64)
		case *int:
			var n int64
			n, ok = value.(int64)
			*target = int(n)
		default:
			ok = false
		}
		if err == nil && !ok {
			err = fmt.Errorf("cannot read a %T into a %T", value, target)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.names[i], err)
		}
	}
	return nil
}

func valueBytes(value driver.Value) ([]byte, bool) {
	switch value := value.(type) {
	case []byte:
		return value, true
	case string:
		return []byte(value), true
	}
	return nil, value == nil
}
