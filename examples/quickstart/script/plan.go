package script

import "regexp"

// Question is the one that [Model] can answer.
const Question = `Get to know me, issue me a library card, and run the long task.
How old will I be in ten years, and how many months is that?
How is the weather in Lisbon? And what does this client offer to servers?`

// A step calls a tool and makes a sentence of what the tool says.
type step struct {
	tool      string
	arguments map[string]any
	expect    *regexp.Regexp
	sentence  string // $1 is the first group of expect
}

// found stands for an argument that an earlier step found out.
type found struct {
	tool  string
	group int // of its expect
}

// plan returns the steps that answer [Question].
func plan() []step {
	number := regexp.MustCompile(`^(\d+)$`)
	return []step{
		{
			tool:     "collect_user_info",
			expect:   regexp.MustCompile(`^Hello (.+), you are (\d+) years old\.$`),
			sentence: "You are $1, $2 years old.",
		},
		{
			tool:     "issue_card",
			expect:   regexp.MustCompile(`^Card issued to .+$`),
			sentence: "$0",
		},
		{
			tool:      "long_running_task",
			arguments: map[string]any{"steps": 5},
			expect:    number,
			sentence:  "The long task is done, all $1 steps of it.",
		},
		{
			tool:      "add",
			arguments: map[string]any{"a": found{"collect_user_info", 2}, "b": 10},
			expect:    number,
			sentence:  "In ten years you will be $1.",
		},
		{
			tool:      "multiply",
			arguments: map[string]any{"a": found{"add", 1}, "b": 12},
			expect:    number,
			sentence:  "That is $1 months.",
		},
		{
			tool:      "weather",
			arguments: map[string]any{"city": "Lisbon"},
			expect:    regexp.MustCompile(`^(.+): (-?\d+) °C, (.+)$`),
			sentence:  "In $1 it is $2 °C and $3.",
		},
		{
			tool:     "client_features",
			expect:   regexp.MustCompile(`^\{"result":\["(.+)"\]\}$`),
			sentence: "This client offers to servers: $1.",
		},
	}
}
