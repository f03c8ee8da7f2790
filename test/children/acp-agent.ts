// A coding agent as the SDK would have it, with a script for a model: its task's first word says what it does.
//
// Its second argument says what it is able to do besides, with commas: `load` (sessions), `http` (MCP servers); and where it departs from what is usual:
// `refuse-load`, `hang-load`, `own-cost` (of this process only).
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentContext, agent, methods, ndJsonStream, type PromptResponse } from '@agentclientprotocol/sdk';

/** The file in which it notes what it has received and done, for the tests. */
const [diary = '/dev/null', abilities = ''] = process.argv.slice(2);
const can = (ability: string) => abilities.split(',').includes(ability);
const note = (line: string) => appendFileSync(diary, `${line}\n`);
const noteServers = (servers: readonly object[]) => servers.length > 0 && note(`servers: ${JSON.stringify(servers)}`);

let sessionId = '';
/** What the session has cost so far, over all its processes. */
let cost = 0;
let stop = new AbortController();

type Words = readonly string[];
type Act = (words: Words, client: AgentContext) => Promise<PromptResponse['stopReason']>;

const update = (client: AgentContext, it: object) =>
  client.notify(methods.client.session.update, { sessionId, update: it } as never);
const say = (client: AgentContext, text: string) =>
  update(client, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (client: AgentContext, title: string) =>
  update(client, { sessionUpdate: 'tool_call', toolCallId: title, title, kind: 'edit', status: 'pending' });

/** The name of the option that was chosen, or `cancelled`. */
async function askPermission(client: AgentContext, title: string): Promise<string> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: title, rawInput: { path: `${title}.txt` } },
    options: [
      { optionId: 'a', name: 'Allow', kind: 'allow_once' },
      { optionId: 'r', name: 'Reject', kind: 'reject_once' },
    ],
  });
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled';
}

const acts: Readonly<Record<string, Act>> = {
  /** Says the words one by one, with a call of its own between them. */
  async say(words, client) {
    for (const [i, word] of words.entries()) {
      if (i > 0) {
        await call(client, `step ${i}`);
        await update(client, { sessionUpdate: 'tool_call_update', toolCallId: `step ${i}`, status: 'completed' });
      }
      await say(client, word);
    }
    return 'end_turn';
  },
  async repeat([word = '', times = ''], client) {
    for (let i = 0; i < Number(times); i++) await say(client, word);
    return 'end_turn';
  },
  /** Asks for each word, and says what came of it. */
  async ask(words, client) {
    for (const word of words) {
      await call(client, word);
      const outcome = await askPermission(client, word);
      note(`${word}: ${outcome}`);
      if (outcome === 'cancelled') return 'cancelled';
      await say(client, `${word}: ${outcome} `);
    }
    return 'end_turn';
  },
  /** Asks for all words at once. */
  async together(words, client) {
    const outcomes = await Promise.all(words.map((word) => askPermission(client, word)));
    for (const [i, outcome] of outcomes.entries()) note(`${words[i]}: ${outcome}`);
    return stop.signal.aborted ? 'cancelled' : 'end_turn';
  },
  /** Asks, and ends before there is an answer. */
  async leave(words, client) {
    void askPermission(client, words[0] ?? 'it');
    await pause(100);
    process.exit(3);
  },
  /** Works until it is cancelled. */
  async wait(words, client) {
    await say(client, words.join(' ') || 'working');
    await pause(600_000, undefined, { signal: stop.signal }).catch(() => {});
    return 'cancelled';
  },
  /** Stops when it is cancelled, and calls that the end of its turn. */
  async end(words, client) {
    await acts['wait']?.(words, client);
    return 'end_turn';
  },
  /** Stops when it is cancelled, after that many milliseconds. */
  async slowly([ms = '0'], client) {
    await acts['wait']?.(['working'], client);
    await pause(Number(ms));
    return 'cancelled';
  },
  /** Stops when it is cancelled, after that many milliseconds, and takes as many to exit. */
  async lingers([ms = '0'], client) {
    setInterval(() => {}, 1_000); // the end of its input does not end it
    process.on('SIGTERM', () => setTimeout(() => process.exit(), Number(ms)));
    await acts['slowly']?.([ms], client);
    return 'cancelled';
  },
  /** Answers a cancel with an error. */
  async abort(_, client) {
    await acts['wait']?.(['working'], client);
    throw new Error('aborted');
  },
  /** Exits when it is cancelled. */
  async exit(_, client) {
    await acts['wait']?.(['working'], client);
    process.exit(1);
  },
  /** Answers a cancel, and leaves the command that it has started, in a session of its own. */
  async leaves([seconds = ''], client) {
    spawn('sleep', [seconds], { stdio: 'ignore', detached: true });
    return (await acts['wait']?.(['working'], client)) ?? 'cancelled';
  },
  /** Asks once more when it is cancelled. */
  async insist(_, client) {
    await acts['wait']?.(['working'], client);
    note(`insisted: ${await askPermission(client, 'once more')}`);
    return 'cancelled';
  },
  async stop([reason = 'refusal'], client) {
    await say(client, 'so far');
    return reason as PromptResponse['stopReason'];
  },
  async fail() {
    throw new Error('the script says so');
  },
  async environment(names, client) {
    await say(client, names.map((name) => `${name}=${process.env[name]}`).join(' '));
    return 'end_turn';
  },
  /** Thinks, plans, runs a tool whose output comes in two pieces, and changes a file. */
  async work(_, client) {
    const text = (it: string) => ({ type: 'content', content: { type: 'text', text: it } });
    const tool = { sessionUpdate: 'tool_call_update', toolCallId: 'c' };
    await update(client, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'I had better ' } });
    await update(client, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'look.' } });
    await update(client, {
      sessionUpdate: 'plan',
      entries: [{ content: 'look', priority: 'high', status: 'pending' }],
    });
    await update(client, {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'ls',
      kind: 'execute',
      status: 'pending',
    });
    await update(client, { ...tool, status: 'in_progress', content: [text('a.txt\n')] });
    await update(client, { ...tool, status: 'completed', content: [text('a.txt\nb.txt\n')] });
    const diff = { type: 'diff', path: 'a.txt', oldText: 'one\ntwo\n', newText: 'one\nthree\n' };
    await update(client, {
      sessionUpdate: 'tool_call',
      toolCallId: 'd',
      title: 'edit a.txt',
      kind: 'edit',
      content: [diff],
    });
    await say(client, 'Done.');
    return 'end_turn';
  },
  /** Says what its session has cost, which grows by that number. */
  async spend([dollars = '0', currency = 'USD'], client) {
    cost += Number(dollars);
    note(`cost ${cost}`);
    await update(client, { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: cost, currency } });
    return 'end_turn';
  },
  async read([path = ''], client) {
    await say(client, readFileSync(path, 'utf8'));
    return 'end_turn';
  },
};

agent({ name: 'agent-of-the-tests' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    note(`greeted: ${JSON.stringify(params.clientCapabilities)}`);
    return {
      protocolVersion: 1,
      agentCapabilities: { loadSession: can('load'), mcpCapabilities: { http: can('http') } },
    };
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    note(`session in ${params.cwd}`);
    noteServers(params.mcpServers);
    sessionId = `session-${process.pid}`;
    if (can('load')) note(`opened ${sessionId}`);
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const isKnown = existsSync(diary) && readFileSync(diary, 'utf8').includes(`opened ${params.sessionId}\n`);
    note(`loading ${params.sessionId} in ${params.cwd}`);
    noteServers(params.mcpServers);
    if (can('hang-load')) await pause(600_000);
    if (!isKnown || can('refuse-load')) throw new Error('no such session');
    sessionId = params.sessionId;
    await say(client, 'what it said before');
    if (can('own-cost')) return {};
    cost = Number(
      readFileSync(diary, 'utf8')
        .match(/(?<=^cost ).*$/gm)
        ?.at(-1) ?? 0,
    );
    await update(client, { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: cost, currency: 'USD' } });
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [first] = params.prompt;
    const [act = '', ...words] = first?.type === 'text' ? first.text.split(' ') : [];
    stop = new AbortController();
    const stopReason = (await acts[act]?.(words, client)) ?? 'refusal';
    note(`ended: ${stopReason}`);
    const usage = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 30, thoughtTokens: 5, totalTokens: 155 };
    return { stopReason, ...(act === 'spend' && { usage }) };
  })
  .onNotification(methods.agent.session.cancel, () => {
    note('session/cancel');
    stop.abort();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
process.on('exit', () => note('gone'));
