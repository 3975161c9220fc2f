// Package postgres stores what [ctxfold.Compactor.Fit] remembers in PostgreSQL, for replicas that share it.
//
//	records, err := postgres.Open(ctx, "postgres://user@db.example.com/app?sslmode=verify-full", postgres.Options{})
//	...
//	c := ctxfold.New(ctxfold.Options{Records: records})
//
// There are two tables, one for records and one for leases. All times come from the server's clock, so the clocks of
// replicas do not matter.
package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ctxfold/ctxfold/records"
)

// Defaults of the fields of [Options].
const (
	// DefaultSchema is the schema of the tables.
	DefaultSchema = "ctxfold"
	// DefaultMaxAge is the time after which an unused record is deleted.
	DefaultMaxAge = 30 * 24 * time.Hour
)

// Options configure [Records].
type Options struct {
	// Schema is the schema of the tables. Empty means DefaultSchema.
	Schema string

	// MaxAge is the time after which an unused record is deleted. Zero means DefaultMaxAge.
	MaxAge time.Duration
}

// Records are [records.Shared] in PostgreSQL. Their methods may be called from any number of goroutines.
type Records struct {
	pool   *pgxpool.Pool // the connections
	own    bool          // whether Close closes the pool
	schema string        // the schema of the tables
	maxAge time.Duration // how long an unused record is kept

	mu      sync.Mutex
	made    bool      // whether the tables exist
	trimmed time.Time // when old rows were last deleted
}

var _ records.Shared = (*Records)(nil)

var errURL = errors.New("ctxfold: this is not the URL of a PostgreSQL server; want postgres://user:password@host:port/database?sslmode=verify-full")

// Open returns Records on the server of a URL or connection string in the syntax of libpq, including environment
// variables such as PGPASSWORD and PGSSLROOTCERT. It does not connect; the first call does, and creates the schema and
// its tables if needed. Errors do not contain the URL. Close it when it is no longer needed.
func Open(ctx context.Context, url string, o Options) (*Records, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL // err may contain the password
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	r := New(pool, o)
	r.own = true
	return r, nil
}

// New returns Records that use the program's own pool, which Close leaves open.
func New(pool *pgxpool.Pool, o Options) *Records {
	r := &Records{pool: pool, schema: o.Schema, maxAge: o.MaxAge, trimmed: time.Now()}
	if r.schema == "" {
		r.schema = DefaultSchema
	}
	if r.maxAge <= 0 {
		r.maxAge = DefaultMaxAge
	}
	return r
}

// Close closes the connections if the Records come from Open. The pool passed to New stays open. It
// never fails.
func (r *Records) Close() error {
	if r.own {
		r.pool.Close()
	}
	return nil
}

// Ping returns an error if the server does not respond.
func (r *Records) Ping(ctx context.Context) error { return r.pool.Ping(ctx) }

// The SQL statements, in which {schema} is replaced with the quoted name of the schema.
var (
	//go:embed schema.sql
	schemaSQL string
	//go:embed find.sql
	findSQL string
	//go:embed keep.sql
	keepSQL string
	//go:embed keep_leased.sql
	keepLeasedSQL string
	//go:embed lease.sql
	leaseSQL string
)

const (
	touchSQL     = `UPDATE {schema}.records SET used = now() WHERE key = $1`
	otherSQL     = `SELECT EXISTS (SELECT FROM {schema}.leases WHERE key = ANY($1) AND holder <> $2 AND until > clock_timestamp())`
	renewSQL     = `UPDATE {schema}.leases SET until = clock_timestamp() + $3 WHERE key = $1 AND holder = $2 AND until > clock_timestamp()`
	releaseSQL   = `DELETE FROM {schema}.leases WHERE key = $1 AND holder = $2`
	oldSQL       = `DELETE FROM {schema}.records WHERE used < now() - $1::interval`
	oldLeasesSQL = `DELETE FROM {schema}.leases WHERE until < clock_timestamp() - interval '1 minute'`
)

func (r *Records) sql(statement string) string {
	return strings.ReplaceAll(statement, "{schema}", pgx.Identifier{r.schema}.Sanitize())
}

// ready prepares the database for a call. The first time it creates the tables, and from time to
// time it deletes old rows. Several programs may do so at the same time. It returns an error if the
// server can't be reached or rejects a statement.
func (r *Records) ready(ctx context.Context) error {
	r.mu.Lock()
	made, due := r.made, time.Since(r.trimmed) > trimTime
	if due {
		r.trimmed = time.Now()
	}
	r.mu.Unlock()
	if !made {
		// This runs in a transaction with a lock: if two replicas created the tables at the same time, one of them would
		// fail.
		if err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, r.sql(schemaSQL), pgx.QueryExecModeSimpleProtocol)
			return err
		}); err != nil {
			return err
		}
		r.mu.Lock()
		r.made = true
		r.mu.Unlock()
	}
	if due {
		return r.Trim(ctx)
	}
	return nil
}

// trimTime is the interval at which a replica deletes rows that are no longer needed.
const trimTime = 10 * time.Minute

// Trim deletes records that have been unused for MaxAge, and expired leases. Records call it every ten minutes.
func (r *Records) Trim(ctx context.Context) error {
	if _, err := r.pool.Exec(ctx, r.sql(oldSQL), r.maxAge); err != nil {
		return err
	}
	_, err := r.pool.Exec(ctx, r.sql(oldLeasesSQL))
	return err
}

// The number of keys in the first statement of a lookup, and in each further one. The first number is smaller, because
// most histories are known except for their last few messages.
const (
	firstKeys = 64
	moreKeys  = 4096
)

// touched is how old a record's time of last use must be before it is updated. Half of MaxAge applies if that is less.
const touched = time.Hour

// Find returns the record of the first key that has one. The int is the index of its key. Without such a record, it
// returns nil. An error means that the server can't be reached or refuses the call.
func (r *Records) Find(ctx context.Context, keys []string) ([]byte, int, error) {
	if err := r.ready(ctx); err != nil {
		return nil, 0, err
	}
	for from, n := 0, firstKeys; from < len(keys); from, n = from+n, moreKeys {
		var at int
		var record []byte
		var unused time.Duration
		err := r.pool.QueryRow(ctx, r.sql(findSQL), keys[from:min(from+n, len(keys))]).Scan(&at, &record, &unused)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if at += from; unused > min(touched, r.maxAge/2) {
			if _, err := r.pool.Exec(ctx, r.sql(touchSQL), keys[at]); err != nil {
				return nil, 0, err
			}
		}
		return record, at, nil
	}
	return nil, 0, nil
}

// Keep stores a record under all keys, atomically. A record already stored under a key is replaced.
func (r *Records) Keep(ctx context.Context, keys []string, record []byte) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	_, err := r.pool.Exec(ctx, r.sql(keepSQL), sorted(keys), record)
	return err
}

// Lease leases the first key to a holder, unless somebody else has a lease on one of the keys. The lease expires after
// ttl. It returns false if it isn't granted.
func (r *Records) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	done, err := r.pool.Exec(ctx, r.sql(leaseSQL), keys[0], holder, ttl)
	if err != nil || done.RowsAffected() == 0 {
		return false, err
	}
	// A statement does not see uncommitted changes of another one. So this call takes its own lease first and then looks
	// for other leases: of two simultaneous calls, at least the later one sees the other's lease.
	var held bool
	if err := r.pool.QueryRow(ctx, r.sql(otherSQL), keys[1:], holder).Scan(&held); err != nil {
		return false, err
	}
	if held {
		return false, r.Release(ctx, keys[0], holder)
	}
	return true, nil
}

// Renew extends a lease by ttl, from now on. It returns false if the holder no longer has the lease.
func (r *Records) Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error) {
	return r.did(ctx, renewSQL, key, holder, ttl)
}

// Release ends a lease, if the holder still has it. Otherwise nothing changes.
func (r *Records) Release(ctx context.Context, key, holder string) error {
	_, err := r.did(ctx, releaseSQL, key, holder)
	return err
}

// KeepLeased stores a record under all keys, atomically. It returns false, and stores nothing, if
// the holder no longer has the lease on key.
func (r *Records) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	return r.did(ctx, keepLeasedSQL, key, holder, sorted(keys), record)
}

// did runs a statement. It returns true if any row was changed.
func (r *Records) did(ctx context.Context, statement string, arguments ...any) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	done, err := r.pool.Exec(ctx, r.sql(statement), arguments...)
	return done.RowsAffected() > 0, err
}

// sorted returns the keys sorted and without duplicates. Statements that write the same rows in different orders would
// deadlock.
func sorted(keys []string) []string {
	list := slices.Clone(keys)
	slices.Sort(list)
	return slices.Compact(list)
}
