package calls

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResultsThatTheSDKCannotDecode(t *testing.T) {
	for in, want := range map[string]string{
		`{"resultType":"input_required","requestState":"s","n":12345678901234567890,"inputRequests":{"a":{"method":"roots/list"},"b":{"method":"x","params":{"y":1}}}}`: `{"inputRequests":{"a":{"method":"roots/list","params":{}},"b":{"method":"x","params":{"y":1}}},"n":12345678901234567890,"requestState":"s","resultType":"input_required"}`,
		`{"inputRequests":{"a":{"method":"roots/list","params":null}}}`:                                                           `{"inputRequests":{"a":{"method":"roots/list","params":{}}}}`,
		`{"inputRequests":{"a":{"method":"roots/list","params":{}}}}`:                                                             "",
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m"}}}}`:                                        `{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m"}}}}`,
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"_meta":{"` + schemaKey + `":"forged"},"message":"m"}}}}`: `{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m"}}}}`,
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"_meta":{"x":1},"requestedSchema":{"z":1,"a":2}}}}}`:      `{"inputRequests":{"a":{"method":"elicitation/create","params":{"_meta":{"` + schemaKey + `":"{\"z\":1,\"a\":2}","x":1},"requestedSchema":{"z":1,"a":2}}}}}`,
		`{"inputRequests":{"a":{"method":"sampling/createMessage","params":{"requestedSchema":{"z":1}}}}}`:                        "",
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"_meta":7}}}}`:                                            "",
		`{"inputRequests":{"a":{"method":"elicitation/create","params":7}}}`:                                                      "",
		`{"inputRequests":{"a":{"method":7,"params":{"requestedSchema":{}}}}}`:                                                    "",
		`{"content":[{"type":"text","text":"\"inputRequests\""}]}`:                                                                "",
		`{"content":[]}`:                     "",
		`{"inputRequests":null}`:             "",
		`{"inputRequests":{}}`:               "",
		`{"inputRequests":[1]}`:              "",
		`{"inputRequests":{"a":null,"b":7}}`: "",
		`["inputRequests"]`:                  "",
		`"inputRequests`:                     "",
		``:                                   "",
	} {
		other, changed := Result([]byte(in))
		if changed != (want != "") {
			t.Errorf("%s was changed: %v", in, changed)
		}
		if diff := cmp.Diff(want, string(other)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestResultThatIsMendedCanBeDecoded(t *testing.T) {
	other, _ := Result([]byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`))
	var res mcp.CallToolResult
	if err := json.Unmarshal(other, &res); err != nil || !res.NeedsInput() || len(res.InputRequests) != 1 {
		t.Errorf("%s was decoded to %+v, %v", other, res, err)
	}
}
