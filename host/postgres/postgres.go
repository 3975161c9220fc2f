// Package postgres keeps what [ctxfold.Compactor.Fit] remembers in PostgreSQL, for replicas that share it.
//
//	records, err := postgres.Open(ctx, "postgres://user@db.example.com/app?sslmode=verify-full", postgres.Options{})
//	...
//	c := ctxfold.New(ctxfold.Options{Records: records})
//
// There are two tables, of records and of leases. Times are those of the server, so the clocks of replicas do not matter.
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

// What counts where [Options] do not say otherwise.
const (
	// DefaultSchema is the schema in which the tables are.
	DefaultSchema = "ctxfold"
	// DefaultMaxAge is how long a record is kept that nobody uses.
	DefaultMaxAge = 30 * 24 * time.Hour
)

// Options configure [Records].
type Options struct {
	// Schema is where the tables are. Empty means DefaultSchema.
	Schema string

	// MaxAge is how long a record is kept that nobody uses. Zero means DefaultMaxAge.
	MaxAge time.Duration
}

// Records are [records.Shared] in PostgreSQL. Their methods may be called from any number of goroutines.
type Records struct {
	pool   *pgxpool.Pool
	own    bool // the pool is closed with the Records
	schema string
	maxAge time.Duration

	mu      sync.Mutex
	made    bool      // the tables are there
	trimmed time.Time // when old rows were deleted last
}

var _ records.Shared = (*Records)(nil)

var errURL = errors.New("ctxfold: this is not the URL of a PostgreSQL server; want postgres://user:password@host:port/database?sslmode=verify-full")

// Open makes Records over the server of a URL or of a connection string, as libpq has them; environment variables such as PGPASSWORD
// and PGSSLROOTCERT count too. It does not connect before the first call, which makes the schema and its tables where there are
// none. Its errors do not hold the URL.
func Open(ctx context.Context, url string, o Options) (*Records, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL // err may hold the password
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: opening the records: %w", err)
	}
	r := New(pool, o)
	r.own = true
	return r, nil
}

// New makes Records over a pool of the program's own, which Close leaves open.
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

// Close closes the connections.
func (r *Records) Close() error {
	if r.own {
		r.pool.Close()
	}
	return nil
}

// Ping reports whether the server answers.
func (r *Records) Ping(ctx context.Context) error { return r.pool.Ping(ctx) }

// The statements. {schema} represents the quoted name of the schema.
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

// ready makes the tables at the first call, and deletes old rows now and then.
func (r *Records) ready(ctx context.Context) error {
	r.mu.Lock()
	made, due := r.made, time.Since(r.trimmed) > trimTime
	if due {
		r.trimmed = time.Now()
	}
	r.mu.Unlock()
	if !made {
		// Two replicas at once would both find no table, and one of them fail; so they wait for each other.
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

// trimTime is how often a replica looks for rows that nobody needs.
const trimTime = 10 * time.Minute

// Trim deletes records that are older than MaxAge, and leases that have ended. Records do so themselves every ten minutes.
func (r *Records) Trim(ctx context.Context) error {
	if _, err := r.pool.Exec(ctx, r.sql(oldSQL), r.maxAge); err != nil {
		return err
	}
	_, err := r.pool.Exec(ctx, r.sql(oldLeasesSQL))
	return err
}

// The numbers of keys that the first statement of a search and each further one sends. Most histories are known up to a few
// messages.
const (
	firstKeys = 64
	moreKeys  = 4096
)

// touched is how long ago the last use of a record may be noted before a use is noted again.
const touched = time.Hour

// Find returns the record of the first key that has one.
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

// Keep keeps a record under all keys, in one step.
func (r *Records) Keep(ctx context.Context, keys []string, record []byte) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	_, err := r.pool.Exec(ctx, r.sql(keepSQL), sorted(keys), record)
	return err
}

// Lease leases the first key.
func (r *Records) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	done, err := r.pool.Exec(ctx, r.sql(leaseSQL), keys[0], holder, ttl)
	if err != nil || done.RowsAffected() == 0 {
		return false, err
	}
	// A statement does not see what another one is writing. So the own lease is taken first, and the others are looked at afterwards: of
	// two calls at least the one that is second sees the other.
	var held bool
	if err := r.pool.QueryRow(ctx, r.sql(otherSQL), keys[1:], holder).Scan(&held); err != nil {
		return false, err
	}
	if held {
		return false, r.Release(ctx, keys[0], holder)
	}
	return true, nil
}

// Renew renews a lease.
func (r *Records) Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error) {
	return r.did(ctx, renewSQL, key, holder, ttl)
}

// Release ends a lease.
func (r *Records) Release(ctx context.Context, key, holder string) error {
	_, err := r.did(ctx, releaseSQL, key, holder)
	return err
}

// KeepLeased keeps a record for the holder of a lease.
func (r *Records) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	return r.did(ctx, keepLeasedSQL, key, holder, sorted(keys), record)
}

// did reports whether a statement has changed something.
func (r *Records) did(ctx context.Context, statement string, arguments ...any) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	done, err := r.pool.Exec(ctx, r.sql(statement), arguments...)
	return done.RowsAffected() > 0, err
}

// sorted is each key once, in an order: statements that write the same rows in two orders would wait for each other for ever.
func sorted(keys []string) []string {
	list := slices.Clone(keys)
	slices.Sort(list)
	return slices.Compact(list)
}
