package engine

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// pipeline sends the statements of a transaction to PostgreSQL without database/sql. It uses
// prepared statements with arrays in binary format and sends several statements in one round trip,
// including BEGIN and COMMIT. Converting values one by one and waiting for each statement would
// take longer than the statements themselves.
type pipeline struct {
	conn  *pgx.Conn
	begin []string // statements that begin the transaction; nil when it has begun
	batch pgconn.Batch
	scans []func(Scanner) error // for the rows of each statement in batch; nil if it returns none
	// buffer holds the values of the next statement's parameters, which are slices of it.
	buffer     []byte
	parameters [][]byte
}

// pipelines reuses the allocated buffers.
var pipelines sync.Pool

// newPipeline returns a pipeline on a connection that nothing else uses. The caller must free
// the pipeline.
func newPipeline(conn *sql.Conn, begin []string) (*pipeline, error) {
	p, ok := pipelines.Get().(*pipeline)
	if !ok { // the pool is empty
		p = &pipeline{}
	}
	err := conn.Raw(func(connection any) error {
		c, ok := connection.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", connection)
		}
		p.conn, p.begin = c.Conn(), begin
		return nil
	})
	return p, err
}

// free returns the pipeline to the pool.
func (p *pipeline) free() {
	clear(p.scans)
	*p = pipeline{scans: p.scans[:0], buffer: p.buffer[:0], parameters: p.parameters[:0]}
	pipelines.Put(p)
}

// binaryFormat is the format of all parameters and results.
var binaryFormat = []int16{pgtype.BinaryFormatCode}

// start begins the transaction, if it has not begun.
func (p *pipeline) start(ctx context.Context) error {
	for _, statement := range p.begin {
		if err := p.append(ctx, statement, nil, nil); err != nil {
			return err
		}
	}
	p.begin = nil
	return nil
}

// add adds a statement with the parameters that were written before.
func (p *pipeline) add(ctx context.Context, text string, scan func(Scanner) error) error {
	err := p.start(ctx)
	if err == nil {
		err = p.append(ctx, text, p.parameters, scan)
	}
	p.buffer, p.parameters = p.buffer[:0], p.parameters[:0]
	return err
}

func (p *pipeline) append(ctx context.Context, text string, parameters [][]byte, scan func(Scanner) error) error {
	prepared, err := p.conn.Prepare(ctx, text, text) // cached by the connection
	if err != nil {
		return err
	}
	p.batch.ExecStatement(prepared, parameters, binaryFormat, binaryFormat)
	p.scans = append(p.scans, scan)
	return nil
}

// reads reports whether any waiting statement returns rows.
func (p *pipeline) reads() bool {
	return slices.ContainsFunc(p.scans, func(scan func(Scanner) error) bool { return scan != nil })
}

// send sends the waiting statements and passes their rows to the scan functions. It returns the
// number of executed statements, which is less than all only with an error.
func (p *pipeline) send(ctx context.Context) (executed int, err error) {
	if len(p.scans) == 0 {
		return 0, nil
	}
	results := p.conn.PgConn().ExecBatch(ctx, &p.batch)
	var failed error // of a scan; the remaining results must still be read
	for results.NextResult() {
		found, scan := results.ResultReader(), p.scans[executed]
		row := rawRow{types: p.conn.TypeMap(), fields: found.FieldDescriptions()}
		for found.NextRow() {
			if scan != nil && failed == nil {
				row.values = found.Values()
				failed = scan(&row)
			}
		}
		if _, err := found.Close(); err != nil {
			break
		}
		executed++
	}
	p.batch, p.scans = pgconn.Batch{}, p.scans[:0]
	return executed, errors.Join(results.Close(), failed)
}

// commit sends the waiting statements and COMMIT.
func (p *pipeline) commit(ctx context.Context) error {
	if err := p.add(ctx, "COMMIT", nil); err != nil {
		return err
	}
	before := len(p.scans) - 1 // statements before the commit
	executed, err := p.send(ctx)
	if err == nil {
		return nil
	}
	// An error code from the server normally means that nothing was committed. The outcome is
	// unknown without a code, when the server or a pooler reports a lost connection (08), and when
	// COMMIT itself fails because the server shuts down (57) or Citus has lost a worker.
	code := postgresCode(err)
	if code == "" || strings.HasPrefix(code, "08") || executed == before && (strings.HasPrefix(code, "57") || code == internalError) {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return fmt.Errorf("commit: %w", err)
}

// rollback ends the transaction. A closed connection has ended it already.
func (p *pipeline) rollback(ctx context.Context) {
	if p.conn.PgConn().TxStatus() != 'I' && !p.conn.IsClosed() {
		if _, err := p.conn.Exec(ctx, "ROLLBACK"); err != nil {
			_ = p.conn.Close(ctx) // the pool must not reuse it
		}
	}
}

// elements are the PostgreSQL types of array elements.
var elements = map[string]uint32{"uuid": pgtype.UUIDOID, "text": pgtype.TextOID, "bigint": pgtype.Int8OID, "double precision": pgtype.Float8OID, "boolean": pgtype.BoolOID, "bytea": pgtype.ByteaOID}

// addArray writes a column of rows as one parameter.
func addArray[T any](p *pipeline, c Column[T], rows []*T) {
	p.buffer = slices.Grow(p.buffer, (len(rows)+1)*20) // the size of ids, the most frequent values
	start := len(p.buffer)
	for _, word := range [...]uint32{1 /* dimension */, 1 /* there may be NULL */, elements[c.kind], uint32(len(rows)), 1 /* the first index */} {
		p.buffer = binary.BigEndian.AppendUint32(p.buffer, word)
	}
	for _, row := range rows {
		p.buffer = c.put(p.buffer, row)
	}
	// If the buffer is reallocated later, this parameter still refers to the old memory.
	p.parameters = append(p.parameters, p.buffer[start:len(p.buffer):len(p.buffer)])
}

// An array element consists of its length and its value.

func putNull(to []byte) []byte { return binary.BigEndian.AppendUint32(to, ^uint32(0)) }

func putText[S ~string | ~[]byte](to []byte, s S) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(s))), s...)
}

func putBytes(to, b []byte) []byte {
	if b == nil {
		return putNull(to)
	}
	return putText(to, b)
}

func putPointer[V any](to []byte, v *V, put func([]byte, V) []byte) []byte {
	if v == nil {
		return putNull(to)
	}
	return put(to, *v)
}

func putInt(to []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(to, 8), uint64(n))
}

func putFloat(to []byte, f float64) []byte { return putInt(to, int64(math.Float64bits(f))) }

func putBool(to []byte, b bool) []byte {
	if b {
		return append(to, 0, 0, 0, 1, 1)
	}
	return append(to, 0, 0, 0, 1, 0)
}

// putUUID writes an id, or NULL if id is not a UUID.
func putUUID(to []byte, id string) []byte {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 { // Parse also accepts other formats
		return putNull(to)
	}
	return putText(to, parsed[:])
}

// rawRow is a row returned by PostgreSQL.
type rawRow struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	values [][]byte // valid until the next row
}

// rawTarget is a scan target that reads PostgreSQL's binary format itself. A nil value is NULL.
type rawTarget interface {
	scanRaw(kind uint32, value []byte) error
}

// Scan implements Scanner.
func (r *rawRow) Scan(into ...any) (err error) {
	for i, target := range into {
		kind, value := r.fields[i].DataTypeOID, r.values[i]
		switch target := target.(type) {
		case rawTarget:
			err = target.scanRaw(kind, value)
		case *[]byte:
			*target = bytes.Clone(value)
		case *string:
			if value == nil {
				return errors.New("the text is NULL")
			}
			*target = rawText(kind, value, *target)
		case **string:
			*target = nil
			if value != nil {
				*target = new(rawText(kind, value, ""))
			}
		case *int64:
			*target, err = rawInt(value)
		case *int:
			var n int64
			n, err = rawInt(value)
			*target = int(n)
		default:
			err = r.types.Scan(kind, pgtype.BinaryFormatCode, value, target)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.fields[i].Name, err)
		}
	}
	return nil
}

// rawText returns a value of type text or uuid. It returns last if that is equal, which saves
// an allocation.
func rawText(kind uint32, value []byte, last string) string {
	if kind == pgtype.UUIDOID {
		value, _ = uuid.UUID(value).MarshalText() // never fails
	}
	if string(value) == last {
		return last
	}
	return string(value)
}

// rawInt returns an integer of any size.
func rawInt(value []byte) (int64, error) {
	switch len(value) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(value))), nil
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value))), nil
	case 8:
		return int64(binary.BigEndian.Uint64(value)), nil
	}
	return 0, fmt.Errorf("an integer cannot have %d bytes", len(value))
}
