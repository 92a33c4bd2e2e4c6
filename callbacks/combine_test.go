package callbacks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// declares says which function each field that is not one refines.
var declares = map[string]string{"URLElicitation": "OnElicitation", "Sampling": "OnSampling"}

// answers are the functions of which only one can be called for a request.
var answers = map[string]bool{"OnElicitation": true, "OnSampling": true, "OnListRoots": true}

// with returns callbacks whose named fields are set: the functions note who was
// called.
func with(t *testing.T, log *[]string, who string, fields ...string) callbacks.Callbacks {
	t.Helper()
	var cb callbacks.Callbacks
	for _, name := range fields {
		field := reflect.ValueOf(&cb).Elem().FieldByName(name)
		switch name {
		case "URLElicitation":
			field.SetBool(true)
		case "Sampling":
			field.Set(reflect.ValueOf(&mcp.SamplingCapabilities{}))
		default:
			if field.Kind() != reflect.Func {
				t.Fatalf("%s is neither a function nor known to this test", name)
			}
			field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value {
				*log = append(*log, who+" "+name)
				var results []reflect.Value
				for i := range field.Type().NumOut() {
					results = append(results, reflect.Zero(field.Type().Out(i)))
				}
				return results
			}))
		}
	}
	return cb
}

// call calls a field with arguments that are not nil.
func call(cb callbacks.Callbacks, name string) {
	field := reflect.ValueOf(cb).FieldByName(name)
	var args []reflect.Value
	for i := range field.Type().NumIn() {
		in := field.Type().In(i)
		switch {
		case in.Kind() == reflect.Interface:
			args = append(args, reflect.ValueOf(context.Background()))
		case in.Kind() == reflect.Pointer:
			args = append(args, reflect.New(in.Elem()))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	field.Call(args)
}

// set lists the fields that are set.
func set(cb callbacks.Callbacks) []string {
	var names []string
	v := reflect.ValueOf(cb)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// eachField runs a test for each field of Callbacks that there is, now and
// later, along with the one that it refines.
func eachField(t *testing.T, test func(t *testing.T, function string, fields []string)) {
	for field := range reflect.TypeFor[callbacks.Callbacks]().Fields() {
		t.Run(field.Name, func(t *testing.T) {
			if function := declares[field.Name]; function != "" {
				test(t, function, []string{function, field.Name})
			} else {
				test(t, field.Name, []string{field.Name})
			}
		})
	}
}

func TestMergeEveryField(t *testing.T) {
	eachField(t, func(t *testing.T, function string, fields []string) {
		var log []string
		a, b := with(t, &log, "a", fields...), with(t, &log, "b", function)
		for name, tt := range map[string]struct {
			merged callbacks.Callbacks
			set    []string
			called []string
		}{
			"none":       {callbacks.Merge(callbacks.Callbacks{}, callbacks.Callbacks{}), nil, nil},
			"one":        {callbacks.Merge(callbacks.Callbacks{}, a, callbacks.Callbacks{}), fields, []string{"a " + function}},
			"both":       {callbacks.Merge(a, b), fields, []string{"a " + function, "b " + function}},
			"other way":  {callbacks.Merge(b, a), []string{function}, []string{"b " + function, "a " + function}},
			"of a merge": {callbacks.Merge(callbacks.Merge(a, b), b), fields, []string{"a " + function, "b " + function, "b " + function}},
		} {
			log = nil
			if diff := cmp.Diff(tt.set, set(tt.merged)); diff != "" {
				t.Errorf("%s: fields set (-want +got)\n%s", name, diff)
				continue
			}
			if tt.set == nil {
				continue
			}
			call(tt.merged, function)
			want := tt.called
			if answers[function] {
				want = want[:1]
			}
			if diff := cmp.Diff(want, log); diff != "" {
				t.Errorf("%s: called (-want +got)\n%s", name, diff)
			}
		}
	})
}

func TestMergeFlagsGoWithTheirFunction(t *testing.T) {
	var log []string
	flags := with(t, &log, "flags", "URLElicitation", "Sampling")
	functions := with(t, &log, "functions", "OnElicitation", "OnSampling")
	if diff := cmp.Diff([]string{"OnElicitation", "OnSampling"}, set(callbacks.Merge(flags, functions))); diff != "" {
		t.Error(diff)
	}
	if got := callbacks.Merge(); set(got) != nil {
		t.Errorf("nothing merged is %v", set(got))
	}
}

func TestMergeContainsNoPanicAndStopsNobody(t *testing.T) {
	var got []string
	note := func(who string, value any) callbacks.Callbacks {
		return callbacks.Callbacks{OnMessage: func(context.Context, callbacks.CallbackContext, callbacks.Message) {
			got = append(got, who)
			if value != nil {
				panic(value)
			}
		}}
	}
	failure := errors.New("a's")
	merged := callbacks.Merge(note("a", failure), note("b", nil), note("c", nil))
	func() {
		defer func() {
			if v := recover(); v != failure {
				t.Errorf("recovered %v", v)
			}
		}()
		merged.OnMessage(t.Context(), callbacks.CallbackContext{}, callbacks.Message{})
	}()
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Error(diff)
	}
}

// What one does with an event is not seen by the next, in no kind of event.
func TestMergeGivesEachItsOwn(t *testing.T) {
	type withMeta interface {
		GetMeta() map[string]any
		SetMeta(map[string]any)
	}
	meta := func() map[string]any { return map[string]any{"k": map[string]any{"deep": []any{"v"}}} }
	merged := reflect.ValueOf(callbacks.Merge(spoiler(), spoiler()))
	for i := range merged.NumField() {
		field, name := merged.Field(i), merged.Type().Field(i).Name
		if field.Kind() != reflect.Func || field.Type().NumOut() > 0 || field.Type().In(2).Kind() != reflect.Pointer {
			continue
		}
		t.Run(name, func(t *testing.T) {
			event := reflect.New(field.Type().In(2).Elem())
			event.Interface().(withMeta).SetMeta(meta())
			if log, ok := event.Interface().(*mcp.LoggingMessageParams); ok {
				log.Data = meta()
			}
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("%v", v)
				}
			}()
			args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(callbacks.CallbackContext{}), event}
			field.Call(args)
			args[2] = reflect.Zero(field.Type().In(2)) // no parameters
			field.Call(args)
		})
	}
}

// spoiler has functions for all events that panic if an event is not as it was
// sent, and leave it so that it is not.
func spoiler() callbacks.Callbacks {
	spoil := func(v any) {
		m, ok := v.(map[string]any)
		if deep := fmt.Sprint(m["k"]); !ok || deep != "map[deep:[v]]" {
			panic("got what another has left: " + deep)
		}
		m["k"].(map[string]any)["deep"].([]any)[0] = "spoiled"
	}
	var cb callbacks.Callbacks
	v := reflect.ValueOf(&cb).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() != reflect.Func || field.Type().NumOut() > 0 {
			continue
		}
		field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
			if args[2].Kind() != reflect.Pointer || args[2].IsNil() {
				return nil
			}
			spoil(args[2].Interface().(interface{ GetMeta() map[string]any }).GetMeta())
			if log, ok := args[2].Interface().(*mcp.LoggingMessageParams); ok {
				spoil(log.Data)
			}
			args[2].Elem().SetZero()
			return nil
		}))
	}
	return cb
}

func TestMergePassesValues(t *testing.T) {
	var got []any
	note := callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, cc callbacks.CallbackContext, c callbacks.ConnectionChange) {
			got = append(got, cc.ServerName, c.Generation)
		},
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, m callbacks.Message) {
			got = append(got, cc.ToolName, string(m.Params))
		},
	}
	merged := callbacks.Merge(note, note)
	merged.OnConnectionState(t.Context(), callbacks.CallbackContext{ServerName: "s"}, callbacks.ConnectionChange{Generation: 3})
	merged.OnMessage(t.Context(), callbacks.CallbackContext{ToolName: "t"}, callbacks.Message{Params: json.RawMessage(`{}`)})
	if diff := cmp.Diff([]any{"s", 3, "s", 3, "t", "{}", "t", "{}"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOverrideEveryField(t *testing.T) {
	eachField(t, func(t *testing.T, function string, fields []string) {
		var log []string
		plain, full := with(t, &log, "plain", function), with(t, &log, "full", fields...)
		for name, tt := range map[string]struct {
			got    callbacks.Callbacks
			set    []string
			called string
		}{
			"neither":     {callbacks.Override(callbacks.Callbacks{}, callbacks.Callbacks{}), nil, ""},
			"common":      {callbacks.Override(full, callbacks.Callbacks{}), fields, "full"},
			"own":         {callbacks.Override(callbacks.Callbacks{}, full), fields, "full"},
			"own is less": {callbacks.Override(full, plain), []string{function}, "plain"},
			"own is more": {callbacks.Override(plain, full), fields, "full"},
		} {
			log = nil
			if diff := cmp.Diff(tt.set, set(tt.got)); diff != "" {
				t.Errorf("%s: fields set (-want +got)\n%s", name, diff)
				continue
			}
			if tt.set == nil {
				continue
			}
			call(tt.got, function)
			if diff := cmp.Diff([]string{tt.called + " " + function}, log); diff != "" {
				t.Errorf("%s: called (-want +got)\n%s", name, diff)
			}
		}
	})
	// A flag without its function has no effect, here too.
	flags := callbacks.Callbacks{URLElicitation: true, Sampling: &mcp.SamplingCapabilities{}}
	if got := callbacks.Override(callbacks.Callbacks{}, flags); set(got) != nil {
		t.Errorf("flags alone set %v", set(got))
	}
}
