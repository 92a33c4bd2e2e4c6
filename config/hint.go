package config

// suggest returns the name that was probably meant, as " (did you mean ...?)",
// or nothing.
func suggest(key string, names ...map[string]bool) string {
	const most = 2
	best, distance := "", most+1
	for _, m := range names {
		for name := range m {
			d := editDistance(key, name, most)
			if d < distance || d == distance && d <= most && name < best {
				best, distance = name, d
			}
		}
	}
	if best == "" || distance*2 >= len(best) {
		return ""
	}
	return `: did you mean "` + best + `"?`
}

// editDistance returns how many letters have to be put in, taken out, replaced
// or swapped with their neighbour; above the limit, some number above it.
func editDistance(a, b string, limit int) int {
	if len(a) > len(b)+limit || len(b) > len(a)+limit {
		return limit + 1
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
