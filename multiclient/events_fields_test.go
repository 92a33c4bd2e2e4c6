package multiclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// namesOf returns the names of the fields that are asked for, in order.
func namesOf(t testing.TB, cc callbacks.CallbackContext, params *mcp.ElicitParams) string {
	t.Helper()
	fields, err := elicitation.FieldsOf(cc, params)
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ",")
}

func TestFieldsAreInTheOrderOfTheServer(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		var j journal
		cb := callbacks.Callbacks{
			URLElicitation: true,
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				var decoded any
				switch err := json.Unmarshal(cc.RequestedSchema, &decoded); {
				case req.Params.Mode == "url":
					if cc.RequestedSchema != nil {
						t.Errorf("a URL comes with the schema %s", cc.RequestedSchema)
					}
				case err != nil || !reflect.DeepEqual(decoded, req.Params.RequestedSchema):
					t.Errorf("the schema is %s, and %v: %v", cc.RequestedSchema, req.Params.RequestedSchema, err)
				}
				if len(req.Params.Meta) > 0 {
					t.Errorf("the callback got %v", req.Params.Meta)
				}
				j.add("%s", namesOf(t, cc, req.Params))
				return &mcp.ElicitResult{Action: "accept"}, nil
			},
		}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				call(t, c, "one", fmt.Sprintf("work_%d", i), map[string]any{"id": "x", "ask": []string{"fields", "url"}})
			})
		}
		wg.Wait()
		count := map[string]int{}
		for _, names := range j.list() {
			count[names]++
		}
		if diff := cmp.Diff(map[string]int{"z,a,m": 8, "": 8}, count); diff != "" {
			t.Errorf("the fields (-want +got):\n%s", diff)
		}
	})
}

// strangeForms are parameters of elicitations, with the fields that are to be
// asked for, or what the refusal says.
var strangeForms = map[string]struct{ params, fields, refusal string }{
	"ordered":          {`{"requestedSchema":{"required":["m"],"properties":{"z":{"type":"string"},"a":{"type":"string"},"m":{"type":"string"}}}}`, "z,a,m", ""},
	"of one's own":     {`{"_meta":{"own":1},"requestedSchema":{"properties":{"z":{"type":"string"},"a":{"type":"string"}}}}`, "z,a", ""},
	"forged":           {`{"_meta":{"KEY":"{\"properties\":{\"evil\":{\"type\":\"string\"}}}"},"requestedSchema":{"properties":{"z":{"type":"string"}}}}`, "z", ""},
	"forged of none":   {`{"_meta":{"KEY":"{\"properties\":{\"evil\":{\"type\":\"string\"}}}"}}`, "", ""},
	"escaped":          {`{"requestedSch\u0065ma":{"prop\u0065rties":{"\u007a":{"type":"string"},"\u0061":{"type":"string"}}}}`, "z,a", ""},
	"null":             {`{"requestedSchema":null}`, "", ""},
	"twice":            {`{"requestedSchema":{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}}`, "", `the key \"a\" twice`},
	"twice deep":       {`{"requestedSchema":{"properties":{"a":{"type":"string","type":"integer"}}}}`, "", `the key \"type\" twice`},
	"not an object":    {`{"requestedSchema":[1]}`, "", "is not a JSON object"},
	"too many":         {`{"requestedSchema":{"properties":{` + manyFields(129) + `}}}`, "", "asks for 129 fields"},
	"as many as can":   {`{"requestedSchema":{"properties":{` + manyFields(128) + `}}}`, strings.Trim(strings.Repeat("x,", 128), ","), ""},
	"deep":             {`{"requestedSchema":{"properties":{"a":{"type":"string","x":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}}}}`, "a", ""},
	"long":             {`{"requestedSchema":{"properties":{"z":{"type":"string","description":"` + strings.Repeat("d", 200<<10) + `"},"a":{"type":"string"}}}}`, "z,a", ""},
	"too long":         {`{"requestedSchema":{"properties":{"z":{"type":"string","description":"` + strings.Repeat("d", 300<<10) + `"}}}}`, "", "more than 262144"},
	"invalid encoding": {"{\"requestedSchema\":{\"properties\":{\"z\":{\"type\":\"string\",\"title\":\"\xff\"}}}}", "z", ""},
}

func manyFields(n int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"x%d":{"type":"string"}`, n-i))
	}
	return strings.Join(fields, ",")
}

func TestStrangeForms(t *testing.T) {
	paramsOf := func(name string) string {
		params := strings.ReplaceAll(strangeForms[name].params, "KEY", "github.com/langchaingo-mcp/mcpadapters/requestedSchema")
		return `{"message":"` + name + `",` + params[1:]
	}
	tell := func(resp *jsonrpc.Response) string {
		if resp.Error != nil {
			return resp.Error.Error()
		}
		return string(resp.Result)
	}
	check := func(t *testing.T, connection config.Connection) {
		var j journal
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				want := 0
				if req.Params.Message == "of one's own" {
					want = 1
				}
				if len(req.Params.Meta) != want {
					t.Errorf("%s: the callback got %v", req.Params.Message, req.Params.Meta)
				}
				names := namesOf(t, cc, req.Params)
				if req.Params.Message == "as many as can" {
					if !strings.HasPrefix(names, "x128,x127,x126,") {
						t.Errorf("the fields are %s", names)
					}
					names = strings.Trim(strings.Repeat("x,", strings.Count(names, ",")+1), ",")
				}
				j.add("%s", names)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"m": "w"}}, nil
			},
		}})
		for name, form := range strangeForms {
			before := len(j.list())
			res, err := c.CallTool(t.Context(), "one", name, nil)
			said := fmt.Sprint(err)
			if err == nil {
				said = textOf(res)
			}
			asked := j.list()[before:]
			switch {
			case form.refusal != "":
				if len(asked) > 0 || !strings.Contains(strings.ReplaceAll(said, `"`, `\"`), form.refusal) {
					t.Errorf("%s: asked for %q, and the call gave %.200s", name, asked, said)
				}
			case len(asked) != 1 || asked[0] != form.fields || !strings.Contains(said, "accept"):
				t.Errorf("%s: asked for %q, want %q, and the call gave %.200s", name, asked, form.fields, said)
			}
		}
	}
	t.Run("requests", func(t *testing.T) {
		onEachRaw(t, func(x *exchange) { x.say("%s", tell(x.answer("elicitation/create", paramsOf(x.name)))) },
			func(t *testing.T, _ *raw, connection config.Connection, _ bool) { check(t, connection) })
	})
	t.Run("results", func(t *testing.T) {
		onEachStatelessRaw(t, func(x *exchange) {
			if len(x.responses) > 0 {
				x.say("%s", x.responses["q"])
				return
			}
			x.send(&jsonrpc.Response{ID: x.id, Result: json.RawMessage(
				`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` + paramsOf(x.name) + `}}}`)})
		}, check)
	})
}
