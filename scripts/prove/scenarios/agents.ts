// Scenarios of agents: below a turn, detached, of other people, with calls of their own.
import { askFor, helper, type Scenario, sayText } from '../world/scenario.ts';

const spawn = (task: string, more: object = {}) => ['spawn_agent', { task, ...more }] as const;

export const agentScenarios: readonly Scenario[] = [
  {
    name: 'nested agents',
    agents: helper,
    model: {
      'level 0': [askFor(['spawn_agent', { task: 'level 1' }], ['wait']), sayText('zero')],
      'level 1': [askFor(['spawn_agent', { task: 'level 2' }]), sayText('one')],
      'level 2': [askFor(['wait', { ms: 20 }]), sayText('two')],
    },
    play: ({ alice }) => alice.say('level 0').ended,
  },
  {
    name: 'detached agent',
    agents: helper,
    model: {
      go: [askFor(['spawn_agent', { task: 'alone', detached: true }]), sayText('started')],
      alone: [askFor(['wait', { ms: 40 }]), sayText('done')],
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'nested agents to depth 4',
    agents: helper,
    model: {
      'level 0': [askFor(spawn('level 1')), sayText('zero')],
      'level 1': [askFor(spawn('level 2')), sayText('one')],
      'level 2': [askFor(spawn('level 3')), sayText('two')],
      'level 3': [askFor(spawn('level 4')), sayText('three')],
      'level 4': [askFor(['wait', { ms: 20 }]), sayText('four')],
    },
    play: ({ alice }) => alice.say('level 0').ended,
  },
  {
    name: 'agents side by side',
    agents: helper,
    model: {
      go: [askFor(spawn('left'), spawn('right'), ['keyed']), sayText('both')],
      left: [askFor(['keyed', { ms: 10 }]), sayText('one')],
      right: [askFor(['risky']), sayText('two')],
    },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.deny(asked.node);
      return turn.ended;
    },
  },
  {
    name: 'a call of another owner below an agent',
    agents: helper,
    owners: { wait: 'bob' },
    model: {
      go: [askFor(spawn('help'), ['stubborn', { ms: 20 }]), sayText('done')],
      help: [askFor(['wait', { ms: 60 }]), sayText('helped')],
    },
    play: async ({ alice, next, pause }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await pause(25);
      await turn.cancel().settled;
    },
  },
  {
    name: 'outside agent',
    agents: { coder: { description: 'codes', acp: { command: 'none' } } },
    model: { go: [askFor(spawn('write it', { agent: 'coder' }), ['wait']), sayText('written')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node);
      return turn.ended;
    },
  },
];
