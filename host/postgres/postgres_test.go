package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ctxfold/ctxfold/host/postgres"
	"github.com/ctxfold/ctxfold/internal/testing/recordstest"
	"github.com/ctxfold/ctxfold/internal/testing/servers"
	"github.com/ctxfold/ctxfold/records"
)

func open(t *testing.T, url string, o postgres.Options) *postgres.Records {
	t.Helper()
	r, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// One server is enough for all tests, each of which uses its own schema.
func TestRecords(t *testing.T) {
	url := servers.Postgres(t)
	var stores atomic.Int32
	recordstest.Test(t, func(t *testing.T) recordstest.Backend {
		schema := fmt.Sprintf(`Test "%d"`, stores.Add(1))
		return recordstest.Backend{
			Connect: func() records.Shared { return open(t, url, postgres.Options{Schema: schema}) },
			Pass: func(d time.Duration) {
				c, err := pgx.Connect(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close(t.Context())
				if _, err := c.Exec(t.Context(), "UPDATE "+pgx.Identifier{schema, "leases"}.Sanitize()+" SET until = until - $1::interval", d); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// The line to the server is cut, hangs, and is repaired.
func TestLine(t *testing.T) {
	url := servers.Postgres(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	server := fmt.Sprintf("%s:%d", config.Host, config.Port)
	recordstest.TestLine(t, servers.NewLink(t, server), func(address string) records.Shared {
		return open(t, strings.Replace(url, server, address, 1), postgres.Options{})
	})
}

// Replicas that start at the same time create the tables only once.
func TestTables(t *testing.T) {
	url := servers.Postgres(t)
	var wg sync.WaitGroup
	for range 8 {
		r := open(t, url, postgres.Options{})
		wg.Go(func() {
			if _, _, err := r.Find(t.Context(), []string{"a"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// Old records are deleted, and the use of one is noted.
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	r := open(t, url, postgres.Options{MaxAge: time.Hour})
	for _, key := range []string{"old", "in use"} {
		if err := r.Keep(t.Context(), []string{key}, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Exec(t.Context(), `UPDATE ctxfold.records SET used = now() - interval '2 hours'`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Find(t.Context(), []string{"in use"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Trim(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := c.QueryRow(t.Context(), `SELECT string_agg(key, ',') FROM ctxfold.records`).Scan(&left); err != nil || left != "in use" {
		t.Errorf("%q, %v", left, err)
	}
}

// Errors do not show the password of the URL.
func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{"postgres://user:secret@host:port/x", "postgres://user:secret@host/x?sslmode=often", "http://user:secret@host/x", "password=secret port=x"} {
		if _, err := postgres.Open(t.Context(), url, postgres.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
