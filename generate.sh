#!/bin/sh
# Writes types_easyjson.go: readers and writers of the types marked easyjson:json, which pass over keys that they do not know. The
# easyjson root package, which is imported only to silence the compiler, is taken out again: net/http is behind it.
set -eu
go run github.com/mailru/easyjson/easyjson -no_std_marshalers types.go
sed -e '/^\teasyjson "github.com\/mailru\/easyjson"$/d' -e '/^\t_ easyjson.Marshaler$/d' types_easyjson.go >types_easyjson.go.tmp
mv types_easyjson.go.tmp types_easyjson.go
gofmt -w types_easyjson.go
