# Reads a coverage profile in which several test binaries counted the same
# statements, and prints the share that any of them reached, per package.
# Fails when a package is below floor percent; with quiet set only those are
# printed.

NR == 1 { next } # mode
{
	# path/file.go:line.column,line.column statements count
	file = $1
	sub(/:[^:]*$/, "", file)
	if (!($1 in statements)) {
		statements[$1] = $2
		package[$1] = file
		sub(/\/[^\/]*$/, "", package[$1])
	}
	if ($3 > 0) reached[$1] = 1
}

END {
	for (block in statements) {
		total[package[block]] += statements[block]
		if (block in reached) covered[package[block]] += statements[block]
	}
	for (p in total) {
		percent = 100 * covered[p] / total[p]
		low = percent < floor
		if (low) failed = 1
		if (low || !quiet)
			printf "%5.1f%%  %s%s\n", percent, p, low ? "  (below " floor "%)" : "" | "sort -k2"
	}
	close("sort -k2")
	exit failed
}
