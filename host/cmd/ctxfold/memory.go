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

// memoryVariable is an environment variable that applies if --memory is not given. The arguments of a program are
// visible to all users of its machine, so a URL with a password belongs in the variable.
const memoryVariable = "CTXFOLD_MEMORY"

// recordsSize is the maximum size of the records in a directory, in bytes.
const recordsSize = 1 << 30

// openMemory opens the records at a URL. "" means the memory of this process. An environment variable can name the URL,
// too; see memoryVariable. It returns an error for any other scheme, and for a directory that can't be used; servers
// are reached only when they are used.
func openMemory(ctx context.Context, url string) (records.Shared, error) {
	scheme, rest, _ := strings.Cut(cmp.Or(url, os.Getenv(memoryVariable)), ":")
	switch scheme {
	case "":
		return records.NewMemory(ctxfold.DefaultRecordsBytes), nil
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

// remember opens the memory of a proxy, and returns it with the time limit for its calls. It is a variable so that
// tests on busy machines can replace it.
var remember = func(ctx context.Context, url string) (records.Shared, time.Duration, error) {
	records, err := openMemory(ctx, url)
	return records, ctxfold.DefaultRecordsTimeout, err
}

// memoryHealth returns a line of text that says whether the records respond.
func memoryHealth(ctx context.Context, records records.Records) string {
	if _, _, err := records.Find(ctx, []string{strings.Repeat("0", 64)}); err != nil {
		return "memory: not reached, conversations are compacted again"
	}
	return "memory: ok"
}
