// The name and the arguments of the call in its request for an approval: the same text as in the facts of the call, up to a limit.
import { expect, test } from 'vitest';
import { requireApprovals } from '../../../src/core/tools/require-approval.ts';
import { type HarnessOptions, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { interrupted, resume, turnIn } from './interrupted-turn.ts';

const plain = toolOf('risky', async () => 'done it');

async function askedFor(
  text: string,
  { tools = requireApprovals([plain], ['risky']), ...options }: HarnessOptions = {},
) {
  const call = { call: { callId: 'p0', name: 'risky', arguments: text } };
  const respond = (_: unknown, n: number) => (n === 0 ? { steps: [call] } : textResponse('done'));
  const harness = await startHarness({ tools, respond, ...options });
  await harness.say('words');
  await harness.clock.advance(150);
  const [asked] = harness.recorder.of('approval_requested');
  if (!asked) throw new Error('nothing was asked');
  return { asked, harness };
}

test.each(['{"command":"rm -rf ~","command":"ls"}', '{ "command": "ls" }', '{"command":"ls","_meta":{"timeout":5}}'])(
  'it has the arguments as the model wrote them: %s [owner.ask]',
  async (text) => {
    const { asked, harness } = await askedFor(text);
    expect(asked).toMatchObject({ name: 'risky', arguments: text, remark: '' });
    expect(harness.recorder.of('tool_call')).toMatchObject([{ name: 'risky', arguments: text }]);
  },
);

test('without arguments it has an empty object [owner.ask]', async () => {
  const { asked } = await askedFor('');
  expect(asked).toMatchObject({ name: 'risky', arguments: '{}' });
});

test('it has the arguments that an interceptor has put in their place, as they run [owner.ask]', async () => {
  const beforeTool = async () => ({ do: 'change', arguments: { command: 'true' } }) as const;
  const { asked, harness } = await askedFor('{"command":"ls"}', { interceptors: [{ beforeTool }] });
  expect(asked.arguments).toBe('{"command":"true"}');
  expect(harness.recorder.of('tool_changed')).toMatchObject([{ arguments: asked.arguments }]);
});

test('arguments of more than 65 536 characters are cut in their middle, so that they are no JSON any more [owner.ask]', async () => {
  const { asked } = await askedFor(JSON.stringify({ command: 'a'.repeat(100_000) }));
  expect(asked.arguments?.length).toBeLessThanOrEqual(65_536);
  expect(asked.arguments).toMatch(/^\{"command":"a+\n\[… \d+ characters omitted …\]\na+"\}$/);
  expect(() => JSON.parse(asked.arguments ?? '')).toThrow(SyntaxError);
});

test('words of the tool itself stay the text, with no remark [owner.ask]', async () => {
  const { asked } = await askedFor('{}', { tools: [{ ...plain, approval: () => ({ text: 'May I?' }) }] });
  expect(asked).toMatchObject({ text: 'May I?', name: 'risky', arguments: '{}' });
  expect(asked).not.toHaveProperty('remark');
});

test('a remark that is no text fails the call [owner.ask]', async () => {
  const approval = () => ({ text: 'May I?', remark: 7 as never });
  await expect(askedFor('{}', { tools: [{ ...plain, approval }] })).rejects.toThrow('nothing was asked');
});

test('the reason for which a repeat is held is a remark [recover.resume]', async () => {
  const { harness, turn } = await interrupted();
  const before = harness.callNamed('wait');
  turnIn(await resume(harness, turn));
  await harness.clock.advance(1_000);
  const [asked] = harness.recorder.of('approval_requested');
  expect(asked?.name).toBe('wait');
  expect(asked?.remark).toMatch(new RegExp(`^The same call was interrupted \\(${before}\\)`));
});

test('a running call that asks for its next step has neither: its arguments are not what is asked [owner.ask]', async () => {
  const asking = toolOf('risky', async (_, { requestApproval }) => `${await requestApproval({ text: 'Go on?' })}`);
  const { asked } = await askedFor('{"task":"x"}', { tools: [asking] });
  for (const field of ['name', 'arguments', 'remark']) expect(asked).not.toHaveProperty(field);
});
