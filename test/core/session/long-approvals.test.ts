// The text of an approval that is longer than a person reads at a glance.
import { expect, test } from 'vitest';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

/** Returns the request for a yes to this text. */
async function requestOf(text: string) {
  const tool = { ...toolOf('risky', async () => 'done it'), approval: () => ({ text }) };
  const harness = await startHarness({ tools: [tool], respond: callsOnce(['risky']) });
  await harness.say('words');
  await harness.clock.advance(150);
  const [asked] = harness.recorder.of('approval_requested');
  if (!asked) throw new Error('nothing was asked');
  return asked;
}

test('of more than 2 000 characters it says how many are hidden, and has the whole for who asks', async () => {
  const text = `Run it with ${'a'.repeat(5_000)}; rm -rf /?`;
  const asked = await requestOf(text);
  expect(asked.text.length).toBeLessThanOrEqual(2_000);
  expect(asked.text).toMatch(/^Run it with a+\n\[… \d{4} characters omitted …\]\na+; rm -rf \/\?$/);
  expect(asked.whole).toBe(text);
});

test('the whole has a limit, too', async () => {
  const { whole = '' } = await requestOf('b'.repeat(1_000_000));
  expect(whole.length).toBeLessThanOrEqual(65_536);
  expect(whole).toMatch(/\[… 934\d{3} characters omitted …\]/);
});

test('a short one is as it is', async () => {
  const asked = await requestOf('x'.repeat(2_000));
  expect(asked.text).toBe('x'.repeat(2_000));
  expect(asked).not.toHaveProperty('whole');
});
