package config

// An Input is something that the user of a file is asked for, by the
// "inputs" of VS Code.
type Input struct {
	// ID is what ${input:id} refers to.
	ID string

	// Type is "promptString", "pickString" or "command".
	Type string

	// Description is what to ask. It comes from the file.
	Description string

	// Default is the answer to suggest.
	Default string

	// Password tells that the answer must not be shown while it is typed.
	Password bool

	// Options are the answers of a pickString. Others are refused.
	Options []InputOption

	// Command is what VS Code runs for the answer of a command.
	Command string

	// File is the path of the source.
	File string
}

// An InputOption is an answer to choose.
type InputOption struct {
	// Label is what to show; it may be the same as Value.
	Label, Value string
}

type answerKey struct {
	d  *document
	id string
}

type answer struct {
	value    string
	password bool
	problem  string
	err      error
}

// ask returns the answer to an input, which is asked for once.
func (s *server) ask(id string) answer {
	key := answerKey{s.d, id}
	a, ok := s.r.answers[key]
	if !ok {
		a = s.answer(id)
		s.r.answers[key] = a
	}
	return a
}

func (s *server) answer(id string) answer {
	named := "the input " + printable(id)
	input, problem := s.d.input(id)
	if problem != "" {
		return answer{problem: named + " " + problem}
	}
	if s.r.opts.Input == nil {
		return answer{problem: named + " has to be asked for, and nobody can be asked: set ParseOptions.Input"}
	}
	value, err := s.r.opts.Input(s.r.ctx, input)
	if err != nil {
		return answer{problem: named + " was not answered: " + printableUpTo(300, err.Error()), err: err}
	}
	if input.Type == "pickString" {
		for _, option := range input.Options {
			if option.Value == value {
				return answer{value: value}
			}
		}
		return answer{problem: named + " was answered by none of its options"}
	}
	return answer{value: value, password: input.Password}
}

// input returns the declaration of an input, or what is wrong with it.
func (d *document) input(id string) (input Input, problem string) {
	if d.inputs.node == nil {
		return Input{}, `is not declared in "inputs"`
	}
	for _, element := range d.inputs.elements {
		if m, ok := element.find("id"); !ok || m.text != id {
			continue
		}
		input := Input{ID: id, File: d.file}
		for _, m := range element.members {
			switch m.key {
			case "type":
				input.Type = m.text
			case "description":
				input.Description = m.text
			case "default":
				input.Default = m.text
			case "password":
				input.Password = m.text == "true"
			case "command":
				input.Command = m.text
			case "options":
				input.Options = options(m.node)
			}
		}
		switch input.Type {
		case "promptString", "pickString", "command":
			return input, ""
		default:
			return Input{}, `has no known "type": use "promptString", "pickString" or "command"`
		}
	}
	return Input{}, `is not declared in "inputs"`
}

func options(n *node) []InputOption {
	var list []InputOption
	for _, element := range n.elements {
		option := InputOption{Label: element.text, Value: element.text}
		if m, ok := element.find("value"); ok {
			option = InputOption{Label: m.text, Value: m.text}
		}
		if m, ok := element.find("label"); ok {
			option.Label = m.text
		}
		list = append(list, option)
	}
	return list
}
