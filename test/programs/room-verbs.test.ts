// The verbs in a room of three, typed into the chats of its owner, of a speaker whose work it is not, and of a moderator: what each prints is what the other doors answer.
import { test } from 'vitest';
import { roomId, roomTokenOf } from '../standing/room-on-sockets.ts';
import { type ShownDoor, type ShownVerb, tryVerbs } from '../standing/shown-verbs.ts';
import { openRoomOfThree, type TableSpeaker } from '../standing/verb-table.ts';
import { type Child, startChild } from '../support/child.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

/** What is typed for a verb. */
const typed: Readonly<Record<ShownVerb, (turn: string, who: TableSpeaker) => string>> = {
  'CANCEL tools:mine': () => '/stop tools',
  'CANCEL <turn>': (turn) => `/stop ${turn}`,
  'words that go on': () => 'continue',
  RESUME: (turn) => `/resume ${turn}`,
  FORK: (turn) => `/fork ${turn}`,
  SET_TIMEOUT: (_, who) => `/timeout hold ${who === 'ann' ? 60 : 90}`,
};

/** What a chat prints, and the answer of the table that it stands for. */
const printed: readonly (readonly [RegExp, string])[] = [
  [/stopped in \d+ ms/i, 'stopped'],
  [/Nothing is stopped\.\n.*: runs on: it belongs to ann/, 'not_owner'],
  [/Nothing to stop: it has settled already\./, 'already_settled'],
  [/\(takes up .+ again\)\n[\s\S]*^ok$/m, 'resumed'],
  [/^ok$/m, 'opened'],
  [/\(turn_of_another\)/, 'turn_of_another'],
  [/fork_\w+ goes on from turn_\w+\./, 'forked'],
  [/You have set the timeout of hold to/, 'set'],
  [/\(access_denied\)/, 'access_denied'],
];

/** The answer that is printed first: what follows it may be the history of a fork, with the receipts of others. */
function firstAnswer(text: string): string | undefined {
  const found = printed.flatMap(([pattern, answer]) => {
    const at = text.search(pattern);
    return at < 0 ? [] : [{ at, answer }];
  });
  return found.sort((a, b) => a.at - b.at)[0]?.answer;
}

function terminalDoor(chats: ReadonlyMap<TableSpeaker, Child>): ShownDoor {
  const chatOf = (who: TableSpeaker): Child => {
    const chat = chats.get(who);
    if (!chat) throw new Error(`${who} has no chat.`);
    return chat;
  };
  /** Types a line, and resolves with what the condition finds in what is printed after it. */
  const ask = <Found>(who: TableSpeaker, line: string, find: (after: string) => Found) => {
    const chat = chatOf(who);
    const from = chat.stdout().length;
    chat.type(line);
    return until(() => find(chat.stdout().slice(from)), { ms: 10_000, what: `a reply to ${line} of ${who}` }).catch(
      (error: Error) => {
        throw new Error(`${error.message}; printed: ${chat.stdout().slice(from)}`, { cause: error });
      },
    );
  };
  return {
    async shows(who, words, state) {
      // the receipt is printed after the tree is empty: later it would count as the reply to what is typed next
      if (state === 'stopped')
        await until(() => new RegExp(`${words}[\\s\\S]*stopped in \\d+ ms`, 'i').test(chatOf(who).stdout()), {
          what: `the receipt of ${words} for ${who}`,
        });
      const isShown = state === 'running' ? /hold/ : /Nothing is running\./;
      await until(() => ask(who, '/tree', (after) => /\n$/.test(after) && after).then((tree) => isShown.test(tree)), {
        what: `${words} ${state} for ${who}`,
      });
    },
    async perform(who, verb, turn) {
      const answer = await ask(who, typed[verb](turn, who), firstAnswer);
      if (answer === 'forked')
        await ask(who, `/sessions ${roomId}`, (after) => after.includes(`the history of ${roomId} ends here`));
      return answer;
    },
  };
}

test('each verb by the chat of the owner, of another member and of a moderator [owner.node] [cancel.tools] [recover.go-on] [recover.resume] [fork.doors] [tool.timeouts] [cli.chat]', {
  timeout: scaled(60_000),
}, async () => {
  const { room, ann } = await openRoomOfThree();
  const open = (who: TableSpeaker) =>
    startChild('src/programs/chat.ts', { args: [room.url, '--session', roomId, '--token', roomTokenOf(who)] });
  const chats = new Map((['ann', 'bob', 'mo'] as const).map((who) => [who, open(who)]));
  await tryVerbs(room, ann, terminalDoor(chats));
});
