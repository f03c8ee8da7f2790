// Scenarios of the CANCEL of tools: what a turn has called is stopped and the turn goes on, alone and beside a CANCEL of the turn.
import type { Turn } from '../../../src/client/turn-in-flight.ts';
import { askFor, type CallOfModel, helper, type Scenario, type ScenarioStage, sayText } from '../world/scenario.ts';

const spawn = (task: string): CallOfModel => ['spawn_agent', { task }];

/** Calls side by side, agents to depth 3, a shield, and what the model does next: one more call. */
const work: Scenario['model'] = {
  go: [
    askFor(['wait', { ms: 60 }], ['committing', { ms: 30 }], ['risky'], spawn('level 1')),
    askFor(['keyed', { ms: 10 }]),
    sayText('gone on'),
  ],
  'level 1': [askFor(spawn('level 2'), ['keyed', { ms: 80 }]), sayText('one')],
  'level 2': [askFor(spawn('level 3')), sayText('two')],
  'level 3': [askFor(['wait', { ms: 80 }]), sayText('three')],
};

/** Resolves when the call of the deepest agent works. */
async function untilDeep({ alice, next }: ScenarioStage): Promise<Turn> {
  const turn = alice.say('go');
  for (let started = 0; started < 5; started++) await next('tool_started'); // of `go` three, of the agents two
  return turn;
}

export const toolScenarios: readonly Scenario[] = [
  {
    name: 'the tools of a turn',
    agents: helper,
    model: work,
    play: async (stage) => {
      const turn = await untilDeep(stage);
      await turn.cancelTools().settled;
      return turn.ended;
    },
  },
  {
    name: 'the tools of a turn, then the turn',
    agents: helper,
    model: work,
    play: async (stage) => {
      const turn = await untilDeep(stage);
      const tools = turn.cancelTools();
      await tools.accepted;
      await Promise.all([turn.cancel().settled, tools.settled]);
    },
  },
  {
    name: 'the turn, then its tools',
    agents: helper,
    model: work,
    play: async (stage) => {
      const turn = await untilDeep(stage);
      const all = turn.cancel();
      await all.accepted;
      await Promise.all([turn.cancelTools().settled, all.settled]);
    },
  },
  {
    name: 'the tools of two speakers',
    session: { policy: 'owner' },
    owners: { keyed: 'bob' },
    model: {
      go: [askFor(['wait', { ms: 80 }], ['keyed', { ms: 80 }]), askFor(['wait', { ms: 10 }]), sayText('gone on')],
      his: [askFor(['stubborn', { ms: 60 }], ['wait', { ms: 60 }]), sayText('his goes on')],
    },
    play: async ({ alice, bob, carol, next }) => {
      const [hers, his] = [alice.say('go'), bob.say('his')];
      for (let started = 0; started < 4; started++) await next('tool_started');
      const mine = bob.cancel('tools:mine');
      await mine.accepted;
      const copy = carol.cancel(`tools:${await hers.opened}`);
      await Promise.all([mine.settled, copy.settled]);
      return Promise.all([hers.ended, his.ended]);
    },
  },
  {
    name: 'the tools of a response that goes on',
    model: {
      go: [
        {
          steps: [
            { call: { callId: 'w', name: 'wait', arguments: '{}' } },
            { waitMs: 80 }, // longer than the frames of the start and of the CANCEL take
            { text: 'and' },
            { call: { callId: 'k', name: 'keyed', arguments: '{}' } },
          ],
        },
        askFor(['wait', { ms: 5 }]),
        sayText('gone on'),
      ],
    },
    play: async ({ alice, next, pause }) => {
      const turn = alice.say('go');
      await next('model_started');
      await pause(10);
      await turn.cancelTools().settled;
      return turn.ended;
    },
  },
  {
    name: 'a repeat of a call whose tools were stopped',
    model: { go: [askFor(['wait', { ms: 80 }], ['keyed']), askFor(['wait', { ms: 80 }]), sayText('gone on')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await turn.cancelTools().settled;
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node);
      return turn.ended;
    },
  },
];
