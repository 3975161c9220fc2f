package digest_test

import (
	"strings"
	"testing"
	"time"
)

// An excerpt consists of blocks that a person would copy as a whole.
func TestExcerptsQuoteWholeBlocks(t *testing.T) {
	padding := strings.Repeat("\t\tshelves.dust(shelf)\n", 40)
	for _, tt := range []struct{ name, result, said, want string }{
		{"a short definition with its comment", "package dairy\n\n// mature keeps a cheese for as long as its kind needs.\n//\n// It never keeps goat cheese.\nfunc mature(c Cheese) {\n\tif c.goat {\n\t\treturn\n\t}\n\tcellar.put(c, ripening_days)\n}\n\nfunc sell() {\n\tstall.open()\n}\n",
			"ripening_days", "\n// mature keeps a cheese for as long as its kind needs.\n//\n// It never keeps goat cheese.\nfunc mature(c Cheese) {\n  if c.goat {\n    return\n  }\n  cellar.put(c, ripening_days)\n}"},
		{"a comment in a block", "/**\n * Sells what is ripe.\n */\nfunction sellAll() {\n  for (const c of ripe_ones) sell(c);\n}\n\nlet other = 1;\n", "ripe_ones",
			"\n/**\n * Sells what is ripe.\n */\nfunction sellAll() {\n  for (const c of ripe_ones) sell(c);\n}"},
		{"a statement of a long function with the conditions around it", "func sellAll(day Day) {\n\tfor _, shelf := range shelves {\n" + padding + "\n\t\tif shelf.overdue_rent > 3 {\n\t\t\tshelf.clear()\n\t\t} else {\n\t\t\tshelf.keep()\n\t\t}\n\n" + padding + "\t}\n}\n", "overdue_rent",
			"\nfunc sellAll(day Day) {\n  for _, shelf := range shelves {\n…\nif shelf.overdue_rent > 3 {\n  shelf.clear()\n} else {\n  shelf.keep()\n}"},
		{"the items of a list with the line that introduces them", "The cellar is cold.\n\nThe door is locked when:\n- it is night\n- the alarm_bell rings\n  twice in a row\n\nThat is all.\n", "alarm_bell",
			"\nThe door is locked when:\n- it is night\n- the alarm_bell rings\n  twice in a row"},
		{"a paragraph below its heading", "# Cellar\n\nIt is cold.\n\n# Stall\n\nThe market_stall opens at seven.\nIt closes at noon.\n\nNothing else.\n", "market_stall",
			"\n# Stall\nThe market_stall opens at seven.\nIt closes at noon."},
		{"members of an object", `{"id":"c0ffee00-1111-2222-3333-444455556666","note":"` + strings.Repeat("nothing; ", 8) + `","branch":"feature/new_oven_door","priority":{"value":1,"name":"Urgent"},"state":"Todo","owner":"` + strings.Repeat("x", 120) + `","text":"` + strings.Repeat("nothing that anybody needs; ", 160) + `"}`, "feature/new_oven_door",
			"\n{\"id\":\"c0ffee00-1111-2222-3333-444455556666\",\"note\":\"" + strings.Repeat("nothing; ", 8) + "\",\"branch\":\"feature/new_oven_door\",\"priority\":{\"value\":1,\"name\":\"Urgent\"},"},
		{"hits that say something", "a.go:12:\toven_door := 3\na_test.go:90:\tt.Fatalf(\"oven_door is %d\", n)\nb.go:7:// b_door is the number of the door.\n", "oven_door and b_door",
			"\na.go:12:\toven_door := 3\nb.go:7:// b_door is the number of the door."},
	} {
		got := excerpts(t, `[{"role":"user","content":"go"},`+call("read", "r", `{"path":"x"}`, strings.ReplaceAll(tt.result, `\`, `\\`))+`,{"role":"assistant","content":[{"type":"text","text":"`+tt.said+` it is"}]}]`, 400, 10000)[0]
		if got != tt.want {
			t.Errorf("%s:\n%q is not\n%q", tt.name, got, tt.want)
		}
	}
}

// The cost of dividing a text into blocks doesn't depend on the depth of its indentation or on the order of its lists.
func TestBlocksOfHostileTexts(t *testing.T) {
	deep := ""
	for i := range 900 {
		deep += strings.Repeat(" ", i) + "oven_door:\n"
	}
	for name, text := range map[string]string{
		"ever deeper": deep, "lists only": strings.Repeat("oven_door:\n- one:\n", 2000), "closing brackets": strings.Repeat("}\n", 4000), "comments": strings.Repeat("// oven_door\n", 4000),
	} {
		start := time.Now()
		excerpts(t, `[{"role":"user","content":"go"},`+exchange("read", text, "oven_door it is")+`]`, 400, 10000)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// The result of a successful edit says nothing that the arguments of the edit don't say.
func TestNoExcerptsOfEdits(t *testing.T) {
	edited := call("edit", "e", `{"path":"dairy.go","oldText":"a","newText":"b"}`, "The file dairy.go has been updated.\nHere's the result:\n4\toven_door = 3\n")
	failed := call("edit", "f", `{"path":"dairy.go","oldText":"c","newText":"d"}`, "Error: oldText was not found in dairy.go, which the oven_door is in.")
	got := excerpts(t, `[{"role":"user","content":"go"},`+edited+","+failed+`,{"role":"assistant","content":[{"type":"text","text":"oven_door it is"}]}]`, 400, 10000)
	if got[0] != "" || !strings.Contains(got[1], "was not found") {
		t.Errorf("%q", got)
	}
}
