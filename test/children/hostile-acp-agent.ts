// An agent that breaks the protocol in the way that its first argument names. Written without the SDK: it says what it wants to.
import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', token = ''] = process.argv.slice(2);
/** Whole, before anything else happens. */
const write = (text: string) => {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
    }
  }
};
const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const send = (message: object) => write(lineOf(message));
const chunk = (text: string) => ({
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
});
const permission = (id: number) => ({
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    toolCall: { toolCallId: `c${id}`, title: `wish ${id}` },
    options: [{ optionId: 'a', name: 'Allow', kind: 'allow_once' }],
  },
});
const stayForEver = () => setInterval(() => {}, 60_000);
const isDeaf = ['deaf', 'forks', 'floods', 'asks', 'chatters', 'silent', 'slow'].includes(mode);
if (isDeaf) process.on('SIGTERM', () => {});

/** What it does when it has got its task. */
const acts: Readonly<Record<string, (prompt: number) => unknown>> = {
  /** Ends only by TERM. */
  ignores: stayForEver,
  /** Ends only by KILL. */
  deaf: stayForEver,
  /** And so do its children, one of them in a session of its own. */
  forks() {
    const script = `trap '' TERM; sleep ${token}`;
    spawn('/bin/sh', ['-c', script], { stdio: 'inherit' });
    spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true }).unref();
    stayForEver();
  },
  /** Says the same for ever, as fast as it can. */
  floods() {
    const many = `${JSON.stringify({ jsonrpc: '2.0', ...chunk('the same line again and again\n') })}\n`.repeat(200);
    for (;;) write(many);
  },
  /** Asks for what is not offered, as fast as it can, and reads no answer. */
  chatters() {
    const many = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'fs/read_text_file', params: {} })}\n`.repeat(200);
    for (;;) write(many);
  },
  half() {
    write('{"jsonrpc":"2.0","method":"session/upd');
    stayForEver();
  },
  halfDies() {
    write('{"jsonrpc":"2.0","method":"session/upd');
    process.exit(0);
  },
  dies() {
    console.error('a bug of mine');
    process.exit(3);
  },
  /** One message without an end. */
  long() {
    write('{"jsonrpc":"2.0","method":"');
    for (;;) write('x'.repeat(65_536));
  },
  nonsense(prompt) {
    write('hello\n[1,2]\n"text"\n{}\nnull\n{"jsonrpc":"2.0"}\n');
    send({ id: 4711, result: {} });
    send({ id: prompt + 100, error: 'no' });
    send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'of_tomorrow' } } });
    send({ method: 'session/update', params: 7 });
    send({ method: 'session/update' });
    send({ id: 9, method: 'session/update', params: {} });
    send({ id: null, method: 'terminal/create', params: {} });
    send({ method: 'of/tomorrow', params: [] });
    send(chunk('still here'));
    send({ id: prompt, result: { stopReason: 'end_turn' } });
    send({ id: prompt, result: { stopReason: 'refusal' } });
    send(chunk('too late'));
    stayForEver();
  },
  slow: stayForEver,
  badAnswer(prompt) {
    send({ id: prompt, result: 'yes' });
    stayForEver();
  },
  closes() {
    closeSync(1);
    stayForEver();
  },
  /** Completes, and stays. */
  stays(prompt) {
    write(lineOf(chunk('done')) + lineOf({ id: prompt, result: { stopReason: 'end_turn' } }));
    stayForEver();
  },
  /** Asks for permission for ever, whatever it receives. */
  asks() {
    let id = 1_000;
    for (let i = 0; i < 20; i++) send(permission(id++));
    setInterval(() => send(permission(id++)), 1);
  },
};

for await (const line of createInterface(process.stdin)) {
  const message = JSON.parse(line) as { id: number; method?: string };
  const { id, method } = message;
  if (mode === 'silent') continue;
  if (method === 'initialize') {
    if (mode === 'login') send({ id, error: { code: -32000, message: 'Authentication required' } });
    else send({ id, result: { protocolVersion: mode === 'future' ? 7 : 1 } });
  }
  if (method === 'session/new' && mode === 'slow') {
    // there is a session when it is being ended
    process.on('SIGTERM', () => send({ id, result: { sessionId: 's' } }));
    send(chunk('not yet\n'));
  } else if (method === 'session/new') send({ id, result: mode === 'homeless' ? {} : { sessionId: 's' } });
  if (method === 'session/prompt') {
    send(chunk('begun\n'));
    await acts[mode]?.(id);
  }
}
// its stdin is closed: one that is deaf stays all the same
if (isDeaf || mode === 'ignores') stayForEver();
