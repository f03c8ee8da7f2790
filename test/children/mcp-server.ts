// A server of MCP tools on stdio, built on nothing: each tool does what its name says, and none of them listens to a cancellation unless it says so.
//
//   node mcp-server.ts <token> [deaf] [mute] [dies] [log=<file>]
//
// The token is for finding its processes. `deaf`: TERM and the end of its input do not end it. `mute`: it introduces itself to nobody.
// `dies`: before it introduces itself. `log`: a file that gets each line that it receives.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [token = '', ...manners] = process.argv.slice(2);
const log = manners.find((manner) => manner.startsWith('log='))?.slice('log='.length);
const isDeaf = manners.includes('deaf');

interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly requestId?: number;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: number };
  };
}

/** Whole, whatever the state of the pipe. */
function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
const frame = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const send = (message: object) => print(frame(message));
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const answer = (id: number, words: string) => send({ id, result: text(words) });
const logging = { method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(100) } };

/** What is done when a call is cancelled, by the id of its request. */
const onCancel = new Map<number, () => void>();

const tools: Readonly<Record<string, (id: number, call: NonNullable<Heard['params']>) => void>> = {
  echo: (id, { arguments: args }) => answer(id, String(args?.['text'])),
  /** Goes on for ever, or for `ms`. */
  wait(id, { arguments: args }) {
    setTimeout(() => answer(id, 'waited'), Number(args?.['ms'] ?? 600_000));
  },
  obey(id) {
    const timer = setInterval(() => {}, 1_000);
    onCancel.set(id, () => clearInterval(timer));
  },
  answer_when_cancelled: (id) =>
    void onCancel.set(id, () => send({ id, error: { code: -32_800, message: 'it was cancelled' } })),
  finish_when_cancelled: (id) => void onCancel.set(id, () => answer(id, 'the page was written')),
  misfit_when_cancelled: (id) => void onCancel.set(id, () => send({ id, result: { content: 'a text, and no list' } })),
  progress(_, { _meta: meta }) {
    let progress = 0;
    const tell = () => {
      progress++;
      send({
        method: 'notifications/progress',
        params: { progressToken: meta?.progressToken, progress, message: 'working' },
      });
    };
    tell();
    setInterval(tell, 20);
  },
  /** Starts a process that leaves the group. */
  fork(id) {
    spawn('/bin/sh', ['-c', `sleep ${token}`], { detached: true, stdio: 'ignore' }).unref();
    onCancel.set(id, () => {});
    print(frame(logging));
  },
  die() {
    console.error('there was a bug');
    process.exit(3);
  },
  half_a_frame(id) {
    const whole = frame({ id, result: text('this is never whole') });
    print(whole.slice(0, whole.length / 2));
    process.exit(0);
  },
  half_a_line(id) {
    const whole = frame({ id, result: text('this is never whole') });
    print(`${whole.slice(0, whole.length / 2)}\n`);
  },
  nonsense: () => print('{"foo":"bar"}\n'),
  not_a_result: (id) => send({ id, result: { content: 'a text, and no list' } }),
  error: (id) => send({ id, error: { code: -32_603, message: 'the disk is full' } }),
  error_for_nobody: () => send({ error: { code: -32_700, message: 'cannot read that' } }),
  failure: (id) => send({ id, result: { ...text('no such page'), isError: true } }),
  structured: (id) => send({ id, result: { content: [], structuredContent: { degrees: 21 } } }),
  twice(id) {
    answer(id, 'the first answer');
    answer(id, 'the second answer');
  },
  wrong_id: (id) => answer(id + 1_000, 'for nobody'),
  text_id: (id) => send({ id: String(id), result: text('for nobody') }),
  greets(id) {
    print('Welcome to this server!\n\n[INFO] a call has come\n');
    answer(id, 'greeted');
  },
  flood() {
    for (;;) print(frame(logging).repeat(100));
  },
  flood_of_noise() {
    for (;;) print('no message at all\n'.repeat(1_000));
  },
  flood_of_requests() {
    for (let id = 0; ; id++) print(frame({ id, method: 'ping' }).repeat(100));
  },
  huge_frame(id) {
    print(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (;;) print('x'.repeat(65_536));
  },
  flood_of_stderr(id) {
    for (let i = 0; i < 1_000; i++) writeSync(2, 'complaint '.repeat(1_000));
    answer(id, 'complained');
  },
  close_output() {
    closeSync(1);
    setInterval(() => {}, 1_000);
  },
  spin() {
    for (;;); // not even a TERM handler runs
  },
};

const listed = Object.keys(tools).map((name) => ({
  name,
  description: `Does what its name says: ${name}.`,
  inputSchema:
    name === 'echo'
      ? { type: 'object', properties: { text: { type: 'string', maxLength: 10 } }, required: ['text'] }
      : { type: 'object' },
  ...(name === 'echo' && { annotations: { readOnlyHint: true } }),
}));

function hear({ id = -1, method, params = {} }: Heard): void {
  if (method === 'initialize' && !manners.includes('mute')) {
    const serverInfo = { name: 'hostile', version: '1' };
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') send({ id, result: { tools: listed } });
  if (method === 'tools/call') tools[params.name ?? '']?.(id, params);
  if (method === 'notifications/cancelled') onCancel.get(params.requestId ?? -1)?.();
}

if (manners.includes('dies')) {
  console.error('there is no configuration');
  process.exit(2);
}
if (isDeaf) process.on('SIGTERM', () => {});
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  if (log !== undefined) appendFileSync(log, `${line}\n`);
  hear(JSON.parse(line));
});
lines.on('close', () => {
  if (!isDeaf) process.exit(0);
  setInterval(() => {}, 1_000);
});
