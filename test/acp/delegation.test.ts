// Outside agents in a whole runtime: delegated to like any agent, asked about on every screen, stopped by the same CANCEL.

import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { FactType } from '../../machines/facts.ts';
import { bindSession } from '../../src/embed/bound-session.ts';
import { createScriptedProvider, type Script } from '../../src/model/scripted.ts';
import type { RuntimeConfig } from '../../src/runtime/config.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { AnswerRequest, CancelRequest } from '../../src/session/api.ts';
import { systemSources } from '../../src/sources/system.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { living, newToken, zombies } from '../process/processes.ts';
import { marked } from '../support/marked.ts';
import { settledOf } from '../support/settled.ts';
import { until } from '../support/until.ts';
import { asks, hear, memberOf, once, says, toolOf } from '../support/world.ts';
import { newFolder, program, wellBehaved } from './working.ts';

const token = newToken();
const { clock } = systemSources;

afterEach(() => {
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

const coder = (agent = wellBehaved().agent) => ({ coder: { description: 'codes', acp: agent } });
/** Its ladder leaves most of the budget for a machine that is busy with other tests. */
const hostile = (mode: string) =>
  coder({ ...program('hostile-acp-agent.ts', mode, token), cancelMs: 100, termGraceMs: 200 });
/** A first answer that makes these calls, and text for every later one. */
const first =
  (...calls: Parameters<typeof once>) =>
  (n: number) =>
    once(...calls)({ messages: [], tools: [] }, n);
const spawn = (task: string, more: object = {}) => ['spawn_agent', { task, agent: 'coder', ...more }] as const;

interface Stage extends Partial<RuntimeConfig> {
  respond?(n: number): Script;
}

async function stage({ respond = () => says('done'), ...config }: Stage) {
  const provider = createScriptedProvider({
    clock,
    respond: (_, n) => respond(n),
  });
  const runtime = await createRuntime({
    log: createMemoryLog(),
    provider,
    roots: [newFolder()],
    agents: coder(),
    tools: [
      toolOf('note', async () => 'noted'),
      toolOf(
        'later',
        ({ ms }, { clock: at }) => new Promise((resolve) => void at.after(Number(ms), () => resolve('late'))),
      ),
    ],
    warn: () => {},
    ...config,
  });
  onTestFinished(() => runtime.close());
  const session = await bindSession(runtime, 's');
  const heard = hear();
  const ann = memberOf('ann');
  const begun: string[] = [];
  const output = ({ node }: { readonly node: string }) => void begun.push(node);
  await session.join(ann, { ...heard.listener, output }, 0);
  const fact = <T extends FactType>(type: T, place = 0) =>
    until(() => heard.of(type)[place], { ms: 10_000, what: `${type} ${place}` });
  return {
    runtime,
    session,
    heard,
    provider,
    fact,
    say: (text: string) => session.say(ann, { text }),
    answer: (request: AnswerRequest, by = ann) => session.answer(by, request),
    async cancel(request: CancelRequest) {
      const answer = await session.cancel(ann, request);
      if (answer.type !== 'cancel_accepted') throw new Error(answer.type);
      return { accepted: answer.receipt, settled: await settledOf(session, answer) };
    },
    /** The call whose agent is the first to have said something. */
    begun: () => until(() => begun[0], { ms: 10_000, what: 'the first words of an agent' }),
    result: (node: string) => until(() => heard.of('tool_result').find((it) => it.node === node), { ms: 10_000 }),
  };
}

describe('a task for an outside agent', () => {
  test('is a call of spawn_agent, whose result is the report [agent.acp]', async () => {
    const { say, fact, heard, provider } = await stage({
      respond: first(spawn('say hello there')),
    });
    await say('go');
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    const [call] = heard.of('tool_call');
    expect(call).toMatchObject({ kind: 'tool-call', name: 'spawn_agent' });
    expect(heard.of('tool_result')).toMatchObject([
      { node: call?.node, outcome: 'completed', effect: 'done', output: 'hello\n\nthere' },
    ]);
    expect(provider.requests[0]?.tools.at(-1)).toMatchObject({
      name: 'spawn_agent',
      description: expect.stringContaining('coder: codes'),
    });
    expect(marked([call?.node ?? ''])).toEqual([]);
  });

  test('may come from an agent inside, and go to the first agent where none is named [agent.acp]', async () => {
    const helper = { description: 'helps', instructions: 'Help.', agents: ['coder'] };
    const { say, fact, heard } = await stage({
      agents: { helper, ...coder() },
      respond: (n) =>
        n === 0
          ? asks(['spawn_agent', { task: 'x' }])
          : n === 1
            ? asks(['spawn_agent', { task: 'say hello' }])
            : says('done'),
    });
    await say('go');
    await fact('turn_ended', 1);
    expect(heard.of('tool_call').map(({ kind }) => kind)).toEqual(['sub-agent', 'tool-call']);
    expect(heard.of('tool_result').map(({ output }) => output)).toEqual(['hello', 'done']);
  });

  test('cannot be detached, nor go to one that there is not', async () => {
    const { say, fact, heard } = await stage({
      respond: first(spawn('x', { detached: true }), spawn('x', { agent: 'nobody' })),
    });
    await say('go');
    await fact('turn_ended');
    expect(heard.of('tool_result')).toMatchObject([
      { outcome: 'failed', code: 'bad_arguments', message: expect.stringContaining('detached: coder works outside') },
      { outcome: 'failed', code: 'bad_arguments', message: 'agent: must be one of coder' },
    ]);
    expect(heard.of('process_started')).toEqual([]);
  });

  test('is screened: an interceptor may change the task, and not put an agent inside in its place', async () => {
    const helper = { description: 'helps', instructions: 'Help.' };
    const change = (to: object) => ({ do: 'change' as const, arguments: { agent: 'coder', task: 'say x', ...to } });
    const { say, fact, heard } = await stage({
      agents: { ...coder(), helper },
      interceptors: [
        {
          beforeTool: async ({ arguments: given }) =>
            change((given as { task: string }).task === 'say 1' ? { task: 'say changed' } : { agent: 'helper' }),
        },
      ],
      respond: first(spawn('say 1'), spawn('say 2')),
    });
    await say('go');
    await fact('turn_ended');
    const results = heard.of('tool_result').map(({ outcome, code, output }) => code ?? `${outcome}: ${output}`);
    expect(results.toSorted()).toEqual(['bad_arguments', 'completed: changed']);
  });

  test('is refused with the configuration where the agent is not configured well', async () => {
    await expect(stage({ agents: coder({ command: '' }) })).rejects.toThrow('agents.coder.acp.command');
    await expect(stage({ agents: coder({ command: 'x', cancelMs: 2_000 }) })).rejects.toThrow('limits.toolCancelMs');
    await expect(stage({ roots: [], agents: coder({ command: 'x' }) })).rejects.toThrow('agents.coder.acp.cwd');
  });
});

describe('a permission request', () => {
  test('is an approval that the speaker gives, and nobody else [agent.acp] [owner.ask]', async () => {
    const { say, fact, answer } = await stage({ respond: first(spawn('ask it')) });
    await say('go');
    const { node: target, to, text } = await fact('approval_requested');
    expect(to).toBe('ann');
    expect(text).toContain('coder asks for permission: it');
    const stranger = memberOf('bob');
    expect(await answer({ target, answer: 'approved' }, stranger)).toMatchObject({
      code: 'not_addressed',
    });
    expect(await answer({ target, answer: 'approved' })).toEqual({ type: 'answer_taken' });
    expect(await fact('approval_closed')).toMatchObject({ answer: 'approved', by: 'ann' });
    expect(await fact('tool_result')).toMatchObject({ outcome: 'completed', output: 'it: a ' });
  });

  test('is withdrawn by a cancel: the agent hears `cancelled`, and a later answer is refused [agent.acp]', async () => {
    const { agent, noted } = wellBehaved();
    const { say, fact, answer, cancel } = await stage({
      agents: coder(agent),
      respond: first(spawn('ask it')),
    });
    await say('go');
    const { node, turn } = await fact('approval_requested');
    const { settled } = await cancel({ target: turn });
    expect(await fact('approval_closed')).toMatchObject({ node, answer: 'withdrawn', by: null });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', effect: 'unknown' }));
    expect(noted()).toEqual(expect.arrayContaining(['it: cancelled', 'session/cancel']));
    const late = await answer({ target: node, answer: 'approved' });
    expect(late).toMatchObject({ type: 'answer_refused', code: 'expired' });
  });

  test('is withdrawn on every screen when the agent has died', async () => {
    const { say, fact, heard } = await stage({ respond: first(spawn('leave it')) });
    await say('go');
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    expect(heard.of('approval_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(heard.of('tool_result')).toMatchObject([{ outcome: 'failed', code: 'agent_died', effect: 'unknown' }]);
  });
});

describe('a CANCEL', () => {
  test('of one agent by id: its sibling runs on, and the turn goes on [agent.acp] [cancel.tool]', async () => {
    const { say, begun, cancel, result, fact, heard } = await stage({
      respond: first(spawn('wait so far'), ['later', { ms: 800 }]),
    });
    await say('go');
    const node = await begun();
    const { settled } = await cancel({ target: node });
    expect(settled.nodes).toMatchObject([{ node, kind: 'tool-call', outcome: 'cancelled' }]);
    expect(await result(node)).toMatchObject({ outcome: 'cancelled' });
    expect(marked([node])).toEqual([]);
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    const others = heard.of('tool_result').filter((fact) => fact.node !== node);
    expect(others.map(({ outcome }) => outcome)).toEqual(['completed']);
  });

  test.each(['ignores', 'deaf', 'forks', 'floods', 'half', 'asks'])(
    'of a turn with one that is hostile (%s): nothing of it is left, the next turn works [agent.acp] [cancel.bounded]',
    async (mode) => {
      const { say, begun, cancel, fact, heard, runtime } = await stage({
        agents: hostile(mode),
        respond: first(spawn('go'), ['note']),
      });
      await say('go');
      const node = await begun();
      const other = await bindSession(runtime, 'other');
      const { turn } = await fact('turn_opened');
      const cancelled = cancel({ target: turn });
      expect(await other.nodes()).toEqual([]); // answered meanwhile
      const { settled } = await cancelled;
      expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', effect: 'unknown' }));
      expect(marked([node])).toEqual([]);
      expect(heard.of('abandoned_ended')).toEqual([]);
      expect(heard.of('tool_result').map(({ outcome }) => outcome)).toEqual(['completed', 'cancelled']);
      await say('and now?');
      expect(await fact('turn_ended', 1)).toMatchObject({ outcome: 'completed' });
    },
  );

  test('under force kills it now', async () => {
    const { say, begun, cancel, fact } = await stage({
      agents: hostile('deaf'),
      respond: first(spawn('go')),
    });
    await say('go');
    const node = await begun();
    const { turn } = await fact('turn_opened');
    const { settled } = await cancel({ target: turn, force: true });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', forced: true }));
    expect(marked([node])).toEqual([]);
  });

  test('that cannot end it in its budget names it abandoned, and tells when it has ended [cancel.bounded]', async () => {
    const agent = program('hostile-acp-agent.ts', 'deaf', token);
    const { say, begun, cancel, fact } = await stage({
      agents: coder({ ...agent, cancelMs: 100, termGraceMs: 199 }),
      limits: { toolCancelMs: 300, termGraceMs: 100 },
      respond: first(spawn('go')),
    });
    await say('go');
    const node = await begun();
    const { turn } = await fact('turn_opened');
    const { settled } = await cancel({ target: turn });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'abandoned', effect: 'unknown' }));
    expect(await fact('abandoned_ended')).toMatchObject({ node });
    expect(marked([node])).toEqual([]);
  });

  test('at a shutdown stops it too [ops.shutdown]', async () => {
    const { agent, noted } = wellBehaved();
    const { say, begun, runtime } = await stage({
      agents: coder(agent),
      respond: first(spawn('wait here')),
    });
    await say('go');
    const node = await begun();
    await runtime.close();
    expect(noted()).toContain('session/cancel');
    expect(marked([node])).toEqual([]);
  });
});

test('a timeout of spawn_agent stops it with cause `deadline`', async () => {
  const { say, fact } = await stage({
    toolTimeouts: { spawn_agent: 300 },
    respond: first(spawn('wait here')),
  });
  await say('go');
  expect(await fact('tool_timeout')).toMatchObject({ ms: 300 });
  expect(await fact('tool_result')).toMatchObject({ outcome: 'timed_out' });
  expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
});

test('its process is started in the first root, where it has no folder of its own', async () => {
  const root = newFolder();
  const { agent, noted } = wellBehaved();
  const { say, fact } = await stage({
    roots: [root, join(root, 'other')],
    agents: coder(agent),
    respond: first(spawn('say hello')),
  });
  await say('go');
  await fact('turn_ended');
  expect(noted()).toContain(`session in ${root}`);
});
