package digest

import "testing"

func TestThoughtsThatComeAgain(t *testing.T) {
	thought := func(text string) unit { return unit{kind: thoughtUnit, text: text, factor: ofThought} }
	turn := turn{units: []unit{
		thought("For the door of the kiln I need to: 1. load `door.go` from the shelf, 2. pull the heat of zone 7 from the record, 3. compute the new limit."),
		thought("The fan of `lamp.go` takes 40 watts, which the plate on its back says in small letters, so the old cable is too thin."),
		{kind: saidUnit, text: "For the door of the kiln: load `door.go` from the shelf, pull the heat of zone 7 from the record, and compute the new limit.", factor: ofSaid},
		thought("For the door of the kiln, I'll: 1. load `door.go` from the shelf; 2. pull the heat of zone 7 from the record, then 3. compute the new limit and write it down."),
		thought("`door.go` again."),
		thought("`door.go` again."),
	}}
	turn.dropThoughtAgain()
	for n, dropped := range []bool{true, false, false, false, false, false} {
		if got := turn.units[n].factor == isDropped; got != dropped {
			t.Errorf("unit %d: dropped %v", n, got)
		}
	}
}
