// Values that a server asks for in the middle of a call: a question to the speaker of the call, with a flat schema.
import { describe, expect, test } from 'vitest';
import { elicitationsOf } from '../../../src/adapters/mcp/elicitation.ts';
import { describeForm, readForm } from '../../../src/adapters/mcp/form-values.ts';
import type { QuestionOptions } from '../../../src/core/contracts/tool.ts';
import { connected, faulty, published } from './mcp.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Your full name' },
    age: { type: 'integer' },
    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    agrees: { type: 'boolean' },
    tools: { type: 'array', items: { anyOf: [{ const: 'saw' }, { const: 'axe' }] } },
  },
  required: ['name'],
};

describe('a form', () => {
  test('is described line by line', () => {
    expect(describeForm(schema).split('\n')).toEqual([
      'name (text, required): Your full name',
      'age (a whole number)',
      'color (one of red, blue, "red" if left out)',
      'agrees (yes or no)',
      'tools (some of saw, axe)',
    ]);
  });

  test.each([
    ['name=Ann', { name: 'Ann', color: 'red' }],
    ['name=Ann; age=7; agrees=yes', { name: 'Ann', age: 7, color: 'red', agrees: true }],
    ['name=Ann\ntools=saw, axe', { name: 'Ann', color: 'red', tools: ['saw', 'axe'] }],
    ['{"name":"Ann","age":7,"agrees":false,"color":"blue"}', { name: 'Ann', age: 7, color: 'blue', agrees: false }],
  ])('is read from %j', (text, values) => {
    expect(readForm(text, schema)).toEqual({ ok: true, values });
  });

  test.each([
    ['Ann', 'write name=value, each on a line or after a ;'],
    ['age=7', 'name is missing'],
    ['name=Ann; age=7.5', 'age must be a whole number'],
    ['name=Ann; color=green', 'color must be one of red, blue'],
    ['name=Ann; agrees=perhaps', 'agrees must be yes or no'],
    ['{"name"', 'this is no valid JSON'],
  ])('is not read from %j', (text, problem) => {
    expect(readForm(text, schema)).toEqual({ ok: false, problem });
  });

  test('of one value needs no name', () => {
    const one = { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] };
    expect(readForm('10.0.0.7', one)).toEqual({ ok: true, values: { host: '10.0.0.7' } });
  });
});

test('a server gets the values that the speaker of the call answers, and not before they fit [tool.mcp]', async () => {
  const asked: QuestionOptions[] = [];
  const answers = ['perhaps', 'city=Kyiv; days=3'];
  const ask = async (question: QuestionOptions) => {
    asked.push(question);
    return answers[asked.length - 1] ?? 'decline';
  };
  const { call } = await connected({ f: faulty().spec });
  const end = await call('f__elicit', {}, { ask }).end;
  expect(end).toEqual({ kind: 'completed', output: '{"action":"accept","content":{"city":"Kyiv","days":3}}' });
  expect(asked[0]?.text).toMatch(
    /^The MCP server f asks: Where to\?\ncity \(text, required\)\ndays \(a whole number\)\n/,
  );
  expect(asked[0]?.schema).toMatchObject({ properties: { city: { type: 'string' } } });
  expect(asked[1]?.text).toMatch(/^write name=value, .*\.\nThe MCP server f asks/);
  const declined = await call('f__elicit', {}, { ask }).end;
  expect(declined).toMatchObject({ output: '{"action":"decline"}' });
});

test('the published server everything gets its values, too [tool.mcp]', async () => {
  const { call } = await connected({ every: published('server-everything', 'stdio') });
  const ask = async () => 'name=Ann; check=yes';
  const { output } = await call('every__trigger-elicitation-request', {}, { ask }).end;
  expect(output).toMatch(/Ann/);
});

test('of a server that asks without end 16 requests wait at most; further ones are cancelled, until one is answered', async () => {
  const answers: ((answer: string) => void)[] = [];
  const elicit = elicitationsOf('f', () => new Promise((resolve) => void answers.push(resolve)));
  const request = { message: 'Your name?', schema, signal: new AbortController().signal };
  const waiting = Array.from({ length: 16 }, () => elicit(request));
  expect(await elicit(request)).toEqual({ action: 'cancel' });
  expect(answers).toHaveLength(16);
  answers[0]?.('decline');
  expect(await waiting[0]).toEqual({ action: 'decline' });
  void elicit(request);
  expect(answers).toHaveLength(17);
});

test('a CANCEL while the server asks ends the call, and the server is notified [tool.mcp] [cancel.bounded]', async () => {
  const { call } = await connected({ f: { ...faulty().spec, trusted: true } });
  const opened = Promise.withResolvers<void>();
  let withdrawn = () => {};
  const ask = () => {
    opened.resolve();
    return new Promise<string>((_, reject) => {
      withdrawn = () => reject(new Error('The question was withdrawn.'));
    });
  };
  const asking = call('f__elicit', {}, { ask });
  await opened.promise;
  asking.cancel();
  withdrawn(); // as the session does
  expect(await asking.end).toEqual({ kind: 'stopped', output: '' });
  const { output } = await call('f__elicited').end;
  expect(output).toBe('{"action":"cancel"}');
});
