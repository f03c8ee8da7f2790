// A model endpoint for tests: the scripted endpoint as a process of its own, real HTTP on loopback, replying by rules.
//
//   const endpoint = await startEndpoint();                       // without a script it plays the tour
//   const provider = createChatProvider({ baseUrl: endpoint.url, apiKey: 'test', model: 'scripted', ... });
//   await endpoint.script([
//     { when: { user: 'build it', round: 0 },                     // the first model call of that turn
//       reply: { text: 'On it.', calls: [{ name: 'shell', arguments: { command: 'sleep 30' } },
//                                        { name: 'list_files', arguments: { path: '.' } }] } },
//     { when: { user: 'check the notes' }, reply: { text: 'Checked.' } },          // the task of a sub-agent
//     { when: { toolResult: true }, reply: { text: 'Done.' } },
//     { times: 1, reply: { status: 429, retryAfter: 1 } },        // once; then the next rule that matches
//     { reply: { text: 'A long answer …', pace: { chunksPerSecond: 20 } } },       // streams slowly
//   ]);
//   ...
//   await until(async () => (await endpoint.requests())[0]?.hanging);              // all before the hang was sent
//   await until(async () => (await endpoint.requests())[0]?.ended?.how === 'closed_by_client');
//   await endpoint.close();                                       // in afterEach / onTestFinished
//
// The first rule that matches gives the reply. A request without a matching rule gets a 400 that says so. A request whose tool calls and
// results do not pair gets the provider's own 400, before any rule is tried.
//
// Replies (src/programs/scripted/reply.ts has every field):
//   { text: 'Let me think', end: 'hang' }            streams, then stays silent until closed, or until release()
//   { text: 'Let me th', end: 'cut' }                streams, then the connection is destroyed
//   { calls: [a, b], half: c }                       a and b whole, half of c, then hangs: a stop keeps a and b
//   { status: 401 }   { status: 500 }   { status: 429, retryAfter: 1 }
//   { raw: 'data: {"choices": [\n\n' }               malformed SSE
//   { raw: '<html>', contentType: 'text/html' }      a 200 that is no SSE
//   { raw: '', end: 'hang' }                         headers, then nothing
//   { silent: true }                                 no headers, no byte, ever
//   { text: '…', usage: 'none' }                     no usage chunk;  usage: { input: 10, output: 5 }  exactly these

import { systemSources } from '../../src/core/sources/system.ts';
import type { Rule } from '../../src/programs/scripted/reply.ts';
import type { LoggedRequest } from '../../src/programs/scripted/request-log.ts';
import { startScriptedEndpoint } from '../../src/programs/scripted/start.ts';

export type { Reply, Rule, ScriptedAnswer as Answer, ScriptedCall } from '../../src/programs/scripted/reply.ts';
export type { LoggedRequest } from '../../src/programs/scripted/request-log.ts';

export interface TestEndpoint {
  /** The base address for the client: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  readonly pid: number;
  /** Replaces the rules and their counts. */
  script(rules: readonly Rule[]): Promise<void>;
  /** Completes every reply that hangs. */
  release(): Promise<void>;
  /** The last 1 000 requests in order of arrival, also those of earlier scripts. */
  requests(): Promise<readonly LoggedRequest[]>;
  /** Ends the process. */
  close(): Promise<void>;
}

export async function startEndpoint(): Promise<TestEndpoint> {
  const child = await startScriptedEndpoint({ clock: systemSources.clock, control: true });
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(new URL(path, child.url), {
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the endpoint replied ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  return {
    url: child.url,
    pid: child.pid,
    async script(rules) {
      await control('/__script', { rules });
    },
    async release() {
      await control('/__release', {});
    },
    async requests() {
      return (await control('/__journal')) as readonly LoggedRequest[];
    },
    close: () => child.close(),
  };
}
