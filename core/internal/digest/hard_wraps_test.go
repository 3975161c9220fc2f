package digest

import "testing"

func TestJoinWrapped(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"one line", "The project is funded.", "The project is funded."},
		{"a broken sentence", "An agile team creates an app for its users. It is\npart of a larger project to combat poor habits and improve\nhealth. It has funds.\n",
			"An agile team creates an app for its users. It is part of a larger project to combat poor habits and improve health. It has funds.\n"},
		{"a sentence ends with its line", "An agile team creates an app for all of its users.\nit is small.", "An agile team creates an app for all of its users.\nit is small."},
		{"short lines", "roses are red\nviolets are blue", "roses are red\nviolets are blue"},
		{"an empty line", "An agile team creates an app for its users, who are\n\nmany", "An agile team creates an app for its users, who are\n\nmany"},
		{"list", "- an agile team creates an app for its users, who run\n- the rest", "- an agile team creates an app for its users, who run\n- the rest"},
		{"settings", "title: an agile team creates an app for all of its users\nsize: 3", "title: an agile team creates an app for all of its users\nsize: 3"},
		{"code", "result = compute(first_argument, second_argument, more)\nreturn result", "result = compute(first_argument, second_argument, more)\nreturn result"},
		{"Windows", "An agile team creates an app for its users. It is\r\npart of it.", "An agile team creates an app for its users. It is\r part of it."},
		{"no word", "An agile team creates an app for its users. It is\n", "An agile team creates an app for its users. It is\n"},
	} {
		if got := joinWrapped(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
