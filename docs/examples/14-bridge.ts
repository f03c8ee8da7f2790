// A voice bot as a bridge: it relays a room of three speakers, plays what the model says, and prints what stopped and what ran on.
//
// The recognizer, the model and the loudspeaker are played by this program; everything else is real: a gateway, a socket, a token.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attach, createRuntime, createTokenAuthenticator, defineTool, systemSources } from '@belay/runtime';
import { connect, SessionView } from '@belay/runtime/client';
import { createScriptedProvider } from '@belay/runtime/testing';
import { z } from 'zod';

const work = defineTool({
  name: 'work',
  description: 'Works on something until it is stopped, or done.',
  input: z.object({ on: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  run: ({ on }, { signal, output }) =>
    new Promise((resolve) => {
      output(`working on ${on}`);
      finish.set(on, () => resolve({ kind: 'completed', output: `${on}: done` }));
      signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: `${on}: stopped` }));
    }),
});
/** Ends a piece of work, by its name. */
const finish = new Map<string, () => void>();

const story = 'Once there was a fox. It lived in a wood. One day it met a crow.';
const requests: string[][] = [];
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    requests.push(messages.map(({ role, content }) => `${role}: ${content}`));
    const words = messages.at(-1)?.content ?? '';
    const tasks = /please (.+)$/.exec(words)?.[1]?.split(' and ') ?? [];
    if (tasks.length > 0)
      return {
        steps: tasks.map((on, i) => ({
          call: { callId: `p${i}`, name: 'work', arguments: JSON.stringify({ on }) },
        })),
      };
    return { steps: [{ text: words.endsWith('a story') ? story : 'All right.' }] };
  },
});

// the gateway: a token for the bridge, and a voice session
const runtime = await createRuntime({
  provider,
  tools: [work],
  session: () => ({ kind: 'voice', access: 'open', voice: { falseInterruptionMs: 300 } }),
});
const server = createServer();
const authenticator = createTokenAuthenticator({
  'a-token-of-the-bridge': { speaker: 'discord', roles: ['bridge', 'moderator'] },
});
attach(server, runtime, { authenticator });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

// the bridge: one connection, and a view of it for each speaker of the room
const client = await connect({ url: `ws://127.0.0.1:${port}/belay`, token: 'a-token-of-the-bridge' });
const room = client.session('voice/room-1');
const view = new SessionView(room);
const { voice } = await room.joined;
console.log(`may interrupt: ${voice?.bargeIn}; words count from a confidence of ${voice?.confidenceFrom}`);
const [ann, bob, mo] = [room.speaks('ann'), room.speaks('bob'), room.speaks('mo')];
await ann.enter();
await bob.enter();
await mo.enter({ roles: ['moderator'] });

const heardSurely = { final: true, confidence: 0.95, noSpeech: 0.02 };
/** The owners of the work that runs. */
const atWork = () =>
  view
    .getSnapshot()
    .nodes.filter(({ kind, state }) => kind === 'tool-call' && state === 'running')
    .map(({ owner }) => owner);
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

// ann asks for a search and a build
await ann.transcript('Belay, please search and build', heardSurely);
await until(() => finish.size === 2);

// bob says "oh stop" to a friend: nothing stops, and the model reads it
const toAFriend = await bob.transcript('Oh, stop!', heardSurely);
assert.equal(toAFriend.type, 'turn_opened');
await until(() => requests.at(-1)?.at(-1)?.includes('Oh, stop!') === true);
console.log(`"oh stop" of bob to a friend: the work of ${atWork()} runs on`);
assert.deepEqual(atWork(), ['ann', 'ann']);

// words that are not final, or that the recognizer is not sure of, stop nothing either
assert.equal((await ann.transcript('stop', { final: false })).type, 'transcript_ignored');
const unsure = await ann.transcript('stop', { final: true, confidence: 0.3 });
assert.equal(unsure.type, 'turn_opened');
assert.deepEqual(atWork(), ['ann', 'ann']);

// "nvm" of ann stops what is hers, and nothing of bob's
await bob.transcript('Belay, please mail', heardSurely);
await until(() => finish.size === 3);
const nvm = await ann.transcript('Nvm.', heardSurely);
assert.equal(nvm.type, 'stop_phrase');
await until(() => !atWork().includes('ann'));
console.log(`"nvm" of ann: the work of ${atWork()} runs on`);
assert.deepEqual(atWork(), ['bob']);

// a moderator of the room stops all of it, and ends with a question mark: that is the recognizer's
await mo.transcript('Stop?', heardSurely);
await until(() => atWork().length === 0);
console.log('"stop" of a moderator: nothing runs');

// ann hears a story. A cough pauses it, and it goes on; words cut it where they were heard
const notices: string[] = [];
room.on('speech_stop', ({ why }) => notices.push(`stop: ${why}`));
room.on('speech_resume', () => notices.push('resume'));
const asked = await ann.transcript('Belay, tell me a story', heardSurely);
assert(asked.type === 'turn_opened');
await until(() => view.getSnapshot().turns.some(({ blocks }) => blocks.some(({ text }) => text === story)));
await room.played({ turn: asked.turn, index: 0, offset: 0 });
await room.played({ turn: asked.turn, index: 0, offset: 21 });
const cough = await ann.bargeIn({ durationMs: 700 });
assert.equal(cough.result, 'paused');
await until(() => notices.includes('resume'));
assert.equal((await bob.bargeIn({ durationMs: 700 })).result, 'not_allowed'); // it is told to ann
await ann.bargeIn({ durationMs: 700 });
await ann.transcript('What is the name of the fox?', heardSurely);
await until(() => requests.at(-1)?.at(-1)?.includes('the name of the fox') === true);
console.log(`the speech: ${notices.join(', ')}`);
const told = requests.at(-1)?.find((message) => message.includes('Once'));
console.log(`the model knows what was heard: ${told}`);
assert.deepEqual(notices, ['stop: barge_in', 'resume', 'stop: barge_in']);
assert.match(told ?? '', /^assistant: Once there was a fox\.… \[cut off here/);

await client.close();
await runtime.close();
server.close();
