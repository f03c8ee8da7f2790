// What has been told, read from its beginning: all that stays, in order; of what passes the newest.
import { describe, expect, test } from 'vitest';
import { createRecord } from '../../src/client/event-record.ts';

const passes = (event: string) => event.startsWith('text');

async function readAll(events: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const event of events) read.push(event);
  return read;
}

describe('a record', () => {
  test('is read by each from its beginning, at its own pace', async () => {
    const record = createRecord<string>(passes);
    const early = readAll(record.read());
    record.add('a');
    await Promise.resolve();
    record.add('text 1');
    record.end(null);
    record.end(new Error('too late'));
    expect(await early).toEqual(['a', 'text 1']);
    expect(await readAll(record.read())).toEqual(['a', 'text 1']);
  });

  test('ends with what went wrong, behind what was told', async () => {
    const record = createRecord<string>(passes);
    record.add('a');
    record.end(new Error('gone'));
    const reader = record.read();
    expect(await reader.next()).toMatchObject({ value: 'a' });
    await expect(reader.next()).rejects.toThrow('gone');
  });

  test('keeps what stays, and of what passes no more than its bound', async () => {
    const record = createRecord<string>(passes, 3);
    const slow = record.read();
    record.add('text 0');
    expect(await slow.next()).toMatchObject({ value: 'text 0' });
    for (let i = 1; i <= 6; i++) {
      record.add(`text ${i}`);
      record.add(`fact ${i}`);
    }
    record.end(null);
    const all = await readAll(record.read());
    expect(all.filter(passes)).toEqual(['text 4', 'text 5', 'text 6']);
    expect(all.filter((event) => !passes(event))).toHaveLength(6);
    expect(await readAll(slow)).toEqual(all);
  });
});
