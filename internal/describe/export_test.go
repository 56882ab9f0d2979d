package describe

// MostValues returns the maximum number of values of a body that are kept.
func (o *Operation) MostValues() int {
	if o.shape == nil {
		return 0
	}
	return o.shape().most()
}

func (s *shape) most() int {
	if s == nil {
		return unlimited
	}
	total := 1
	add := func(n int, of *shape) {
		if n == 0 || of == ignored || total == unlimited {
			return
		}
		each := of.most()
		if n == unlimited || each == unlimited {
			total = unlimited
			return
		}
		total += n * each
	}
	for _, field := range s.fields {
		add(1, field)
	}
	add(s.maxKeys, s.more)
	add(s.maxItems, s.items)
	return total
}
