// Tools that resist a stop, each through the whole runtime: it settles within its budget, and its outcome is true.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { processesOfNode, startHostile } from '../support/hostile.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { budgets, corpus } from './corpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a slow machine may add to a budget, in milliseconds. */
const slackMs = scaled(600);

describe('a tool that', () => {
  test.each(corpus)(
    '$name [cancel.bounded] [cancel.settled] [history.effect] [cancel.tool]',
    async ({ tool, input = {}, outcome, forced = false, ends }) => {
      const runtime = await startHostile([tool], {
        roots: [folder],
        limits: budgets,
      });
      try {
        const hostile = await runtime.start([tool.name, input]);
        const node = hostile.nodeOf(tool.name);
        if (tool.cancel === 'killable') await until(() => hostile.outputs.length > 0, { what: 'its first output' });

        const order: string[] = [];
        const sentAt = performance.now();
        const [{ nodes }, meanwhile] = await Promise.all([
          hostile
            .cancel()
            .then((answer) => hostile.settled(answer))
            .finally(() => order.push('settled')),
          runtime.smallTalk().finally(() => order.push('answered')),
        ]);
        expect(performance.now() - sentAt, 'it settles in time').toBeLessThan(budgets.toolCancelMs + slackMs);
        expect(meanwhile).toBe('completed');
        if (outcome === 'abandoned')
          expect(order, 'another session is answered meanwhile').toEqual(['answered', 'settled']);
        const stopped = nodes.find((settled) => settled.node === node);
        expect(stopped?.ms, 'it stops within its budget').toBeLessThan(budgets.toolCancelMs + slackMs);
        expect(stopped).toMatchObject({
          outcome,
          effect: outcome === 'completed' ? 'done' : 'unknown',
          ...(forced && { forced: true }),
        });
        expect(hostile.resultOf('done'), 'a finished result stays').toMatchObject({
          outcome: 'completed',
          output: 'done already',
        });
        expect(hostile.resultOf('obedient')).toMatchObject({ outcome: 'cancelled' });
        expect(await processesOfNode(node), 'the process table is clean').toEqual([]);
        expect(await hostile.sayAgain(), 'the next turn works').toBe('completed');
        if (ends === 'late')
          await until(() => hostile.facts.some((fact) => fact.type === 'abandoned_ended' && fact.node === node), {
            what: 'its late end',
          });
        expect(hostile.facts.filter((fact) => fact.type === 'tool_result' && fact.node === node)).toHaveLength(1);
      } finally {
        await runtime.close();
      }
    },
  );
});
