// The terminal client as a process, at a gateway whose runtime the test controls.
import { describe, expect, test } from 'vitest';
import type { CancelAccepted } from '../../machines/facts.ts';
import { startChild } from '../support/child.ts';
import { FakeRuntime, type FakeSession } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

const usage = { kind: 'unknown', input: null, output: null } as const;

const turn = 'turn_1';
const shell = {
  type: 'tool_call',
  turn,
  node: 'call_1',
  kind: 'tool-call',
  callId: 'c',
  name: 'shell',
  index: 0,
  arguments: '{"command":"sleep 60"}',
} as const;

/** Opens the turn of a SAY: `quick` ends, anything else stays at its shell. */
function playTurn(session: FakeSession, owner: string, text: string, ref: string | null): void {
  session.publish({ type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref });
  session.publish({ type: 'turn_started', turn, owner, parent: null });
  for (const listener of session.listeners()) listener.text({ turn, index: 0, offset: 0, text: 'On it.\n' });
  if (text !== 'quick') return session.publish({ ...shell, owner });
  const whole = 'On it.\nDone \u001b[31mquickly.';
  session.publish({ type: 'model_ended', turn, index: 0, outcome: 'completed', text: whole, cutOff: false, usage });
  session.publish({ type: 'turn_ended', turn, outcome: 'completed', effect: 'none', usage });
}

function settle(session: FakeSession, { ref, source, by, reason, target }: CancelAccepted): void {
  const how = { outcome: 'cancelled', effect: 'unknown' } as const;
  session.publish({ type: 'tool_result', turn, node: 'call_1', ...how });
  session.publish({ type: 'turn_ended', turn, ...how, usage });
  session.publish({
    type: 'cancel_settled',
    cancel: 'cancel_1',
    ref,
    cause: { source, by, reason, target },
    nodes: [
      { node: turn, kind: 'turn', ...how, ms: 1_000 },
      { node: 'call_1', kind: 'tool-call', ...how, forced: true, ms: 990 },
    ],
  });
}

/** Accepts every CANCEL, and settles it when the test releases it. */
function scriptedRuntime(): FakeRuntime & { readonly forced: boolean[]; settle(): void } {
  const runtime = new FakeRuntime();
  const forced: boolean[] = [];
  let finish: (() => void) | null = null;
  runtime.onSay = async (session, { speaker }, { text, ref = null }) => {
    playTurn(session, speaker.id, text, ref);
    return { type: 'turn_opened', turn };
  };
  runtime.onCancel = async (session, { speaker }, { ref = null, target, reason = null, force = false }) => {
    forced.push(force);
    const receipt: CancelAccepted = {
      type: 'cancel_accepted',
      cancel: 'cancel_1',
      ref,
      source: 'client',
      by: speaker.id,
      reason,
      target,
      force,
      stopping: [turn, 'call_1'],
      pending: [],
      refused: [],
      detached: [],
    };
    if (forced.length === 1) session.publish(receipt);
    const settled = Promise.withResolvers<never>();
    finish = () => settle(session, receipt);
    return { type: 'cancel_accepted', receipt, durable: true, repeated: forced.length > 1, settled: settled.promise };
  };
  return Object.assign(runtime, { forced, settle: () => finish?.() });
}

async function start() {
  const runtime = scriptedRuntime();
  const { url, gateway } = await startGateway({ runtime });
  const chat = startChild('src/programs/chat.ts', { args: [url, '--session', 'demo'] });
  await until(() => runtime.session('demo').listeners().length === 1, { what: `the join; ${chat.stderr()}` });
  return { runtime, url, gateway, chat };
}

describe('belay chat', () => {
  test('sends lines and streams the reply without control sequences; it exits at the end of its input [cli.chat]', async () => {
    const { runtime, chat, gateway } = await start();
    chat.type('quick');
    chat.process.stdin?.end();
    expect(await chat.ended()).toBe(0);
    expect(chat.stdout()).toBe('On it.\nDone [31mquickly.\n');
    expect(chat.stderr()).toBe('');
    expect(runtime.calls.find(({ command }) => command === 'say')).toMatchObject({ session: 'demo', text: 'quick' });
    await until(() => gateway.size === 0);
    expect(runtime.calls.at(-1)).toMatchObject({ command: 'leave', how: 'left' });
  });

  test('Ctrl-C cancels the running turn, with a line for each node, and the chat goes on [cli.chat]', async () => {
    const { runtime, chat } = await start();
    chat.type('build');
    await chat.untilPrinted('> shell {"command":"sleep 60"}');
    chat.signal('SIGINT');
    await chat.untilPrinted('Received interrupt. Cancelling all running tools...');
    await until(() => runtime.forced.length === 1);
    expect(runtime.calls.at(-1)).toMatchObject({
      request: { target: 'lane:turn_1', reason: 'interrupted at the terminal' },
    });
    runtime.settle();
    await chat.untilPrinted('  your turn: stopped in 1.0 s (ran ');
    await chat.untilPrinted('  shell: stopped by force in 990 ms; it may have had effects\n');
    chat.type('quick');
    await chat.untilPrinted('Done');
    expect(chat.stderr()).toBe('');
  });

  test('a typed "stop" that the gateway takes as a cancel is stopped with a line for each node; a second one forces the stop [cli.chat]', async () => {
    const { runtime, chat } = await start();
    const openTurn = runtime.onSay;
    const receipts: CancelAccepted[] = [];
    runtime.onSay = async (session, caller, said) => {
      if (said.text !== 'stop') return openTurn(session, caller, said);
      const { speaker } = caller;
      const receipt: CancelAccepted = {
        type: 'cancel_accepted',
        cancel: 'cancel_1',
        ref: said.ref ?? null,
        source: 'phrase',
        by: speaker.id,
        reason: 'stop',
        target: 'session',
        force: false,
        stopping: [turn, 'call_1'],
        pending: [],
        refused: [],
        detached: [],
      };
      if (receipts.push(receipt) === 1) session.publish(receipt);
      return { type: 'stop_phrase', cancel: 'cancel_1', repeated: receipts.length > 1 };
    };
    chat.type('build');
    await chat.untilPrinted('> shell {"command":"sleep 60"}');
    chat.type('stop');
    await chat.untilPrinted('Stopping.\n');
    chat.type('stop');
    await chat.untilPrinted('It is being stopped already.\nForcing...\n');
    await until(() => runtime.forced.length === 1);
    expect(runtime.calls.at(-1)).toMatchObject({ request: { target: 'session', force: true } });
    const [receipt] = receipts;
    if (receipt) settle(runtime.session('demo'), receipt);
    await chat.untilPrinted('  shell: stopped by force in 990 ms; it may have had effects\n');
    chat.type('quick');
    await chat.untilPrinted('Done');
    expect(chat.stderr()).toBe('');
  });

  test('a second Ctrl-C forces the stop, a third exits [cli.chat]', async () => {
    const { runtime, chat } = await start();
    chat.type('build');
    await chat.untilPrinted('> shell');
    chat.signal('SIGINT');
    await until(() => runtime.forced.length === 1);
    await chat.signalUntil('SIGINT', () => runtime.forced.length === 2);
    await chat.untilPrinted('Received interrupt again. Forcing...');
    expect(runtime.forced).toEqual([false, true]);
    await chat.signalUntil('SIGINT', () => chat.process.exitCode !== null);
    expect(await chat.ended()).toBe(130);
    expect(chat.stderr()).toBe('');
  });

  test('Ctrl-C exits without a stack trace when nothing runs [cli.chat]', async () => {
    const { chat } = await start();
    chat.signal('SIGINT');
    expect(await chat.ended()).toBe(0);
    expect(chat.stdout() + chat.stderr()).toBe('');
  });

  test('the end of the gateway is reported in a sentence', async () => {
    const { chat, runtime } = await start();
    await runtime.close();
    expect(await chat.ended()).toBe(1);
    expect(chat.stdout()).toContain('The connection has ended: shutdown.');
    expect(chat.stderr()).toBe('');
  });

  test('a missing gateway is reported in a sentence', async () => {
    const chat = startChild('src/programs/chat.ts', { args: ['ws://127.0.0.1:9/belay'] });
    expect(await chat.ended()).toBe(1);
    expect(chat.stderr()).toBe(
      'Nothing listens at ws://127.0.0.1:9/belay. Is a gateway running? Start one with: npm start.\n',
    );
  });
});
