// Forks of the corpus: every scenario of the proof is played, whole and with a CANCEL in its middle, and its log is forked at every turn that has settled.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { playRun } from '../../scripts/prove/runs/play.ts';
import { scenarios } from '../../scripts/prove/scenarios/index.ts';
import { copiedId } from '../../src/core/transcript/fork.ts';
import { recover } from '../../src/core/transcript/recover.ts';
import { render } from '../../src/core/transcript/render.ts';
import { providerAt } from '../adapters/models/at-endpoint.ts';
import { request, runModelCall } from '../contract/provider.ts';
import { broken, unclosed } from '../core/transcript/judge.ts';
import { copyAtOnce } from '../support/copy-at-once.ts';
import { pairingProblems } from '../support/message-pairing.ts';
import { chunk, finished, startDialectServer } from '../support/strict/dialect-server.ts';
import { strictProfiles } from '../support/strict/strict-profiles.ts';
import { wireProblems } from '../support/strict/wire-problems.ts';
import { scaled } from '../support/time-scale.ts';

/** The steps at which a CANCEL of the session comes; null: none does. */
const stops = [null, 25, 60, 140];

/** An endpoint that refuses what does not pair. */
const strictEndpoint = () =>
  startDialectServer(({ body }) => {
    const problems = wireProblems(body, strictProfiles.openai);
    if (problems.length > 0) return { status: 400, json: { error: { message: problems.join('; ') } } };
    return { events: [chunk({ content: 'Going on.' }), finished('stop')] };
  });

/** Returns the outcome of a turn, with the ends of its calls. */
const kindOf = (facts: readonly RecordedFact[], turn: string): string => {
  const results = facts.flatMap((fact) => (fact.type === 'tool_result' && fact.turn === turn ? [fact.outcome] : []));
  const end = facts.find((fact) => fact.type === 'turn_ended' && fact.turn === turn);
  return `${end?.type === 'turn_ended' ? end.outcome : ''}: ${[...new Set(results)].sort().join(', ')}`;
};

test('a fork of every kind of turn of the corpus gives a request that a strict endpoint accepts [fork.request] [fork.settled]', {
  timeout: scaled(120_000),
}, async () => {
  const kinds = new Set<string>();
  const endpoint = await strictEndpoint();
  const provider = providerAt(endpoint.url, { family: 'openai' });
  let forks = 0;
  for (const scenario of scenarios.filter(({ fillsCells }) => fillsCells !== true)) {
    for (const step of stops) {
      const injections = step === null ? [] : [{ step, source: 'owner', target: 'session' } as const];
      const { evidence } = await playRun({ scenario, seed: 0, injections });
      const roots = new Set(evidence.log.flatMap((fact) => (fact.type === 'turn_opened' ? [fact.turn] : [])));
      for (const [i, fact] of evidence.log.entries()) {
        if (fact.type !== 'turn_ended' || !roots.has(fact.turn)) continue;
        const { turn: from, at } = fact;
        const copied = copyAtOnce(evidence.log.slice(0, i + 1), 'fork_1');
        const wrong = broken(copied).filter((line) => !line.startsWith('speech_cut')); // what was heard is known after the end
        expect([...wrong, ...unclosed(copied), ...recover(copied)], `${scenario.name}, ${from}`).toEqual([]);
        const targets = copied.flatMap((one) => (one.type === 'cancel_accepted' ? [one.target] : []));
        expect(targets.filter((target) => [...roots].some((id) => target.endsWith(id)))).toEqual([]);
        const isFirst = !kinds.has(kindOf(evidence.log, from));
        kinds.add(kindOf(evidence.log, from));
        forks++;
        for (const resumes of fact.outcome === 'completed' ? [undefined] : [undefined, copiedId('fork_1', from)]) {
          const asked = { turn: 'turn_next', owner: 'alice', at } as const;
          const opened = {
            type: 'turn_opened',
            kind: 'say',
            lane: 'alice',
            text: resumes ? '' : 'go on',
            ref: null,
          } as const;
          const next: readonly RecordedFact[] = [
            { ...opened, ...asked, ...(resumes && { resumes }) },
            { type: 'turn_started', parent: null, ...asked },
          ];
          const messages = render([...copied, ...next], { turn: 'turn_next', instructions: 'Help.' });
          const about = `${scenario.name} stopped at ${step}, ${from}`;
          expect(pairingProblems(messages), about).toEqual([]);
          if (!isFirst) continue;
          const { end } = runModelCall(provider, { ...request, messages });
          expect(await end, about).toMatchObject({ kind: 'completed' });
        }
      }
    }
  }
  expect(endpoint.requests.length).toBeGreaterThanOrEqual(kinds.size);
  expect(forks).toBeGreaterThan(300);
  expect(kinds.size, [...kinds].join('\n')).toBeGreaterThan(15);
});
