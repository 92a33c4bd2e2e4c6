# Reads what "go test -v" writes and shows what "go test" would: the closing
# line of each package, and the rest of those that failed. Fails when any line,
# shown or not, holds what secrets in tests hold, and names the package. Names
# of tests are not looked at: some are made of what they test.

BEGIN {
	# Taken apart, so that this file can be shown.
	marker = "planted" "secret|hun" "ter2|s3c" "r3t|sk-very-" "secret|query-" "secret"
}

!/^ *(===|---) / && tolower($0) ~ marker {
	leaks++
	if (leaks <= 5) leaked[leaks] = $0
}

# Each package writes its closing line last.
/^(ok  |FAIL|\?   )\t/ || /^\t.*coverage: / {
	if ($1 == "FAIL") show()
	for (i = shown + 1; i <= leaks && i <= 5; i++) from[i] = $2
	shown = leaks
	n = 0
	print
	fflush()
	next
}

{ lines[++n] = $0 }

function show(i) {
	for (i = 1; i <= n; i++)
		if (lines[i] !~ /^(=== (RUN|PAUSE|CONT|NAME)|PASS$| *--- PASS)/) print lines[i]
}

END {
	show()
	if (leaks) {
		printf "%d lines of the output of the tests hold a secret that was planted:\n", leaks
		for (i = 1; i <= leaks && i <= 5; i++) printf "%s: %s\n", from[i], leaked[i]
		exit 1
	}
}
