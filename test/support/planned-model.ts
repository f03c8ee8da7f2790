// A model that plans its turns at random, with the tools that only random conversations have.

import type { Script } from '../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { Tool } from '../../src/core/contracts/tool.ts';
import type { Dice } from './dice.ts';
import { toolOf } from './harness.ts';

const speakers = ['alice', 'bob'] as const;

interface CallPlan {
  readonly name: string;
  readonly input: { readonly [field: string]: unknown };
}

/** The model's part in a turn: the calls of each round. */
interface TurnPlan {
  readonly rounds: readonly (readonly CallPlan[])[];
  readonly hasty: boolean;
}

const expiresMs = 1_500;
const addressee = (input: unknown) => {
  const { to } = input as { readonly to?: string }; // the tools take any object
  return to === undefined ? {} : { to };
};

/** One that asks before it runs, and one that asks for two approvals and for words while it runs. */
export const askingTools: readonly Tool[] = [
  {
    ...toolOf('risky', async () => 'done'),
    approval: (input) => ({ text: 'May I?', expiresMs, ...addressee(input) }),
  },
  toolOf('asker', async (input, { ask, requestApproval }) => {
    const question = { expiresMs, ...addressee(input) };
    const yes = [
      await requestApproval({ ...question, text: 'Remove a.tmp?' }),
      await requestApproval({ ...question, text: 'Remove the folder?' }),
    ];
    return `${yes} ${await ask({ ...question, text: 'Why?' })}`;
  }),
];

/** What a thinking model wants back, in the form of Chat Completions. */
const thought = {
  message: { reasoning_content: 'Hm.' },
  calls: [{ extra_content: { google: { thought_signature: 'sig' } } }],
  content: [],
};

const tools = [
  'wait',
  'wait',
  'wait',
  'ignores_signal',
  'keyed',
  'ignores_signal_keyed',
  'note',
  'nonsense',
  'risky',
  'asker',
  'asker',
];

/** The plans of the turns, and the model that follows them. */
export class PlannedModel {
  readonly #dice: Dice;
  readonly #plans = new Map<string, TurnPlan>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Plans a turn, with everything below it; returns the words that call for it. */
  planTurn(depth: number): string {
    const dice = this.#dice;
    const id = `plan-${this.#plans.size}.`;
    this.#plans.set(id, { rounds: [], hasty: false });
    const calls = () => Array.from({ length: dice.int(4) }, () => this.#planCall(depth));
    this.#plans.set(id, { rounds: dice.maybe(0.25) ? [calls(), calls()] : [calls()], hasty: dice.maybe(0.3) });
    return id;
  }

  #planCall(depth: number): CallPlan {
    const dice = this.#dice;
    const of = dice.maybe(0.25) ? { of: dice.pick(speakers) } : {};
    if (depth < 3 && dice.maybe(0.3)) {
      return { name: 'spawn_agent', input: { task: this.planTurn(depth + 1), detached: dice.maybe(0.3), ...of } };
    }
    const to = dice.maybe(0.3) ? { to: dice.pick(speakers) } : {};
    return { name: dice.pick(tools), input: { ms: dice.int(3_000), unwind: dice.int(900), ...of, ...to } };
  }

  respond({ messages }: ModelRequest): Script {
    const dice = this.#dice;
    if (/has just stopped work of yours/.test(messages.at(-1)?.content ?? '')) return this.#acknowledge();
    const words = messages.findLastIndex(({ role, content }) => role === 'user' && /plan-\d+\./.test(content));
    const id = /plan-\d+\./.exec(messages[words]?.content ?? '')?.[0] ?? '';
    const round = messages.slice(words).filter((message) => message.role === 'assistant').length;
    const { rounds = [], hasty = false } = this.#plans.get(id) ?? {};
    const calls = (rounds[round] ?? []).map((call, i) => ({
      call: { callId: `p${i}`, name: call.name, arguments: JSON.stringify(call.input) },
    }));
    return {
      steps: [
        { waitMs: 1 + dice.int(60) },
        { text: `${id}${round} ` },
        ...calls,
        { waitMs: dice.int(60) },
        { text: 'end' },
      ],
      ignoresSignal: hasty && dice.maybe(0.3),
      ...(messages.length % 3 > 0 && { state: [thought] }),
    };
  }

  /** In time, too late, or not at all. */
  #acknowledge(): Script {
    const dice = this.#dice;
    const waitMs = dice.int(dice.maybe(0.2) ? 5_000 : 400);
    if (dice.maybe(0.1)) return { steps: [{ waitMs }] };
    return { steps: [{ waitMs }, { text: 'Stopped, ' }, { waitMs: dice.int(900) }, { text: 'end' }] };
  }
}
