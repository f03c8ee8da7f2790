// Tools that resist a stop, each through the whole runtime: it settles within its budget, and its outcome is true.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { processesOf, startHostile } from '../support/hostile.ts';
import { until } from '../support/until.ts';
import { budgets, corpus } from './corpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

        const [answer, meanwhile] = await Promise.all([hostile.cancel(), runtime.smallTalk()]);
        expect(meanwhile, 'other sessions are answered meanwhile').toBe('completed');
        const { nodes } = await hostile.settled(answer);
        expect(nodes.find((settled) => settled.node === node)).toMatchObject({
          outcome,
          effect: outcome === 'completed' ? 'done' : 'unknown',
          ...(forced && { forced: true }),
        });
        expect(hostile.resultOf('done'), 'a finished result stays').toMatchObject({
          outcome: 'completed',
          output: 'done already',
        });
        expect(hostile.resultOf('obedient')).toMatchObject({ outcome: 'cancelled' });
        expect(await processesOf(node), 'the process table is clean').toEqual([]);
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
