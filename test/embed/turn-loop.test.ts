// The loop over a turn, as a first program has it: it prints `text` of `text_delta`, and so the reply of the turn.
import { expect, test } from 'vitest';
import { asks, open, type Respond, says } from './open.ts';

const agents = { helper: { description: 'Helps.', instructions: 'Help.' } };
const respond: Respond = (said) => {
  if (said === 'help') return says('I am the helper.');
  return said === 'go' ? asks('spawn_agent', { agent: 'helper', task: 'help' }) : says('The helper is done.');
};

async function sayGo() {
  const { session, clock } = await open(respond, { agents });
  const turn = session.as('ann').say('go');
  await clock.advance(0);
  await clock.advance(0);
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  return turn;
}

test('does not mix in the words of a sub-agent, and has the facts of both', async () => {
  const turn = await sayGo();
  let text = '';
  const ends: string[] = [];
  for await (const event of turn) {
    if (event.type === 'text_delta') text += event.text;
    if (event.type === 'model_ended') ends.push(event.text);
  }
  expect(text).toBe('The helper is done.');
  expect(ends).toEqual(['', 'I am the helper.', 'The helper is done.']);
  expect(await turn.reply()).toBe(text);
});

test('withSubAgents yields their words, too, and says whose they are', async () => {
  const turn = await sayGo();
  const texts: [boolean, string][] = [];
  for await (const event of turn.withSubAgents())
    if (event.type === 'text_delta') texts.push([event.turn === turn.id, event.text]);
  expect(texts).toEqual([
    [false, 'I am the helper.'],
    [true, 'The helper is done.'],
  ]);
});
