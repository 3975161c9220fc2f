package digest_test

import (
	"strings"
	"testing"
)

// changedFiles returns the list of changed files in a digest.
func changedFiles(text string) string {
	_, list, _ := strings.Cut(text, "<modified-files>\n")
	list, _, _ = strings.Cut(list, "</modified-files>")
	return list
}

// A file that is named by several paths has one row, with all that happened to it. Files of the same name in other
// folders have their own.
func TestFileUnderSeveralNames(t *testing.T) {
	edit := func(id, path, to string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"edit","arguments":{"path":"` + path + `","old":"hold = ` + id + `","new":"hold = ` + to + `"}}]},
{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"edit","content":"ok"},
`
	}
	for _, c := range []struct{ name, first, second, third, want string }{
		{"absolute last", edit("1", "zones/heat.py", "3"), ranAs("2", "", "cd zones && sed -i 's/lamp/bulb/' heat.py", "") + ",", edit("3", "/kiln/zones/heat.py", "9"), "heat.py — edited in [1]; changed in [2]; edited in [3]\n"},
		{"absolute first", edit("1", "/kiln/zones/heat.py", "3"), ranAs("2", "", "cd zones && sed -i 's/lamp/bulb/' heat.py", "") + ",", edit("3", "./zones/heat.py", "9"), "heat.py — edited in [1]; changed in [2]; edited in [3]\n"},
		{"relative only", edit("1", "src/zones/heat.py", "3"), ranAs("2", "", "cd src/zones && sed -i 's/lamp/bulb/' heat.py", "") + ",", edit("3", "zones/heat.py", "9"), "src/zones/heat.py — edited in [1]; changed in [2]; edited in [3]\n"},
		{"other files", edit("1", "/kiln/zones/heat.py", "3"), edit("2", "/kiln/lamps/heat.py", "7"), edit("3", "heat.py", "9"), "heat.py — edited in [3]\n/kiln/lamps/heat.py — edited in [2]\n/kiln/zones/heat.py — edited in [1]\n"},
	} {
		list := changedFiles(logOf(t, `[
{"role":"user","content":"Let the kiln hold 900 degrees."},
`+c.first+`{"role":"user","content":"Take the bulb."},
`+c.second+`{"role":"user","content":"And hold it longer."},
`+c.third+`{"role":"user","content":"What next?"}
]`, 4000))
		if !strings.Contains(list, c.want) || c.name != "other files" && strings.Count(list, "heat.py") != 1 {
			t.Errorf("%s: %q is not the only row of\n%s", c.name, c.want, list)
		}
	}
}

// A file that is moved into a folder has its new path, whether or not the command ends the folder's name with a slash.
func TestFilesMovedToFolders(t *testing.T) {
	for _, command := range []string{"mv probe.py tools/", "mv probe.py tools", "mv probe.py tools/probe.py", "cd /kiln && mv probe.py tools/"} {
		list := changedFiles(logOf(t, `[
{"role":"user","content":"Tidy up the kiln."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"write","arguments":{"path":"/kiln/probe.py","content":"def probe():\n    return 7\n"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"write","content":"ok"},
`+ranAs("2", "", command, "")+`,
{"role":"user","content":"What next?"}
]`, 4000))
		if strings.Count(list, "probe.py") != 1 || !strings.Contains(list, "tools/probe.py") {
			t.Errorf("%s:\n%s", command, list)
		}
	}
}
