// Package redis stores what [ctxfold.Compactor.Fit] remembers in Redis or Valkey, for replicas that share it.
//
//	records, err := redis.Open("rediss://user:password@redis.example.com:6380/0", redis.Options{})
//	...
//	c := ctxfold.New(ctxfold.Options{Records: records})
//
// Records and leases are Redis strings. In Redis, the key of a record is the prefix, "r:" and the record's own key; the
// key of a lease has "l:" instead. Every key has a time to live, so a policy such as volatile-lru may evict it. This is
// safe: losing a record or a lease costs only one compaction.
package redis

import (
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/ctxfold/ctxfold/records"
)

// Defaults of the fields of [Options].
const (
	// DefaultPrefix precedes all keys.
	DefaultPrefix = "ctxfold:"
	// DefaultMaxAge is the time after which an unused record is deleted.
	DefaultMaxAge = 30 * 24 * time.Hour
)

// Options configure [Records].
type Options struct {
	// Prefix precedes all keys. Empty means DefaultPrefix. With Redis Cluster it needs a hash tag, such as
	// "{ctxfold}:", because a lease and its record must be on the same node.
	Prefix string

	// MaxAge is the time after which an unused record is deleted. Zero means DefaultMaxAge.
	MaxAge time.Duration

	// TLS is the configuration for rediss:// URLs, if you need your own certificate authority or a client certificate.
	// Nil means the authorities of the system. Only Open reads it.
	TLS *tls.Config
}

// Records are [records.Shared] in Redis or Valkey. Their methods may be called from any number of goroutines.
type Records struct {
	client client.UniversalClient // the connections
	prefix string                 // how the names of all keys in Redis begin
	maxAge time.Duration          // how long an unused record is kept
}

var _ records.Shared = (*Records)(nil)

// Open returns Records on the server of a URL: redis://user:password@host:port/database, rediss:// for TLS, or
// unix://user:password@/path?db=database. It does not connect before the first call. Errors do not contain the URL.
// Close it when it is no longer needed.
func Open(url string, o Options) (*Records, error) {
	with, err := client.ParseURL(url)
	if err != nil {
		return nil, errURL // err may contain the password
	}
	if o.TLS != nil && with.TLSConfig != nil {
		own := o.TLS.Clone()
		if own.ServerName == "" {
			own.ServerName = with.TLSConfig.ServerName
		}
		with.TLSConfig = own
	}
	with.ContextTimeoutEnabled = true
	return New(client.NewClient(with), o), nil
}

var errURL = errors.New("ctxfold: this is not the URL of a Redis server; want redis://user:password@host:port/database, rediss://… for TLS, or unix://user:password@/path?db=database")

// New returns Records that use the program's own client, for example a client for Redis Sentinel. The client should have
// ContextTimeoutEnabled; otherwise a server that hangs occupies a connection for ReadTimeout. Close closes the client.
func New(c client.UniversalClient, o Options) *Records {
	r := &Records{client: c, prefix: o.Prefix, maxAge: o.MaxAge}
	if r.prefix == "" {
		r.prefix = DefaultPrefix
	}
	if r.maxAge <= 0 {
		r.maxAge = DefaultMaxAge
	}
	return r
}

// Close closes the connections.
func (r *Records) Close() error { return r.client.Close() }

// Ping returns an error if the server does not respond.
func (r *Records) Ping(ctx context.Context) error { return r.client.Ping(ctx).Err() }

// The scripts run on the server, each atomically.
var (
	//go:embed find.lua
	findText string
	//go:embed lease.lua
	leaseText string
	//go:embed renew.lua
	renewText string
	//go:embed release.lua
	releaseText string
	//go:embed keep.lua
	keepText string

	findScript, leaseScript, renewScript = client.NewScript(findText), client.NewScript(leaseText), client.NewScript(renewText)
	releaseScript, keepScript            = client.NewScript(releaseText), client.NewScript(keepText)
)

// The number of keys in the first call of a lookup, and in each further one. The first number is smaller, because most
// histories are known except for their last few messages.
const (
	firstKeys = 64
	moreKeys  = 2048
)

// Find returns the record of the first key that has one. The int is the index of its key. Without such a record, it
// returns nil. An error means that the server can't be reached or refuses the call.
func (r *Records) Find(ctx context.Context, keys []string) ([]byte, int, error) {
	for from, n := 0, firstKeys; from < len(keys); from, n = from+n, moreKeys {
		answer, err := findScript.Run(ctx, r.client, r.all("r:", keys[from:min(from+n, len(keys))]), r.maxAge.Milliseconds()).Slice()
		if err != nil {
			return nil, 0, err
		}
		if len(answer) == 2 {
			at, _ := answer[0].(int64)
			record, _ := answer[1].(string)
			return []byte(record), from + int(at), nil
		}
	}
	return nil, 0, nil
}

// Keep stores a record under all keys, atomically. A record already stored under a key is replaced.
func (r *Records) Keep(ctx context.Context, keys []string, record []byte) error {
	pipe := r.client.TxPipeline()
	for _, key := range r.all("r:", keys) {
		pipe.Set(ctx, key, record, r.maxAge)
	}
	_, err := pipe.Exec(ctx)
	return err
}

// Lease leases the first key to a holder, unless somebody else has a lease on one of the keys. The lease expires after
// ttl. It returns false if it isn't granted.
func (r *Records) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	// A long history has more keys than one call should send. So this call takes its own lease first and then looks for
	// other leases: of two simultaneous calls, at least the later one sees the other's lease.
	granted, err := leaseScript.Run(ctx, r.client, r.all("l:", keys[:1]), holder, ttl.Milliseconds()).Bool()
	if err != nil || !granted {
		return false, err
	}
	for from := 1; from < len(keys); from += moreKeys {
		held, err := r.client.MGet(ctx, r.all("l:", keys[from:min(from+moreKeys, len(keys))])...).Result()
		if err != nil {
			return false, err
		}
		for _, other := range held {
			if other != nil && other != holder {
				return false, r.Release(ctx, keys[0], holder)
			}
		}
	}
	return true, nil
}

// Renew extends a lease by ttl, from now on. It returns false if the holder no longer has the lease.
func (r *Records) Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error) {
	return renewScript.Run(ctx, r.client, r.all("l:", []string{key}), holder, ttl.Milliseconds()).Bool()
}

// Release ends a lease, if the holder still has it. Otherwise nothing changes.
func (r *Records) Release(ctx context.Context, key, holder string) error {
	return releaseScript.Run(ctx, r.client, r.all("l:", []string{key}), holder).Err()
}

// KeepLeased stores a record under all keys, atomically. It returns false, and stores nothing, if
// the holder no longer has the lease on key.
func (r *Records) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	all := append(r.all("l:", []string{key}), r.all("r:", keys)...)
	return keepScript.Run(ctx, r.client, all, holder, record, r.maxAge.Milliseconds()).Bool()
}

func (r *Records) all(kind string, keys []string) []string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = r.prefix + kind + key
	}
	return list
}
