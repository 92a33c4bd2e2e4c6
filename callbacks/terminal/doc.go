// Package terminal shows on a terminal what MCP servers send while their tools
// run, and asks the user what they ask:
//
//	term := terminal.New(terminal.Options{})
//	defer term.Close()
//	client, err := multiclient.New(connections, &multiclient.Options{
//		Callbacks: term.Callbacks(),
//	})
//
// A live bar for each call, log messages above the bars:
//
//	files/index: warning [scan]: skipped 3 unreadable files
//	files/index    ██████████░░░░░░░░░░  50%  5/10  src/
//	weather/fetch  ████░░░░░░░░░░░░░░░░  20%  1/5
//
// and a form for each elicitation, one question a page:
//
//	library/issue_card asks (1 of 2)
//	Please fill in the card
//
//	┃ Name on the card
//	┃ required, 1 to 40 characters
//	┃ > Ada Lovelace
//
//	ctrl+d decline • esc cancel • enter next
//
// Where there is no terminal (a pipe, a file, TERM=dumb) each event is one
// plain line, and elicitations are answered by [Options].Answer.
//
// # Bars
//
// Nothing tells that a call has ended, so a bar goes when the progress reaches
// its total, when the context of the call ends, and when the terminal is
// closed. At most 64 are kept: then the one without news for the longest time
// goes. At most 8 are shown, and how many more there are.
//
// Bars never change the state of the terminal: a program that dies leaves at
// most their lines behind. What the program itself prints on the same terminal
// meanwhile should go through [Terminal.Write], or the bars will overwrite it.
//
// # Forms
//
// Forms are shown one after another, however many servers ask at once. While
// one is shown there are no bars, and log messages wait (up to 1,000 lines, the
// rest is counted). Enter goes to the next page, shift+tab back, escape and
// ctrl+c answer "cancel", ctrl+d answers "decline"; the last page sums up and
// sends. Each value is checked when it is entered. When the context of the
// request ends, or the terminal is closed, the form vanishes at once and the
// terminal is as before.
//
// A form reads from Options.In, which nobody else may read from meanwhile, and
// takes no signals: a program that wants to die tidily by SIGTERM ends its
// contexts or calls [Terminal.Close].
//
// # Trust
//
// All text from servers is cut to a sensible length, and every character in it
// that does not print (escape sequences, C0 and C1 controls, directional
// overrides) is shown as U+FFFD. It can neither move the cursor nor pass for a
// line of the program.
package terminal
