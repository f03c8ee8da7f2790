// Scenarios of people: rooms of a bridge, delegation, invitations, deletion of their session.
import { askFor, type Scenario, sayText } from '../world/scenario.ts';

export const peopleScenarios: readonly Scenario[] = [
  {
    name: 'a bridge with three speakers',
    hasBridge: true,
    model: {
      first: [askFor(['wait', { ms: 20 }]), sayText('one')],
      second: [askFor(['keyed']), sayText('two')],
      third: [sayText('three')],
    },
    play: async ({ bob }) => {
      const speakers = ['alice', 'dan', 'eve'].map((id) => bob.speaks(id));
      const [alice, dan, eve] = speakers;
      for (const speaker of speakers) await speaker.enter();
      const turns = [alice?.say('first'), dan?.say('second'), eve?.say('third')];
      await turns[1]?.opened;
      await dan?.cancel('mine').settled;
      await eve?.leave();
      return Promise.all(turns.map((turn) => turn?.ended));
    },
  },
  {
    name: 'delegation',
    model: { go: [askFor(['wait', { ms: 80 }]), sayText('done')] },
    play: async ({ alice, bob, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await alice.delegate('bob');
      await bob.cancel(await turn.opened).settled;
    },
  },
  {
    name: 'a delegation that has ended',
    model: { go: [askFor(['wait', { ms: 40 }]), sayText('done')] },
    play: async ({ alice, bob, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await alice.delegate('bob');
      await alice.delegate('bob', { until: 0 });
      await bob.cancel(await turn.opened).accepted.catch(() => {});
      return turn.ended;
    },
  },
  {
    name: 'an invitation taken back',
    model: { go: [askFor(['wait', { ms: 40 }]), sayText('done')] },
    play: async ({ alice, bob, carol, next }) => {
      const opened = await next('session_opened');
      const guest = 'by' in opened && opened.by === 'bob' ? alice : bob; // the owner cannot be removed
      const name = guest === bob ? 'bob' : 'alice';
      await carol.invite(name);
      const turn = guest.say('go');
      await next('tool_started');
      await carol.remove(name);
      return turn.ended;
    },
  },
  {
    name: 'deletion of a session',
    model: { go: [askFor(['wait', { ms: 10 }]), sayText('done')] },
    play: async ({ alice, deleteSession }) => {
      const turn = alice.say('go');
      await turn.opened;
      await deleteSession().catch(() => {});
      await turn.ended;
      return deleteSession();
    },
  },
];
