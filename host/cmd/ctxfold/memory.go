package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/postgres"
	"github.com/ctxfold/ctxfold/host/redis"
	"github.com/ctxfold/ctxfold/records"
)

// memoryVariable is the environment variable for --memory: the arguments of a program can be read by everybody on its machine.
const memoryVariable = "CTXFOLD_MEMORY"

// recordsSize is how many bytes of records are kept in a directory.
const recordsSize = 1 << 30

// openMemory opens the records that a URL names; "" is this process.
func openMemory(ctx context.Context, url string) (records.Shared, error) {
	scheme, rest, _ := strings.Cut(cmp.Or(url, os.Getenv(memoryVariable)), ":")
	switch scheme {
	case "":
		return records.NewMemory(ctxfold.DefaultRecords), nil
	case "dir":
		d, err := records.NewDir(strings.TrimPrefix(rest, "//"), recordsSize)
		if err != nil {
			return nil, fmt.Errorf("cannot keep records in %s: %w", rest, err)
		}
		return d, nil
	case "redis", "rediss", "unix":
		return redis.Open(scheme+":"+rest, redis.Options{})
	case "postgres", "postgresql":
		return postgres.Open(ctx, scheme+":"+rest, postgres.Options{})
	}
	return nil, errors.New("--memory must begin with redis://, rediss://, unix:// or postgres://, or be dir:DIRECTORY")
}

// remember opens the memory of a proxy, and says how long one of its calls may take. Tests of busy machines replace it.
var remember = func(ctx context.Context, url string) (records.Shared, time.Duration, error) {
	records, err := openMemory(ctx, url)
	return records, ctxfold.DefaultRecordsTimeout, err
}

// memoryHealth says whether the records answer.
func memoryHealth(ctx context.Context, records records.Store) string {
	if _, _, err := records.Find(ctx, []string{strings.Repeat("0", 64)}); err != nil {
		return "memory: not reached, conversations are compacted again"
	}
	return "memory: ok"
}
