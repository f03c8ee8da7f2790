// Lines that name resources and prompts of MCP servers: what they name, and in which order they are said.
import { expect, test } from 'vitest';
import type { ReadOptions } from '../../src/client/command-options.ts';
import { settlePromises } from '../../src/core/sources/virtual.ts';
import { findNamedOffers } from '../../src/programs/named-offers.ts';
import { TypedLines } from '../../src/programs/typed-lines.ts';
import type { ServerFrameOf } from '../../src/wire/server-frames.ts';

test.each([
  [
    'compare @files:file:///a.md with @web:https://example.org/b',
    [
      { server: 'files', resource: 'file:///a.md' },
      { server: 'web', resource: 'https://example.org/b' },
    ],
  ],
  ['/files:review path="a b" depth=2', [{ server: 'files', prompt: 'review', arguments: { path: 'a b', depth: '2' } }]],
  ['/files:review', [{ server: 'files', prompt: 'review' }]],
  ['mail ann@example.org: hello', []],
  ['@bob: hello', []],
  ['see http://files:80', []],
])('%j names %j', (line, reads) => {
  expect(findNamedOffers(line)).toEqual({ text: line, reads });
});

test('what is escaped is said as it is', () => {
  expect(findNamedOffers('@@files:a.md')).toEqual({ text: '@files:a.md', reads: [] });
  expect(findNamedOffers('//files:review')).toEqual({ text: '/files:review', reads: [] });
});

function startLines() {
  const said: unknown[] = [];
  const unread: unknown[] = [];
  const reads: PromiseWithResolvers<ServerFrameOf<'read'>>[] = [];
  const lines = new TypedLines({
    session: {
      read(_: ReadOptions = {}) {
        const read = Promise.withResolvers<ServerFrameOf<'read'>>();
        reads.push(read);
        return read.promise;
      },
    },
    turns: {
      say: (text, options) => said.push([text, options?.parts?.length]) as never,
      steer: (text, options) => said.push(['steered', text, options?.parts?.length]) as never,
    },
    files: { folder: '/', store: () => Promise.reject(new Error('no file is named')) },
    model: { options: {} },
    onAttached: () => {},
    onUnread: (error) => void unread.push(error),
  });
  const answer = { type: 'read', ref: 'r', session: 's', parts: [{ type: 'text', text: 'content' }] } as const;
  return { lines, said, unread, reads, answer };
}

test('lines are said in their order, also those that name nothing', async () => {
  const { lines, said, reads, answer } = startLines();
  lines.say('one');
  lines.say('two @files:a');
  lines.say('three');
  expect(said).toEqual([['one', undefined]]);
  reads[0]?.resolve(answer);
  await lines.said;
  expect(said).toEqual([
    ['one', undefined],
    ['two @files:a', 2],
    ['three', undefined],
  ]);
});

test('what is said to a turn that runs may name resources, too', async () => {
  const { lines, said, reads, answer } = startLines();
  lines.say('and @files:a', 'steer');
  reads[0]?.resolve(answer);
  await lines.said;
  expect(said).toEqual([['steered', 'and @files:a', 2]]);
});

test('a line whose names cannot be read is not said, and the next one is; an interrupt drops what waits', async () => {
  const { lines, said, unread, reads, answer } = startLines();
  lines.say('one @files:a');
  lines.say('two');
  reads[0]?.reject(new Error('no such file'));
  await lines.said;
  expect([said, unread]).toEqual([[['two', undefined]], [expect.objectContaining({ message: 'no such file' })]]);
  lines.say('three @files:a');
  lines.say('four');
  expect(lines.interrupt()).toBe(true);
  reads[1]?.resolve(answer);
  await lines.said;
  await settlePromises();
  expect(said).toHaveLength(1);
  expect(lines.interrupt()).toBe(false);
});
