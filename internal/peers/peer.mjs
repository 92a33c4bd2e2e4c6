// Measures @langchain/mcp-adapters, as the benchmark asks it to: connects to
// the server described by the first argument, lists its tools, then calls echo
// by a number of callers for some time, and prints what it measured as JSON.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const { connection, callers, warmMs, measureMs } = JSON.parse(process.argv[2]);

const began = performance.now();
const client = new MultiServerMCPClient({ mcpServers: { bench: connection } });
const tools = await client.getTools();
const connectMs = performance.now() - began;
const echo = tools.find((tool) => tool.name === "echo");

async function run(ms) {
  const end = performance.now() + ms;
  let calls = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        const text = await echo.invoke({ message: "hello" });
        if (text !== "Echo: hello") throw new Error(`echo answered ${JSON.stringify(text)}`);
        calls++;
      }
    }),
  );
  return calls;
}

await run(warmMs);
const start = performance.now();
const calls = await run(measureMs);
const seconds = (performance.now() - start) / 1000;
await client.close();
console.log(JSON.stringify({ connectMs, callsPerSecond: calls / seconds }));
process.exit(0);
