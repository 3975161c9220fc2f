#!/bin/sh
# Writes PACKAGE_easyjson.go for the package in the current folder: readers and writers of its types marked easyjson:json,
# which refuse unknown keys. What easyjson imports only to silence the compiler is taken out again: encoding/json and the
# easyjson root package (with net/http behind it) would double the module's size.
set -eu
out="$(go list -f '{{.Name}}')_easyjson.go"
go run github.com/mailru/easyjson/easyjson -disallow_unknown_fields -no_std_marshalers -pkg .
sed -e '/^\tjson "encoding\/json"$/d' -e '/^\teasyjson "github.com\/mailru\/easyjson"$/d' \
	-e '/^\t_ \*json.RawMessage$/d' -e '/^\t_ easyjson.Marshaler$/d' "$out" >"$out.tmp"
mv "$out.tmp" "$out"
gofmt -w "$out"
