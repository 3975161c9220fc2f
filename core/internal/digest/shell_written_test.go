package digest

import (
	"strings"
	"testing"
)

// A heredoc that is redirected to a file counts as writing the file; the rest of the script stays.
func TestWithoutWritten(t *testing.T) {
	for _, c := range []struct{ script, files, rest string }{
		{"cat > loom.py << 'EOF'\nwarp()\nweft()\nEOF\n", "loom.py=warp()/weft()", ""},
		{"cd /srv && mkdir -p in && cat <<EOF > in/a.txt\nred\nEOF\npython loom.py in/a.txt\n", "in/a.txt=red", "cd /srv && mkdir -p in\npython loom.py in/a.txt\n"},
		{"tee b.txt <<EOF\nred\nEOF", "b.txt=red", ""},
		{"cat >> log.txt <<EOF\nred\nEOF\n", "", "cat >> log.txt <<EOF\nred\nEOF\n"},
		{"python - <<EOF\nweft()\nEOF\n", "", "python - <<EOF\nweft()\nEOF\n"},
		{"cat > open.txt <<EOF\nred", "open.txt=", ""},
	} {
		var files []string
		rest := withoutWritten(c.script, func(path, body string) {
			files = append(files, path+"="+strings.ReplaceAll(body, "\n", "/"))
		})
		if got := strings.Join(files, "|"); got != c.files || rest != c.rest {
			t.Errorf("%q: %q and %q", c.script, got, rest)
		}
	}
}
