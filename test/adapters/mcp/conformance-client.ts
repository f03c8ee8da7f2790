// Plays a scenario of MCP's conformance program: does with its server what a person, a model and `belay mcp login` do with one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServers } from '../../../src/adapters/mcp/api.ts';
import type { HttpServer } from '../../../src/adapters/mcp/server-config.ts';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { signIn } from '../../../src/adapters/mcp/sign-in.ts';
import { TokenFile } from '../../../src/adapters/mcp/token-file.ts';
import type { ToolEnd } from '../../../src/core/contracts/tool.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { recordingContext } from '../../../src/testing/recording-context.ts';
import { scaled } from '../../support/time-scale.ts';

interface PlannedCall {
  readonly name: string;
  readonly arguments: object;
}

export interface ScenarioRequest {
  readonly scenario: string;
  /** The address of its server. */
  readonly url: string;
  /** What it passes to a client beside the address. */
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly toolCalls?: readonly PlannedCall[];
  };
}

const name = 'it';
/** How often a person signs in before giving up. */
const maxSignIns = 3;
const metadataUrl = 'https://conformance-test.local/client-metadata.json';

/** Scenarios that want each of their tools called. The others get one call of the first. */
const scenariosOfAllTools = ['sep-2322-client-request-state', 'http-invalid-tool-headers'];

const wantsSignIn = (text: string) => text.includes('belay mcp login');

/** Opens the address as a browser does, and follows it to the page that waits for the answer. */
async function openInBrowser(address: string): Promise<void> {
  const response = await fetch(address);
  await response.text();
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
}

/** Rejects with the words of the first failure that no sign-in mends. */
export async function playScenario(request: ScenarioRequest): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-conformance-'));
  try {
    await new ScenarioPlayer(request, join(folder, 'tokens.json')).play();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class ScenarioPlayer {
  readonly #request: ScenarioRequest;
  readonly #server: HttpServer;
  readonly #tokenFile: string;
  #signIns = 0;

  constructor(request: ScenarioRequest, tokenFile: string) {
    const { client_id: clientId, client_secret: clientSecret } = request.context;
    this.#request = request;
    this.#tokenFile = tokenFile;
    this.#server = {
      url: request.url,
      oauth: {
        ...(clientId === undefined ? { clientMetadataUrl: metadataUrl } : { clientId }),
        ...(clientSecret !== undefined && { clientSecret }),
      },
    };
  }

  async play(): Promise<void> {
    const mcp = await this.#connectSignedIn();
    try {
      for (const planned of this.#request.context.toolCalls ?? this.#callsOf(mcp)) await this.#call(mcp, planned);
    } finally {
      await mcp.close();
    }
  }

  /** Signs in as often as the server wants it. Rejects if its tools cannot be listed. */
  async #connectSignedIn(): Promise<McpServers> {
    for (;;) {
      const { url } = this.#server;
      const servers = { [name]: this.#server };
      const mcp = await connectMcpServers({ servers, ...systemSources, tokenFile: this.#tokenFile, warn() {} });
      const problem = mcp.states()[0]?.problem;
      if (problem === null) return mcp;
      await mcp.close();
      await this.#signInFor(problem ?? `${url} has no state`);
    }
  }

  /** Makes the call, and again after each sign-in that it wants. */
  async #call(mcp: McpServers, planned: PlannedCall): Promise<void> {
    for (;;) {
      const end = await callOnce(mcp, planned);
      if (end.kind === 'completed') return;
      await this.#signInFor(end.output ?? end.kind);
    }
  }

  /** Rejects with the problem if a sign-in is not what it asks for. */
  async #signInFor(problem: string): Promise<void> {
    if (!wantsSignIn(problem)) throw new Error(problem);
    if (++this.#signIns > maxSignIns) throw new Error(`after ${maxSignIns} sign-ins: ${problem}`);
    const opened = Promise.withResolvers<never>();
    const signingIn = signIn({
      name,
      server: this.#server,
      file: new TokenFile(this.#tokenFile),
      ...systemSources,
      waitMs: scaled(20_000),
      onAddress: (address) => void openInBrowser(address).catch(opened.reject),
    });
    await Promise.race([signingIn, opened.promise]);
  }

  #callsOf(mcp: McpServers): readonly PlannedCall[] {
    const { scenario } = this.#request;
    const tools = mcp.tools();
    if (scenario === 'json-schema-ref-no-deref') return []; // its server has no calls
    if (scenario === 'json-schema-2020-12-preservation') {
      const schema = tools.find((tool) => tool.name.endsWith('json_schema_2020_12_tool'))?.input;
      return [{ name: 'json_schema_echo', arguments: { schema } }];
    }
    return tools.slice(0, scenariosOfAllTools.includes(scenario) ? tools.length : 1).map((tool) => ({
      name: tool.name.slice(name.length + 2),
      arguments: tool.name.endsWith('add_numbers') ? { a: 2, b: 3 } : {},
    }));
  }
}

async function callOnce(mcp: McpServers, { name: toolName, arguments: given }: PlannedCall): Promise<ToolEnd> {
  const tool = mcp.tools().find((one) => one.name === `${name}__${toolName}`);
  if (!tool) throw new Error(`there is no tool ${toolName}`);
  const parsed = tool.parse(given);
  if (!parsed.ok) throw new Error(parsed.message);
  // a person who is asked for values leaves all of them out
  const { context } = recordingContext({ ask: async () => '{}' });
  const end = await tool.run(parsed.input, context);
  return typeof end === 'string' ? { kind: 'completed', output: end } : end;
}
