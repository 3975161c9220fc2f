package redis_test

import (
	"crypto/tls"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/ctxfold/ctxfold/host/redis"
	"github.com/ctxfold/ctxfold/internal/testing/recordstest"
	"github.com/ctxfold/ctxfold/internal/testing/servers"
	"github.com/ctxfold/ctxfold/records"
)

// patient disables the client's short time limits, because a busy machine may take longer.
const patient = "?dial_timeout=1h&read_timeout=1h&write_timeout=1h&pool_timeout=1h"

func open(t *testing.T, address string, o redis.Options) *redis.Records {
	t.Helper()
	r, err := redis.Open("redis://"+address+"/0"+patient, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// One server is enough for all tests, each of which uses its own prefix.
func TestRecords(t *testing.T) {
	address := servers.Redis(t)
	var stores atomic.Int32
	own := client.NewClient(&client.Options{Addr: address, DialTimeout: time.Hour, ReadTimeout: time.Hour})
	t.Cleanup(func() { own.Close() })
	// Shortens the time to live of each lease whose key begins with KEYS[1] by ARGV[1]
	// milliseconds.
	pass := client.NewScript(`for _, key in ipairs(redis.call("KEYS", KEYS[1] .. "*")) do
		redis.call("PEXPIRE", key, redis.call("PTTL", key) - ARGV[1])
	end`)
	recordstest.Test(t, func(t *testing.T) recordstest.Backend {
		prefix := "test" + string('a'+stores.Add(1)) + ":"
		return recordstest.Backend{
			Connect: func() records.Shared { return open(t, address, redis.Options{Prefix: prefix}) },
			Pass: func(d time.Duration) {
				if err := pass.Run(t.Context(), own, []string{prefix + "l:"}, d.Milliseconds()).Err(); err != nil && err != client.Nil {
					t.Error(err)
				}
			},
		}
	})
}

// The line to the server is cut, hangs, and is repaired; scripts that the server has lost are loaded again.
func TestLine(t *testing.T) {
	address := servers.Redis(t)
	recordstest.TestLine(t, servers.NewLink(t, address), func(address string) records.Shared { return open(t, address, redis.Options{}) })
	own := client.NewClient(&client.Options{Addr: address, DialTimeout: time.Hour, ReadTimeout: time.Hour})
	defer own.Close()
	if err := own.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	r := open(t, address, redis.Options{})
	if ok, err := r.Lease(t.Context(), []string{"k"}, "a", time.Hour); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// Keys expire if nobody uses them, and each use restarts the time.
func TestAge(t *testing.T) {
	address := servers.Redis(t)
	r := open(t, address, redis.Options{Prefix: "age:", MaxAge: 10 * time.Hour})
	own := client.NewClient(&client.Options{Addr: address, DialTimeout: time.Hour, ReadTimeout: time.Hour})
	defer own.Close()
	if err := r.Keep(t.Context(), []string{"a", "b"}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if ok, err := r.Lease(t.Context(), []string{"l"}, "a", 10*time.Hour); !ok || err != nil {
		t.Fatal(ok, err)
	}
	keys, err := own.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 3 {
		t.Fatalf("%q, %v", keys, err)
	}
	for _, key := range keys {
		if ttl := own.TTL(t.Context(), key).Val(); ttl <= 0 || ttl > 10*time.Hour || !strings.HasPrefix(key, "age:") {
			t.Errorf("%s ends in %v", key, ttl)
		}
	}
	own.Expire(t.Context(), "age:r:a", time.Hour)
	if _, _, err := r.Find(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if ttl := own.TTL(t.Context(), "age:r:a").Val(); ttl < 5*time.Hour {
		t.Errorf("in use, and ends in %v", ttl)
	}
}

// Errors do not show the password of the URL.
func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{"http://user:secret@host/0", "redis://user:secret@host:port/0", "redis://user:secret@host/x", "", "redis://user:secret@ho st/0", "redis://user:secret@host/%zz"} {
		if _, err := redis.Open(url, redis.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The permissions that docs/start/proxy.md gives to the proxies' user are sufficient, and no larger than necessary.
func TestUser(t *testing.T) {
	address := servers.Redis(t)
	text, err := os.ReadFile("../../docs/start/proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	rights := regexp.MustCompile("`ACL SETUSER ([^`]*)`").FindStringSubmatch(string(text))
	if rights == nil {
		t.Fatal("docs/start/proxy.md names no rights")
	}
	own := client.NewClient(&client.Options{Addr: address, DialTimeout: time.Hour, ReadTimeout: time.Hour})
	defer own.Close()
	words := []any{"ACL", "SETUSER"}
	for _, word := range strings.Fields(rights[1]) {
		words = append(words, strings.Replace(word, "PASSWORD", "secret", 1))
	}
	if err := own.Do(t.Context(), words...).Err(); err != nil {
		t.Fatal(err)
	}
	open := func(o redis.Options) *redis.Records {
		r, err := redis.Open("redis://ctxfold:secret@"+address+"/0"+patient, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	recordstest.Each(t, open(redis.Options{}))
	if err := open(redis.Options{Prefix: "other:"}).Keep(t.Context(), []string{"a"}, []byte("x")); err == nil {
		t.Error("the user may write what is not ctxfold's")
	}
}

// A TLS server is only trusted if a trusted authority has signed its certificate.
func TestTLS(t *testing.T) {
	address, authorities := servers.RedisTLS(t)
	for name, tt := range map[string]struct {
		with *tls.Config
		ok   bool
	}{"authority": {&tls.Config{RootCAs: authorities}, true}, "system": {nil, false}, "another name": {&tls.Config{RootCAs: authorities, ServerName: "other.example.org"}, false}} {
		r, err := redis.Open("rediss://"+address+"/0"+patient, redis.Options{TLS: tt.with})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Ping(t.Context()); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
		if tt.ok {
			recordstest.Each(t, r)
		}
		r.Close()
	}
}
