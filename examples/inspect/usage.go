package main

const usage = `Usage: inspect -config FILE [flags] VERB [arguments]

Looks at the MCP servers of a configuration file: that of Claude Desktop, Claude
Code, Cursor, VS Code, Gemini CLI, Windsurf, Codex, LangChain or FastMCP, or of
the same shape in JSON, TOML or YAML.

Verbs:
  servers                    what each server says of itself
  tools                      the tools, as a model gets to see them
  call TOOL [JSON]           call a tool; JSON is its arguments, {} if left out
  prompts                    the prompts
  prompt SERVER NAME [JSON]  get a prompt; JSON is its arguments
  resources                  the resources and resource templates
  read SERVER URI            read a resource
  validate                   check the file, connect to nothing

TOOL is a name that "tools" shows, or the server's own name of the tool if only
one server has it. JSON that is "-" is read from standard input.

Flags, before or after the verb:
  -config FILE      the configuration
  -server NAME      look at this server only; may be repeated
  -prefix           put the server's name before the name of each tool; without
                    it this is done where tools of two servers have one name
  -json             print one JSON document, whatever happens
  -timeout D        give up after D, such as 20s (default: each server has 30s to
                    connect, 30s to list and 5m to answer a call)
  -elicit ANSWER    answer what servers ask, instead of showing a form (declining
                    where there is no terminal): accept (with the defaults of the
                    form), decline, cancel, or a JSON object (accept with this
                    content and the defaults of what it leaves out)
  -login            sign in at servers that ask for it: the page to visit is printed
  -browser          with -login, open the page in a browser too (that of the
                    variable BROWSER, or of the system)
  -tokens FILE      with -login, keep the sign-ins in this file for the next time;
                    without it they are forgotten
  -input ID=VALUE   the answer to an input of the configuration (${input:ID}); may
                    be repeated. Without it the variable INPUT_ID counts (in
                    capitals, with _ for other characters), then you are asked on
                    the terminal
  -h                this text

Results go to standard output; progress, log messages, questions of servers and
failures to standard error. The exit status is 0 if all is well, 1 if a server
or the call failed (what could be had is printed all the same), and 2 if the
command line or the configuration is wrong.

Examples:
  inspect -config mcp.json validate
  inspect -config mcp.json servers
  inspect -config mcp.json -server files tools
  inspect -config mcp.json call echo '{"message": "hello"}'
  echo '{"a": 1, "b": 2}' | inspect -config mcp.json call get-sum -
  inspect -config mcp.json -elicit '{"name": "Ada"}' call issue_card
  inspect -config mcp.json read files file:///tmp/notes.txt
  inspect -config mcp.json -login -tokens ~/.config/inspect/tokens.json tools
  inspect -config mcp.json -json tools | jq -r '.tools[].name'
`
