// Scenarios of commands that come again: copies, refs that were used for something else, and what is newer than a first sending.
import { askFor, type Scenario, sayText } from '../world/scenario.ts';

const work = { go: [askFor(['wait', { ms: 60 }]), sayText('one')], next: [askFor(['wait']), sayText('two')] };
/** CANCELs whose facts a session keeps in memory. */
const keptCommands = 500;

export const refScenarios: readonly Scenario[] = [
  {
    name: 'a late copy of a CANCEL',
    model: work,
    play: async ({ alice, door }) => {
      const { cancel } = door('alice');
      const turn = alice.say('go');
      await turn.opened;
      await cancel({ target: 'mine', ref: 'a' });
      await turn.ended;
      const next = alice.say('next');
      await next.opened;
      await cancel({ target: 'mine', ref: 'a' });
      return next.ended;
    },
  },
  {
    name: 'a late copy of a repeat',
    model: { ...work, go: [askFor(['stubborn', { ms: 60 }]), sayText('one')] },
    play: async ({ alice, door, next: fact }) => {
      const { cancel } = door('alice');
      const turn = alice.say('go');
      await fact('tool_started');
      await cancel({ target: 'mine', ref: 'a' });
      await cancel({ target: 'mine', ref: 'b' });
      await turn.ended;
      const next = alice.say('next');
      await next.opened;
      await cancel({ target: 'mine', ref: 'b' });
      return next.ended;
    },
  },
  {
    name: 'a late copy of a CANCEL beside others',
    model: work,
    play: async ({ alice, bob, door }) => {
      const { cancel } = door('alice');
      const mine = alice.say('go');
      const other = bob.say('next');
      await Promise.all([mine.opened, other.opened]);
      await cancel({ target: 'session', ref: 'a' });
      await mine.ended;
      await cancel({ target: 'session', ref: 'a' });
      return other.ended;
    },
  },
  {
    name: 'copies of the CANCEL of a call',
    model: work,
    play: async ({ alice, door, next, pause, delayStore }) => {
      const { cancel } = door('alice');
      const turn = alice.say('go');
      const started = await next('tool_started');
      const request = { target: 'node' in started ? started.node : 'mine', ref: 'a' };
      delayStore(60);
      const replies = [cancel(request)];
      // while the call stops, after it has stopped and before the commit, and after that
      for (const ms of [1, 30, 100]) {
        await pause(ms);
        replies.push(cancel(request));
      }
      await Promise.all(replies);
      return turn.ended;
    },
  },
  {
    name: 'a CANCEL after 500 others',
    model: work,
    play: async ({ alice, bob, door }) => {
      const { cancel } = door('bob');
      const turn = alice.say('go');
      await turn.opened;
      await cancel({ target: 'session', ref: 'a' });
      await Promise.all(Array.from({ length: keptCommands }, (_, i) => cancel({ target: 'mine', ref: `other ${i}` })));
      const next = bob.say('next');
      await next.opened;
      await cancel({ target: 'session', ref: 'a' });
      await cancel({ target: 'session', ref: 'a' });
      return Promise.all([turn.ended, next.ended]);
    },
  },
  {
    name: 'a CANCEL of a refused SAY',
    session: { whileRunning: 'reject' },
    model: work,
    play: async ({ alice, door }) => {
      const { say, cancel } = door('alice');
      const turn = alice.say('go');
      await turn.opened;
      await Promise.all([say({ text: 'next', ref: 'a' }), cancel({ target: 'say:a', ref: 'b' })]);
      await cancel({ target: 'mine', ref: 'b' });
      return turn.ended;
    },
  },
  {
    name: 'a CANCEL under the ref of a stop phrase',
    model: work,
    play: async ({ alice, door }) => {
      const { say, cancel } = door('alice');
      const turn = alice.say('go');
      await turn.opened;
      await say({ text: 'stop', ref: 'a' });
      await turn.ended;
      const next = alice.say('next');
      await next.opened;
      await cancel({ target: 'session', ref: 'a' });
      return next.ended;
    },
  },
  {
    name: 'a STEER under the ref of a SAY',
    model: work,
    play: async ({ door, next }) => {
      const { say } = door('alice');
      await say({ text: 'go', ref: 'a' });
      await next('tool_started');
      await say({ text: 'go', ref: 'a', steer: {} });
    },
  },
  {
    name: 'copies of a SAY',
    model: work,
    play: async ({ door }) => {
      const { say } = door('alice');
      await Promise.all([say({ text: 'go', ref: 'a' }), say({ text: 'go', ref: 'a' })]);
    },
  },
  {
    name: 'an answer under a used ref',
    model: { go: [askFor(['twice']), sayText('one')] },
    play: async ({ alice, door, next }) => {
      const { answer } = door('alice');
      const turn = alice.say('go');
      for (let asked = 0; asked < 2; asked++) {
        const fact = await next('question_asked');
        if (fact.type !== 'question_asked') return;
        await answer({ target: fact.node, question: fact.question, answer: 'answered', text: 'yes', ref: 'a' });
      }
      await turn.cancel().settled;
    },
  },
];
