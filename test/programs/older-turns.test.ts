// A chat in a long session: `--resume` prints its last turns, `/older` those before, and none of them twice.
import { expect, test } from 'vitest';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { newWorkspace, room, serveBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { writeLongSession } from '../support/long-log.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

const questionsIn = (text: string): readonly number[] =>
  [...text.matchAll(/ann> Question (\d+):/g)].map(([, number]) => Number(number));
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('a chat is resumed with the last turns, and prints older ones when it is asked to [cli.chat] [ws.last]', async () => {
  const workspace = newWorkspace();
  const log = createSqliteLog({ path: workspace.store });
  await writeLongSession(log, room, 35);
  await log.close();
  const belay = await serveBelay(endpoint, { workspace });
  const args = [belay.url, '--session', room, '--token', tokenOf('ann'), '--resume'];
  const chat = startChild('src/programs/chat.ts', { args });
  await chat.untilPrinted(`-- the history of ${room} ends here; /older prints turns before these --`);
  expect(questionsIn(chat.stdout())).toEqual(numbers(25, 35));
  expect(chat.stdout()).toContain('The number after 34 is');
  chat.type('/older');
  await chat.untilPrinted('-- the older turns end here; /older prints turns before these --');
  const older = chat.stdout().split(`-- older turns of ${room} --`)[1] ?? '';
  expect(questionsIn(older)).toEqual(numbers(15, 25));
  expect(older).toContain('The number after 24 is');
  chat.type('/older');
  await until(() => chat.stdout().split('older turns end here; /older').length === 3);
  chat.type('/older');
  await chat.untilPrinted('-- the older turns end here --');
  expect(questionsIn(chat.stdout())).toEqual(
    [25, 15, 5, 0].flatMap((from, at) => numbers(from, [35, 25, 15, 5][at] ?? 0)),
  );
  chat.type('/older');
  await chat.untilPrinted('There are no older turns.');
  expect(chat.stderr()).toBe('');
});
