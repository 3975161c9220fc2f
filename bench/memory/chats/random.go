package chats

// random is SplitMix64: a stream of numbers that is determined by its seed.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// chance returns true with a probability of percent in a hundred.
func (r *random) chance(percent int) bool { return r.below(100) < percent }

func (r *random) of(list []string) string { return list[r.below(len(list))] }

// deck deals a list in random order, and shuffles it again when all items have been dealt.
type deck struct {
	cards []string
	left  []string
	round int // how many times the whole list has been dealt before
}

func (d *deck) deal(r *random) string {
	if len(d.left) == 0 {
		if d.left != nil {
			d.round++
		}
		d.left = append([]string{}, d.cards...)
		for i := len(d.left) - 1; i > 0; i-- {
			j := r.below(i + 1)
			d.left[i], d.left[j] = d.left[j], d.left[i]
		}
	}
	card := d.left[len(d.left)-1]
	d.left = d.left[:len(d.left)-1]
	return card
}
