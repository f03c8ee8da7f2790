// Chats at a gateway with a real runtime and a scripted model, for tests of what is typed there.
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import type { SessionSpec } from '../../src/core/session/session-spec.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { type Child, startChild } from '../support/child.ts';
import { startGateway } from '../support/gateway.ts';
import { startAtTerminal, type TerminalOptions } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const watch = defineTool({
  name: 'watch',
  description: 'Watches until it is stopped.',
  input: z.object({ what: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: 'stopped' }));
    }),
});
const remove = defineTool({
  name: 'remove',
  description: 'Needs an approval, and asks a question.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  approval: () => ({ text: 'remove everything?' }),
  run: async (_, { ask }) => `removed ${await ask({ text: 'from where?', choices: ['here', 'there'] })}`,
});

/** The text of an approval that is longer than what is shown of it. */
export const long = `remove ${'everything, '.repeat(400)}and the rest?`;
const removeAll = defineTool({
  name: 'remove_all',
  description: 'Needs an approval with a long text.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  approval: () => ({ text: long }),
  run: async () => 'removed',
});

const call = (name: string, ...inputs: object[]): Script => ({
  steps: inputs.map((input, i) => ({ call: { callId: `p${i}`, name, arguments: JSON.stringify(input) } })),
});
const respond = (words: string): Script => {
  if (words === 'watch') return call('watch', { what: 'the door' }, { what: 'the window' });
  if (words === 'remove all') return call('remove_all', {});
  if (words === 'remove') return call('remove', {});
  if (words === 'tick')
    return { steps: Array.from({ length: 2_000 }, () => [{ text: 'tick ' }, { waitMs: 20 }]).flat() };
  return { steps: [{ text: `You said: ${words}` }] };
};

interface TerminalChat extends Pick<TerminalOptions, 'env'> {
  readonly args?: readonly string[];
  readonly address?: string;
}

/** A gateway with the session `demo`, and chats of ann and bob there. */
export async function startChats(spec: Partial<SessionSpec> = {}) {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => respond(String(messages.at(-1)?.content)),
  });
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    tools: [watch, remove, removeAll],
    session: () => spec,
    limits: { shieldMs: 1_000 },
  });
  onTestFinished(() => runtime.close());
  const authenticator = createTokenAuthenticator({
    'token-of-ann-000001': { speaker: 'ann', sessions: ['*'] },
    'token-of-bob-000001': { speaker: 'bob', sessions: ['*'] },
  });
  const { url } = await startGateway({ runtime, authenticator });
  const session = await runtime.session('demo');
  const argsOf = (name: string, more: readonly string[], address = url) => {
    const about = ['--session', 'demo', '--token', `token-of-${name}-000001`];
    return [address, ...about, ...more];
  };
  const startChat = (name: string, ...more: readonly string[]) =>
    startChild('src/programs/chat.ts', { args: argsOf(name, more) });
  /** A chat at a real terminal, when it has joined. `address`: of a proxy. */
  const chatAtTerminal = async (name: string, more: TerminalChat = {}) => {
    const { args = [], address = url, env = {} } = more;
    const terminal = startAtTerminal('src/programs/chat.ts', argsOf(name, args, address), { env });
    await terminal.shows(`Joined demo as ${name}.`, 20_000);
    await terminal.shows(/you>$/);
    return terminal;
  };
  const opened: Child[] = [];
  const chat = async (name: string) => {
    const child = startChat(name);
    opened.push(child);
    await until(
      () => {
        child.type('/who'); // replies also before the session is joined
        return child.untilPrinted(`You are ${name}`, 500).catch(() => null);
      },
      { ms: 10_000, what: `${name} to join` },
    );
    return child;
  };
  const calls = async () => (await session.nodes()).filter(({ kind }) => kind === 'tool-call');
  /** Resolves with both calls of `watch` when the chats that were opened before know them, too. */
  const watched = async () => {
    const both = await until(async () => (await calls()).length === 2 && calls(), { what: 'both calls' });
    for (const child of opened) await child.untilPrinted('> watch {"what":"the window"}');
    return both;
  };
  return { url, runtime, session, startChat, chat, chatAtTerminal, calls, watched };
}
