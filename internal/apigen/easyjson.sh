#!/bin/sh
# Usage: easyjson.sh [-disallow_unknown_fields] [FILE.go]. Writes FILE_easyjson.go, or without a file PACKAGE_easyjson.go for the package in
# the current folder: readers and writers for the types marked easyjson:json, which ignore unknown keys or reject them. Imports that easyjson
# adds only to satisfy the compiler are removed: encoding/json and the easyjson root package (with net/http in it) would double the module's
# size. In lists the type api.Raw has its own name, which is not json.RawMessage in the module. Code that is the same for each string or number
# becomes a call (shorten).
set -eu
package=$(pwd -P)
root=$(cd "$(dirname "$0")/../.." && pwd -P)
unknown=
if [ "${1-}" = -disallow_unknown_fields ]; then
	unknown=$1
	shift
fi
if [ $# -gt 0 ]; then
	out="${1%.go}_easyjson.go"
else
	out="$(go list -f '{{.Name}}')_easyjson.go"
	set -- -pkg .
fi

# easyjson replaces its output with stubs before it generates. If a build ran at the same time, Go's cache would keep the compiled stubs
# as the result for the generated code, and later builds would take them. So easyjson runs in a copy.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$root" && find . \( -name node_modules -o -name .git -o -path ./build \) -prune -o \( -name '*.go' -o -name go.mod -o -name go.sum \) -print |
	tar -cf - -T -) | tar -xf - -C "$copy"
cd "$copy${package#"$root"}"
export GOWORK=off
go run github.com/mailru/easyjson/easyjson $unknown -no_std_marshalers "$@"
sed -e '/^\teasyjson "github.com\/mailru\/easyjson"$/d' -e '/^\t_ \*json.RawMessage$/d' -e '/^\t_ easyjson.Marshaler$/d' "$out" >"$out.tmp"
if grep -q 'json\.RawMessage' "$out.tmp"; then
	sed -e 's/json\.RawMessage/api.Raw/g' -e '/"github.com\/ctxfold\/ctxfold\/api"$/d' \
		-e 's/^\tjson "encoding\/json"$/\tapi "github.com\/ctxfold\/ctxfold\/api"/' "$out.tmp" >"$out"
else
	sed -e '/^\tjson "encoding\/json"$/d' "$out.tmp" >"$out"
fi
go run "$copy/internal/apigen/shorten" "$out"
gofmt -w "$out"
cp "$out" "$package/$out.tmp"
mv "$package/$out.tmp" "$package/$out"
