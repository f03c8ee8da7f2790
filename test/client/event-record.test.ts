// Readers of an event record get every lasting event in order, and the newest transient ones.
import { describe, expect, test } from 'vitest';
import { RecordedEvents } from '../../src/client/event-record.ts';

const isPassing = (event: string) => event.startsWith('text');

async function readAll(events: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const event of events) read.push(event);
  return read;
}

describe('a record', () => {
  test('is read by each reader from its beginning, at its own pace', async () => {
    const record = new RecordedEvents<string>(isPassing);
    const early = readAll(record.read());
    record.add('a');
    await Promise.resolve();
    record.add('text 1');
    record.close(null);
    record.close(new Error('afterwards'));
    expect(await early).toEqual(['a', 'text 1']);
    expect(await readAll(record.read())).toEqual(['a', 'text 1']);
  });

  test('ends with the error, after the events', async () => {
    const record = new RecordedEvents<string>(isPassing);
    record.add('a');
    record.close(new Error('gone'));
    const reader = record.read();
    expect(await reader.next()).toMatchObject({ value: 'a' });
    await expect(reader.next()).rejects.toThrow('gone');
  });

  test('keeps every lasting event, and of the transient ones no more than its limit', async () => {
    const record = new RecordedEvents<string>(isPassing, 3);
    const slow = record.read();
    record.add('text 0');
    expect(await slow.next()).toMatchObject({ value: 'text 0' });
    for (let i = 1; i <= 6; i++) {
      record.add(`text ${i}`);
      record.add(`fact ${i}`);
    }
    record.close(null);
    const all = await readAll(record.read());
    expect(all.filter(isPassing)).toEqual(['text 4', 'text 5', 'text 6']);
    expect(all.filter((event) => !isPassing(event))).toHaveLength(6);
    expect(await readAll(slow)).toEqual(all);
  });
});
