// The contract of a bus: every implementation passes it.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Bus } from '../../src/core/contracts/bus.ts';
import { until } from '../support/until.ts';

/** Buses that are connected with each other. */
export interface OpenedBuses {
  /** Opens one more. `key`: another one than the others have. */
  connect(key?: string): Promise<Bus>;
}

const askMs = 20_000;
const soonMs = 200;

export function busContract(name: string, open: () => Promise<OpenedBuses>): void {
  const pair = async () => {
    const buses = await open();
    const connect = async (key?: string) => {
      const bus = await buses.connect(key);
      onTestFinished(() => bus.close());
      return bus;
    };
    return { connect, here: await connect(), there: await connect() };
  };
  const answered = (text: string) => ({ type: 'answer', text });

  describe(`a bus ${name}`, () => {
    test('answers what is asked; `none` where nobody does, `silent` where no answer comes in time [cluster.bus]', async () => {
      const { here, there } = await pair();
      const stop = there.answer('sums', async (text) => String(Number(text) + 1));
      await until(async () => (await here.ask('sums', '1', askMs)).type === 'answer');
      expect(await here.ask('sums', '41', askMs)).toEqual(answered('42'));
      expect(await there.ask('sums', '2', askMs)).toEqual(answered('3')); // itself, too
      there.answer('never', () => new Promise(() => {}));
      await until(async () => (await here.ask('never', '', soonMs)).type === 'silent');
      expect(await here.ask('nobody', '', askMs)).toEqual({ type: 'none' });
      stop();
      await until(async () => (await here.ask('sums', '1', soonMs)).type === 'none');
      there.subscribe('heard', () => {});
      await until(async () => (await here.ask('heard', '', askMs)).type === 'none');
    });

    test('publishes to all that have subscribed, in order, and to nobody after they have left [cluster.bus]', async () => {
      const { here, there, connect } = await pair();
      const third = await connect();
      const heard: string[][] = [[], [], []];
      const stops = [here, there, third].map((bus, i) => bus.subscribe('news', (text) => void heard[i]?.push(text)));
      await until(() => {
        here.publish('news', 'are you there?');
        return heard.every((texts) => texts.length > 0);
      });
      const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
      for (const text of texts) here.publish('news', text);
      for (const i of [0, 1, 2]) await until(() => heard[i]?.at(-1) === 'text 99');
      for (const own of heard) expect(own.filter((text) => text.startsWith('text'))).toEqual(texts);
      stops[1]?.();
      const last = heard[1]?.length;
      here.publish('news', 'later');
      await until(() => heard[2]?.at(-1) === 'later');
      expect(heard[1]).toHaveLength(last ?? 0);
    });

    test('carries texts above 1 MiB whole, whatever is in them [cluster.bus]', async () => {
      const { here, there } = await pair();
      there.answer('echo', async (text) => text);
      await until(async () => (await here.ask('echo', '', askMs)).type === 'answer');
      const long = `${'x'.repeat(299_999)}😀${'é\n"\\'.repeat(400_000)}`;
      expect(Buffer.byteLength(long)).toBeGreaterThan(1_048_576);
      const answer = await here.ask('echo', long, askMs);
      expect(answer.type === 'answer' && answer.text === long).toBe(true);
    });

    test('drops what was sealed with another key [cluster.bus.seal]', async () => {
      const { here, there, connect } = await pair();
      const stranger = await connect('another key, that is as long as a key must be');
      const heard: string[] = [];
      there.subscribe('news', (text) => void heard.push(text));
      there.answer('sums', async () => 'told');
      await until(async () => (await here.ask('sums', '', askMs)).type === 'answer');
      stranger.publish('news', 'forged');
      expect(await stranger.ask('sums', '', soonMs)).toEqual({ type: 'silent' });
      here.publish('news', 'true');
      await until(() => heard.length > 0);
      expect(heard).toEqual(['true']);
    });

    test('a bus that was closed is down: its questions are silent, and those to it have nobody [cluster.bus]', async () => {
      const { here, there } = await pair();
      there.answer('sums', () => new Promise(() => {}));
      await until(async () => (await here.ask('sums', '', soonMs)).type === 'silent');
      const states: string[] = [];
      there.onState((state) => void states.push(state));
      const open = there.ask('sums', '', askMs);
      await there.close();
      expect(await open).toEqual({ type: 'silent' });
      expect(there.state).toBe('down');
      expect(states).toEqual(['down']);
      expect(here.state).toBe('up');
      expect(await there.ask('sums', '', askMs)).toEqual({ type: 'silent' });
      there.answer('sums', async () => 'closed'); // a session that is claimed now
      there.publish('news', 'closed');
      await until(async () => (await here.ask('sums', '', soonMs)).type === 'none');
      expect(await here.ask('sums', '', askMs)).toEqual({ type: 'none' });
    });
  });
}
