// Scenarios of the clients of other protocols: a request that is lost, a door that has nobody to ask, a conversation that its client brings.
import { askFor, type Scenario, sayText } from '../world/scenario.ts';

export const doorScenarios: readonly Scenario[] = [
  {
    name: 'a lost request of a door',
    model: { go: [askFor(['wait', { ms: 60 }], ['stubborn', { ms: 60 }]), sayText('one')] },
    play: async ({ alice, door, next }) => {
      const { say, cancel } = door('alice');
      const opened = await say({ text: 'go', ref: 'a' });
      if (opened?.type !== 'turn_opened') return;
      await next('tool_started');
      await cancel({ target: opened.turn, source: 'disconnect' });
      return alice.say('and then?').ended;
    },
  },
  {
    name: 'a door that has nobody to ask',
    model: { go: [askFor(['risky'], ['asker']), sayText('one')] },
    play: async ({ door, next }) => {
      const { say, answer } = door('alice');
      await say({ text: 'go', ref: 'a' });
      const approval = await next('approval_requested');
      if (approval.type === 'approval_requested')
        await answer({ target: approval.node, question: approval.question, answer: 'cannot_ask' });
      const question = await next('question_asked');
      if (question.type === 'question_asked')
        await answer({ target: question.node, question: question.question, answer: 'cannot_ask' });
      return next('turn_ended');
    },
  },
  {
    name: 'a conversation that was brought',
    model: { go: [askFor(['wait', { ms: 60 }]), sayText('one')] },
    play: async ({ alice, door }) => {
      const text = (words: string) => [{ type: 'text', text: words }] as const;
      await door('alice').bring({
        messages: [
          { role: 'user', content: text('before') },
          { role: 'assistant', content: text('I look.'), calls: [{ name: 'wait', arguments: '{}' }] },
          { role: 'tool', content: text('done') },
        ],
      });
      return alice.say('go').ended;
    },
  },
];
