// remember → recall → supersede → recall with the official TypeScript client; what came of it goes to stdout as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [where, ...rest] = process.argv.slice(2);

function transport() {
  if (where === "stdio") return new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env });
  const headers = { Authorization: `Bearer ${rest[1]}` };
  return new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers } });
}

const client = new Client({ name: "test", version: "1" });
await client.connect(transport());
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

const { tools } = await client.listTools();
const old = (await call("remember", { text: "Ada prefers dark mode — 暗い 🌑", tags: ["ui"] })).id;
const first = await call("recall", { query: "which mode does Ada prefer?" });
const superseded = await call("supersede", { old, text: "Ada prefers light mode" });
const second = await call("recall", { query: "which mode does Ada prefer?" });
const refused = await client.callTool({ name: "get", arguments: { id: "nobody" } });
const { resourceTemplates } = await client.listResourceTemplates();
const memory = await client.readResource({ uri: `recollect://memory/${old}` });
const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { question: "which mode does Ada prefer?" } });
await client.close();
console.log(JSON.stringify({ tools, old, first, superseded, second, refused, resourceTemplates, memory, prompt }));
